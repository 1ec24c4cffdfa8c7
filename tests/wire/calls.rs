//! Calls of tools: in parallel, without numbers or ids, with arguments of every kind.

use std::collections::BTreeSet;

use planloom_engine::llm::ToolCall;
use serde_json::{Value as Json, json};

use crate::ask::{compatible, file, named, played};
use crate::server::{self, in_pieces};

async fn calls_of(script: Vec<server::Act>) -> Vec<ToolCall> {
    let reply = played(compatible(), script).await;
    reply
        .outcome
        .answer()
        .unwrap_or_else(|| panic!("{reply:?}"))
        .calls
        .clone()
}

#[tokio::test]
async fn case_tool_03_parallel_calls_in_a_stream() {
    let both = json!([["add", {"x": 1, "y": 2}], ["mul", {"x": 3, "y": 4}]]);
    let mut ids = BTreeSet::new();
    for (name, expected) in [
        (
            "index-always-0.sse",
            json!([["read_file", {"path": "a.txt"}], ["read_file", {"path": "b.txt"}]]),
        ),
        ("interleaved.sse", both.clone()),
        ("no-index.sse", both.clone()),
        ("blank-ids-finish-stop.sse", both),
        ("id-repeated-on-pieces.sse", json!([["add", {"x": 1, "y": 2}]])),
    ] {
        let bytes = file(&format!("cases/tool-03-parallel-calls-in-a-stream/{name}"));
        for size in [1, 64, bytes.len()] {
            let calls = calls_of(in_pieces(&bytes, size)).await;
            assert_eq!(named(&calls), expected, "{name}");
            if name.starts_with("blank-ids") {
                for call in calls {
                    assert!(!call.id.trim().is_empty() && ids.insert(call.id), "not unique");
                }
            }
        }
    }
}

/// As far as the wire and the reading of arguments go: what is no object, or lacks what the tool needs, is answered by
/// the executor.
#[tokio::test]
async fn case_tool_01_degenerate_arguments() {
    let rows = crate::ask::json("cases/tool-01-degenerate-arguments/rows.json");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 17);
    for row in rows {
        let mut function = json!({"name": row["tool"]});
        if let Some(arguments) = row.get("arguments") {
            function["arguments"] = arguments.clone();
        }
        let body = json!({"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [{"id": "c", "function": function}]}}]});
        let calls = calls_of(server::json(200, &body.to_string())).await;
        let read = calls[0].parsed().ok().filter(Json::is_object);
        let is_missing = |read: &Json| row["tool"] == "needs_path" && read.get("path").is_none();
        match row["want"].as_str().unwrap() {
            "run" => assert_eq!(read.as_ref(), Some(&row["as"]), "{row}"),
            "return-error" => assert!(read.as_ref().is_none_or(is_missing), "{row} gave {read:?}"),
            _ => assert!(read.is_none() || read.as_ref() == Some(&row["as"]), "{row}"),
        }
    }
}

/// Names come through as they were written; who reads them says which there are.
#[tokio::test]
async fn case_tool_04_no_strange_name_is_lost() {
    let case = crate::ask::json("cases/tool-04-unknown-tool-name/calls.json");
    let names: Vec<&Json> = case["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| &call["name"])
        .collect();
    let calls: Vec<Json> = names
        .iter()
        .map(|name| json!({"function": {"name": name, "arguments": "{}"}}))
        .collect();
    let body = json!({"choices": [{"finish_reason": "stop", "message": {"tool_calls": calls}}]});
    let calls = calls_of(server::json(200, &body.to_string())).await;
    let read: Vec<Json> = calls.iter().map(|call| json!(call.name)).collect();
    assert_eq!(read.iter().collect::<Vec<_>>(), names);
}
