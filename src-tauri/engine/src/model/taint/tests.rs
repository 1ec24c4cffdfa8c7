//! Flows of small plans, as a person reads them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use crate::model::{DraftPlan, Setting};

fn catalog() -> Catalog {
    let spec = |name: &str, effect, touches, is_source_untrusted| {
        Arc::new(ToolSpec {
            method_argument: (name == "web.do").then_some("method"),
            name: name.to_owned(),
            description: String::new(),
            arguments: json!({}),
            result: json!({}),
            effect,
            idempotency: Idempotency::Not,
            touches,
            is_source_untrusted,
            needs: Vec::new(),
            definition: None,
        })
    };
    let one = |argument, access| vec![Touch::one(argument, access)];
    Catalog::new([
        spec("web.get", Effect::ReadExternal, one("url", Access::Host), true),
        spec("web.do", Effect::WriteExternal, one("url", Access::Host), true),
        spec("file.read", Effect::Read, one("path", Access::Read), false),
        spec("file.write", Effect::Write, one("path", Access::Write), false),
        spec("echo", Effect::Pure, Vec::new(), false),
    ])
}

/// Each flow as `concern: a → b`, with `(accepted)` behind it where the plan names it.
fn told(plan: &Value) -> Vec<String> {
    let place = Place {
        folder: Some("/plan".into()),
        workspace: "/runs/1".into(),
    };
    let catalog = catalog();
    let setting = Setting {
        catalog: &catalog,
        place: &place,
        has_models: true,
    };
    let plan = DraftPlan::parse(&plan.to_string()).unwrap().to_plan_in(&setting);
    let plan = plan.map_err(|problems| format!("{problems:?}")).unwrap().plan;
    let around = Around {
        catalog: &catalog,
        place: &place,
        own_folders: &["/plan/mine".to_owned()],
        is_foreign: &|path| path.starts_with("/plan/mine/made"),
    };
    let line = |flow: Flow| {
        let path: Vec<&str> = flow.path.iter().map(TaskId::as_str).collect();
        let accepted = if flow.is_accepted { " (accepted)" } else { "" };
        format!("{:?}: {}{accepted}", flow.concern, path.join(" → "))
    };
    flows(&plan, &around).into_iter().map(line).collect()
}

fn tool(id: &str, tool: &str, inputs: &Value, after: &[&str]) -> Value {
    json!({ "id": id, "instruction": "Do it.", "task_type": "tool", "tool": tool, "inputs": inputs, "dependencies": after })
}

fn page() -> Value {
    tool("page", "web.get", &json!({ "url": "https://a.example/" }), &[])
}

fn send(body: &Value, after: &[&str]) -> Value {
    tool(
        "send",
        "web.do",
        &json!({ "method": "POST", "url": "https://b.example/", "body": body }),
        after,
    )
}

#[test]
fn from_a_page_to_a_post() {
    let mut sending = send(&json!({ "$from": "page" }), &["page"]);
    let mut plan = json!({ "tasks": [page(), sending.clone()] });
    assert_eq!(told(&plan), ["Untrusted: page → send"]);
    sending["accepts_untrusted"] = json!(["page"]);
    plan["tasks"][1] = sending;
    assert_eq!(told(&plan), ["Untrusted: page → send (accepted)"]);
}

#[test]
fn also_with_a_get_and_through_files_and_code() {
    let code = json!({ "id": "code", "instruction": "x", "task_type": "code", "source": "return x", "dependencies": ["page"],
        "inputs": { "x": { "$from": "page" } } });
    let ask = tool(
        "ask",
        "web.get",
        &json!({ "url": { "$template": "https://b.example/?q={{ q }}", "with": { "q": { "$from": "code" } } } }),
        &["code"],
    );
    let grants = json!({ "hosts": ["b.example"] });
    assert_eq!(
        told(&json!({ "grants": grants, "tasks": [page(), code, ask] })),
        ["Untrusted: page → code → ask"]
    );
    let write = tool(
        "write",
        "file.write",
        &json!({ "path": "run:/x", "text": { "$from": "page" } }),
        &["page"],
    );
    let read = tool("read", "file.read", &json!({ "path": "run:/x" }), &["write"]);
    assert_eq!(
        told(&json!({ "tasks": [page(), write, read, send(&json!({ "$from": "read" }), &["read"])] })),
        ["Untrusted: page → write → read → send"]
    );
}

#[test]
fn files_are_foreign_and_private_unless_they_are_ones_own() {
    let read = |path: &str| tool("read", "file.read", &json!({ "path": path }), &[]);
    let plan = |path: &str| json!({ "tasks": [read(path), send(&json!({ "$from": "read" }), &["read"])] });
    assert_eq!(
        told(&plan("in.md")),
        ["Untrusted: read → send", "Private: read → send"]
    );
    assert_eq!(told(&plan("mine/in.md")), ["Private: read → send"]);
    let mut own = plan("data/in.md");
    own["grants"] = json!({ "own_work": ["data/"], "private_to": ["POST b.example"] });
    assert_eq!(told(&own), [""; 0]);
    let write = tool(
        "write",
        "file.write",
        &json!({ "path": "mine/x.md", "text": { "$from": "page" } }),
        &["page"],
    );
    assert_eq!(
        told(&json!({ "tasks": [page(), write] })),
        ["OwnWork: page → write"]
    );
}

#[test]
fn what_is_narrow_carries_nothing() {
    let count = json!({ "id": "count", "instruction": "x", "task_type": "code", "source": "return { n: 1, text: 'x' }",
        "dependencies": ["page"], "inputs": { "x": { "$from": "page" } },
        "output_schema": { "type": "object", "properties": { "n": { "type": "integer" }, "text": { "type": "string" } } } });
    let plan = |path: &str| {
        let body = json!({ "$from": "count", "path": path });
        json!({ "tasks": [page(), count.clone(), send(&body, &["count"])] })
    };
    assert_eq!(told(&plan("/n")), [""; 0]);
    assert_eq!(told(&plan("/text")), ["Untrusted: page → count → send"]);
    assert_eq!(told(&plan("")), ["Untrusted: page → count → send"]);
}

#[test]
fn an_agent_that_reads_and_sends_is_a_way_of_its_own() {
    let agent = json!({ "id": "agent", "instruction": "x", "tools": ["web.get", "web.do"] });
    let mut plan = json!({ "grants": { "hosts": ["* a.example"] }, "tasks": [agent] });
    assert_eq!(told(&plan), ["Untrusted: agent"]);
    plan["tasks"][0]["accepts_untrusted"] = json!(["web.get", "web.do"]);
    assert_eq!(told(&plan), ["Untrusted: agent (accepted)"]);
}

#[test]
fn inside_maps_and_nested_plans_too() {
    let inner = json!({ "instruction": "x", "task_type": "tool", "tool": "web.do",
        "inputs": { "method": "POST", "url": "https://b.example/", "body": { "$item": "" } } });
    let each = json!({ "id": "each", "instruction": "x", "task_type": "map", "dependencies": ["page"],
        "over": { "$from": "page", "path": "/items" }, "task": inner });
    assert_eq!(
        told(&json!({ "tasks": [page(), each] })),
        ["Untrusted: page → each"]
    );
    let nested = json!({ "id": "part", "instruction": "x", "task_type": "subplan",
        "plan": { "tasks": [page(), send(&json!({ "$from": "page" }), &["page"])] } });
    assert_eq!(
        told(&json!({ "tasks": [nested] })),
        ["Untrusted: part/page → part/send"]
    );
}
