//! Text from outside that would be run as code, although the plan accepts it as data.

use planloom_engine::Parameters;
use planloom_engine::model::Json;
use planloom_engine::views::{DecisionKind, RunStatus};
use serde_json::json;

use super::world::World;

/// The words of a command, with `?` for the text from outside; whether that is also what it reads.
const ROWS: &[(&str, bool)] = &[
    ("sh", true),
    ("bash -s", true),
    ("/bin/sh", true),
    ("python3", true),
    ("python3 -", true),
    ("python3 -u", true),
    ("perl", true),
    ("env sh", true),
    ("xargs sh -c", true),
    ("timeout 5 sh", true),
    ("sh /dev/stdin", true),
    ("awk -f -", true),
    ("sed -f -", true),
    ("make -f -", true),
    ("sh -c ?", false),
    ("python3 -c ?", false),
    ("perl -e ?", false),
    ("find . -exec ?", false),
    ("env ?", false),
    ("awk ?", false),
    ("sh run:/x.sh", false),
    ("run:/x.sh", false),
];

/// What the plan says goes, and asks nobody.
const FINE: &[(&str, bool)] = &[
    ("cat", true),
    ("sort", true),
    ("sh -c cat", true),
    ("sh -c true ?", false),
    ("echo ?", false),
];

fn plan(line: &str, reads: bool) -> Json {
    let words: Vec<&str> = line.split(' ').collect();
    let given = json!({ "$from": "page", "path": "/text" });
    let args: Vec<Json> = words[1..]
        .iter()
        .map(|word| if *word == "?" { given.clone() } else { json!(word) })
        .collect();
    let mut inputs = json!({ "program": words[0], "args": args });
    if reads {
        inputs["stdin"] = given.clone();
    }
    // A file that is not one's own, written on so that it could be run.
    json!({ "goal": "Run it", "grants": { "read": ["data/"], "commands": ["env", words[0]] }, "tasks": [
        { "id": "page", "instruction": "Read.", "task_type": "tool", "tool": "file.read", "inputs": { "path": "data/a.txt" } },
        { "id": "write", "instruction": "Write.", "task_type": "tool", "tool": "file.write", "dependencies": ["page"],
          "inputs": { "path": "run:/x.sh", "text": given } },
        { "id": "act", "instruction": "Act.", "task_type": "tool", "tool": "shell.run", "dependencies": ["page", "write"],
          "inputs": inputs, "accepts_untrusted": ["page"] },
    ] })
}

#[tokio::test(flavor = "multi_thread")]
async fn no_plan_accepts_code_from_outside() {
    let Some(world) = World::new() else { return };
    for (line, reads) in ROWS {
        let plan = plan(line, *reads);
        let shown = world.run_plan(&plan, &Parameters::Json(json!({}))).await;
        let asked = shown.decisions.iter().any(|d| d.kind == DecisionKind::Effect);
        assert!(
            asked && shown.tasks[2].attempts == 0,
            "{line}: {:?} {:?}",
            shown.tasks,
            shown.decisions
        );
        let path = world.at("plan/attack.plan.json");
        let (flows, _) = world.engine().flows_of_file(path).await;
        let told = flows.iter().any(|flow| flow.sink == "act" && !flow.accepted);
        assert!(told, "{line}: {flows:?}");
    }
    for (line, reads) in FINE {
        let shown = world
            .run_plan(&plan(line, *reads), &Parameters::Json(json!({})))
            .await;
        assert_eq!(
            shown.row.status,
            RunStatus::Succeeded,
            "{line}: {:?} {:?}",
            shown.tasks,
            shown.decisions
        );
    }
}
