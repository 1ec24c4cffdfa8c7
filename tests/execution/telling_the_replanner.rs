//! What is private goes to a replanner elsewhere only by a person's word, or where the approved plan sends it anyway.

use planloom_engine::llm::Models;
use planloom_engine::model::{Json, RunId};
use planloom_engine::run::Replan;
use planloom_engine::views::DecisionKind;
use planloom_engine::{Config, Consent, Parameters};
use planloom_tests::models::{ScriptedModel, say};
use planloom_tests::rig::{Rig, states, task};
use planloom_tests::script::Act;
use serde_json::{Value, json};

use crate::replanning::{ASKED, proposal};

const SECRET: &str = "PRIVATECANARY";

fn rig(models: Models, replan: Replan) -> Rig {
    let rig = Rig::set_up(|config| Config {
        models,
        replan,
        ..config
    });
    rig.read.on("bad", [Act::Permanent]);
    rig
}

/// Reads a file, and then fails at something else.
fn reading(folder: &std::path::Path, rest: &[Value]) -> Value {
    let file = folder.join("private.txt");
    std::fs::write(&file, SECRET).unwrap();
    let read = json!({ "id": "read", "instruction": "Read.", "task_type": "tool", "tool": "file.read",
        "inputs": { "path": file } });
    let tasks: Vec<Value> = [read, task("bad", "read.do", &["read"])]
        .into_iter()
        .chain(rest.iter().cloned())
        .collect();
    json!({ "goal": "Test", "tasks": tasks, "grants": { "read": [file] } })
}

async fn unsigned(rig: &Rig, plan: &Value) -> RunId {
    let path = rig.write_plan("unsigned.plan.json", plan);
    let parameters = Parameters::Json(Json::Null);
    rig.engine
        .open_run(path, &parameters, &Consent::Asked)
        .await
        .unwrap()
}

fn told(model: &ScriptedModel) -> usize {
    model.asked(SECRET)
}

#[tokio::test(start_paused = true)]
async fn a_replanner_elsewhere_hears_of_private_data_only_by_a_persons_word() {
    let folder = tempfile::tempdir().unwrap();
    for replan in [Replan::Ask, Replan::Auto] {
        let model = ScriptedModel::default();
        model.on(ASKED, [proposal(&json!({ "drop": ["bad"], "add": [] }))]);
        let rig = rig(model.models_at("models.example"), replan);
        let shown = rig.run(&reading(folder.path(), &[])).await;
        assert_eq!(states(&shown), "BLOCKED: read COMPLETED, bad FAILED");
        assert_eq!((model.requests().len(), told(&model)), (0, 0), "nothing was sent");
        let asked = &shown.decisions[0];
        assert_eq!(asked.kind, DecisionKind::Blocked);
        assert!(
            asked.question.contains("scripted/model at models.example"),
            "{}",
            asked.question
        );
        assert!(asked.options.iter().any(|option| option.answer == "replan"));
        let run = shown.row.run.as_str().into();
        rig.answer(&run, &asked.id, json!("replan")).await;
        rig.go_on(&run).await;
        assert_eq!(told(&model), 1, "the person chose it");
    }
}

#[tokio::test(start_paused = true)]
async fn here_or_where_the_plan_sends_it_anyway_it_is_told_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let here = ScriptedModel::default();
    here.on(ASKED, [proposal(&json!({ "drop": ["bad"], "add": [] }))]);
    let shown = rig(here.models(), Replan::Ask)
        .run(&reading(folder.path(), &[]))
        .await;
    assert_eq!(shown.decisions[0].kind, DecisionKind::Replan);
    assert_eq!(told(&here), 1);

    let there = ScriptedModel::default();
    there.on(ASKED, [proposal(&json!({ "drop": ["bad"], "add": [] }))]);
    there.on("Sum up", [say("{\"sum\": 1}")]);
    let sum = json!({ "id": "sum", "instruction": "Sum up.", "task_type": "model", "dependencies": ["read"],
        "inputs": { "text": { "$from": "read", "path": "/text" } } });
    let rig = rig(there.models_at("models.example"), Replan::Ask);
    let shown = rig.run(&reading(folder.path(), &[sum])).await;
    assert_eq!(
        shown.decisions[0].kind,
        DecisionKind::Replan,
        "{}",
        states(&shown)
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_private_in_it_is_no_reason_to_ask() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&json!({ "drop": ["bad"], "add": [] }))]);
    let rig = rig(model.models_at("models.example"), Replan::Ask);
    let plan = json!({ "tasks": [task("good", "read.do", &[]), task("bad", "read.do", &["good"])] });
    let shown = rig.run(&plan).await;
    assert_eq!(shown.decisions[0].kind, DecisionKind::Replan);
}

#[tokio::test(start_paused = true)]
async fn the_approval_names_each_model_its_host_and_its_tasks_and_the_replanner() {
    let model = ScriptedModel::default();
    let rig = rig(model.models_at("models.example"), Replan::Ask);
    let sum = json!({ "id": "sum", "instruction": "Sum up.", "task_type": "model" });
    let plan = json!({ "tasks": [sum], "synthesis": { "model": "synthesizer", "instruction": "Tell." } });
    let run = unsigned(&rig, &plan).await;
    let view = rig.engine.approval(&run).await.unwrap();
    let asked = &view.models[0];
    assert_eq!(
        (asked.model.as_str(), asked.host.as_deref()),
        ("scripted/model", Some("models.example"))
    );
    assert_eq!(
        (asked.tasks.as_slice(), asked.writes_answer),
        (["sum".to_owned()].as_slice(), true)
    );
    let replanner = view.replanner.unwrap();
    assert_eq!(replanner.host.as_deref(), Some("models.example"));
    assert!(!replanner.holds_private_back, "the plan tells that host anyway");

    let plain = unsigned(&rig, &json!({ "tasks": [task("a", "read.do", &[])] })).await;
    let view = rig.engine.approval(&plain).await.unwrap();
    assert!(view.models.is_empty());
    assert!(view.replanner.unwrap().holds_private_back);
}
