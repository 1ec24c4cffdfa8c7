//! The cases `tool-01` and `tool-04`: whatever a model writes as a call is answered, and nothing is guessed.

use planloom_engine::agents::executor::Step;
use planloom_engine::llm::{Answer, Reply, ToolCall};
use planloom_engine::model::Json;
use planloom_engine::model::tool::{Catalog, Effect};
use serde_json::json;

use super::support::{Attempt, call, case, tool};

const NAMES: &str = "tool-04-unknown-tool-name";
const ARGUMENTS: &str = "tool-01-degenerate-arguments";

fn texts(value: &Json) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Json::as_str)
        .collect()
}

fn attempt(file: &Json) -> Attempt {
    let object = || json!({ "type": "object" });
    let mut attempt = Attempt::agent(20);
    let offered = texts(&file["tools"]);
    attempt.tools = offered
        .iter()
        .map(|name| tool(name, Effect::Read, object()))
        .collect();
    let others = texts(&file["not_allowed"]);
    let others = others.iter().map(|name| tool(name, Effect::Exec, object()));
    let all = attempt.tools.iter().cloned().chain(others);
    attempt.catalog = Catalog::new(all.map(|tool| tool.spec().clone()));
    attempt
}

#[test]
fn every_name_gets_an_answer_and_the_loop_goes_on() {
    let file = case(NAMES, "calls.json");
    for row in file["calls"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let mut attempt = attempt(&file);
        attempt.replies(Reply::complete(Answer::calls(vec![call(name, "{}")])));
        match (row["want"].as_str().unwrap(), attempt.next()) {
            // Mapped: the whole name is what the gate is asked about.
            ("map-or-error" | "error-or-map", Step::Call(wanted)) => {
                assert_eq!(wanted[0].tool, row["to"].as_str().unwrap())
            }
            // A tool that this task may not use is refused where the call is recorded.
            ("refused", Step::Call(wanted)) => assert_eq!(wanted[0].tool, name),
            ("map-or-error" | "error-or-map" | "error", Step::Ask(_)) => {
                let told = attempt.told();
                assert!(
                    texts(&file["tools"]).iter().any(|name| told.contains(name)),
                    "{name}: {told}"
                );
            }
            (want, got) => panic!("{name}: {want}, {got:?}"),
        }
    }
    let mut attempt = attempt(&file);
    attempt.calls(&[("search", json!({}))]);
    let told = attempt.told();
    assert!(
        told.contains("mcp__notes__search") && told.contains("mcp__mail__search"),
        "both are named: {told}"
    );
    assert!(!told.contains("read_file"), "{told}");
}

#[test]
fn three_unknown_names_in_a_row_are_a_failure_with_that_reason() {
    let file = case(NAMES, "calls.json");
    let mut attempt = attempt(&file);
    for _ in 0..2 {
        attempt.calls(&[("execute_python", json!({}))]);
        attempt.asked();
    }
    attempt.calls(&[("read_file", json!({}))]);
    attempt.gives("3.0", json!("x"));
    for n in 0..3 {
        attempt.asked();
        attempt.calls(&[("delete", json!({ "n": n }))]);
    }
    let failed = attempt.failed();
    assert_eq!(failed.error.code, "unknown_tool");
    assert!(
        failed.error.message.contains("delete"),
        "{}",
        failed.error.message
    );
}

#[test]
fn arguments_are_taken_whole_or_refused_with_a_reason() {
    for row in case(ARGUMENTS, "rows.json").as_array().unwrap() {
        // An object instead of a text is made one by the wire.
        let text = match row.get("arguments") {
            None | Some(Json::Null) => String::new(),
            Some(Json::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let mut attempt = Attempt::agent(5);
        let path =
            json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
        let none = json!({ "type": "object", "properties": {} });
        attempt.tools = vec![
            tool("needs_path", Effect::Read, path),
            tool("no_params", Effect::Read, none),
        ];
        let call = ToolCall {
            arguments: text.clone(),
            ..call(row["tool"].as_str().unwrap(), "")
        };
        attempt.replies(Reply::complete(Answer::calls(vec![call])));
        match (row["want"].as_str().unwrap(), attempt.next()) {
            ("run" | "either", Step::Call(wanted)) => assert_eq!(wanted[0].arguments, row["as"], "{text}"),
            ("return-error" | "either", Step::Ask(_)) => {
                let told = attempt.told();
                assert!(told.starts_with("The call was not made"), "{told}");
                if text.is_empty() {
                    assert!(told.contains("path"), "what is missing is named: {told}");
                }
            }
            (want, got) => panic!("{text:?}: {want}, {got:?}"),
        }
    }
}
