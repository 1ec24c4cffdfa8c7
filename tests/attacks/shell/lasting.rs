//! What a program leaves behind in the person's own folders, for a later run to trust.

use planloom_engine::Parameters;
use planloom_engine::model::Json;
use planloom_engine::tools::Hands;
use planloom_engine::views::{DecisionKind, RunStatus};
use serde_json::json;

use super::world::World;

/// Reads the file, which is said to be one's own, and hands it to a program.
fn reading(tool: &str, inputs: &Json, text: &str) -> Json {
    json!({ "goal": "Read on", "grants": { "read": ["./"], "own_work": ["./"], "commands": ["true"] }, "tasks": [
        { "id": "read", "instruction": "Read.", "task_type": "tool", "tool": tool, "inputs": inputs },
        { "id": "act", "instruction": "Act.", "task_type": "tool", "tool": "shell.run", "dependencies": ["read"],
          "inputs": { "program": "true", "args": [{ "$template": "{{ x }}", "with": { "x": { "$from": "read", "path": text } } }] } },
    ] })
}

async fn asks(world: &World, plan: &Json) -> bool {
    let shown = world.run_plan(plan, &Parameters::Json(json!({}))).await;
    let asked = shown.decisions.iter().any(|d| d.kind == DecisionKind::Effect);
    assert_eq!(asked, shown.row.status == RunStatus::Waiting, "{:?}", shown.tasks);
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_wrote_is_foreign_to_the_next_run_too() {
    let Some(mut world) = World::new() else { return };
    // Well before any program could write.
    tokio::time::sleep(std::time::Duration::from_millis(2_100)).await;
    std::fs::write(world.at("plan/own.txt"), "mine").unwrap();
    let rows = [
        ("file.read", json!({ "path": "out/a.csv" }), "/text"),
        ("csv.read", json!({ "path": "out/a.csv" }), "/rows"),
        ("file.read", json!({ "path": "out/b.csv" }), "/text"),
        ("file.list", json!({ "path": "out" }), "/files"),
        ("file.list", json!({ "path": "." }), "/files"),
        (
            "sql.query",
            json!({ "tables": { "t": "out/a.csv" }, "sql": "SELECT * FROM t" }),
            "/rows",
        ),
    ];
    let grants = json!({ "commands": ["sh"], "write": ["out/"] });
    let script =
        world.filled_in("cd {plan}/out; echo 'do=evil' > a.csv; cp a.csv b.csv; touch -d '2001-01-01' b.csv");
    let shown = world
        .run(grants, json!({ "program": "sh", "args": ["-c", script] }))
        .await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{:?}", shown.tasks);
    for is_anew in [false, true] {
        if is_anew {
            world.open_anew();
        }
        for (tool, inputs, text) in &rows {
            assert!(
                asks(&world, &reading(tool, inputs, text)).await,
                "{tool} {inputs}"
            );
        }
        let own = reading("file.read", &json!({ "path": "own.txt" }), "/text");
        assert!(
            !asks(&world, &own).await,
            "what no program could write is still one's own"
        );
    }
    // A clean call writes over it, and a person looks at the rest.
    let write = json!({ "id": "write", "instruction": "Write.", "task_type": "tool", "tool": "file.write",
        "inputs": { "path": "out/a.csv", "text": "x\n1\n" } });
    let writing = json!({ "grants": { "write": ["out/"] }, "tasks": [write] });
    let shown = world.run_plan(&writing, &Parameters::Json(json!({}))).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{:?}", shown.tasks);
    assert!(!asks(&world, &reading("file.read", &rows[0].1, "/text")).await);
    assert!(asks(&world, &reading("file.read", &rows[2].1, "/text")).await);
    tokio::time::sleep(std::time::Duration::from_millis(2_100)).await;
    Hands::beside(&world.at("db/planloom.db"))
        .looked_at(&world.at("plan/out"))
        .unwrap();
    assert!(!asks(&world, &reading("file.read", &rows[2].1, "/text")).await);
}

/// `check` and the approval say so before anything runs.
#[tokio::test(flavor = "multi_thread")]
async fn that_a_program_could_write_there_is_told_beforehand() {
    let Some(world) = World::new() else { return };
    let plan = reading("file.read", &json!({ "path": "out/a.txt" }), "/text");
    let path = world.at("plan/later.plan.json");
    std::fs::write(&path, plan.to_string()).unwrap();
    let engine = world.engine();
    let (before, _) = engine.flows_of_file(path.clone()).await;
    assert!(before.is_empty(), "{before:?}");
    world
        .run(
            json!({ "commands": ["true"], "write": ["out/"] }),
            json!({ "program": "true" }),
        )
        .await;
    let (after, _) = engine.flows_of_file(path).await;
    assert!(
        after
            .iter()
            .any(|flow| flow.path == ["read", "act"] && !flow.accepted),
        "{after:?}"
    );
}
