//! What the editor is given of right and wrong drafts.

use serde_json::json;

use super::*;
use crate::model::tool::{Idempotency, ToolSpec, Touch};

fn shown(plan: Json) -> Parts {
    let spec = |name: &str, effect, touch| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        arguments: json!({}),
        result: json!({}),
        effect,
        idempotency: Idempotency::Natural,
        touches: vec![touch],
        method_argument: None,
        is_source_untrusted: false,
        needs: Vec::new(),
        definition: None,
    };
    let catalog = Catalog::new([
        spec("file.write", Effect::Write, Touch::one("path", Access::Write)).into(),
        spec("http.get", Effect::ReadExternal, Touch::one("url", Access::Host)).into(),
    ]);
    let place = Place {
        folder: Some("/plans".into()),
        workspace: "/runs/one".into(),
    };
    parts(&DraftPlan::parse(&plan.to_string()).unwrap(), &catalog, &place)
}

#[test]
fn cards_and_edges_of_a_plan() {
    let parts = shown(json!({
        "layout": {"positions": {"b": {"x": 10, "y": -5.6}}},
        "grants": {"write": ["out/**"], "hosts": ["example.org"]},
        "tasks": [
            {"id": "a", "instruction": "i", "title": "First", "task_type": "tool", "tool": "http.get", "inputs": {"url": "https://example.com/x"}},
            {"id": "b", "instruction": "i", "task_type": "tool", "tool": "file.write", "dependencies": ["a"],
             "inputs": {"path": "out/r.md", "text": {"$from": "a"}}},
            {"id": "c", "instruction": "i", "task_type": "tool", "tool": "file.write", "dependencies": ["b", "a"],
             "inputs": {"path": {"$from": "b", "path": "/path"}, "text": {"$template": "{{ t }}", "with": {"t": [{"$from": "b"}]}}}}
        ]
    }));
    let waves: Vec<_> = parts.tasks.iter().map(|task| task.wave).collect();
    assert_eq!(waves, [Some(1), Some(2), Some(3)]);
    assert_eq!(
        (parts.tasks[0].title.as_str(), parts.tasks[0].detail.as_str()),
        ("First", "http.get")
    );
    assert_eq!(parts.tasks[1].title, "b");
    assert_eq!(parts.tasks[1].position, Some(Position { x: 10, y: -6 }));
    assert!(parts.tasks[1].document.starts_with("{\"id\":\"b\","));

    let need = |task: usize| {
        parts.tasks[task]
            .needs
            .iter()
            .map(|n| (n.resource.as_str(), n.note.as_str()))
            .collect::<Vec<_>>()
    };
    assert_eq!(need(0), [("example.com:443", "GET only")]);
    assert_eq!(need(1), [("out/r.md", "Writes it; what was there is replaced")]);
    assert_eq!(
        need(2),
        [(
            "out/**",
            "Writes it; what was there is replaced; which one is decided during the run"
        )]
    );

    let all: Vec<_> = parts
        .needs
        .iter()
        .map(|n| (n.resource.as_str(), n.tasks.join(",")))
        .collect();
    let expected = [
        ("example.com:443", "a"),
        ("out/r.md", "b"),
        ("out/**", "c"),
        ("example.org", ""),
    ];
    assert_eq!(
        all,
        expected.map(|(resource, tasks)| (resource, tasks.to_owned()))
    );

    let edges: Vec<_> = parts
        .edges
        .iter()
        .map(|e| (e.from.as_str(), e.to.as_str(), e.inputs.join(",")))
        .collect();
    assert_eq!(
        edges,
        [
            ("a", "b", "text".into()),
            ("b", "c", "path,text".into()),
            ("a", "c", String::new())
        ]
    );
}

#[test]
fn wrong_drafts_are_drawn_as_far_as_they_go() {
    let parts = shown(json!({"tasks": [
        {"id": "a", "instruction": "i", "dependencies": ["b", "nope", 3]},
        {"id": "b", "instruction": "i", "dependencies": ["a"]},
        {"id": "a", "instruction": "copy", "dependencies": ["c"]},
        {"instruction": "no id", "dependencies": ["b"]},
        "no task",
        {"id": "c", "instruction": "i", "dependencies": ["c"]}
    ]}));
    let ids: Vec<&str> = parts.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "#3", "#4", "#5", "c"]);
    let waves: Vec<_> = parts.tasks.iter().map(|task| task.wave).collect();
    assert_eq!(waves, [None, None, None, None, Some(1), None]);
    let edges: Vec<_> = parts
        .edges
        .iter()
        .map(|e| (e.from.as_str(), e.to.as_str(), e.is_in_loop))
        .collect();
    assert_eq!(
        edges,
        [
            ("b", "a", true),
            ("a", "b", true),
            ("c", "#3", false),
            ("b", "#4", false),
            ("c", "c", true)
        ]
    );
    for plan in [json!(null), json!([]), json!({"tasks": 3}), json!({})] {
        assert_eq!(shown(plan).tasks.len(), 0);
    }
}

#[test]
fn a_long_chain_is_shown_whole() {
    let task = |n: usize| {
        json!({"id": format!("t{n}"), "instruction": "i",
        "dependencies": if n == 0 { json!([]) } else { json!([format!("t{}", n - 1)]) }})
    };
    let parts = shown(json!({"tasks": (0..10_000).map(task).collect::<Vec<_>>()}));
    assert_eq!((parts.tasks.len(), parts.edges.len()), (10_000, 9_999));
    assert_eq!(parts.tasks[9_999].wave, Some(10_000));
}

/// What a person signs is what is granted: one form of a host, and of what grants nothing the reason.
#[test]
fn entries_are_shown_as_what_they_are() {
    let parts = shown(json!({
        "grants": {"write": ["out/"], "hosts": ["Example.COM.", "example.com", "2130706433:80", "bücher.example"]},
        "tasks": [
            {"id": "a", "instruction": "i", "task_type": "tool", "tool": "http.get", "inputs": {"url": {"$param": "u"}}},
            {"id": "b", "instruction": "i", "task_type": "tool", "tool": "file.write", "inputs": {"path": "/proc/1/mem", "text": "x"}}
        ]
    }));
    let needs: Vec<String> = parts
        .tasks
        .iter()
        .flat_map(|task| &task.needs)
        .map(|n| format!("{}: {}", n.resource, n.note))
        .collect();
    insta::assert_snapshot!(needs.join("\n"), @r"
    example.com: GET and HEAD only; which one is decided during the run
    2130706433:80: Grants nothing: `2130706433` is another spelling of `127.0.0.1`; it counts only when it is written so
    xn--bcher-kva.example: GET and HEAD only; which one is decided during the run
    /proc/1/mem: Writes it; what was there is replaced; CLOSED to every plan, so that the call will be refused
    ");
}

/// A signature covers the whole entry, also where one file of it is all that is known to be needed.
#[test]
fn an_entry_of_which_only_a_part_is_needed_is_shown_whole() {
    let writing = |path: &str| {
        json!({ "id": "a", "instruction": "i", "task_type": "tool", "tool": "file.write",
            "inputs": { "path": path, "text": "x" } })
    };
    let fetch = json!({ "id": "b", "instruction": "i", "task_type": "tool", "tool": "http.get",
        "inputs": { "url": "http://127.0.0.1:18431/z" } });
    let nested = json!({ "id": "c", "instruction": "i", "task_type": "subplan",
        "plan": { "goal": "g", "grants": { "read": ["in/"], "write": ["/srv/"] }, "tasks": [writing("/srv/x")] } });
    let parts = shown(json!({
        "grants": { "write": ["/", "notes/a.md"], "hosts": ["* 127.0.0.1:18431", "127.0.0.1:18431"] },
        "tasks": [writing("notes/a.md"), fetch, nested]
    }));
    let needs: Vec<String> = parts
        .needs
        .iter()
        .map(|n| format!("{} [{}]: {}", n.resource, n.tasks.join(","), n.note))
        .collect();
    insta::assert_snapshot!(needs.join("\n"), @r"
    notes/a.md [a]: Writes it; what was there is replaced
    127.0.0.1:18431 [b]: GET only
    /srv/x [c]: Writes it; what was there is replaced
    in/ [c]: Granted; no task is known to need it
    /srv/ [c]: Granted whole; the tasks are known to need only a part of it
    / []: Granted whole; the tasks are known to need only a part of it
    * 127.0.0.1:18431 []: Granted whole; the tasks are known to need only a part of it
    ");
}
