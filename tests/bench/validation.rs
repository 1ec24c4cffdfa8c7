//! Validation of large plans: time for 10,000 tasks as a multiple of the time for 1,000.

use std::time::Instant;

use planloom_engine::model::DraftPlan;
use planloom_engine::model::grants::Place;
use planloom_engine::tools::Registry;
use serde_json::{Value, json};

use crate::table::Table;

pub fn ten_thousand(table: &mut Table) {
    for (shape, plan) in [("chain", chain as fn(usize) -> Value), ("lattice", lattice)] {
        let (small, large) = (plan(1000), plan(10_000));
        let (small_ms, large_ms) = (best_ms(&small), best_ms(&large));
        let per_item = (large_ms / items(&large)) / (small_ms / items(&small));
        let gate = format!("validation, {shape}: time per task and edge, 10,000 ÷ 1,000 tasks");
        table.at_most(
            &gate,
            per_item,
            2.0,
            "",
            format!("{large_ms:.1} ms for 10,000; linear is 1"),
        );
    }
}

/// Tasks and edges.
fn items(plan: &Value) -> f64 {
    let tasks = plan["tasks"].as_array().map_or(&[][..], Vec::as_slice);
    let edges: usize = tasks
        .iter()
        .map(|t| t["dependencies"].as_array().map_or(0, Vec::len))
        .sum();
    (tasks.len() + edges) as f64
}

fn best_ms(plan: &Value) -> f64 {
    let text = plan.to_string();
    let registry = Registry::builtin();
    let place = Place {
        folder: None,
        workspace: "/w".into(),
    };
    let once = || {
        let began = Instant::now();
        let draft = DraftPlan::parse(&text).expect("it is a plan");
        let accepted = draft.to_plan(registry.catalog(), &place).expect("it is valid");
        assert!(!accepted.plan.tasks.is_empty());
        began.elapsed().as_secs_f64() * 1e3
    };
    (0..7).map(|_| once()).min_by(f64::total_cmp).unwrap_or(f64::MAX)
}

fn task(id: String, after: Vec<String>) -> Value {
    json!({
        "id": id, "instruction": "Echo.", "task_type": "tool", "tool": "echo",
        "inputs": { "value": 1 }, "dependencies": after,
    })
}

fn chain(n: usize) -> Value {
    let tasks: Vec<Value> = (0..n)
        .map(|i| {
            task(
                format!("n{i}"),
                if i == 0 {
                    Vec::new()
                } else {
                    vec![format!("n{}", i - 1)]
                },
            )
        })
        .collect();
    json!({ "goal": "chain", "tasks": tasks })
}

fn lattice(n: usize) -> Value {
    let name = |row: usize, column: usize| format!("r{row}c{column}");
    let tasks: Vec<Value> = (0..n / 10)
        .flat_map(|row| (0..10).map(move |column| (row, column)))
        .map(|(row, column)| {
            let after = if row == 0 {
                Vec::new()
            } else {
                (0..10).map(|k| name(row - 1, k)).collect()
            };
            task(name(row, column), after)
        })
        .collect();
    json!({ "goal": "lattice", "tasks": tasks })
}
