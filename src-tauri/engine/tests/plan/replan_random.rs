//! Random plans, states and proposals: what is taken keeps every promise, and nothing panics.

use std::collections::{BTreeMap, HashSet};

use planloom_engine::model::replan::{Reason, Standing};
use planloom_engine::model::{DraftPlan, Json, TaskId, digest};
use proptest::prelude::*;
use serde_json::json;

use crate::replan::{States, judged};
use crate::support::*;

const TASKS: usize = 12;

fn id(n: usize) -> String {
    format!("t{n}")
}

/// A DAG: edges lead from smaller to larger numbers.
pub fn dag() -> impl Strategy<Value = Json> {
    prop::collection::vec((0..TASKS, 0..TASKS), 0..25).prop_map(|edges| {
        let mut dependencies: Vec<Vec<String>> = vec![Vec::new(); TASKS];
        for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
            let (from, to) = (id(a.min(b)), a.max(b));
            if !dependencies[to].contains(&from) {
                dependencies[to].push(from);
            }
        }
        let tasks = dependencies.iter().enumerate().map(|(n, names)| {
            let mut task = with(task(&id(n), &[]), "dependencies", json!(names));
            if let Some(name) = names.first() {
                task["inputs"] = json!({"value": {"$from": name}});
            }
            task
        });
        let positions: Json = (0..TASKS).map(|n| (id(n), json!({"x": n, "y": 0}))).collect();
        json!({"goal": "g", "tasks": tasks.collect::<Vec<_>>(), "layout": {"positions": positions}})
    })
}

fn standing() -> impl Strategy<Value = Option<Standing>> {
    prop::sample::select(vec![
        None,
        Some(Standing::Untouched),
        Some(Standing::Untouched),
        Some(Standing::Touched),
        Some(Standing::Failed),
        Some(Standing::Settled),
    ])
}

pub fn some_states() -> impl Strategy<Value = States> {
    prop::collection::vec(standing(), TASKS).prop_map(|all| {
        let known = all.into_iter().enumerate();
        let mut states: States = known
            .filter_map(|(n, standing)| Some((TaskId::from(id(n)), standing?)))
            .collect();
        states.insert(TaskId::from("gone"), Standing::Pruned);
        states
    })
}

/// What a proposal does with one task of the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    Same,
    LeaveOut,
    Title,
    Rewrite,
    Free,
    Keep,
    Drop,
}

pub fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop::sample::select(vec![
        Move::Same,
        Move::Same,
        Move::Same,
        Move::LeaveOut,
        Move::Title,
        Move::Rewrite,
        Move::Free,
        Move::Keep,
        Move::Drop,
    ]);
    prop::collection::vec(one, TASKS)
}

/// New tasks: an id that may be taken, and what it depends on.
pub fn new_tasks() -> impl Strategy<Value = Vec<Json>> {
    let name = prop::sample::select(vec!["n0", "n1", "n2", "n3", "n4", "gone", "t1"]);
    let from = prop::sample::select(vec!["t0", "t1", "t5", "t9", "n0", "n1", "nowhere"]);
    let one = (name, prop::collection::btree_set(from, 0..3));
    prop::collection::vec(one, 0..4).prop_map(|all| {
        let made = all
            .into_iter()
            .map(|(name, from)| task(name, &from.into_iter().collect::<Vec<_>>()));
        made.collect()
    })
}

pub fn proposal_of(current: &Json, moves: &[Move], new: &[Json], is_whole: bool) -> Json {
    let mut tasks = Vec::new();
    let (mut keep, mut drop) = (Vec::new(), Vec::new());
    for (task, what) in current["tasks"].as_array().unwrap().iter().zip(moves) {
        match what {
            Move::Same => tasks.push(task.clone()),
            Move::LeaveOut => {}
            Move::Title => tasks.push(with(task.clone(), "title", json!("T"))),
            Move::Rewrite => tasks.push(with(task.clone(), "instruction", json!("Other."))),
            Move::Free => {
                let free = with(task.clone(), "dependencies", json!([]));
                tasks.push(with(free, "inputs", json!({"value": 2})));
            }
            Move::Keep => keep.push(task["id"].clone()),
            Move::Drop => drop.push(task["id"].clone()),
        }
    }
    tasks.extend(new.iter().cloned());
    let list = if is_whole { "tasks" } else { "add" };
    json!({ list: tasks, "keep": keep, "drop": drop })
}

pub fn by_id(plan: &DraftPlan) -> BTreeMap<String, Json> {
    let tasks = plan.document()["tasks"].as_array().unwrap();
    tasks
        .iter()
        .map(|task| (task["id"].as_str().unwrap().to_owned(), task.clone()))
        .collect()
}

pub fn is_fixed(states: &States, id: &str) -> bool {
    matches!(states.get(id), Some(Standing::Settled | Standing::Touched))
}

/// All promises of a replan that is taken; the patches are checked by `judged`.
fn check(current: &Json, states: &States, proposal: &Json) -> Result<bool, TestCaseError> {
    let old = draft(current);
    let taken = match judged(current, states, proposal) {
        Ok(taken) => taken,
        Err(_) => return Ok(false),
    };
    prop_assert!(taken.document.to_plan(&catalog(), &place()).is_ok());
    let (before, after) = (by_id(&old), by_id(&taken.document));
    for (id, task) in &before {
        if is_fixed(states, id) {
            let one = |task: &Json| DraftPlan::parse(&plan(vec![task.clone()]).to_string()).unwrap();
            let same = digest::differences(&one(task), &one(&after[id]));
            prop_assert_eq!(same, vec![], "{}", id);
        }
        let position = |plan: &DraftPlan| plan.document()["layout"]["positions"].get(id).cloned();
        prop_assert_eq!(after.contains_key(id), position(&taken.document).is_some());
        if after.contains_key(id) {
            prop_assert_eq!(position(&old), position(&taken.document));
        }
    }
    for id in &taken.added {
        prop_assert!(
            !before.contains_key(id.as_str()) && !states.contains_key(id),
            "{} is reused",
            id
        );
    }
    for (id, task) in &after {
        // Absent and null mean none.
        for need in task["dependencies"].as_array().into_iter().flatten() {
            prop_assert!(after.contains_key(need.as_str().unwrap()), "{} -> {}", id, need);
        }
    }
    let differing: HashSet<String> = digest::differences(&old, &taken.document)
        .into_iter()
        .filter_map(|difference| difference.task)
        .collect();
    let told = taken.added.iter().chain(&taken.pruned);
    let told: HashSet<String> = told
        .chain(taken.changed.iter().map(|changed| &changed.task))
        .map(ToString::to_string)
        .collect();
    prop_assert_eq!(differing, told);
    // Proposing the new plan over the new plan changes nothing.
    let mut now = states.clone();
    now.extend(taken.added.iter().map(|id| (id.clone(), Standing::Untouched)));
    let again = judged(taken.document.document(), &now, taken.document.document()).unwrap();
    prop_assert!(again.is_empty() && again.asks.is_empty());
    Ok(true)
}

/// Proposals that break no rule.
fn friendly(current: &Json, states: &States, moves: &[Move]) -> Json {
    let mut moves = moves.to_vec();
    for (n, what) in moves.iter_mut().enumerate() {
        let fixed = is_fixed(states, &id(n));
        if fixed && matches!(what, Move::Rewrite | Move::Free | Move::Drop) {
            *what = Move::Same;
        }
        // What others may need stays.
        if !fixed && matches!(what, Move::Drop | Move::LeaveOut) {
            *what = Move::Keep;
        }
    }
    let new = [
        task("n0", &["t0"]),
        with(task("n1", &["n0"]), "inputs", json!({"value": {"$from": "n0"}})),
    ];
    proposal_of(current, &moves, &new, true)
}

fn anything() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        prop::sample::select(vec![
            "t0", "t1", "n0", "gone", "tool", "echo", "map", "subplan", ""
        ])
        .prop_map(Json::from),
    ];
    let keys = vec![
        "tasks",
        "add",
        "drop",
        "remove",
        "keep",
        "id",
        "task_type",
        "dependencies",
        "inputs",
        "instruction",
        "tool",
        "tools",
        "task",
        "plan",
        "$from",
        "$secret",
        "$literal",
        "grants",
        "read",
        "write",
        "budget",
        "usd",
        "layout",
        "positions",
        "synthesis",
        "goal",
        "parameters",
        "title",
        "approval",
        "model",
        "fallback",
        "over",
        "version",
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::btree_map(prop::sample::select(keys.clone()), inner, 0..7).prop_map(|map| map
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_taken_keeps_every_promise(
        current in dag(), states in some_states(), moves in moves(), new in new_tasks(), is_whole in any::<bool>(),
    ) {
        check(&current, &states, &proposal_of(&current, &moves, &new, is_whole))?;
    }

    #[test]
    fn a_proposal_that_breaks_no_rule_is_taken(current in dag(), states in some_states(), moves in moves()) {
        let proposal = friendly(&current, &states, &moves);
        let refusals = judged(&current, &states, &proposal).err();
        prop_assert_eq!(refusals, None);
        prop_assert!(check(&current, &states, &proposal)?);
    }

    #[test]
    fn the_plan_itself_is_no_change(current in dag(), states in some_states()) {
        let taken = judged(&current, &states, &current).unwrap();
        prop_assert!(taken.is_empty());
        prop_assert_eq!(taken.kept.len(), TASKS);
        prop_assert_eq!(taken.asks, vec![]);
    }

    /// One task that goes while something needs it is always told, and it alone.
    #[test]
    fn every_dangling_edge_is_told(current in dag(), gone in 0..TASKS) {
        let needed: Vec<String> = current["tasks"].as_array().unwrap().iter()
            .filter(|task| task["dependencies"].as_array().unwrap().contains(&json!(id(gone))))
            .map(|task| task["id"].as_str().unwrap().to_owned())
            .collect();
        let refusals = judged(&current, &States::new(), &json!({"drop": [id(gone)]})).err().unwrap_or_default();
        prop_assert!(refusals.iter().all(|refusal| refusal.reason == Reason::Dangling));
        let told: Vec<String> = refusals.iter().map(|refusal| refusal.tasks[0].to_string()).collect();
        prop_assert_eq!(told, needed);
    }

    #[test]
    fn no_proposal_panics(current in dag(), states in some_states(), proposal in anything()) {
        check(&current, &states, &proposal)?;
    }

    #[test]
    fn no_proposal_of_half_right_tasks_panics(
        current in dag(), states in some_states(), tasks in prop::collection::vec(anything(), 0..5), more in anything(),
    ) {
        check(&current, &states, &json!({"tasks": tasks, "grants": more, "keep": ["t0"]}))?;
        let named = tasks.into_iter().map(|inner| json!({"id": "t3", "instruction": "i", "task_type": "subplan", "plan": inner}));
        check(&current, &states, &json!({"add": named.collect::<Vec<_>>(), "layout": more, "budget": more}))?;
    }
}
