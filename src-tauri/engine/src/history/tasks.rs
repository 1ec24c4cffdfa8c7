//! Tasks of a run as they are shown: state, attempts, why they wait, one line about the output.

use super::crowd::Crowd;
use crate::model::Json;
use crate::model::TaskId;
use crate::model::backoff::RATE_LIMITED;
use crate::model::counted;
use crate::model::decision::{choices_of, consequence};
use crate::model::grants::{Concern, Need};
use crate::model::plan::TaskIx;
use crate::model::provenance::{Earlier, From, Origin, Part, Provenance};
use crate::model::state::{Breakpoint, CallIntent, Decision, RunState, TaskState};
use crate::model::status::{DecisionKind, RunStatus, TaskStatus, WaitReason};
use crate::model::value::ValueRef;
use crate::views::{
    BreakpointView, ConcernView, DecisionView, EarlierView, ErrorView, OptionView, OriginView, PartView,
    ProvenanceView, TaskView, WaitView,
};

/// One task. `is_driven`: somebody is at work on the run now.
pub fn view(state: &RunState, ix: TaskIx, is_driven: bool, crowd: &Crowd) -> TaskView {
    let task = state.task(ix);
    let planned = state.def(ix);
    let is_interrupted = task.status == TaskStatus::Running && !is_driven;
    TaskView {
        id: state.tree.address(ix).to_string(),
        status: shown_status(state, task, is_interrupted),
        attempts: task.attempts,
        max_attempts: planned.most_attempts(),
        wait: wait(state, ix, is_driven, crowd),
        started_at: (task.started_ms > 0).then_some(task.started_ms as f64),
        ended_at: (task.ended_ms > 0 && is_at_rest(task.status)).then_some(task.ended_ms as f64),
        error: task.error.as_ref().map(|e| ErrorView {
            code: e.code.clone(),
            message: e.message.clone(),
        }),
        summary: task.output.as_ref().map(summary),
        pinned: state.pin_of(ix).is_some(),
        breakpoint: state.breakpoint_of(ix).and_then(breakpoint),
    }
}

fn breakpoint(point: &Breakpoint) -> Option<BreakpointView> {
    BreakpointView::of(point.before, point.after)
}

/// Why a paused run is paused.
fn pause(state: &RunState) -> String {
    match &state.paused_at {
        Some(stop) => format!(
            "Paused at the breakpoint {} {}",
            stop.side,
            named(state, &stop.task)
        ),
        None => "The run is paused".to_owned(),
    }
}

/// What people call the task of an address.
pub fn named(state: &RunState, task: &TaskId) -> String {
    let ix = state.find(task.as_str());
    ix.map_or_else(|| task.to_string(), |ix| state.name(ix))
}

/// What a task whose owner died will be at the next resume: ready again, or in doubt if its call can't be repeated.
fn shown_status(state: &RunState, task: &TaskState, is_interrupted: bool) -> TaskStatus {
    if is_interrupted && task.inner.is_some() && waits_for_person(state) {
        return TaskStatus::Waiting;
    }
    match (is_interrupted, state.intent(task)) {
        (false, _) => task.status,
        (true, CallIntent::Unrepeatable) => TaskStatus::InDoubt,
        (true, CallIntent::None | CallIntent::Repeatable) => TaskStatus::Ready,
    }
}

/// How many tasks of a run that nobody drives are in each state as they are shown, by [`TaskStatus::index`].
pub fn counts_left(state: &RunState) -> Vec<u32> {
    let mut counts = state.counts.to_vec();
    let is_running = |task: &&TaskState| task.status == TaskStatus::Running && !task.is_gone;
    for task in state.tasks.iter().filter(is_running) {
        counts[TaskStatus::Running.index()] -= 1;
        counts[shown_status(state, task, true).index()] += 1;
    }
    counts
}

fn waits_for_person(state: &RunState) -> bool {
    matches!(state.status, RunStatus::Waiting | RunStatus::Blocked)
}

fn is_at_rest(status: TaskStatus) -> bool {
    match status {
        TaskStatus::Completed
        | TaskStatus::Failed
        | TaskStatus::Skipped
        | TaskStatus::Cancelled
        | TaskStatus::Pruned
        | TaskStatus::InDoubt => true,
        TaskStatus::Pending
        | TaskStatus::Ready
        | TaskStatus::Running
        | TaskStatus::Retrying
        | TaskStatus::Waiting => false,
    }
}

fn because(reason: WaitReason, text: impl Into<String>) -> Option<WaitView> {
    Some(WaitView {
        reason,
        text: text.into(),
        until: None,
    })
}

/// Every wait says why (rule 12).
fn wait(state: &RunState, ix: TaskIx, is_driven: bool, crowd: &Crowd) -> Option<WaitView> {
    let task = state.task(ix);
    let is_held = matches!(state.status, RunStatus::Paused) || !is_driven;
    match task.status {
        TaskStatus::Pending if task.open > 0 => dependencies(state, ix),
        TaskStatus::Pending if state.status == RunStatus::Paused => because(WaitReason::Paused, pause(state)),
        TaskStatus::Pending if state.status.is_over() => because(WaitReason::Paused, "The run is over"),
        TaskStatus::Pending => because(WaitReason::Paused, "The run has not started"),
        TaskStatus::Running if task.inner.is_some() && waits_for_person(state) => {
            because(WaitReason::Dependency, "A task inside it waits for you")
        }
        TaskStatus::Running if !is_driven && state.intent(task) == CallIntent::Unrepeatable => because(
            WaitReason::InDoubt,
            "A call was under way when its owner went; resume, then say whether it happened",
        ),
        TaskStatus::Ready | TaskStatus::Retrying if asks_for_budget(state) => because(
            WaitReason::Budget,
            "The budget has no room for it; you decide how to go on",
        ),
        TaskStatus::Ready | TaskStatus::Running if is_held && !state.status.is_over() => because(
            WaitReason::Paused,
            if state.status == RunStatus::Paused {
                pause(state)
            } else {
                "Interrupted; goes on when the run is resumed".to_owned()
            },
        ),
        TaskStatus::Ready => because(WaitReason::Slot, crowd.reason(state, ix)),
        TaskStatus::Retrying if task.held_by.is_some() => held(state, ix, crowd),
        TaskStatus::Retrying => Some(WaitView {
            reason: match &task.error {
                Some(error) if error.code == RATE_LIMITED => WaitReason::RateLimit,
                Some(_) | None => WaitReason::Backoff,
            },
            text: task
                .error
                .as_ref()
                .map_or_else(String::new, |e| e.message.clone()),
            until: Some(task.not_before_ms as f64),
        }),
        TaskStatus::Waiting | TaskStatus::InDoubt => {
            let decision = task.decision.as_ref().and_then(|id| state.decision(id))?;
            because(reason_of(decision.kind), decision.question.clone())
        }
        TaskStatus::Failed if task.decision.is_some() && !state.status.is_over() => {
            because(WaitReason::Blocked, "You decide how to go on")
        }
        TaskStatus::Running if is_driven => match asked_in_mid_call(state, task) {
            Some(asked) => because(WaitReason::Question, asked.question.clone()),
            None => because(WaitReason::Slot, crowd.unasked(state, ix)?),
        },
        TaskStatus::Running
        | TaskStatus::Completed
        | TaskStatus::Failed
        | TaskStatus::Skipped
        | TaskStatus::Cancelled
        | TaskStatus::Pruned => None,
    }
}

/// What a call under way asks the person.
fn asked_in_mid_call<'s>(state: &'s RunState, task: &TaskState) -> Option<&'s Decision> {
    let decision = state.decision(task.decision.as_ref()?)?;
    (decision.kind == DecisionKind::Question && decision.is_open()).then_some(decision)
}

fn asks_for_budget(state: &RunState) -> bool {
    state.ledger.asked.is_some() && !state.status.is_over()
}

/// Behind an endpoint that is down, or that has just come back.
fn held(state: &RunState, ix: TaskIx, crowd: &Crowd) -> Option<WaitView> {
    let endpoint = state.task(ix).held_by.as_deref()?;
    let Some(open) = state.breakers.get(endpoint) else {
        let until = state.task(ix).not_before_ms;
        if until > state.changed_ms {
            return Some(WaitView {
                reason: WaitReason::RateLimit,
                text: format!("{endpoint} has had too many requests and is left alone for a while"),
                until: Some(until as f64),
            });
        }
        return because(WaitReason::Slot, crowd.reason(state, ix));
    };
    Some(WaitView {
        reason: WaitReason::Breaker,
        text: format!("{endpoint} keeps failing; one call at a time finds out whether it is up again"),
        until: Some(open.until_ms as f64),
    })
}

fn reason_of(kind: DecisionKind) -> WaitReason {
    match kind {
        DecisionKind::Approval => WaitReason::Approval,
        DecisionKind::Question => WaitReason::Question,
        DecisionKind::Grant => WaitReason::Grant,
        DecisionKind::Effect => WaitReason::Effect,
        DecisionKind::InDoubt => WaitReason::InDoubt,
        DecisionKind::Budget => WaitReason::Budget,
        DecisionKind::Replan | DecisionKind::Blocked => WaitReason::Blocked,
    }
}

/// Names of dependencies in one wait, before "and n more".
const NAMED: usize = 3;

fn dependencies(state: &RunState, ix: TaskIx) -> Option<WaitView> {
    let open: Vec<TaskIx> = state.tree.parents(ix).filter(|&d| !state.is_settled(d)).collect();
    if let Some(&failed) = open.iter().find(|&&d| state.task(d).status == TaskStatus::Failed) {
        return because(
            WaitReason::FailedDependency,
            format!("{} failed", state.name(failed)),
        );
    }
    let names: Vec<String> = open.iter().take(NAMED).map(|&d| state.name(d)).collect();
    let more = open.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    because(
        WaitReason::Dependency,
        format!("After {}{more}", names.join(", ")),
    )
}

/// One line about an output, without loading a large one.
fn summary(value: &ValueRef) -> String {
    let size = super::sentences::bytes(value.bytes());
    let ValueRef::Inline(raw) = value else { return size };
    match serde_json::from_str::<Json>(raw.get()) {
        Ok(Json::Object(map)) => match map.get("rows").and_then(Json::as_array) {
            Some(rows) => counted(rows.len(), "row"),
            None => size,
        },
        Ok(Json::Array(items)) => counted(items.len(), "item"),
        Ok(short @ (Json::Bool(_) | Json::Number(_))) => short.to_string(),
        Ok(Json::Null | Json::String(_)) | Err(_) => size,
    }
}

/// A decision with its choices. `about` is its JSON text, loaded by the caller.
pub fn decision(state: &RunState, decision: &Decision, run: &str, about: Option<String>) -> DecisionView {
    let task = decision.task;
    let choices = choices_of(decision);
    let held_up = held_up(state, decision);
    DecisionView {
        id: decision.id.to_string(),
        run: run.to_owned(),
        kind: decision.kind,
        task: task.map(|ix| state.tree.address(ix).to_string()),
        task_title: task.map(|ix| state.name(ix)),
        question: decision.question.clone(),
        options: choices
            .iter()
            .map(|c| OptionView {
                answer: c.answer.to_owned(),
                label: c.label.to_owned(),
                consequence: consequence(decision.kind, c, about.as_deref()),
                is_default: c.is_default,
            })
            .collect(),
        form: decision.form.as_ref().map(ToString::to_string),
        about,
        provenance: decision.provenance.as_deref().map(provenance),
        may_change: crate::model::decision::may_change_arguments(decision).is_ok(),
        holds_up: held_up.len() as u32,
        held_up: held_up.iter().take(NAMED).map(|&ix| state.name(ix)).collect(),
        opened_at: decision.opened_ms as f64,
    }
}

/// Tasks of the same plan that come after the one that is asked about and have not begun; of a question about the whole
/// run, all that have not. Linear in tasks + dependencies.
fn held_up(state: &RunState, decision: &Decision) -> Vec<TaskIx> {
    let has_not_begun = |ix: TaskIx| state.task(ix).status == TaskStatus::Pending;
    let Some(asked) = decision.task else {
        return state.nodes().filter(|&ix| has_not_begun(ix)).collect();
    };
    let mut seen = std::collections::HashSet::from([asked]);
    let (mut open, mut held) = (vec![asked], Vec::new());
    while let Some(ix) = open.pop() {
        for child in state.tree.children(ix) {
            if seen.insert(child) && has_not_begun(child) {
                held.push(child);
                open.push(child);
            }
        }
    }
    held.sort_unstable();
    held
}

fn earlier(told: &Earlier) -> EarlierView {
    EarlierView {
        task: told.task.to_string(),
        tool: told.tool.clone(),
        at: told.at_ms as f64,
        arguments: told.arguments.clone(),
        is_known: told.is_known,
        text: told.to_string(),
    }
}

fn provenance(told: &Provenance) -> ProvenanceView {
    let touches = |needs: &[Need]| needs.iter().map(ToString::to_string).collect();
    let concern = |concern: &Concern| ConcernView {
        concern: *concern,
        text: concern.sentence().to_owned(),
    };
    let origin = |origin: &Origin| OriginView {
        task: origin.task.to_string(),
        tool: origin.tool.clone(),
        touches: touches(&origin.touches),
        is_untrusted: origin.labels.untrusted,
        is_private: origin.labels.private,
    };
    let part = |part: &Part| PartView {
        at: part.at.clone(),
        from: part.from.to_string(),
        task: match &part.from {
            From::Task(task, _) => Some(task.to_string()),
            From::Item | From::Parameter(_) | From::Model | From::Tool(_) => None,
        },
        is_untrusted: part.labels.untrusted,
        is_private: part.labels.private,
        origins: part.origins.iter().map(origin).collect(),
    };
    ProvenanceView {
        tool: told.tool.clone(),
        concerns: told.concerns.iter().map(concern).collect(),
        touches: touches(&told.touches),
        parts: told.parts.iter().map(part).collect(),
        earlier: told.earlier.iter().map(earlier).collect(),
    }
}
