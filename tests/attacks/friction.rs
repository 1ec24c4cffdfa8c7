//! What the walls cost the honest: how often the usual jobs ask. A gate that asks all the time is answered unread.

use planloom_engine::model::Json;
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_engine::{Consent, Parameters, Shown};
use planloom_tests::models::say;
use planloom_tests::rig::{Rig, plan};
use serde_json::json;

use crate::support::Server;

/// Questions that only the gate asks.
fn gates(shown: &Shown) -> usize {
    let is_gate = |kind| matches!(kind, DecisionKind::Effect | DecisionKind::Grant);
    shown.decisions.iter().filter(|d| is_gate(d.kind)).count()
}

#[tokio::test]
async fn the_samples_run_without_a_question_of_the_gate() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/samples");
    for name in ["margin-report", "executive-margins"] {
        let rig = Rig::in_memory();
        let path = format!("{samples}/{name}.plan.json").into();
        let none = Parameters::Json(Json::Null);
        let run = rig.engine.open_run(path, &none, &Consent::Given).await.unwrap();
        let mut shown = rig.go_on(&run).await;
        let mut asked = gates(&shown);
        if shown.row.status == RunStatus::Waiting {
            let question = shown.decisions[0].id.clone();
            rig.answer(&run, &question, json!({ "drop_outliers": true }))
                .await;
            shown = rig.go_on(&run).await;
            asked += gates(&shown);
        }
        assert_eq!(
            (shown.row.status, asked),
            (RunStatus::Succeeded, 0),
            "{name}: {:?}",
            shown.decisions
        );
    }
}

fn tool(id: &str, name: &str, inputs: Json, after: &[&str]) -> Json {
    json!({ "id": id, "instruction": "x", "task_type": "tool", "tool": name, "inputs": inputs, "dependencies": after })
}

/// Read two pages and a file, sum up, write a report; then also send it.
#[tokio::test]
async fn read_and_report_asks_nothing_and_sending_asks_once() {
    let server = Server::saying("fine");
    let rig = Rig::with_models();
    std::fs::write(rig.folder().join("notes.md"), "notes").unwrap();
    rig.model.on("Sum up.", [say("all is well"), say("all is well")]);
    let mut tasks = vec![
        tool("one", "http.get", json!({ "url": server.url("/1") }), &[]),
        tool("two", "http.get", json!({ "url": server.url("/2") }), &[]),
        tool("notes", "file.read", json!({ "path": "notes.md" }), &[]),
        json!({ "id": "sum", "instruction": "Sum up.", "task_type": "model", "dependencies": ["one", "two", "notes"],
            "inputs": { "a": { "$from": "one" }, "b": { "$from": "two" }, "c": { "$from": "notes" } } }),
        tool(
            "save",
            "file.write",
            json!({ "path": "report.md", "text": { "$from": "sum" } }),
            &["sum"],
        ),
    ];
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(
        (shown.row.status, gates(&shown)),
        (RunStatus::Succeeded, 0),
        "{:?}",
        shown.decisions
    );
    let body = json!({ "url": server.url("/send"), "method": "POST", "body": { "$from": "sum" } });
    tasks.push(tool("send", "http.request", body, &["sum"]));
    let run = rig.open(&plan(&tasks)).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(gates(&shown), 1, "{:?}", shown.decisions);
    rig.answer(&run, &shown.decisions[0].id, json!("allow")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!((shown.row.status, gates(&shown)), (RunStatus::Succeeded, 0));
}
