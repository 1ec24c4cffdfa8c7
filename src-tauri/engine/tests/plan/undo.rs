//! Any edits on any document: nothing panics, and all of it can be taken back to the letter.

use planloom_engine::model::Json;
use planloom_engine::model::edit::{Placed, PlanEdit, Position, apply, connect_verdicts};
use proptest::prelude::*;
use serde_json::json;

use crate::edits::{connect, edited};
use crate::support::*;

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d", "#2", "#3", "x", ""]).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "null",
        "1.50",
        "\"a\"",
        "[\"a\",\"b\"]",
        "[]",
        "{\"$from\":\"a\"}",
        "{\"id\":\"c\",\"x\":1,\"dependencies\":[\"a\"]}",
        "[{\"id\":\"a\"},{\"id\":\"q\",\"dependencies\":[\"a\",\"d\"]}]",
        "{",
    ])
    .prop_map(str::to_owned)
}

fn field() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "/id",
        "/title",
        "/dependencies",
        "/dependencies/0",
        "/inputs",
        "/inputs/value",
        "/inputs/more/deep",
        "/x_1",
        "/goal",
        "/layout",
        "/grants/read",
        "/unknown",
        "/a",
        "bad",
    ])
    .prop_map(str::to_owned)
}

fn an_edit() -> impl Strategy<Value = PlanEdit> {
    let position = || prop::option::of((any::<i32>(), any::<i32>()).prop_map(|(x, y)| Position { x, y }));
    let names = || prop::collection::vec(name(), 0..3);
    prop_oneof![
        (value(), names(), names(), position()).prop_map(|(task, after, before, position)| {
            PlanEdit::AddTask {
                task,
                after,
                before,
                position,
            }
        }),
        names().prop_map(|ids| PlanEdit::RemoveTasks { ids }),
        (name(), field(), prop::option::of(value())).prop_map(|(id, field, value)| PlanEdit::SetTask {
            id,
            field,
            value
        }),
        (name(), name()).prop_map(|(id, to)| PlanEdit::RenameTask { id, to }),
        (name(), name()).prop_map(|(from, to)| PlanEdit::Connect { from, to }),
        (name(), name()).prop_map(|(from, to)| PlanEdit::Disconnect { from, to }),
        (name(), name(), name(), name()).prop_map(|(from, to, new_from, new_to)| PlanEdit::Reconnect {
            from,
            to,
            new_from,
            new_to
        }),
        (name(), any::<i32>(), any::<i32>()).prop_map(|(id, x, y)| PlanEdit::Move {
            positions: vec![Placed { id, x, y }]
        }),
        Just(PlanEdit::Tidy),
        (field(), prop::option::of(value())).prop_map(|(field, value)| PlanEdit::SetPlan { field, value }),
        (value(), position()).prop_map(|(tasks, at)| PlanEdit::Paste { tasks, at }),
    ]
}

fn a_start() -> impl Strategy<Value = Json> {
    let id = prop::sample::select(vec![
        json!("a"),
        json!("b"),
        json!("c"),
        json!("d"),
        json!(null),
        json!(3),
    ]);
    let dependencies = prop_oneof![
        prop::collection::vec(name(), 0..4).prop_map(Json::from),
        Just(json!("a")),
        Just(json!(null)),
    ];
    let one = (id, dependencies, value()).prop_map(|(id, dependencies, input)| {
        let input: Json = serde_json::from_str(&input).unwrap_or_default();
        json!({"x_0": 0, "id": id, "x_1": 1, "dependencies": dependencies, "inputs": {"z": 1, "value": input, "a": 2}, "x_2": 2})
    });
    (prop::collection::vec(one, 0..5), any::<bool>()).prop_map(|(tasks, has_layout)| {
        let mut plan = json!({"unknown": 1, "goal": "g", "a": 2, "tasks": tasks, "z": 3});
        if has_layout {
            plan["layout"] =
                json!({"notes": 1, "positions": {"b": {"x": 1, "y": 1}, "a": {"x": 2, "y": 2}}, "zoom": 1});
        }
        plan
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// On any document, right or wrong: no edit panics, each can be taken back to the letter, and so can all of them.
    #[test]
    fn edits_can_be_taken_back(start in a_start(), edits in prop::collection::vec(an_edit(), 1..12)) {
        let first = draft(&start);
        let mut now = first.clone();
        let mut inverses = Vec::new();
        for edit in &edits {
            if let Ok(next) = edited(&now, edit) {
                inverses.push(apply(&now, edit).unwrap().inverse);
                now = next;
            }
        }
        for inverse in inverses.iter().rev() {
            now = now.patched(inverse).unwrap();
        }
        prop_assert_eq!(now.to_text(), first.to_text());
        let _ = now.problems(&catalog(), &place());
    }

    /// Connecting never makes a loop, and refuses only what would make one, or is there, or is a task itself.
    #[test]
    fn connecting_agrees_with_the_validator(pairs in prop::collection::vec((0usize..6, 0usize..6), 0..30)) {
        let ids = ["a", "b", "c", "d", "e", "f"];
        let mut now = draft(&plan(ids.iter().map(|id| task(id, &[])).collect()));
        for (from, to) in pairs {
            let mut by_hand = now.document().clone();
            by_hand["tasks"][to]["dependencies"].as_array_mut().unwrap().push(json!(ids[from]));
            let is_fine = problems(&by_hand).is_empty();
            let verdicts = connect_verdicts(&now, ids[from]);
            prop_assert_eq!(verdicts[to].refusal.is_none(), is_fine);
            match edited(&now, &connect(ids[from], ids[to])) {
                Ok(next) => {
                    prop_assert!(is_fine);
                    now = next;
                }
                Err(_) => prop_assert!(!is_fine),
            }
        }
    }
}
