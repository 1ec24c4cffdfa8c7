//! What a person is told before the run is never less than what the run asks: of many small plans, thrown together.

use planloom_engine::model::Json;
use planloom_engine::views::DecisionKind;
use planloom_tests::rig::{Rig, with};
use planloom_tests::script::Act;
use serde_json::json;

use crate::washing::{EVIL, tool};

/// Small numbers from a seed, always the same.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.throw(from.len())]
    }
}

const FILES: [&str; 3] = ["run:/a", "run:/b", "mine/c"];

/// What a task may be given: plain words, or what an earlier one made.
fn value(dice: &mut Dice, before: &[String]) -> Json {
    match (before.len(), dice.throw(4)) {
        (0, _) | (_, 0) => json!("plain"),
        (count, 1) => {
            json!({ "$template": "{{ x }}", "with": { "x": { "$from": before[dice.throw(count)] } } })
        }
        (count, _) => json!({ "$from": before[dice.throw(count)] }),
    }
}

fn path(dice: &mut Dice, before: &[String]) -> Json {
    match dice.throw(6) {
        0 if !before.is_empty() => {
            json!({ "$template": "run:/{{ x }}", "with": { "x": { "$literal": "a" } } })
        }
        _ => json!(dice.pick(&FILES)),
    }
}

/// One more task, which may read those before it.
fn next(dice: &mut Dice, id: &str, before: &[String], depth: usize) -> Json {
    let after: Vec<&str> = before.iter().map(String::as_str).collect();
    let first = value(dice, before);
    let mut task = match dice.throw(11) {
        0 => tool(id, "outside.do", json!({ "id": id }), &after),
        1 => tool(id, "echo", json!({ "value": first }), &after),
        2 => {
            json!({ "id": id, "instruction": "x", "task_type": "code", "source": "return x", "inputs": { "x": first }, "dependencies": after })
        }
        3 => {
            let text = json!({ "$template": "{{ x }}", "with": { "x": first } });
            tool(
                id,
                "file.write",
                json!({ "path": path(dice, before), "text": text }),
                &after,
            )
        }
        4 => tool(id, "file.read", json!({ "path": path(dice, before) }), &after),
        5..=7 => {
            let inputs = json!({ "id": "sink", "body": first, "more": value(dice, before) });
            tool(id, "effect.do", inputs, &after)
        }
        8 if depth < 2 => map(dice, id, before, depth),
        9 if depth < 2 => subplan(dice, id, before, first, depth),
        _ => tool(id, "effect.do", json!({ "id": "sink", "body": first }), &after),
    };
    let is_call = task["task_type"] == "tool";
    if is_call && dice.throw(3) == 0 && !before.is_empty() {
        task["accepts_untrusted"] = json!([before[dice.throw(before.len())]]);
    } else if is_call && dice.throw(4) == 0 && !before.is_empty() {
        task["accepts_untrusted"] = json!(before);
    }
    task["optional"] = json!(true);
    task
}

fn map(dice: &mut Dice, id: &str, before: &[String], depth: usize) -> Json {
    let inner = next(dice, "inner", before, depth + 1);
    let list = json!({ "$from": before.first().cloned().unwrap_or_default() });
    let over = if before.is_empty() || dice.throw(2) == 0 {
        json!([1, 2])
    } else {
        list
    };
    let mut inner = with(inner, json!({ "dependencies": [] }));
    if dice.throw(2) == 0 && inner["task_type"] == "tool" && inner["tool"] == "effect.do" {
        inner["inputs"]["body"] = json!({ "$item": "" });
    }
    for field in ["id", "dependencies"] {
        inner.as_object_mut().unwrap().remove(field);
    }
    json!({ "id": id, "instruction": "x", "task_type": "map", "over": over, "task": inner, "dependencies": before })
}

fn subplan(dice: &mut Dice, id: &str, before: &[String], first: Json, depth: usize) -> Json {
    let mut inner = vec![next(dice, "one", &[], depth + 1)];
    inner.push(next(dice, "two", &["one".to_owned()], depth + 1));
    if dice.throw(2) == 0 {
        let inputs = json!({ "id": "sink", "body": { "$param": "p" } });
        inner.push(tool("three", "effect.do", inputs, &[]));
    }
    let plan = json!({ "parameters": { "p": { "default": "" } }, "tasks": inner,
        "grants": { "own_work": ["mine/"], "write": ["mine/"], "read": ["mine/"], "commands": ["sink"] } });
    json!({ "id": id, "instruction": "x", "task_type": "subplan", "plan": plan, "inputs": { "p": first }, "dependencies": before })
}

fn plan(seed: u64) -> Json {
    let mut dice = Dice(seed);
    let mut ids: Vec<String> = Vec::new();
    let mut tasks = Vec::new();
    for ix in 0..3 + dice.throw(5) {
        let id = format!("t{ix}");
        tasks.push(next(&mut dice, &id, &ids, 0));
        ids.push(id);
    }
    json!({ "goal": "Thrown together", "tasks": tasks,
        "grants": { "own_work": ["mine/"], "write": ["mine/"], "read": ["mine/"], "commands": ["sink"] } })
}

/// `each[3]` and `part/x` are told as the task that holds them, or as what they are.
fn is_told(address: &str, sinks: &[String]) -> bool {
    let plain = |text: &str| {
        let mut out = String::new();
        let mut inside = false;
        for c in text.chars() {
            match c {
                '[' => inside = true,
                ']' => inside = false,
                c if !inside => out.push(c),
                _ => {}
            }
        }
        out
    };
    let address = plain(address);
    sinks
        .iter()
        .map(|sink| plain(sink))
        .any(|sink| sink == address || address.starts_with(&format!("{sink}/")))
}

#[tokio::test(start_paused = true)]
async fn the_run_asks_nothing_that_was_not_told() {
    let (mut asked, mut judged) = (0, 0);
    for seed in 0..400 {
        let plan = plan(seed);
        let rig = Rig::in_memory();
        let list = json!([EVIL, EVIL]);
        for id in [
            "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "inner", "one", "two",
        ] {
            rig.outside
                .on(id, [Act::Give(list.clone()), Act::Give(list.clone())]);
        }
        std::fs::create_dir_all(rig.folder().join("mine")).unwrap();
        std::fs::write(rig.folder().join("mine/c"), "mine").unwrap();
        let path = rig.folder().join("thrown.plan.json");
        std::fs::write(&path, plan.to_string()).unwrap();
        let (flows, _) = rig.engine.flows_of_file(path).await;
        let Ok(run) = rig.try_open(&plan).await else {
            continue;
        };
        judged += 1;
        let mut shown = rig.go_on(&run).await;
        for _ in 0..12 {
            let open: Vec<_> = shown
                .decisions
                .iter()
                .filter(|d| d.kind == DecisionKind::Effect)
                .collect();
            if open.is_empty() {
                break;
            }
            for decision in &open {
                asked += 1;
                let task = decision.task.clone().unwrap_or_default();
                let sinks: Vec<String> = flows
                    .iter()
                    .filter(|flow| !flow.accepted)
                    .map(|flow| flow.sink.clone())
                    .collect();
                assert!(
                    is_told(&task, &sinks),
                    "seed {seed}: {task} was asked about ({}), told were {flows:?}\n{plan:#}",
                    decision.question
                );
            }
            let ids: Vec<String> = open.iter().map(|d| d.id.clone()).collect();
            for id in ids {
                rig.answer(&run, &id, json!("allow")).await;
            }
            shown = rig.go_on(&run).await;
        }
    }
    assert!(judged > 150 && asked > 100, "{judged} plans, {asked} questions");
}
