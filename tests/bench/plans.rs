//! The plans that are measured: generated where the shape is simple, read from the benchmark folder where it is not.

use std::path::PathBuf;

use serde_json::{Value, json};

/// One root, `n - 2` in parallel, one join; nothing to wait for.
pub fn fan(n: usize) -> Value {
    let echo = |id: String, after: Vec<String>| {
        json!({
            "id": id, "instruction": "Fill.", "task_type": "tool", "tool": "bench.fill",
            "inputs": { "seed": 1, "bytes": 64 }, "dependencies": after,
        })
    };
    let names: Vec<String> = (1..n - 1).map(|i| format!("n{i}")).collect();
    let mut tasks = vec![echo("n0".to_owned(), Vec::new())];
    tasks.extend(names.iter().map(|id| echo(id.clone(), vec!["n0".to_owned()])));
    tasks.push(echo(format!("n{}", n - 1), names));
    json!({ "goal": "fan", "tasks": tasks })
}

/// A chain in which every task adds its own text of `bytes` bytes.
pub fn chain(n: usize, bytes: usize) -> Value {
    let tasks: Vec<Value> = (0..n)
        .map(|i| {
            let after: Vec<String> = if i == 0 {
                Vec::new()
            } else {
                vec![format!("n{}", i - 1)]
            };
            json!({
                "id": format!("n{i}"), "instruction": "Fill.", "task_type": "tool", "tool": "bench.fill",
                "inputs": { "seed": i, "bytes": bytes }, "dependencies": after,
            })
        })
        .collect();
    json!({ "goal": "chain", "tasks": tasks })
}

/// The same with code: each link makes its own text and looks at the one before.
pub fn chain_of_code(n: usize, bytes: usize) -> Value {
    let tasks: Vec<Value> = (0..n)
        .map(|i| {
            let (after, inputs) = match i.checked_sub(1) {
                None => (Vec::new(), json!({ "before": "" })),
                Some(before) => {
                    let before = format!("n{before}");
                    (vec![before.clone()], json!({ "before": { "$from": before } }))
                }
            };
            json!({
                "id": format!("n{i}"), "instruction": "Fill.", "task_type": "code", "dependencies": after, "inputs": inputs,
                "source": format!("return '{i} '.repeat({bytes}).slice(0, {bytes} - before.length % 2);"),
            })
        })
        .collect();
    json!({ "goal": "chain", "tasks": tasks })
}

/// A measured DAG with latencies, and its lower bound by the number in flight.
pub struct Latencies {
    pub name: String,
    pub plan: Value,
    pub critical_path_ms: f64,
    pub total_work_ms: f64,
}

/// The five latency DAGs, where they are at hand: `PLANLOOM_DAGS`, or `shared/dags` beside the project.
pub fn latency_dags() -> Vec<Latencies> {
    let folder = std::env::var_os("PLANLOOM_DAGS").map_or_else(
        || planloom_tests::process::root().join("../shared/dags"),
        PathBuf::from,
    );
    [
        "layered-200-s1",
        "layered-200-s2",
        "layered-200-s3",
        "layered-200-deep-s1",
        "window-200-s1",
    ]
    .into_iter()
    .filter_map(|name| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).ok()?;
        Some(read(name, &serde_json::from_str(&text).ok()?))
    })
    .collect()
}

fn read(name: &str, dag: &Value) -> Latencies {
    let nodes = dag["nodes"].as_array().cloned().unwrap_or_default();
    let tasks: Vec<Value> = nodes
        .iter()
        .map(|node| {
            json!({
                "id": node["id"], "instruction": "Wait.", "task_type": "tool", "tool": "wait",
                "inputs": { "ms": node["latency_ms"] }, "dependencies": node["dependencies"],
            })
        })
        .collect();
    let stat = |field: &str| dag["stats"][field].to_string().parse().unwrap_or(0.0);
    Latencies {
        name: name.to_owned(),
        plan: json!({ "goal": name, "tasks": tasks }),
        critical_path_ms: stat("critical_path_ms"),
        total_work_ms: stat("total_work_ms"),
    }
}
