//! What a replan may change, what is refused, and why.

use std::collections::HashMap;

use planloom_engine::model::replan::{Offer, Reason, Refusal, Replanned, Standing, replan};
use planloom_engine::model::{Code, DraftPlan, Json, Setting, TaskId};
use serde_json::json;

use crate::support::*;

pub type States = HashMap<TaskId, Standing>;

pub fn states(all: &[(&str, Standing)]) -> States {
    all.iter()
        .map(|(id, standing)| (TaskId::from(*id), *standing))
        .collect()
}

pub fn judged(current: &Json, states: &States, proposal: &Json) -> Result<Replanned, Vec<Refusal>> {
    let (catalog, place) = (catalog(), place());
    let setting = Setting {
        catalog: &catalog,
        place: &place,
        has_models: true,
    };
    let draft = draft(current);
    let outcome = replan(&draft, states, proposal, &setting);
    match &outcome {
        Ok(taken) => check_taken(&draft, taken),
        Err(refusals) => {
            assert!(!refusals.is_empty());
            for refusal in refusals {
                assert!(proposal.pointer(&refusal.pointer).is_some(), "{refusal:?}");
                assert!(refusal.message.ends_with(['.', '?']), "{refusal:?}");
            }
        }
    }
    outcome
}

fn check_taken(current: &DraftPlan, taken: &Replanned) {
    let new = current.patched(&taken.patch).unwrap();
    assert_eq!(new.to_text(), taken.document.to_text());
    assert_eq!(new.patched(&taken.inverse).unwrap().to_text(), current.to_text());
    let all = taken.kept.len() + taken.changed.len() + taken.pruned.len();
    assert_eq!(all, current.task_count());
    assert_eq!(
        all - taken.pruned.len() + taken.added.len(),
        taken.document.task_count()
    );
}

fn refusals(current: &Json, states: &States, proposal: &Json) -> Vec<Refusal> {
    judged(current, states, proposal).unwrap_err()
}

fn only_refusal(current: &Json, states: &States, proposal: &Json) -> Refusal {
    let mut all = refusals(current, states, proposal);
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

fn names(ids: &[TaskId]) -> Vec<&str> {
    ids.iter().map(TaskId::as_str).collect()
}

/// fetch → clean → chart → send, fetch being done and clean having failed.
fn report() -> (Json, States) {
    let tasks = [
        task("fetch", &[]),
        task("clean", &["fetch"]),
        task("chart", &["clean"]),
        task("send", &["chart"]),
    ];
    let mut report = plan(tasks.to_vec());
    report["goal"] = json!("Prepare the weekly report");
    let states = states(&[
        ("fetch", Standing::Settled),
        ("clean", Standing::Failed),
        ("chart", Standing::Untouched),
        ("send", Standing::Untouched),
    ]);
    (report, states)
}

const CASE: &str = "plan-11-replan-leaves-dangling-work";

/// The case's plan and proposal, with types that this format has.
fn in_our_words(mut value: Json) -> Json {
    match &mut value {
        Json::Object(map) => {
            if let Some(kind) = map.get_mut("task_type") {
                *kind = json!("model");
            }
            map.values_mut()
                .for_each(|inner| *inner = in_our_words(inner.take()));
        }
        Json::Array(items) => items
            .iter_mut()
            .for_each(|inner| *inner = in_our_words(inner.take())),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
    value
}

fn case_states(case: &Json) -> States {
    let standing = |word: &Json| match word.as_str().unwrap() {
        "completed" | "skipped" => Standing::Settled,
        "failed" => Standing::Failed,
        "pending" => Standing::Untouched,
        other => panic!("{other}"),
    };
    let states = case["state"].as_object().unwrap().iter();
    states
        .map(|(id, word)| (TaskId::from(id.as_str()), standing(word)))
        .collect()
}

#[test]
fn plan_11_a_dropped_task_that_is_still_needed() {
    let case = in_our_words(case(CASE, "prune.json"));
    let refusal = only_refusal(&case["current"], &case_states(&case), &case["replan"]);
    assert_eq!(refusal.reason, Reason::Dangling);
    assert_eq!(names(&refusal.tasks), ["chart", "clean"]);
    let id = TaskId::from;
    assert_eq!(
        refusal.offers,
        [
            Offer::Repoint {
                task: id("chart"),
                from: id("clean"),
                to: vec![id("fetch2"), id("fetch")]
            },
            Offer::Drop { task: id("chart") },
            Offer::Keep { task: id("clean") },
        ]
    );
    insta::assert_snapshot!(refusal.message, @"`chart` depends on `clean`, which the replan drops (chart -> clean). Ways out: re-point it, for instance to `fetch2` and `fetch`, drop `chart` with all that needs it, or keep `clean`.");
}

#[test]
fn plan_11_each_way_out_is_one() {
    let case = in_our_words(case(CASE, "prune.json"));
    let (current, states) = (&case["current"], case_states(&case));
    let mut repointed = case["replan"].clone();
    let chart = with(current["tasks"][2].clone(), "dependencies", json!(["fetch2"]));
    repointed["add"].as_array_mut().unwrap().push(chart);
    let taken = judged(current, &states, &repointed).unwrap();
    assert_eq!(names(&taken.pruned), ["clean"]);
    assert_eq!(names(&taken.added), ["fetch2"]);
    assert_eq!(taken.changed[0].fields, ["dependencies"]);
    assert_eq!(names(&taken.kept), ["fetch", "send"]);

    let dropped = judged(current, &states, &json!({"drop": ["clean", "chart", "send"]})).unwrap();
    assert_eq!(names(&dropped.kept), ["fetch"]);
    let kept = judged(
        current,
        &states,
        &json!({"keep": ["clean"], "add": case["replan"]["add"]}),
    )
    .unwrap();
    assert_eq!(names(&kept.still_failed), ["clean"]);
}

#[test]
fn plan_11_a_finished_id_for_other_work() {
    let prune = in_our_words(case(CASE, "prune.json"));
    let case = in_our_words(case(CASE, "reuse.json"));
    let found = refusals(&prune["current"], &case_states(&case), &case["replan"]);
    assert_eq!(found[0].reason, Reason::ReusedId);
    assert_eq!(names(&found[0].tasks), ["fetch"]);
    assert_eq!(found[0].pointer, "/add/0");
    let (task, id) = (TaskId::from("fetch"), TaskId::from("fetch_2"));
    assert_eq!(found[0].offers, [Offer::UseId { task, id }]);
    insta::assert_snapshot!(found[0].message, @"`fetch` is over, and the proposal uses it with another `instruction`. Its id can't name new work, so that results are never mixed up. Give new work another id; `fetch_2` is free.");
    // The plan of the case is not told; chart still needs clean in the one of the other case.
    assert_eq!(found[1].reason, Reason::Dangling);
    assert_eq!(found.len(), 2);

    let mut renamed = case["replan"].clone();
    renamed["add"][0]["id"] = json!("fetch_2");
    renamed["drop"] = json!(["chart", "send"]);
    let taken = judged(&prune["current"], &case_states(&case), &renamed).unwrap();
    assert_eq!(names(&taken.added), ["fetch_2", "clean2"]);
    assert_eq!(
        taken.document.document()["tasks"][0],
        prune["current"]["tasks"][0]
    );
}

#[test]
fn plan_11_a_skipped_task_is_over() {
    let case = in_our_words(case(CASE, "skipped.json"));
    let states = case_states(&case);
    // What needs it may stay, and the plan goes on to its end.
    let same = judged(&case["plan"], &states, &case["plan"]).unwrap();
    assert!(same.is_empty());
    let refusal = only_refusal(&case["plan"], &states, &json!({"drop": ["a"]}));
    assert_eq!(refusal.reason, Reason::SettledChanged);
    let taken = judged(&case["plan"], &states, &json!({"drop": ["c"]})).unwrap();
    assert_eq!(names(&taken.pruned), ["c"]);
}

#[test]
fn plan_09_an_empty_replan_proposes_nothing() {
    let case = case("plan-09-empty-plan", "replan-empty.json");
    let (current, states) = report();
    let refusal = only_refusal(&current, &states, &case["replan"]);
    assert_eq!(refusal.reason, Reason::NothingProposed);
}

#[test]
fn a_part_of_a_plan_says_what_is_unexecuted() {
    let (current, states) = report();
    let proposal = json!({"tasks": [task("clean_2", &["fetch"]), task("send", &["clean_2"])]});
    let taken = judged(&current, &states, &proposal).unwrap();
    assert_eq!(names(&taken.kept), ["fetch"], "what is over stays, named or not");
    assert_eq!(names(&taken.pruned), ["clean", "chart"]);
    assert_eq!(names(&taken.added), ["clean_2"]);
    assert_eq!(names(&[taken.changed[0].task.clone()]), ["send"]);
    assert_eq!(taken.document.goal(), Some("Prepare the weekly report"));
    assert_eq!(taken.asks, []);
}

#[test]
fn what_is_over_or_under_way_can_not_change() {
    let (current, mut states) = report();
    for (standing, reason) in [
        (Standing::Settled, Reason::SettledChanged),
        (Standing::Touched, Reason::InProgress),
    ] {
        states.insert(TaskId::from("fetch"), standing);
        let changed = with(task("fetch", &[]), "inputs", json!({"value": 2}));
        let whole = json!({"tasks": [changed], "keep": ["clean", "chart", "send"]});
        let refusal = only_refusal(&current, &states, &whole);
        assert_eq!((refusal.reason, refusal.pointer.as_str()), (reason, "/tasks/0"));
        assert_eq!(refusal.fields, ["inputs"]);
        let refusal = only_refusal(&current, &states, &json!({"drop": ["fetch"], "keep": ["chart"]}));
        assert_eq!((refusal.reason, refusal.pointer.as_str()), (reason, "/drop/0"));
        // It can't come to need a new task either.
        let add =
            json!({"add": [task("new", &[]), with(task("fetch", &[]), "dependencies", json!(["new"]))]});
        let refusal = only_refusal(&current, &states, &add);
        assert_eq!(
            (refusal.reason, &refusal.fields[..]),
            (Reason::ReusedId, &["dependencies".to_owned()][..])
        );
        // Its title is free, and fields that are left out are not changed.
        let titled = json!({"add": [{"id": "fetch", "title": "Get the rows", "status": "completed"}]});
        let taken = judged(&current, &states, &titled).unwrap();
        assert_eq!(names(&taken.retitled), ["fetch"]);
        assert_eq!(
            taken.document.document()["tasks"][0]["instruction"],
            json!("Do it.")
        );
        assert_eq!(taken.document.document()["tasks"][0].get("status"), None);
    }
}

#[test]
fn a_failed_task_may_be_redefined_or_go() {
    let (current, states) = report();
    let changed = with(task("clean", &["fetch"]), "instruction", json!("Do it better."));
    let taken = judged(&current, &states, &json!({"add": [changed]})).unwrap();
    assert_eq!(taken.changed[0].fields, ["instruction"]);
    assert_eq!(taken.changed[0].was, Standing::Failed);
    assert_eq!(taken.still_failed, []);
    let again = judged(&current, &states, &json!({"add": [task("clean", &["fetch"])]})).unwrap();
    assert!(again.is_empty());
    assert_eq!(names(&again.still_failed), ["clean"]);
}

#[test]
fn an_id_stays_taken_after_its_task_was_dropped() {
    let (current, mut states) = report();
    states.insert(TaskId::from("old"), Standing::Pruned);
    states.insert(TaskId::from("old_2"), Standing::Pruned);
    let refusal = only_refusal(&current, &states, &json!({"add": [task("old", &[])]}));
    assert_eq!(refusal.reason, Reason::ReusedId);
    let (task, id) = (TaskId::from("old"), TaskId::from("old_3"));
    assert_eq!(refusal.offers, [Offer::UseId { task, id }]);
}

#[test]
fn a_reference_alone_dangles_too() {
    let (mut current, states) = report();
    current["tasks"][3] = with(
        task("send", &["chart"]),
        "inputs",
        json!({"value": {"x": [{"$from": "clean"}]}}),
    );
    let chart = task("chart", &["fetch"]);
    let refusal = only_refusal(&current, &states, &json!({"add": [chart], "drop": ["clean"]}));
    assert_eq!((refusal.reason, refusal.pointer.as_str()), (Reason::Dangling, ""));
    assert!(
        refusal.message.starts_with("`send` in `value` reads `clean`"),
        "{}",
        refusal.message
    );
}

#[test]
fn the_result_is_validated_like_any_plan() {
    let (current, states) = report();
    let ring = json!({"add": [task("x", &["y"]), task("y", &["x"]), task("z", &["nowhere"]), {"id": 7}]});
    let reasons: Vec<(Reason, String)> = refusals(&current, &states, &ring)
        .into_iter()
        .map(|refusal| (refusal.reason, refusal.pointer))
        .collect();
    for (code, pointer) in [
        (Code::Cycle, "/add/1/dependencies/0"),
        (Code::UnknownDependency, "/add/2/dependencies/0"),
        (Code::Type, "/add/3/id"),
    ] {
        let is_told = reasons
            .iter()
            .any(|(reason, at)| *reason == Reason::Invalid(code) && (at == pointer || code == Code::Cycle));
        assert!(is_told, "{code:?} in {reasons:?}");
    }
    let twice =
        json!({"add": [task("x", &[]), task("x", &[]), task("chart", &["fetch"]), task("chart", &[])]});
    let found = refusals(&current, &states, &twice);
    assert_eq!(found.len(), 2);
    assert!(
        found
            .iter()
            .all(|refusal| refusal.reason == Reason::Invalid(Code::DuplicateId))
    );
}

#[test]
fn goal_and_parameters_stay() {
    let (mut current, states) = report();
    current["parameters"] = json!({"n": {"type": "integer", "default": 9007199254740993u64}});
    let same = json!({"add": [], "goal": "Prepare the weekly report", "parameters": current["parameters"], "version": 1});
    assert!(judged(&current, &states, &same).unwrap().is_empty());
    let other = json!({"add": [], "goal": "Pay all", "parameters": {}, "version": 2});
    let fields: Vec<Vec<String>> = refusals(&current, &states, &other)
        .into_iter()
        .filter(|refusal| refusal.reason == Reason::PlanChanged)
        .map(|refusal| refusal.fields)
        .collect();
    assert_eq!(fields, [["goal"], ["parameters"], ["version"]]);
}

#[test]
fn cards_stay_where_they_are() {
    let (mut current, states) = report();
    current["layout"] =
        json!({"positions": {"fetch": {"x": 1, "y": 2}, "clean": {"x": 3, "y": 4}}, "zoom": 2});
    let proposal = json!({
        "tasks": [task("fetch", &[]), task("new", &["fetch"])],
        "layout": {"positions": {"fetch": {"x": 9, "y": 9}, "new": {"x": 5, "y": 6, "z": 1}}},
        "reason": "clean can't work"
    });
    let taken = judged(&current, &states, &proposal).unwrap();
    let layout = &taken.document.document()["layout"];
    assert_eq!(
        *layout,
        json!({"positions": {"fetch": {"x": 1, "y": 2}, "new": {"x": 5, "y": 6}}, "zoom": 2})
    );
    assert_eq!(taken.ignored, ["/reason"]);
}

#[test]
fn notes_on_a_redefined_task_stay() {
    let (mut current, states) = report();
    current["tasks"][2]["title"] = json!("The chart");
    current["tasks"][2]["note"] = json!("red, please");
    let chart = with(task("chart", &["clean"]), "instruction", json!("Draw it."));
    let taken = judged(&current, &states, &json!({"add": [chart]})).unwrap();
    let chart = &taken.document.document()["tasks"][2];
    assert_eq!(
        (&chart["title"], &chart["note"]),
        (&json!("The chart"), &json!("red, please"))
    );
}

#[test]
fn names_in_keep_and_drop_must_be_tasks() {
    let (current, states) = report();
    let refusal = only_refusal(&current, &states, &json!({"drop": ["sned"], "keep": ["chart"]}));
    assert_eq!(
        (refusal.reason, refusal.pointer.as_str()),
        (Reason::UnknownTask, "/drop/0")
    );
    assert!(refusal.message.contains("`send`"), "{}", refusal.message);
    let refusal = only_refusal(&current, &states, &json!({"drop": ["send"], "keep": ["send"]}));
    assert_eq!(refusal.reason, Reason::Contradiction);
}

#[test]
fn no_other_shape_is_a_proposal() {
    let (current, states) = report();
    for proposal in [
        json!(null),
        json!("prose"),
        json!([task("a", &[])]),
        json!({}),
        json!({"goal": "x"}),
        json!({"tasks": {}}),
        json!({"tasks": [], "add": []}),
        json!({"drop": "clean"}),
        json!({"keep": [1]}),
        json!({"add": [], "grants": 7}),
        json!({"add": [], "grants": {"read": "x"}}),
        json!({"add": [], "budget": []}),
    ] {
        let refusal = only_refusal(&current, &states, &proposal);
        assert_eq!(refusal.reason, Reason::BadShape, "{proposal}");
    }
    let mut deep = json!([]);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let refusal = only_refusal(&current, &states, &json!({"add": [{"id": "x", "inputs": deep}]}));
    assert_eq!(refusal.reason, Reason::BadShape);
}

/// Half of a chain is done, one task has failed, and the rest is proposed anew; then two proposals that are wrong
/// everywhere. How long the judging takes.
fn time_of(many: usize) -> std::time::Duration {
    let id = |n: usize| format!("t{n}");
    let chain = (0..many).map(|n| match n {
        0 => task("t0", &[]),
        _ => task(&id(n), &[&id(n - 1)]),
    });
    let current = plan(chain.collect());
    let mut states: States = (0..many / 2)
        .map(|n| (TaskId::from(id(n)), Standing::Settled))
        .collect();
    states.insert(TaskId::from(id(many / 2)), Standing::Failed);
    let new = (0..many / 2).map(|n| match n {
        0 => task("n0", &[&id(many / 2 - 1)]),
        _ => task(&format!("n{n}"), &[&format!("n{}", n - 1)]),
    });
    let proposal = json!({ "tasks": new.collect::<Vec<_>>() });
    let wrong = json!({"drop": (0..many).map(id).collect::<Vec<_>>(), "add": [task("x", &[])]});
    let odd: Vec<String> = (many / 2..many).step_by(2).map(id).collect();

    let start = std::time::Instant::now();
    let taken = judged(&current, &states, &proposal).unwrap();
    assert_eq!(refusals(&current, &states, &wrong).len(), many / 2);
    assert_eq!(
        refusals(&current, &states, &json!({ "drop": odd })).len(),
        many / 4
    );
    let took = start.elapsed();
    let half = many / 2;
    assert_eq!(
        (taken.pruned.len(), taken.added.len(), taken.kept.len()),
        (half, half, half)
    );
    took
}

/// Eight times the work would take 64 times as long if it were quadratic.
#[test]
fn large_plans_are_replanned_in_linear_time() {
    let (small, large) = (time_of(500), time_of(4_000));
    assert!(large < small * 30, "{small:?}, {large:?}");
}
