//! Anything at all: no document makes the validator panic, and what it accepts is a DAG.

use planloom_engine::model::{DraftPlan, Json};
use proptest::prelude::*;
use serde_json::json;

use crate::support::*;

/// Names that collide often, some of them near misses of each other.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "b", "c", "A", "a ", "step_1", "step_01", "step_2", "", "é", "4.1",
    ])
    .prop_map(str::to_owned)
}

fn some_key() -> impl Strategy<Value = String> {
    let keys = vec![
        "id",
        "task_type",
        "dependencies",
        "inputs",
        "instruction",
        "tool",
        "tools",
        "over",
        "task",
        "plan",
        "tasks",
        "$from",
        "$template",
        "with",
        "$param",
        "$literal",
        "$item",
        "path",
        "value",
        "when",
        "check",
        "retry",
        "output_schema",
        "form",
        "writes",
        "grants",
        "read",
        "parameters",
        "default",
        "dependsOn",
        "synthesis",
        "template",
        "budget",
        "layout",
    ];
    prop::sample::select(keys).prop_map(str::to_owned)
}

fn anything() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        name().prop_map(Json::from),
        prop::sample::select(vec![
            "{{ a }}",
            "{{",
            "a > 1",
            "/x",
            "tool",
            "map",
            "subplan",
            "echo",
            "file.write"
        ])
        .prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 80, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::btree_map(some_key(), inner, 0..8).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// A task that is half right.
fn some_task() -> impl Strategy<Value = Json> {
    let kind = prop::sample::select(vec![
        "agent", "model", "tool", "code", "human", "map", "subplan", "llm",
    ]);
    (name(), kind, prop::collection::vec(name(), 0..4), anything(), anything()).prop_map(
        |(id, kind, dependencies, inputs, more)| {
            let mut task = json!({"id": id, "task_type": kind, "instruction": "i", "dependencies": dependencies,
                "inputs": inputs, "tool": "echo", "source": "return 1", "form": {}, "over": "x", "task": more.clone(), "plan": more});
            if kind == "agent" {
                task["retry"] = task["plan"].clone();
            }
            task
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_document_panics(document in anything()) {
        let _ = problems(&document);
    }

    #[test]
    fn no_half_right_plan_panics_and_every_pointer_leads_somewhere(tasks in prop::collection::vec(some_task(), 0..8)) {
        let document = plan(tasks);
        let errors = errors(&document).len();
        let accepted = draft(&document).to_plan(&catalog(), &place());
        prop_assert_eq!(accepted.is_ok(), errors == 0);
    }

    #[test]
    fn no_text_panics(text in ".{0,200}") {
        if let Ok(draft) = DraftPlan::parse(&text) {
            let _ = draft.problems(&catalog(), &place());
        }
    }

    /// Edges only from earlier to later numbers, then shuffled: always a plan, and its order is topological.
    #[test]
    fn a_valid_plan_has_a_topological_order(
        edges in prop::collection::vec((0usize..30, 0usize..30), 0..120),
        shuffle in Just((0usize..30).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut dependencies: Vec<Vec<String>> = vec![Vec::new(); 30];
        for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
            let (from, to) = (a.min(b), a.max(b));
            let from = format!("t{from}");
            if !dependencies[to].contains(&from) {
                dependencies[to].push(from);
            }
        }
        let tasks = shuffle.iter().map(|n| with(task(&format!("t{n}"), &[]), "dependencies", json!(dependencies[*n])));
        let document = plan(tasks.collect());
        prop_assert_eq!(problems(&document), vec![]);
        let plan = accepted(&document);
        prop_assert_eq!(plan.order().len(), 30);
        let mut place = vec![0; 30];
        for (at, ix) in plan.order().iter().enumerate() {
            place[*ix as usize] = at;
        }
        for ix in 0..plan.tasks.len() {
            for dependency in plan.dependencies(ix as u32) {
                prop_assert!(place[*dependency as usize] < place[ix]);
                prop_assert!(plan.children(*dependency).contains(&(ix as u32)));
                prop_assert!(plan.remaining(*dependency) > plan.remaining(ix as u32));
            }
        }
    }
}
