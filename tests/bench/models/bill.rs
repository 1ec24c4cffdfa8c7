//! The token bill: the same work done by a plan of small tasks and by one long talk, with scripted models. Tokens are
//! guessed from the bytes of what is sent, in the same way on both sides.

use planloom_engine::llm::{Models, Price, Role};
use planloom_engine::model::Json;
use planloom_tests::models::{NAME, ScriptedModel, call, submit};
use serde_json::{Value, json};

use crate::disk::{drive, open, runtime};
use crate::table::Table;

/// Sources that each have to be read and summed up, and the bytes of each.
const GOALS: [(&str, usize, usize); 3] = [
    ("4 sources", 4, 4_000),
    ("8 sources", 8, 4_000),
    ("16 sources", 16, 4_000),
];

pub fn bill(table: &mut Table) {
    for (name, sources, bytes) in GOALS {
        let planned = planned(sources, bytes);
        let single = single(sources, bytes);
        let note =
            format!("{planned} tokens by plan, {single} by one talk; planning itself counted with 2,000");
        table.at_most(
            &format!("token bill, {name}: plan ÷ one talk"),
            planned as f64 / single as f64,
            1.0,
            "",
            note,
        );
    }
}

fn source(bytes: usize) -> String {
    "Figures of the branch for the year, as they were reported. ".repeat(bytes / 59)
}

/// Reads each source once, then hands in.
fn reader(n: usize, bytes: usize) -> ScriptedModel {
    let model = ScriptedModel::default();
    let text = source(bytes);
    model.otherwise(move |request| {
        let seen = request.messages.len() / 2;
        Some(if seen < n {
            call(&[("echo", json!({ "value": format!("{seen} {text}") }))])
        } else {
            submit(json!({ "result": "The sum of it in two sentences, as was asked for." }))
        })
    });
    model
}

fn tokens(model: &ScriptedModel, plan: &Value) -> u64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    runtime().block_on(async {
        let engine = super::engine(folder.path(), free(model));
        let run = open(&engine, folder.path(), plan).await;
        drive(&engine, &run, 4).await;
        engine.close().await;
    });
    model
        .requests()
        .iter()
        .map(|request| request.guessed_input_tokens())
        .sum()
}

fn free(model: &ScriptedModel) -> Models {
    let entry = planloom_engine::llm::Entry {
        price: Price::Free,
        ..planloom_engine::llm::Entry::new(NAME, std::sync::Arc::new(model.clone()))
    };
    Models::none().with(entry).with_role(Role::Executor, &[NAME])
}

fn agent(id: &str, dependencies: &[String], inputs: Json) -> Json {
    json!({
        "id": id, "instruction": "Read the source and sum it up in two sentences.", "task_type": "agent",
        "tools": ["echo"], "dependencies": dependencies, "inputs": inputs, "max_steps": 40,
    })
}

fn planned(sources: usize, bytes: usize) -> u64 {
    const PLANNING: u64 = 2_000;
    let ids: Vec<String> = (0..sources).map(|n| format!("read{n}")).collect();
    let mut tasks: Vec<Json> = ids.iter().map(|id| agent(id, &[], json!({}))).collect();
    let inputs: serde_json::Map<String, Json> = ids
        .iter()
        .map(|id| (id.clone(), json!({ "$from": id })))
        .collect();
    let mut join = agent("join", &ids, Json::Object(inputs));
    join["task_type"] = json!("model");
    tasks.push(join);
    let plan = json!({ "version": 1, "goal": "Bench", "tasks": tasks });
    PLANNING + tokens(&reader(1, bytes), &plan)
}

fn single(sources: usize, bytes: usize) -> u64 {
    let plan = json!({ "version": 1, "goal": "Bench", "tasks": [agent("all", &[], json!({}))] });
    tokens(&reader(sources, bytes), &plan)
}
