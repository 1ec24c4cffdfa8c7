//! What a plan is said to cost and to take before it runs: by rule at first, by earlier runs of equal tasks then.

use std::sync::Arc;
use std::time::Duration;

use planloom_engine::llm::{Entry, Models, Price, Role};
use planloom_engine::{Config, Engine};
use planloom_tests::models::{NAME, ScriptedModel, late, say, using};
use planloom_tests::rig::{Rig, task};
use serde_json::{Value, json};

fn priced(model: &ScriptedModel, price: Price) -> Models {
    let entry = Entry {
        price,
        ..Entry::new(NAME, Arc::new(model.clone()))
    };
    Models::none().with(entry).with_role(Role::Executor, &[NAME])
}

fn two_tasks() -> Value {
    let ask =
        json!({ "id": "ask", "instruction": "Ask it.", "task_type": "model", "dependencies": ["read"] });
    json!({ "goal": "Test", "tasks": [task("read", "read.do", &[]), ask] })
}

async fn estimate(engine: &Engine, rig: &Rig, plan: &Value) -> Value {
    let path = rig.write_plan("estimate.plan.json", plan);
    let shown = engine.estimate_file(path).await.unwrap().unwrap();
    serde_json::to_value(shown).unwrap()
}

#[tokio::test(start_paused = true)]
async fn earlier_runs_of_equal_tasks_make_the_range_narrow() {
    let model = ScriptedModel::default();
    let price = Price::PerMillion {
        input: "1000000".parse().unwrap(),
        output: "1000000".parse().unwrap(),
        cached: None,
    };
    let models = priced(&model, price);
    let rig = Rig::set_up(|config| Config { models, ..config });
    let first = estimate(&rig.engine, &rig, &two_tasks()).await;
    assert_eq!(first["tasks"]["ask"]["basis"], "rule");
    assert!(first["tokens"]["high"].as_u64() > first["tokens"]["low"].as_u64());
    assert_eq!(
        first["untimed"],
        json!(["read", "ask"]),
        "nobody knows how long they take"
    );
    assert_eq!(first["seconds"]["high"], Value::Null);

    for (seconds, tokens) in [(2, 100), (5, 300)] {
        let answer = using(say("ok"), tokens, 10);
        model.on("Ask it.", [late(answer, Duration::from_secs(seconds))]);
        rig.run(&two_tasks()).await;
    }
    let then = estimate(&rig.engine, &rig, &two_tasks()).await;
    assert_eq!(then["tasks"]["ask"]["basis"], json!({ "past": 2 }));
    assert_eq!(then["tokens"], json!({ "low": 110, "likely": 310, "high": 310 }));
    assert_eq!(
        then["usd"],
        json!({ "low": "110", "likely": "310", "high": "310" })
    );
    assert_eq!(then["seconds"], json!({ "low": 2.0, "likely": 5.0, "high": 5.0 }));
    assert_eq!(then["critical_path"], json!(["read", "ask"]));

    let mut other = two_tasks();
    other["tasks"][1]["instruction"] = json!("Ask something else.");
    assert_eq!(
        estimate(&rig.engine, &rig, &other).await["tasks"]["ask"]["basis"],
        "rule"
    );
}

#[tokio::test(start_paused = true)]
async fn an_unknown_price_stays_unknown_and_a_free_model_costs_nothing() {
    for (price, high) in [(Price::Unknown, Value::Null), (Price::Free, json!("0"))] {
        let models = priced(&ScriptedModel::default(), price);
        let rig = Rig::set_up(|config| Config { models, ..config });
        let said = estimate(&rig.engine, &rig, &two_tasks()).await;
        assert_eq!((&said["usd"]["low"], &said["usd"]["high"]), (&json!("0"), &high));
        assert_eq!(said["unpriced"].as_array().unwrap().is_empty(), !high.is_null());
    }
}

#[tokio::test(start_paused = true)]
async fn a_plan_with_errors_has_no_estimate() {
    let rig = Rig::in_memory();
    let path = rig.write_plan(
        "wrong.plan.json",
        &json!({ "tasks": [task("a", "read.do", &["b"])] }),
    );
    assert!(rig.engine.estimate_file(path).await.unwrap().is_none());
}
