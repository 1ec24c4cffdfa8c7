//! Case state-02: what is ready after a restart is the fold of the log, and nothing else.

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test says no by panicking"
)]

use std::sync::Arc;

use planloom_engine::model::events::{
    Approved, Event, EventBody, Failure, FailureClass, NewEvent, RunClaimed, RunPaused, TaskCompleted,
    TaskFailed, TaskReady, TaskStarted,
};
use planloom_engine::model::grants::{Labels, Place};
use planloom_engine::model::state::{Illegal, RunState};
use planloom_engine::model::status::{RunStatus, TaskStatus};
use planloom_engine::model::tool::Catalog;
use planloom_engine::model::value::ValueRef;
use planloom_engine::model::{Digest, DraftPlan, Plan};
use proptest::prelude::*;
use serde_json::json;

/// src → left, right → join → end; kinds that the case calls `llm` are code here.
fn plan() -> Arc<Plan> {
    let task = |id: &str, after: &[&str]| json!({ "id": id, "instruction": "x", "task_type": "code", "source": "return 1;", "dependencies": after });
    let document = json!({ "tasks": [
        task("src", &[]), task("left", &["src"]), task("right", &["src"]), task("join", &["left", "right"]),
        task("end", &["join"]),
    ] });
    let place = Place {
        folder: None,
        workspace: "/w".into(),
    };
    let draft = DraftPlan::parse(&document.to_string()).unwrap();
    Arc::new(draft.to_plan(&Catalog::default(), &place).unwrap().plan)
}

fn completed() -> EventBody {
    TaskCompleted {
        output: Some(ValueRef::of(&json!(1)).0),
        labels: Labels::default(),
        ..TaskCompleted::default()
    }
    .into()
}

fn failed() -> EventBody {
    let error = Failure {
        class: FailureClass::Permanent,
        code: "x".into(),
        message: "x".into(),
    };
    TaskFailed { error }.into()
}

fn ready() -> EventBody {
    TaskReady { again: None }.into()
}

fn started() -> EventBody {
    TaskStarted {
        attempt: 1,
        goes_on: false,
    }
    .into()
}

/// A log that begins with approval and a claim.
fn log(tasks: Vec<(&str, EventBody)>) -> Vec<Event> {
    let approved = Approved {
        conditions: Default::default(),
        revision: 1,
        digest: Digest::of(b""),
        parameters: Default::default(),
        by: "t".into(),
    };
    let claimed = RunClaimed {
        epoch: 1,
        owner: "t".into(),
    };
    let mut all = vec![(None, EventBody::from(approved)), (None, claimed.into())];
    all.extend(tasks.into_iter().map(|(id, body)| (Some(id.into()), body)));
    (1..)
        .zip(all)
        .map(|(seq, (task, body))| NewEvent { at_ms: 0, task, body }.at(seq))
        .collect()
}

fn fold(events: &[Event]) -> RunState {
    let mut state = RunState::new(plan());
    for event in events {
        state.apply(event).unwrap();
    }
    state
}

fn of(state: &RunState, id: &str) -> TaskStatus {
    state.task(state.plan.find(id).unwrap()).status
}

/// Tasks that may start now: settled dependencies, not begun.
fn may_start(state: &RunState) -> Vec<String> {
    (0..state.tasks.len() as u32)
        .filter(|&ix| {
            state.task(ix).open == 0
                && matches!(state.task(ix).status, TaskStatus::Pending | TaskStatus::Ready)
        })
        .map(|ix| state.plan.task(ix).id.to_string())
        .collect()
}

fn to_done(id: &str) -> Vec<(&str, EventBody)> {
    vec![(id, ready()), (id, started()), (id, completed())]
}

#[test]
fn the_join_waits_for_the_sibling_that_was_in_flight() {
    let mut tasks = to_done("src");
    tasks.extend([
        ("left", ready()),
        ("right", ready()),
        ("left", started()),
        ("right", started()),
        ("left", completed()),
    ]);
    let state = fold(&log(tasks));
    assert_eq!(
        of(&state, "right"),
        TaskStatus::Running,
        "started without an end: interrupted, never done"
    );
    assert!(may_start(&state).is_empty());
    assert_eq!(
        (of(&state, "join"), of(&state, "end")),
        (TaskStatus::Pending, TaskStatus::Pending)
    );
}

#[test]
fn a_failed_task_is_not_a_finished_one() {
    let mut tasks = to_done("src");
    tasks.extend([
        ("left", ready()),
        ("right", ready()),
        ("left", started()),
        ("right", started()),
        ("left", failed()),
        ("right", completed()),
    ]);
    let state = fold(&log(tasks));
    assert!(may_start(&state).is_empty());
    assert_eq!(
        (of(&state, "join"), of(&state, "end")),
        (TaskStatus::Pending, TaskStatus::Pending)
    );
    assert_ne!(state.status, RunStatus::Succeeded);
}

#[test]
fn illegal_steps_are_refused_and_change_nothing() {
    let events = log(to_done("src"));
    let mut state = fold(&events);
    let next = |body: EventBody, id: &str| {
        NewEvent {
            at_ms: 0,
            task: Some(id.into()),
            body,
        }
        .at(state.seq + 1)
    };
    let wrong = [
        next(completed(), "src"),
        next(started(), "join"),
        next(completed(), "left"),
        next(ready(), "nobody"),
    ];
    for event in wrong {
        let before = format!("{state:?}");
        assert!(state.apply(&event).is_err(), "{event:?}");
        assert_eq!(format!("{state:?}"), before);
    }
    let gap = NewEvent {
        at_ms: 0,
        task: Some("left".into()),
        body: ready(),
    }
    .at(state.seq + 2);
    assert!(matches!(state.apply(&gap), Err(Illegal::Order { .. })));
}

/// Case state-13: a clock that is set back makes no time negative, and two hours are two hours.
#[test]
fn time_spent_is_never_negative() {
    let at = |at_ms: i64, seq: u64, body: EventBody| {
        NewEvent {
            at_ms,
            task: None,
            body,
        }
        .at(seq)
    };
    let approved = Approved {
        conditions: Default::default(),
        revision: 1,
        digest: Digest::of(b""),
        parameters: Default::default(),
        by: "t".into(),
    };
    let claimed = |epoch| {
        EventBody::from(RunClaimed {
            epoch,
            owner: "t".into(),
        })
    };
    let mut state = RunState::new(plan());
    state.apply(&at(0, 1, approved.into())).unwrap();
    state.apply(&at(500, 2, claimed(1))).unwrap();
    assert_eq!(
        state.ran_until(500),
        0,
        "until somebody drives it, it does not run"
    );
    state.apply(&at(1_500, 3, RunPaused::default().into())).unwrap();
    assert_eq!(state.ran_ms, 1_000);
    state.apply(&at(2_000, 4, claimed(2))).unwrap();
    assert_eq!(state.ran_until(-5_000), 1_000);
    state.apply(&at(-90_000, 5, RunPaused::default().into())).unwrap();
    assert_eq!(state.ran_ms, 1_000, "the clock was set back while it ran");
    state.apply(&at(0, 6, claimed(3))).unwrap();
    state
        .apply(&at(7_200_000, 7, RunPaused::default().into()))
        .unwrap();
    assert_eq!(state.ran_ms, 7_201_000);
}

proptest! {
    /// Any order that the rules admit leads to the same state, and the fold can begin anywhere.
    #[test]
    fn any_admitted_interleaving_ends_alike(choices in proptest::collection::vec(any::<u8>(), 200)) {
        let mut state = RunState::new(plan());
        let mut events = Vec::new();
        for event in log(Vec::new()) {
            state.apply(&event).unwrap();
            events.push(event);
        }
        for choice in choices {
            let ix = u32::from(choice) % state.tasks.len() as u32;
            let task = state.task(ix);
            let body = match task.status {
                TaskStatus::Pending if task.open == 0 => ready(),
                TaskStatus::Ready => started(),
                TaskStatus::Running => completed(),
                _ => continue,
            };
            let id = state.plan.task(ix).id.clone();
            let event = NewEvent { at_ms: 0, task: Some(id), body }.at(state.seq + 1);
            state.apply(&event).unwrap();
            events.push(event);
        }
        prop_assert!(state.tasks.iter().all(|t| t.status == TaskStatus::Completed));
        for cut in 0..events.len() {
            let mut again = RunState::new(plan());
            for event in &events[..cut] {
                again.apply(event).unwrap();
            }
            let mut later = again.clone();
            for event in &events[cut..] {
                later.apply(event).unwrap();
            }
            prop_assert_eq!(later.counts, state.counts);
            prop_assert_eq!(later.seq, state.seq);
        }
    }
}
