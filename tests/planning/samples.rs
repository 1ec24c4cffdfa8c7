//! The samples that Planloom ships are valid, written in its own form, and need what they say.

use planloom_engine::model::DraftPlan;
use planloom_engine::model::grants::Place;
use planloom_engine::tools::Registry;
use planloom_engine::{Config, Engine};
use planloom_tests::process::root;

#[test]
fn every_sample_is_valid_and_written_as_planloom_writes() {
    let folder = root().join("assets/samples");
    let registry = Registry::builtin();
    let place = Place {
        folder: Some(folder.clone()),
        workspace: "/w".into(),
    };
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".plan.json") {
            continue;
        }
        seen += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let draft = DraftPlan::parse(&text).unwrap();
        assert_eq!(
            draft.problems(registry.catalog(), &place),
            [],
            "{}",
            path.display()
        );
        // PLANLOOM_BLESS=1 writes them so.
        if std::env::var_os("PLANLOOM_BLESS").is_some() {
            std::fs::write(&path, draft.to_text()).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            draft.to_text() == text,
            "{} is not in Planloom's own form",
            path.display()
        );
    }
    assert!(seen >= 12);
}

/// A first start without a model leads to a finished run in two clicks: the second is the signature, so nothing may have to
/// be chosen before it.
#[tokio::test]
async fn the_sample_of_a_first_start_is_signed_without_a_choice() {
    let engine = Engine::open(Config::new(None, "test")).unwrap();
    let folder = root().join("assets/samples");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".plan.json"))
        .collect();
    paths.sort();
    let asks_nobody = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        !text.contains("\"human\"")
    };
    let first = paths.into_iter().find(asks_nobody).unwrap();
    let view = engine.open_plan(first).await.unwrap();
    let shown = engine.approval(&view.run.as_str().into()).await.unwrap();
    assert_eq!(
        (shown.untrusted.len(), shown.unsupported.len(), shown.asks.len()),
        (0, 0, 0)
    );
    assert_eq!(shown.problems, []);
}
