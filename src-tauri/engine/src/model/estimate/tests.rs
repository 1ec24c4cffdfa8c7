//! The rule of estimates: by examples, and against a greedy run of any small plan.

use proptest::prelude::*;

use super::*;
use crate::model::grants::Place;
use crate::model::tool::Catalog;
use crate::model::{DraftPlan, Setting};

fn plan(document: &Json) -> Plan {
    let setting = Setting {
        catalog: &Catalog::default(),
        place: &Place {
            folder: None,
            workspace: "/w".into(),
        },
        has_models: true,
    };
    let draft = DraftPlan::parse(&document.to_string()).unwrap();
    draft.to_plan_in(&setting).unwrap().plan
}

fn task(id: &str, after: &[&str]) -> Json {
    json!({ "id": id, "task_type": "model", "instruction": id, "dependencies": after })
}

fn ms(low: u64, high: u64) -> Guess {
    Guess {
        ms: Span {
            low,
            high: Some(high),
        },
        ..Guess::nothing()
    }
}

fn ids(path: &[TaskId]) -> Vec<&str> {
    path.iter().map(TaskId::as_str).collect()
}

#[test]
fn the_time_is_that_of_the_longest_way() {
    let plan =
        plan(&json!({ "tasks": [task("a", &[]), task("b", &[]), task("c", &["a", "b"]), task("d", &[])] }));
    let guess = |task: &Task| match task.id.as_str() {
        "a" => ms(10, 20),
        "b" => ms(30, 40),
        "c" => ms(5, 5),
        _ => ms(1, 2),
    };
    let wide = estimate(&plan, 100, &guess);
    assert_eq!(ids(&wide.critical_path), ["b", "c"]);
    assert_eq!((wide.ms.low, wide.ms.high), (35, Some(46)));
    let narrow = estimate(&plan, 1, &guess);
    assert_eq!(
        (narrow.ms.low, narrow.ms.high),
        (46, Some(67)),
        "one after the other"
    );
}

#[test]
fn what_is_unknown_leaves_the_whole_open_upwards() {
    let plan = plan(&json!({ "tasks": [task("a", &[]), task("b", &["a"])] }));
    let usd: Usd = "0.25".parse().unwrap();
    let guess = |task: &Task| match task.id.as_str() {
        "a" => Guess {
            usd: Span::exactly(usd),
            ..ms(10, 10)
        },
        _ => Guess::default(),
    };
    let whole = estimate(&plan, 4, &guess);
    assert_eq!((whole.usd.low, whole.usd.high), (usd, None));
    assert_eq!((whole.ms.low, whole.ms.high), (10, None));
    assert_eq!(ids(&whole.critical_path), ["a", "b"]);
}

#[test]
fn maps_count_their_items_and_nested_plans_their_tasks() {
    let inner = json!({ "instruction": "i", "task_type": "model" });
    let plan = plan(&json!({ "tasks": [
        { "id": "m", "instruction": "m", "task_type": "map", "over": [1, 2, 3], "max_parallel": 2, "task": inner },
        { "id": "s", "instruction": "s", "task_type": "subplan", "plan": { "tasks": [task("x", &[]), task("y", &["x"])] } },
        { "id": "open", "instruction": "o", "task_type": "map", "over": { "$from": "m" }, "dependencies": ["m"], "task": inner },
    ] }));
    let one = Guess {
        tokens: Span::exactly(7),
        ..ms(10, 10)
    };
    let whole = estimate(&plan, 16, &|_| one);
    let of = |id: &str| {
        whole
            .tasks
            .iter()
            .find(|(task, _)| task.as_str() == id)
            .unwrap()
            .1
    };
    assert_eq!(
        (of("m").tokens, of("m").ms),
        (Span::exactly(21), Span::exactly(20))
    );
    assert_eq!(
        (of("s").tokens, of("s").ms),
        (Span::exactly(14), Span::exactly(20))
    );
    assert_eq!(
        (of("open").tokens, of("open").ms),
        (Span::default(), Span { low: 0, high: None })
    );
    assert_eq!(
        of("open").usd,
        Span::exactly(Usd::ZERO),
        "what is free is free however often"
    );
}

#[test]
fn equal_work_has_equal_keys() {
    let plan = plan(&json!({ "tasks": [
        { "id": "a", "task_type": "model", "instruction": "Same.", "inputs": { "x": 1 } },
        { "id": "b", "task_type": "model", "instruction": "Same.", "inputs": { "x": 2 } },
        { "id": "c", "task_type": "model", "instruction": "Other." },
        { "id": "d", "task_type": "model", "instruction": "Same.", "model": "planner" },
    ] }));
    let keys: Vec<Digest> = plan.tasks.iter().map(|task| key(task)).collect();
    assert_eq!(keys[0], keys[1]);
    assert!(keys[0] != keys[2] && keys[0] != keys[3]);
}

/// Runs the tasks greedily, as the dispatcher does, and gives the moment of the last one.
fn simulated(plan: &Plan, slots: usize, times: &[u64]) -> u64 {
    let (mut done, mut running): (Vec<Option<u64>>, Vec<(u64, u32)>) =
        (vec![None; plan.tasks.len()], Vec::new());
    let (mut now, mut started) = (0, vec![false; plan.tasks.len()]);
    loop {
        for ix in 0..plan.tasks.len() as u32 {
            let is_ready = plan.dependencies(ix).iter().all(|&d| done[d as usize].is_some());
            if running.len() < slots && is_ready && !started[ix as usize] {
                started[ix as usize] = true;
                running.push((now + times[ix as usize], ix));
            }
        }
        running.sort_unstable();
        if running.is_empty() {
            return now;
        }
        let (at, ix) = running.remove(0);
        now = at;
        done[ix as usize] = Some(at);
    }
}

proptest! {
    /// Whatever the plan, a greedy run takes no less than the least and no more than the most.
    #[test]
    fn a_run_stays_within_its_estimate(
        edges in prop::collection::vec((0usize..8, 0usize..8), 0..14),
        times in prop::collection::vec(0u64..50, 8),
        slots in 1usize..5,
    ) {
        let tasks: Vec<Json> = (0..8usize).map(|n| {
            let after: Vec<String> = edges.iter().filter(|(from, to)| *to == n && *from < n).map(|(from, _)| format!("t{from}")).collect();
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            task(&format!("t{n}"), &after)
        }).collect();
        let plan = plan(&json!({ "tasks": tasks }));
        let guess = |task: &Task| {
            let n: usize = task.id.as_str()[1..].parse().unwrap();
            ms(times[n], times[n])
        };
        let whole = estimate(&plan, slots, &guess);
        let ran = simulated(&plan, slots, &times);
        prop_assert!(whole.ms.low <= ran && ran <= whole.ms.high.unwrap(), "{:?} {}", whole.ms, ran);
    }
}
