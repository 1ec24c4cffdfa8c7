//! From a goal to an answer with a model behind real HTTP, and what an executor is sent on the wire.

use planloom_tests::model_server::{Asked, ModelServer};
use planloom_tests::process::Desk;
use serde_json::json;

fn desk_beside(server: &ModelServer) -> Desk {
    let desk = Desk::default();
    desk.choose_models(&json!({ "discover": [server.address()] }));
    desk
}

fn is_of_executor(asked: &&Asked) -> bool {
    let tools = asked.body["tools"].as_array().into_iter().flatten();
    let mut names = tools.map(|tool| &tool["function"]["name"]);
    names.any(|name| name == "submit_result")
}

/// Rule 1, read off the bytes that a provider gets: its task and its inputs, and nothing else of the run.
#[test]
fn an_executor_is_sent_neither_the_goal_nor_anothers_output() {
    let server = ModelServer::able("qwen", "done");
    let desk = desk_beside(&server);
    let echo = |id: &str, value: &str| {
        json!({ "id": id, "instruction": "Say it.", "task_type": "tool", "tool": "echo",
        "inputs": { "value": value } })
    };
    let plan = json!({
        "goal": "Canary-goal: win the tender.",
        "tasks": [
            echo("canary-parent", "Given-to-the-agent"),
            echo("canary-other", "Canary-output-of-another"),
            { "id": "canary-agent", "title": "Canary-title", "instruction": "Sum the note up.", "tools": ["text.template"],
              "dependencies": ["canary-parent", "canary-other"], "inputs": { "note": { "$from": "canary-parent" } } },
            { "id": "canary-after", "instruction": "Canary-instruction", "task_type": "model",
              "dependencies": ["canary-agent"] },
        ],
    });
    let path = desk.write("scope.plan.json", &plan);
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
    let chats = server.chats();
    let sent: Vec<&Asked> = chats.iter().filter(is_of_executor).collect();
    assert_eq!(sent.len(), 1);
    let (bytes, headers) = (sent[0].body.to_string(), format!("{:?}", sent[0].headers));
    assert!(
        bytes.contains("Given-to-the-agent") && bytes.contains("Sum the note up."),
        "{bytes}"
    );
    for text in [bytes, headers] {
        let text = text.to_lowercase();
        assert!(!text.contains("canary"), "{text}");
    }
}
