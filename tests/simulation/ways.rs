//! Other ways, as a replanner may propose them: good ones, bad ones, and no plans at all.

use std::collections::BTreeMap;

use planloom_engine::llm::{Message, Outcome, Request};
use planloom_tests::models::{Line, fail, refuse, say};
use serde_json::{Value, json};

use crate::dice::Dice;

/// The answer to the question for another way; `number` counts the questions.
pub fn other(dice: &mut Dice, request: &Request, number: u64) -> Line {
    match dice.below(100) {
        0..60 => {}
        60..68 => return say("I have no idea."),
        68..74 => return say("{\"tasks\": []}"),
        74..82 => return fail(Outcome::Transient),
        82..86 => return refuse("I would rather not."),
        86..90 => return Line::Hang,
        // The plan as it is.
        _ => return say(&plan_of(request).unwrap_or_default().to_string()),
    }
    let (Some(mut plan), failed) = (plan_of(request), failed(request)) else {
        return say("{}");
    };
    let names: BTreeMap<String, String> = failed
        .into_iter()
        .map(|id| (id.clone(), format!("{id}_{number}")))
        .collect();
    for task in plan["tasks"].as_array_mut().into_iter().flatten() {
        redirect(task, &names);
    }
    if dice.chance(15) {
        // Something that nobody has granted.
        plan["grants"]["commands"] = json!(["nothing", "anything"]);
    }
    say(&plan.to_string())
}

/// The failed task becomes another one that only reads; what depended on it depends on that.
fn redirect(task: &mut Value, names: &BTreeMap<String, String>) {
    let new = task["id"].as_str().and_then(|id| names.get(id)).cloned();
    for need in task["dependencies"].as_array_mut().into_iter().flatten() {
        if let Some(name) = need.as_str().and_then(|id| names.get(id)) {
            *need = json!(name);
        }
    }
    if let Some(name) = task["inputs"]["note"]["$from"]
        .as_str()
        .and_then(|id| names.get(id))
    {
        task["inputs"]["note"]["$from"] = json!(name);
    }
    if let Some(new) = new {
        *task = json!({
            "id": new, "instruction": "Do it otherwise.", "task_type": "tool", "tool": "read.do",
            "inputs": { "id": "nothing" }, "timeout_s": 3, "dependencies": task["dependencies"].clone(),
        });
    }
    if task["inputs"].is_null() {
        task.as_object_mut().map(|task| task.remove("inputs"));
    }
}

fn question(request: &Request) -> &str {
    let opening = request.messages.iter().find_map(|message| match message {
        Message::User(text) => Some(text.as_str()),
        Message::Assistant { .. } | Message::Observation { .. } => None,
    });
    opening.unwrap_or_default()
}

/// The plan as it stands in the question.
fn plan_of(request: &Request) -> Option<Value> {
    let text = question(request);
    let text = &text[text.find('{')?..];
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}

fn failed(request: &Request) -> Vec<String> {
    let (_, rest) = question(request)
        .split_once("Where each task stands:")
        .unwrap_or_default();
    let told = rest
        .lines()
        .filter_map(|line| line.strip_prefix("- ")?.strip_suffix(": FAILED"));
    told.filter(|id| !id.contains(['[', '/']))
        .map(str::to_owned)
        .collect()
}
