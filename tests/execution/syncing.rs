//! What is synced to disk: what must be, or everything where the settings say so.

use planloom_tests::rig::{Rig, plan, task, with};
use serde_json::json;

/// Commits of a run of pure tasks, and those of them that were synced.
async fn counted(settings: &str) -> (u64, u64) {
    let mut rig = Rig::on_file();
    std::fs::write(rig.db().with_file_name("settings.json"), settings).unwrap();
    rig.engine = rig.engine_on(|config| config);
    let chain: Vec<_> = (0..6)
        .map(|n: u32| {
            let before = n.checked_sub(1).map(|before| format!("e{before}"));
            let after: Vec<&str> = before.iter().map(String::as_str).collect();
            let fields = json!({ "tool": "echo", "inputs": { "value": n } });
            with(task(&format!("e{n}"), "echo", &after), fields)
        })
        .collect();
    let run = rig.open(&plan(&chain)).await;
    let before = rig.engine.store_counts();
    rig.go_on(&run).await;
    let after = rig.engine.store_counts();
    (after.commits - before.commits, after.synced - before.synced)
}

#[tokio::test]
async fn everything_is_synced_where_the_settings_say_so() {
    let (commits, synced) = counted("{}").await;
    assert!(synced < commits, "{synced} of {commits}");
    let (commits, synced) = counted(r#"{"sync": "everything"}"#).await;
    assert_eq!(synced, commits);
}
