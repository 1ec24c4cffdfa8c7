//! Adding, removing, renaming and pasting tasks, and the validator's quick fixes.

use planloom_engine::model::Json;
use planloom_engine::model::edit::{PlanEdit, Position};
use serde_json::json;

use crate::edits::{add, after, connect, dependencies, refused, set};
use crate::support::*;

#[test]
fn added_tasks_get_free_ids() {
    let start = plan(vec![task("a", &[]), task("fetch_prices", &[])]);
    let ids = |edits: &[PlanEdit]| -> Vec<String> {
        let plan = after(&start, edits);
        plan["tasks"].as_array().unwrap()[2..]
            .iter()
            .map(|task| task["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let new = |task: Json| ids(&[add(task)]).remove(0);
    assert_eq!(new(json!({"id": "mine", "instruction": "i"})), "mine");
    assert_eq!(new(json!({"id": "a", "instruction": "i"})), "a_2");
    assert_eq!(
        new(json!({"title": "Fetch prices!", "instruction": "i"})),
        "fetch_prices_2"
    );
    assert_eq!(
        new(json!({"title": "Élan: Vital 3", "instruction": "i"})),
        "lan_vital_3"
    );
    assert_eq!(new(json!({"task_type": "tool"})), "tool");
    assert_eq!(
        new(json!({"task_type": "tool", "tool": "file.read"})),
        "file_read"
    );
    assert_eq!(new(json!({"title": "日本"})), "task");
    assert_eq!(new(json!({"id": "not an id", "title": "T"})), "t");
    assert_eq!(
        ids(&[
            add(json!({"task_type": "tool"})),
            add(json!({"task_type": "tool"}))
        ]),
        ["tool", "tool_2"]
    );
    let between = PlanEdit::AddTask {
        task: json!({"title": "Check", "instruction": "i"}).to_string(),
        after: vec!["a".into()],
        before: vec!["fetch_prices".into()],
        position: Some(Position { x: 3, y: -4 }),
    };
    let plan = after(&start, &[between]);
    assert_eq!(
        (dependencies(&plan, "check"), dependencies(&plan, "fetch_prices")),
        (json!(["a"]), json!(["check"]))
    );
    assert_eq!(plan["layout"]["positions"]["check"], json!({"x": 3, "y": -4}));
    assert!(refused(&start, add(json!([1]))).contains("object"));
    let unknown = PlanEdit::AddTask {
        task: "{}".into(),
        after: vec!["nope".into()],
        before: vec![],
        position: None,
    };
    assert_eq!(refused(&start, unknown), "there is no task `nope`");
}

#[test]
fn removing_takes_edges_and_positions_along() {
    let mut start = plan(vec![
        task("a", &[]),
        task("b", &["a"]),
        with(task("c", &["a", "b"]), "inputs", json!({"value": {"$from": "a"}})),
    ]);
    start["layout"] = json!({"positions": {"a": {"x": 1, "y": 1}, "c": {"x": 2, "y": 2}}});
    let left = after(
        &start,
        &[PlanEdit::RemoveTasks {
            ids: vec!["a".into(), "b".into()],
        }],
    );
    assert_eq!(left["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(dependencies(&left, "c"), json!([]));
    assert_eq!(
        left["tasks"][0]["inputs"],
        json!({"value": {"$from": "a"}}),
        "references stay and show as problems"
    );
    assert_eq!(left["layout"], json!({"positions": {"c": {"x": 2, "y": 2}}}));
}

#[test]
fn a_rename_is_followed_everywhere() {
    let map = json!({"id": "m", "task_type": "map", "instruction": "i", "dependencies": ["a"], "over": {"$from": "a"},
        "task": {"instruction": "i", "inputs": {"x": [{"$from": "a"}, {"$item": ""}]}}});
    let reader = with(
        task("b", &["a"]),
        "inputs",
        json!({"value": {"$template": "{{ t }}", "with": {"t": {"$from": "a"}}}, "l": {"$literal": {"$from": "a"}}}),
    );
    let inner = json!({"id": "s", "task_type": "subplan", "instruction": "i", "plan": {"tasks": [task("a", &[]), task("z", &["a"])]}});
    let mut start = plan(vec![task("a", &[]), map, reader, inner]);
    start["layout"] = json!({"positions": {"a": {"x": 1, "y": 1}}});
    let renamed = after(
        &start,
        &[PlanEdit::RenameTask {
            id: "a".into(),
            to: "first".into(),
        }],
    );
    assert_eq!(renamed["tasks"][0]["id"], json!("first"));
    assert_eq!(renamed["tasks"][1]["dependencies"], json!(["first"]));
    assert_eq!(renamed["tasks"][1]["over"], json!({"$from": "first"}));
    assert_eq!(
        renamed["tasks"][1]["task"]["inputs"]["x"][0],
        json!({"$from": "first"})
    );
    assert_eq!(
        renamed["tasks"][2]["inputs"]["value"]["with"]["t"],
        json!({"$from": "first"})
    );
    assert_eq!(
        renamed["tasks"][2]["inputs"]["l"],
        json!({"$literal": {"$from": "a"}}),
        "a literal is data"
    );
    assert_eq!(
        renamed["tasks"][3], start["tasks"][3],
        "a plan inside has names of its own"
    );
    assert_eq!(renamed["layout"]["positions"], json!({"first": {"x": 1, "y": 1}}));
    assert!(
        refused(
            &start,
            PlanEdit::RenameTask {
                id: "a".into(),
                to: "b".into()
            }
        )
        .contains("another task")
    );
    assert!(
        refused(
            &start,
            PlanEdit::RenameTask {
                id: "a".into(),
                to: "a b".into()
            }
        )
        .contains("can't be an id")
    );
}

#[test]
fn tasks_without_an_own_id_are_named_by_number() {
    let start = plan(vec![
        task("a", &[]),
        task("a", &[]),
        json!({"instruction": "i"}),
        task("b", &["a"]),
    ]);
    let edits = [
        PlanEdit::RenameTask {
            id: "#2".into(),
            to: "second".into(),
        },
        set("#3", "/id", Some("\"third\"")),
        connect("third", "second"),
    ];
    let mended = after(&start, &edits);
    let ids: Vec<&Json> = mended["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| &task["id"])
        .collect();
    assert_eq!(ids, ["a", "second", "third", "b"]);
    assert_eq!(dependencies(&mended, "second"), json!(["third"]));
    assert_eq!(dependencies(&mended, "b"), json!(["a"]));
}

/// The quick fixes of the validator can all be applied, and mend what they say.
#[test]
fn quick_fixes_mend() {
    for (plan, left) in [
        (
            plan(vec![
                task("review", &[]),
                with(
                    task("mail", &["rewiew"]),
                    "inputs",
                    json!({"value": {"$from": "rewiew"}}),
                ),
            ]),
            0,
        ),
        (plan(vec![task("a", &["a"])]), 0),
        (
            plan(vec![task("a", &["c"]), task("b", &["a"]), task("c", &["b"])]),
            0,
        ),
        (plan(vec![task("a", &[]), task("b", &["a", "a"])]), 0),
        (
            plan(vec![
                task("a", &[]),
                with(task("b", &[]), "dependencies", json!("a")),
            ]),
            0,
        ),
        (
            plan(vec![
                task("a", &[]),
                with(task("b", &[]), "inputs", json!({"value": {"$from": "a"}})),
            ]),
            0,
        ),
        (
            plan(vec![
                task("a", &[]),
                json!({"id": "b", "task_type": "model", "instruction": "i", "dependsOn": ["a"]}),
            ]),
            0,
        ),
        (plan(vec![with(task("a", &[]), "titel", json!("T"))]), 0),
        (plan(vec![with(task("a", &[]), "task_type", json!("Tool"))]), 0),
    ] {
        let problem = problems(&plan).remove(0);
        let fixed = after(&plan, &problem.fix.unwrap().edits);
        assert_eq!(problems(&fixed).len(), left, "{fixed}");
    }
}

#[test]
fn pasted_tasks_keep_their_edges() {
    let start = plan(vec![task("a", &[]), task("b", &["a"])]);
    let copied = json!([
        with(
            task("b", &["a", "gone"]),
            "inputs",
            json!({"value": {"$from": "a"}})
        ),
        with(task("c", &["b"]), "inputs", json!({"value": {"$from": "b"}}))
    ]);
    let edit = PlanEdit::Paste {
        tasks: copied.to_string(),
        at: Some(Position { x: 100, y: 50 }),
    };
    let pasted = after(&start, &[edit]);
    assert_eq!(dependencies(&pasted, "b_2"), json!(["a"]));
    assert_eq!(dependencies(&pasted, "c"), json!(["b_2"]));
    assert_eq!(pasted["tasks"][3]["inputs"], json!({"value": {"$from": "b_2"}}));
    assert_eq!(
        pasted["layout"]["positions"],
        json!({"b_2": {"x": 100, "y": 50}, "c": {"x": 132, "y": 82}})
    );
    for nothing in ["3", "[]", "[3]", "{\"tasks\": 3}"] {
        assert!(
            refused(
                &start,
                PlanEdit::Paste {
                    tasks: nothing.into(),
                    at: None
                }
            )
            .contains("list")
        );
    }
    let whole = PlanEdit::Paste {
        tasks: plan(vec![task("b_7", &[]), task("b", &[])]).to_string(),
        at: None,
    };
    let pasted = after(&start, &[whole]);
    assert_eq!(
        (&pasted["tasks"][2]["id"], &pasted["tasks"][3]["id"]),
        (&json!("b_7"), &json!("b_2"))
    );
}

#[test]
fn a_task_put_on_an_edge_takes_the_edge_and_leaves_what_is_read() {
    let mut reader = task("b", &["a", "x"]);
    reader["inputs"] = json!({"rows": {"$from": "a"}});
    let start = plan(vec![task("a", &[]), task("x", &[]), reader]);
    let between = PlanEdit::AddTask {
        task: r#"{"id": "m", "instruction": "i"}"#.to_owned(),
        after: vec!["a".to_owned()],
        before: vec!["b".to_owned()],
        position: None,
    };
    let plan = after(&start, &[between]);
    assert_eq!(dependencies(&plan, "b"), json!(["x", "m"]));
    assert_eq!(dependencies(&plan, "m"), json!(["a"]));
    assert_eq!(plan["tasks"][2]["inputs"], json!({"rows": {"$from": "a"}}));
}
