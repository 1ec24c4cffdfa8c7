//! Goals, and answers of a planner that is scripted. Knows no rule.

use planloom_engine::model::problem::{Code, Severity};
use planloom_engine::model::{Json, RunId};
use planloom_engine::run::PlanRest;
use planloom_engine::{Engine, Goal};
use planloom_tests::rig::Rig;
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub const GOAL: &str = "Prepare the weekly report";

/// One task in the planner's dialect, with these fields set.
pub fn task(id: &str, after: &[&str], fields: Json) -> Json {
    let mut task = json!({
        "id": id, "title": null, "task_type": "model", "instruction": format!("Do {id}."), "dependencies": after,
        "tools": [], "inputs": [], "for_each": null, "output_schema": null, "check": null, "when": null, "writes": [],
        "optional": false, "tier": "cheap", "source": null, "form": null,
    });
    for (name, value) in fields.as_object().unwrap() {
        task[name] = value.clone();
    }
    task
}

pub fn answer(tasks: &[Json]) -> Json {
    json!({
        "questions": [], "assumptions": [], "tasks": tasks,
        "grants": { "read": [], "write": [], "hosts": [], "databases": [], "commands": [] }, "answer": null,
    })
}

/// Two tasks, the second reading the first.
pub fn good() -> Json {
    let reads = json!({ "inputs": [{ "name": "tickets", "kind": "task", "value": "fetch", "path": "" }] });
    answer(&[task("fetch", &[], json!({})), task("sum", &["fetch"], reads)])
}

/// The second waits for the first, and the first for the second.
pub fn ring() -> Json {
    answer(&[
        task("fetch", &["sum"], json!({})),
        task("sum", &["fetch"], json!({})),
    ])
}

pub async fn plan(engine: &Engine, goal: Goal) -> (RunId, PlanRest) {
    engine.plan(goal, &CancellationToken::new()).await.unwrap()
}

pub async fn go_on(engine: &Engine, run: &RunId) -> PlanRest {
    engine.plan_on(run, &CancellationToken::new()).await.unwrap()
}

/// The plan of the draft.
pub async fn document(engine: &Engine, run: &RunId) -> Json {
    serde_json::from_str(&engine.draft(run).await.unwrap().document).unwrap()
}

pub async fn ids(engine: &Engine, run: &RunId) -> Vec<String> {
    let document = document(engine, run).await;
    let tasks = document["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect()
}

pub async fn errors(engine: &Engine, run: &RunId) -> Vec<Code> {
    let problems = engine.draft(run).await.unwrap().problems;
    let errors = problems.iter().filter(|p| p.severity == Severity::Error);
    errors.map(|p| p.code).collect()
}

pub async fn notes(engine: &Engine, run: &RunId) -> String {
    engine.planning(run).await.unwrap().unwrap().notes.join("\n")
}

pub async fn state(engine: &Engine, run: &RunId) -> &'static str {
    engine.planning(run).await.unwrap().unwrap().state
}

/// What the planner was asked last, as one text.
pub fn last_question(rig: &Rig) -> String {
    let request = rig.model.requests().last().cloned().unwrap();
    format!("{}\n{:?}", request.system, request.messages)
}
