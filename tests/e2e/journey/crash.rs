//! kill -9 of the whole application while a run goes: it is there again, goes on, and does nothing twice.

use std::time::Duration;

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::ledger::Ledger;
use planloom_tests::webdriver::Outcome;
use serde_json::json;

use super::steps::{
    answer_question, approve, card, card_in, history, mark, open_file, open_run, open_sample, plan_file,
    run_in,
};

const SAMPLE: [&str; 10] = [
    "read_northwind",
    "read_contoso",
    "read_fabrikam",
    "read_rates",
    "query_costs",
    "normalise",
    "work_out_margins",
    "check_outliers",
    "compare",
    "save_report",
];

#[tokio::test]
async fn a_question_outlives_a_crash() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    open_sample(&window).await?;
    let run = approve(&window).await?;
    window.find(&run_in("WAITING")).await?;
    window.kill().await?;

    let window = home.open(Setup::default()).await?;
    window
        .wait_text(&mark("decisions-card"), "1 decision waits for you")
        .await?;
    window.wait_text(&mark(&format!("run-{run}")), "Left off").await?;
    open_run(&window, &run).await?;
    window.find(&card_in("work_out_margins", "COMPLETED")).await?;
    window.click(&mark("resume")).await?;
    window.find(&mark("pause")).await?;
    window.click(&mark("answer")).await?;
    answer_question(&window, "After the crash").await?;
    window.find(&run_in("SUCCEEDED")).await?;
    for task in SAMPLE {
        let (completed, attempts) = history(&window, &run, task).await?;
        assert_eq!((task, completed), (task, 1));
        assert!(
            attempts <= 1 || task == "check_outliers",
            "{task} was tried {attempts} times"
        );
    }
    window.click(&card("save_report")).await?;
    window.click(&mark("tab-input")).await?;
    window
        .wait_text(&mark("tabpanel-input"), "Note: After the crash")
        .await?;
    window.terminate().await
}

#[tokio::test]
async fn a_running_task_outlives_a_crash_and_no_effect_is_repeated() -> Outcome<()> {
    let home = Home::new()?;
    let ledger = Ledger::open(Duration::ZERO);
    let post = |id: &str, after: &[&str]| {
        json!({
            "id": id, "instruction": "Post.", "task_type": "tool", "tool": "http.request", "dependencies": after,
            "inputs": { "url": ledger.url(id), "method": "POST", "body": { "id": id } },
        })
    };
    let wait = json!({"id": "slow", "instruction": "Wait.", "task_type": "tool", "tool": "wait", "dependencies": ["before"], "inputs": {"ms": 5000}});
    let file = plan_file(
        home.folder(),
        &json!([post("before", &[]), wait, post("after", &["slow"])]),
    );
    let setup = Setup {
        chosen_file: Some(file),
        ..Setup::default()
    };

    let window = home.open(setup.clone()).await?;
    open_file(&window).await?;
    let run = approve(&window).await?;
    window.find(&card_in("slow", "RUNNING")).await?;
    window.find(&card_in("before", "COMPLETED")).await?;
    window.kill().await?;

    let window = home.open(setup).await?;
    open_run(&window, &run).await?;
    window.wait_text(&mark("run-status"), "Paused").await?;
    assert_eq!(ledger.entries().len(), 1, "nothing goes on by itself");
    window.click(&mark("resume")).await?;
    window.find(&card_in("slow", "RUNNING")).await?;
    window.find(&run_in("SUCCEEDED")).await?;
    for task in ["before", "slow", "after"] {
        assert_eq!((task, history(&window, &run, task).await?.0), (task, 1));
    }
    let entries = ledger.entries();
    assert!(
        entries.len() == 2 && entries.values().all(|entry| entry.requests == 1),
        "{entries:?}"
    );
    window.terminate().await
}
