//! Random plans: waves and chains of reads, effects, questions, conditions, agents, maps, nested plans,
//! with spares, budgets and final answers.

use planloom_tests::models::SPARE;
use serde_json::{Value, json};

use crate::dice::Dice;

/// A plan, and the ids that its tools are asked with, which it grants.
pub fn random(dice: &mut Dice) -> Value {
    let count = 1 + dice.below(9);
    // A map without items needs a grant all the same: nobody knows that before the run.
    let mut ids = vec!["nothing".to_owned()];
    let mut tasks: Vec<Value> = Vec::new();
    for n in 0..count {
        let mut after: Vec<String> = Vec::new();
        for m in 0..n {
            if dice.chance(35) {
                after.push(format!("t{m}"));
            }
        }
        let mut task = of_kind(dice, &format!("t{n}"), &mut ids);
        task["id"] = json!(format!("t{n}"));
        if dice.chance(15) {
            task["optional"] = json!(true);
        }
        if dice.chance(8) {
            task["approval"] = json!("before");
        }
        if dice.chance(8) {
            task["when"] = json!(if dice.chance(50) { "1 == 1" } else { "1 == 2" });
        }
        if let Some(from) = after
            .first()
            .filter(|_| task["tool"].is_string() && dice.chance(30))
        {
            // Whatever it gives: its id stays the same however often it is asked.
            task["inputs"]["note"] = json!({ "$from": from, "path": "/id" });
        }
        task["dependencies"] = json!(after);
        tasks.push(task);
    }
    let mut plan = json!({ "goal": "Hold", "tasks": tasks, "grants": { "commands": ids } });
    for (field, value) in [("budget", budget(dice)), ("synthesis", synthesis(dice))] {
        if let Some(value) = value {
            plan[field] = value;
        }
    }
    plan
}

fn of_kind(dice: &mut Dice, id: &str, ids: &mut Vec<String>) -> Value {
    match dice.below(10) {
        0 => json!({ "instruction": "Well?", "task_type": "human", "form": { "type": "integer" } }),
        1 | 2 => map(dice, id, ids),
        3 => nested(dice, id, ids),
        4 => agent(dice, id, ids),
        _ => call(dice, id, ids),
    }
}

fn call(dice: &mut Dice, id: &str, ids: &mut Vec<String>) -> Value {
    ids.push(id.to_owned());
    let tool = *dice.pick(&["read.do", "read.do", "outside.do", "effect.do", "keyed.do"]);
    let mut task = json!({ "instruction": "Do.", "task_type": "tool", "tool": tool, "inputs": { "id": id } });
    // What hangs for ever would hang the run for ever, as it should.
    task["timeout_s"] = json!(3);
    if dice.chance(30) {
        task["retry"] = json!({ "max_attempts": 1 + dice.below(3), "initial_ms": 50, "max_ms": 200 });
    }
    if dice.chance(25) {
        let spares: &[&str] = match tool {
            "effect.do" => &["spare.send"],
            "keyed.do" => &["spare.keyed", "spare.send"],
            _ => &["spare.do"],
        };
        task["fallback"] = json!(dice.pick(spares));
    }
    if dice.chance(5) {
        task["check"] = json!("output.number != 1");
    }
    task
}

/// What the run may spend, little enough that it is asked about now and then.
fn budget(dice: &mut Dice) -> Option<Value> {
    match dice.below(12) {
        0 | 1 => Some(json!({ "seconds": 1 + dice.below(20) })),
        2 => Some(json!({ "tokens": 200 + dice.below(3_000) })),
        3 => Some(json!({ "usd": 0.001 })),
        _ => None,
    }
}

fn synthesis(dice: &mut Dice) -> Option<Value> {
    match dice.below(10) {
        0 => Some(json!({ "template": "All is done: {{ goal }}" })),
        1 => Some(json!({ "model": "synthesizer", "instruction": "Agent of answer. Sum up." })),
        _ => None,
    }
}

/// The instruction says whose agent it is: a model is never told which task it works for.
fn agent(dice: &mut Dice, id: &str, ids: &mut Vec<String>) -> Value {
    ids.push(id.to_owned());
    let mut task = json!({
        "instruction": format!("Agent of {id}. Do it."), "task_type": "agent", "tools": ["read.do", "effect.do"],
        "max_steps": 2 + dice.below(5), "timeout_s": 20, "retry": { "max_attempts": 2, "initial_ms": 50 },
    });
    if dice.chance(20) {
        task["fallback"] = json!(SPARE);
    }
    if dice.chance(25) {
        task["task_type"] = json!("model");
        task.as_object_mut()
            .unwrap()
            .retain(|name, _| name != "tools" && name != "max_steps");
    }
    task
}

fn map(dice: &mut Dice, id: &str, ids: &mut Vec<String>) -> Value {
    let items: Vec<String> = (0..dice.below(4)).map(|n| format!("{id}-{n}")).collect();
    ids.extend(items.iter().cloned());
    let tool = dice.pick(&["read.do", "effect.do", "keyed.do"]);
    let mut inner = json!({
        "instruction": "Do.", "task_type": "tool", "tool": tool, "inputs": { "id": { "$item": "" } },
        "timeout_s": 3, "retry": { "max_attempts": 2, "initial_ms": 50 },
    });
    if dice.chance(30) {
        inner["optional"] = json!(true);
    }
    let mut map = json!({ "instruction": "Each.", "task_type": "map", "over": items, "task": inner });
    if dice.chance(40) {
        map["max_parallel"] = json!(1 + dice.below(2));
    }
    map
}

fn nested(dice: &mut Dice, id: &str, ids: &mut Vec<String>) -> Value {
    let mut own = Vec::new();
    let mut tasks = Vec::new();
    for n in 0..1 + dice.below(3) {
        let inner = format!("{id}_{n}");
        let mut task = call(dice, &inner, &mut own);
        task["id"] = json!(format!("n{n}"));
        if n > 0 && dice.chance(60) {
            task["dependencies"] = json!([format!("n{}", n - 1)]);
        }
        tasks.push(task);
    }
    ids.extend(own.iter().cloned());
    let plan = json!({ "tasks": tasks, "grants": { "commands": own } });
    json!({ "instruction": "Nest.", "task_type": "subplan", "plan": plan })
}
