//! Edits: what they do, what they refuse, and that each can be taken back to the letter.

use planloom_engine::model::edit::{EditError, Placed, PlanEdit, apply, connect_verdicts};
use planloom_engine::model::{DraftPlan, Json};
use serde_json::json;

use crate::support::*;

/// Applies an edit and checks that its patches lead there and back, to the letter and by the RFC alone.
pub fn edited(draft: &DraftPlan, edit: &PlanEdit) -> Result<DraftPlan, EditError> {
    let applied = apply(draft, edit)?;
    let there = draft.patched(&applied.patch).unwrap();
    assert_eq!(there.to_text(), applied.plan.to_text());
    let back = applied.plan.patched(&applied.inverse).unwrap();
    assert_eq!(back.to_text(), draft.to_text());
    assert_eq!(&back, draft);

    let mut by_the_rfc = draft.document().clone();
    let patch: json_patch::Patch = serde_json::from_value(applied.patch).unwrap();
    json_patch::patch(&mut by_the_rfc, &patch).unwrap();
    assert_eq!(&by_the_rfc, applied.plan.document());
    assert!(!applied.label.is_empty());
    Ok(applied.plan)
}

pub fn after(plan: &Json, edits: &[PlanEdit]) -> Json {
    let mut draft = draft(plan);
    for edit in edits {
        draft = edited(&draft, edit).unwrap();
    }
    draft.document().clone()
}

pub fn refused(plan: &Json, edit: PlanEdit) -> String {
    edited(&draft(plan), &edit).unwrap_err().to_string()
}

pub fn connect(from: &str, to: &str) -> PlanEdit {
    PlanEdit::Connect {
        from: from.into(),
        to: to.into(),
    }
}

fn disconnect(from: &str, to: &str) -> PlanEdit {
    PlanEdit::Disconnect {
        from: from.into(),
        to: to.into(),
    }
}

pub fn set(id: &str, field: &str, value: Option<&str>) -> PlanEdit {
    PlanEdit::SetTask {
        id: id.into(),
        field: field.into(),
        value: value.map(str::to_owned),
    }
}

pub fn add(task: Json) -> PlanEdit {
    PlanEdit::AddTask {
        task: task.to_string(),
        after: vec![],
        before: vec![],
        position: None,
    }
}

pub fn dependencies(plan: &Json, id: &str) -> Json {
    let tasks = plan["tasks"].as_array().unwrap();
    tasks.iter().find(|task| task["id"] == json!(id)).unwrap()["dependencies"].clone()
}

const CASE: &str = "canvas-01-connect-would-close-a-ring";

fn canvas() -> (Json, Json) {
    let case = case(CASE, "edges.json");
    // A comment is no task here, so it has no ports by construction.
    let nodes = case["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Json::as_str)
        .filter(|node| *node != "note");
    let above = |node: &str| -> Vec<&str> {
        let edges = case["edges"].as_array().unwrap().iter();
        edges
            .filter(|edge| edge[1] == json!(node))
            .map(|edge| edge[0].as_str().unwrap())
            .collect()
    };
    let tasks = nodes.map(|node| task(node, &above(node))).collect();
    (plan(tasks), case.clone())
}

#[test]
fn canvas_01_tries() {
    let (plan, case) = canvas();
    for row in case["tries"].as_array().unwrap() {
        let (from, to) = (row[0].as_str().unwrap(), row[1].as_str().unwrap_or(""));
        let is_allowed = row[2] == json!("allow");
        let result = edited(&draft(&plan), &connect(from, to));
        assert_eq!(result.is_ok(), is_allowed, "{row}: {result:?}");
        // The verdicts while dragging are the same.
        let verdicts = connect_verdicts(&draft(&plan), from);
        let verdict = verdicts.iter().find(|verdict| verdict.to == to);
        assert_eq!(
            verdict.is_some_and(|verdict| verdict.refusal.is_none()),
            is_allowed,
            "{row}"
        );
    }
    assert_eq!(
        refused(&plan, connect("c", "a")),
        "a already leads to c: a > b > c"
    );
    assert_eq!(refused(&plan, connect("a", "b")), "b depends on a already");
    assert_eq!(refused(&plan, connect("a", "a")), "`a` can't depend on itself");
}

#[test]
fn canvas_01_reconnect_and_burst() {
    let (plan, case) = canvas();
    let name = |value: &Json| value.as_str().unwrap().to_owned();
    let moved = &case["reconnect"];
    let edit = PlanEdit::Reconnect {
        from: name(&moved["edge"][0]),
        to: name(&moved["edge"][1]),
        new_from: name(&moved["to"][0]),
        new_to: name(&moved["to"][1]),
    };
    assert_eq!(refused(&plan, edit), "a already leads to b: a > b");
    // Without its own edge in the way, the edge may be turned round.
    let turned = PlanEdit::Reconnect {
        from: "b".into(),
        to: "c".into(),
        new_from: "c".into(),
        new_to: "b".into(),
    };
    let turned = after(&plan, &[turned]);
    assert_eq!(
        (dependencies(&turned, "b"), dependencies(&turned, "c")),
        (json!(["a", "c"]), json!([]))
    );

    let pairs = case["burst"]["pairs"].as_array().unwrap();
    let mut draft = draft(&plan);
    let results: Vec<bool> = pairs
        .iter()
        .map(
            |pair| match edited(&draft, &connect(&name(&pair[0]), &name(&pair[1]))) {
                Ok(next) => {
                    draft = next;
                    true
                }
                Err(_) => false,
            },
        )
        .collect();
    assert_eq!(results, [true, false], "only the first stays");
}

#[test]
fn loops_are_refused_in_every_way_in() {
    let chain = plan(vec![task("a", &[]), task("b", &["a"]), task("c", &["b"])]);
    assert!(refused(&chain, set("a", "/dependencies", Some("[\"c\"]"))).contains("a already leads to c"));
    let whole = task("a", &["c"]).to_string();
    assert!(refused(&chain, set("a", "", Some(&whole))).contains("a already leads to c"));
    let between = PlanEdit::AddTask {
        task: "{}".into(),
        after: vec!["c".into()],
        before: vec!["a".into()],
        position: None,
    };
    assert!(refused(&chain, between).contains("before and after"));
    let ring = json!([task("x", &["y"]), task("y", &["x"])]).to_string();
    assert!(
        refused(
            &chain,
            PlanEdit::Paste {
                tasks: ring,
                at: None
            }
        )
        .contains("loop")
    );
    // A new id can give a meaning to names that had none.
    let dangling = plan(vec![task("a", &["x"]), task("b", &["a"])]);
    assert_eq!(
        refused(
            &dangling,
            PlanEdit::RenameTask {
                id: "b".into(),
                to: "x".into()
            }
        ),
        "that would close a loop: a > x > a"
    );
    assert!(refused(&dangling, add(task("x", &["b"]))).contains("close a loop: a > b > x > a"));
}

#[test]
fn a_long_way_is_shortened() {
    let name = |n: usize| format!("t{n}");
    let tasks = (0..1_000).map(|n| {
        with(
            task(&name(n), &[]),
            "dependencies",
            if n == 0 { json!([]) } else { json!([name(n - 1)]) },
        )
    });
    let chain = plan(tasks.collect());
    assert_eq!(
        refused(&chain, connect("t999", "t0")),
        "t0 already leads to t999: t0 > t1 > t2 > t3 > t4 > t5 > … > t999"
    );
    let verdicts = connect_verdicts(&draft(&chain), "t500");
    assert_eq!(
        verdicts
            .iter()
            .filter(|verdict| verdict.refusal.is_none())
            .count(),
        498
    );
}

#[test]
fn fields_are_set_and_cleared_in_their_place() {
    let start = plan(vec![with(with(task("a", &[]), "x_1", json!(1)), "x_2", json!(2))]);
    let set_to =
        |field: &str, value: Option<&str>| after(&start, &[set("a", field, value)])["tasks"][0].clone();
    assert_eq!(set_to("/title", Some("\"T\""))["title"], json!("T"));
    assert_eq!(
        set_to("/retry/max_attempts", Some("9007199254740993"))["retry"].to_string(),
        "{\"max_attempts\":9007199254740993}"
    );
    assert_eq!(set_to("/inputs/value", None)["inputs"], json!({}));
    assert_eq!(set_to("/x_1", None).get("x_1"), None);
    assert_eq!(set_to("", Some("{\"id\":\"b\"}")), json!({"id": "b"}));
    assert!(refused(&start, set("a", "title", Some("1"))).contains("JSON Pointer"));
    assert!(refused(&start, set("a", "/title", Some("{"))).contains("line 1"));
    assert!(refused(&start, set("a", "/instruction/x", Some("1"))).contains("/tasks/0/instruction/x"));
    assert!(refused(&start, set("a", "", Some("3"))).contains("object"));
    let goal = PlanEdit::SetPlan {
        field: "/goal".into(),
        value: Some("\"G\"".into()),
    };
    let grants = PlanEdit::SetPlan {
        field: "/grants/read".into(),
        value: Some("[\"data\"]".into()),
    };
    let plan = after(&start, &[goal, grants]);
    assert_eq!(
        (&plan["goal"], &plan["grants"]),
        (&json!("G"), &json!({"read": ["data"]}))
    );
    let tasks = PlanEdit::SetPlan {
        field: "/tasks/0".into(),
        value: None,
    };
    assert!(refused(&start, tasks).contains("tasks"));
    // Nothing changed: no patch.
    let same = apply(&draft(&start), &set("a", "/x_1", Some("1"))).unwrap();
    assert_eq!(same.patch, json!([]));
}

#[test]
fn values_keep_to_the_bounds() {
    let start = plan(vec![task("a", &[])]);
    let deep = format!("{}{}", "[".repeat(62), "]".repeat(62));
    assert!(refused(&start, set("a", "/inputs/value", Some(&deep))).contains("deeper than 64"));
    let smuggled = "{\"$serde_json::private::Number\": \"1\"}";
    assert!(refused(&start, set("a", "/inputs/value", Some(smuggled))).contains("reserved"));
}

#[test]
fn what_came_along_an_edge_goes_with_it() {
    let reader = |dependencies: &[&str]| {
        with(
            task("c", dependencies),
            "inputs",
            json!({"value": {"$from": "a"}, "mixed": [{"$from": "a"}]}),
        )
    };
    let direct = plan(vec![task("a", &[]), task("b", &["a"]), reader(&["a"])]);
    let cut = after(&direct, &[disconnect("a", "c")]);
    assert_eq!(cut["tasks"][2]["inputs"], json!({"mixed": [{"$from": "a"}]}));
    let both = plan(vec![task("a", &[]), task("b", &["a"]), reader(&["a", "b"])]);
    let kept = after(&both, &[disconnect("a", "c")]);
    assert_eq!(
        kept["tasks"][2]["inputs"], both["tasks"][2]["inputs"],
        "it still comes by way of b"
    );
    assert!(refused(&direct, disconnect("b", "c")).contains("does not depend"));
}

#[test]
fn positions_are_kept_and_forgotten() {
    let start = plan(vec![task("a", &[]), task("b", &[])]);
    let at = |id: &str, x, y| Placed { id: id.into(), x, y };
    let moved = after(
        &start,
        &[PlanEdit::Move {
            positions: vec![at("b", 1, 2), at("a", 3, 4), at("gone", 5, 6)],
        }],
    );
    assert_eq!(
        moved["layout"],
        json!({"positions": {"a": {"x": 3, "y": 4}, "b": {"x": 1, "y": 2}}})
    );
    assert_eq!(after(&moved, &[PlanEdit::Tidy])["layout"], json!({}));
}
