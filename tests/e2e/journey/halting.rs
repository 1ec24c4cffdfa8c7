//! Pausing, going on and stopping by hand.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::json;

use super::steps::{approve, card_in, history, mark, open_file, plan_file, run_in};

#[tokio::test]
async fn a_run_is_paused_taken_up_and_stopped() -> Outcome<()> {
    let home = Home::new()?;
    let wait = |id: &str, ms: u32, after: &[&str]| json!({"id": id, "instruction": "Wait.", "task_type": "tool", "tool": "wait", "dependencies": after, "inputs": {"ms": ms}});
    let tasks = json!([
        wait("first", 5000, &[]),
        wait("second", 600_000, &["first"]),
        wait("third", 1, &["second"])
    ]);
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &tasks)),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    open_file(&window).await?;
    let run = approve(&window).await?;
    window.find(&card_in("first", "RUNNING")).await?;
    window.click(&mark("pause")).await?;
    window.find(&run_in("PAUSED")).await?;
    window.find(&card_in("first", "COMPLETED")).await?;
    assert_eq!(
        history(&window, &run, "second").await?,
        (0, 0),
        "nothing starts in a paused run"
    );

    window.click(&mark("resume")).await?;
    window.find(&card_in("second", "RUNNING")).await?;
    window.click(&mark("stop")).await?;
    window.wait_text(&mark("stop-dialog"), "1 finished task").await?;
    window.click(&mark("confirm-keep")).await?;
    window.wait_gone(&mark("stop-dialog")).await?;
    window.find(&card_in("second", "RUNNING")).await?;
    window.click(&mark("stop")).await?;
    window.click(&mark("stop-now")).await?;
    window.find(&run_in("CANCELLED")).await?;
    window.find(&card_in("second", "CANCELLED")).await?;
    window.find(&card_in("third", "CANCELLED")).await?;
    window.find(&mark("edit-copy")).await?;
    window.click(&mark("rail-home")).await?;
    window.wait_text(&mark(&format!("run-{run}")), "Stopped").await?;
    window.terminate().await
}
