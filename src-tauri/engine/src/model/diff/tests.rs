//! What is told of two documents: nothing is missed, nothing is told twice.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn plan(document: Json) -> DraftPlan {
    DraftPlan::of(document)
}

fn changes(found: &PlanDiff) -> Vec<(&str, Change)> {
    found.tasks.iter().map(|t| (t.task.as_str(), t.change)).collect()
}

#[test]
fn tasks_are_matched_by_id_and_told_field_by_field() {
    let from = plan(json!({"goal": "g", "tasks": [
        {"id": "a", "instruction": "i"},
        {"id": "b", "instruction": "old", "dependencies": ["a"], "inputs": {"x": {"$from": "a", "path": "/p"}, "n": 1.0}},
        {"id": "gone", "instruction": "i"},
    ]}));
    let to = plan(json!({"goal": "h", "tasks": [
        {"id": "new", "title": "Fresh", "instruction": "i"},
        {"id": "a", "instruction": "i"},
        {"id": "b", "instruction": "new", "dependencies": ["a", "new"], "inputs": {"x": {"$from": "new"}, "n": 1.0}, "timeout_s": 5},
    ]}));
    let found = diff(&from, &to);
    let expected = [
        ("new", Change::Added),
        ("a", Change::Kept),
        ("b", Change::Changed),
        ("gone", Change::Removed),
    ];
    assert_eq!(changes(&found), expected);
    assert_eq!(found.tasks[0].title, "Fresh");
    let fields: Vec<_> = found.tasks[2]
        .fields
        .iter()
        .map(|f| (f.pointer.as_str(), f.before.as_deref(), f.after.as_deref()))
        .collect();
    assert_eq!(
        fields,
        [
            ("/instruction", Some("\"old\""), Some("\"new\"")),
            ("/dependencies", Some(r#"["a"]"#), Some(r#"["a","new"]"#)),
            (
                "/inputs/x",
                Some(r#"{"$from":"a","path":"/p"}"#),
                Some(r#"{"$from":"new"}"#)
            ),
            ("/timeout_s", None, Some("5")),
        ]
    );
    assert_eq!(found.plan, [field("/goal", "\"g\"", "\"h\"")]);
    assert_eq!(
        found.edges,
        [EdgeDiff {
            from: "new".to_owned(),
            to: "b".to_owned(),
            is_added: true
        }]
    );
    assert!(found.executes && !found.is_reordered);
}

fn field(pointer: &str, before: &str, after: &str) -> FieldDiff {
    FieldDiff {
        pointer: pointer.to_owned(),
        before: Some(before.to_owned()),
        after: Some(after.to_owned()),
    }
}

#[test]
fn moving_and_titles_need_no_new_signature() {
    let from = plan(
        json!({"tasks": [{"id": "a", "instruction": "i"}, {"id": "b", "instruction": "i"}],
        "layout": {"positions": {"a": {"x": 1, "y": 1}}}}),
    );
    let to = plan(
        json!({"tasks": [{"id": "b", "instruction": "i", "title": "B"}, {"id": "a", "instruction": "i"}],
        "layout": {"positions": {"a": {"x": 9, "y": 1}}}}),
    );
    let found = diff(&from, &to);
    assert_eq!(found.moved, ["a"]);
    assert!(found.is_reordered && !found.executes);
    assert_eq!(found.plan, []);
    assert_eq!(changes(&found), [("b", Change::Changed), ("a", Change::Kept)]);
}

#[test]
fn what_is_no_plan_is_compared_as_far_as_it_goes() {
    let good = plan(json!({"tasks": [{"id": "a"}, {"id": "a"}, {}, 3]}));
    for odd in [
        json!(null),
        json!([]),
        json!("x"),
        json!({"tasks": 7, "layout": 3}),
    ] {
        let found = diff(&good, &plan(odd.clone()));
        assert!(found.tasks.iter().all(|t| t.change == Change::Removed), "{odd}");
        assert_eq!(found.tasks.len(), 4);
        assert!(
            diff(&plan(odd), &good)
                .tasks
                .iter()
                .all(|t| t.change == Change::Added)
        );
    }
    let found = diff(&good, &good);
    assert!(found.tasks.iter().all(|t| t.change == Change::Kept));
}

fn a_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (0..3_i64).prop_map(Json::from),
        Just(json!("a")),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let key = prop::sample::select(vec!["a", "b", "~/", "$from"]).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::vec((key, inner), 0..3).prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

proptest! {
    /// Every field says truly what stood there and what stands there, and equal values are told equal.
    #[test]
    fn fields_are_true(before in a_value(), after in a_value()) {
        let found = fields::differing(&before, &after);
        prop_assert_eq!(found.is_empty(), before == after);
        for field in found {
            let at = |value: &Json| value.pointer(&field.pointer).map(ToString::to_string);
            prop_assert_eq!(&at(&before), &field.before);
            prop_assert_eq!(&at(&after), &field.after);
            prop_assert_ne!(&field.before, &field.after);
        }
    }
}
