//! Events as sentences for people. The machine's words stay in the kinds.

use crate::model::counted;
use crate::model::events::{
    Again, Amended, BudgetRaised, CallOutcome, Change, DecisionAnswered, EditSettled, Event, EventBody,
    PlanningEnded, PlanningOutcome, ReplanAsked, RunTagged, SkipReason,
};
use crate::model::moment::moment;
use crate::model::state::RunState;
use crate::views::EventView;

/// The event as a line of the events list. `state` gives the tasks their names.
pub fn view(event: &Event, state: &RunState) -> EventView {
    EventView {
        seq: u32::try_from(event.seq).unwrap_or(u32::MAX),
        at: event.at_ms as f64,
        kind: event.body.kind().to_owned(),
        task: event.task.as_ref().map(ToString::to_string),
        text: sentence(event, state),
    }
}

fn sentence(event: &Event, state: &RunState) -> String {
    let name = event
        .task
        .as_ref()
        .map_or(String::new(), |id| match state.find(id.as_str()) {
            Some(ix) => state.name(ix),
            None => id.to_string(),
        });
    let name = if event.task.is_none() {
        "The run".to_owned()
    } else {
        name
    };
    let name = name.as_str();
    of_plan(&event.body)
        .or_else(|| of_run(&event.body, state))
        .or_else(|| of_call(&event.body, name))
        .or_else(|| of_task(&event.body, name))
        .unwrap_or_else(|| event.body.kind().replace('_', " "))
}

fn looked_for(asked: &ReplanAsked) -> String {
    let failed = asked.failed.iter().take(3).map(crate::model::TaskId::as_str);
    let failed = failed.collect::<Vec<_>>().join(", ");
    let more = if asked.failed.len() > 3 { ", …" } else { "" };
    format!(
        "Another way is looked for (attempt {}): {failed}{more} failed.",
        asked.attempt
    )
}

fn tagged_so(tagged: &RunTagged) -> String {
    let said =
        |words: &[String], how: &str| (!words.is_empty()).then(|| format!("{how} {}", words.join(", ")));
    let parts = [
        said(&tagged.added, "Tagged"),
        said(&tagged.removed, "no longer tagged"),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Of a longer answer only what it comes to.
fn answer(answered: &DecisionAnswered) -> String {
    let id = &answered.decision;
    match (&answered.choice, crate::model::decision::word(&answered.answer)) {
        (Some(choice), _) => format!("Answered {id}: {choice}, in the person's own way."),
        (None, Some(word)) => format!("Answered {id}: {word}."),
        (None, None) => format!("Answered {id}."),
    }
}

fn of_name(what: &str, name: Option<&str>, without: &str) -> String {
    match name {
        Some(name) => format!("{what} is called “{name}”."),
        None => format!("{what} {without}."),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each kind has its place in one of the four"
)]
fn of_plan(body: &EventBody) -> Option<String> {
    Some(match body {
        EventBody::RunOpened(opened) => match &opened.path {
            Some(path) => format!("Opened from {path}."),
            None => "Opened as a new plan.".to_owned(),
        },
        EventBody::PlanRevised(revised) => match &revised.change {
            Change::Document(_) => format!("Revision {} of the plan.", revised.revision),
            Change::Edit(edit) => format!("{} (revision {}).", edit.label, revised.revision),
            Change::Undo(edit) => format!("Undid: {} (revision {}).", edit.label, revised.revision),
            Change::Redo(edit) => format!("Redid: {} (revision {}).", edit.label, revised.revision),
            Change::Replan(edit) => format!("{} (revision {}).", edit.label, revised.revision),
        },
        EventBody::RevisionNamed(named) => of_name(
            &format!("Revision {}", named.revision),
            named.name.as_deref(),
            "has no name any more",
        ),
        EventBody::RunNamed(named) => {
            of_name("It", named.name.as_deref(), "is called by its file or goal again")
        }
        EventBody::RunTagged(tagged) => tagged_so(tagged),
        EventBody::ReplanAsked(asked) => looked_for(asked),
        EventBody::ReplanProposed(proposed) if proposed.refused.is_empty() => match &proposed.amended {
            None => format!("Proposed: {}.", proposed.label),
            Some(Amended::Part { left_out }) => {
                format!(
                    "Taken in part: {}; left out: {}.",
                    proposed.label,
                    left_out.join(", ")
                )
            }
            Some(Amended::Edited) => format!("Changed by a person: {}.", proposed.label),
        },
        EventBody::ReplanProposed(proposed) => {
            format!("No other way was found. {}", proposed.refused.join(" "))
        }
        EventBody::GoalGiven(given) => format!("A plan is wanted for: {}", given.goal),
        EventBody::PlanningResumed(resumed) => format!("Planning goes on, by {}.", resumed.by),
        EventBody::PlanningWaiting(waiting) => format!(
            "The planner waits until {}: {}",
            moment(waiting.until_ms),
            waiting.error.message
        ),
        EventBody::PlanningEnded(ended) => planned(ended),
        EventBody::EditAsked(_)
        | EventBody::EditResumed(_)
        | EventBody::EditSettled(_)
        | EventBody::EditDropped(_) => return of_edit(body),
        EventBody::Approved(approved) => format!("Revision {} was approved.", approved.revision),
        EventBody::RunRejected(_) => "The plan was rejected; nothing of it has run.".to_owned(),
        EventBody::DecisionOpened(opened) => format!("Asked: {}", opened.question),
        EventBody::DecisionAnswered(answered) => answer(answered),
        EventBody::DecisionClosed(closed) => format!("{} no longer matters.", closed.decision),
        _ => return None,
    })
}

fn raised(to: &BudgetRaised) -> String {
    match to.cap().in_words() {
        nothing if nothing.is_empty() => "Calls of unknown cost may be made.".to_owned(),
        to => format!("The budget was raised to {to}."),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each kind has its place in one of the four"
)]
fn of_run(body: &EventBody, state: &RunState) -> Option<String> {
    Some(match body {
        EventBody::RunClaimed(claimed) => format!("Driven by {}.", claimed.owner),
        EventBody::RunPaused(paused) => match &paused.at {
            Some(stop) => {
                let name = super::tasks::named(state, &stop.task);
                format!("Paused at the breakpoint {} {name}.", stop.side)
            }
            None => "Paused.".to_owned(),
        },
        EventBody::FilesRestored(restored) => {
            let failed = match restored.failed.len() {
                0 => String::new(),
                n => format!(" {n} could not be restored."),
            };
            let have = if restored.paths.len() == 1 { "has" } else { "have" };
            format!(
                "{} {have} again what stood there at event {}.{failed}",
                counted(restored.paths.len(), "file"),
                restored.to
            )
        }
        EventBody::RunWaiting(_) => "Waiting for you.".to_owned(),
        EventBody::RunBlocked(_) => "Blocked: a failure leaves no path. You decide.".to_owned(),
        EventBody::RunWentOn(_) => "Going on.".to_owned(),
        EventBody::RunFinished(finished) => match &finished.error {
            Some(error) => format!("Finished: {}. {}", finished.state, error.message),
            None => format!("Finished: {}.", finished.state),
        },
        EventBody::PauseRequested(by) => format!("Pause was asked for by {}.", by.by),
        EventBody::CancelRequested(by) => format!("Stop was asked for by {}.", by.by),
        EventBody::RunRewound(rewound) => {
            format!(
                "Went back to event {}, by {}. Nothing was deleted.",
                rewound.to, rewound.by
            )
        }
        EventBody::RunForked(forked) => format!("Forked from run {} by {}.", forked.from, forked.by),
        EventBody::RunReopened(reopened) => format!("Taken up again by {}.", reopened.by),
        EventBody::RunImported(imported) => format!(
            "Imported from a file of Planloom {}. It ran elsewhere; nothing of it goes on here.",
            imported.version
        ),
        EventBody::BreakerOpened(opened) => {
            let until = moment(opened.until_ms);
            format!(
                "{} keeps failing; calls to it wait until {until}.",
                opened.endpoint
            )
        }
        EventBody::BreakerClosed(closed) => format!("{} answers again.", closed.endpoint),
        EventBody::BudgetRaised(to) => raised(to),
        EventBody::ClockJumped(jump) => {
            format!(
                "The clock jumped by {} s; the order of events is not touched by it.",
                jump.by_ms / 1000
            )
        }
        _ => return None,
    })
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each kind has its place in one of the four"
)]
fn of_call(body: &EventBody, name: &str) -> Option<String> {
    Some(match body {
        EventBody::CallStarted(call) if call.model => format!("{name} asks {}.", call.tool),
        EventBody::CallStarted(call) => format!("{name} calls {}.", call.tool),
        EventBody::CallFinished(call) => match &call.outcome {
            CallOutcome::Result(value) => format!("{name} got {}.", bytes(value.bytes())),
            CallOutcome::Error(error) => format!("{name}: the call failed. {}", error.message),
        },
        EventBody::TaskRetrying(retrying) if retrying.breaker.is_some() => {
            format!("{name} waits. {}", retrying.error.message)
        }
        EventBody::TaskRetrying(retrying) => {
            let until = moment(retrying.not_before_ms);
            format!("{name} will try again at {until}. {}", retrying.error.message)
        }
        EventBody::TaskInDoubt(doubt) => format!("{name} is in doubt. {}", doubt.error.message),
        EventBody::TaskCancelled(cancelled) if cancelled.outcome_unknown => {
            format!("{name} was cancelled during a call; whether that happened is not known.")
        }
        EventBody::TaskCancelled(_) => format!("{name} was cancelled."),
        _ => return None,
    })
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each kind has its place in one of the four"
)]
fn of_task(body: &EventBody, name: &str) -> Option<String> {
    Some(match body {
        EventBody::TaskReady(ready) => match ready.again {
            None => format!("{name} is ready."),
            Some(Again::Interrupted) => format!("{name} was interrupted and starts again."),
            Some(Again::Budget) => format!("{name} is held back: its next call would pass the budget."),
            Some(Again::Retry) => format!("{name} is tried again by choice."),
            Some(Again::Allowed) => format!("{name} was allowed and goes on."),
            Some(Again::Denied) => format!("{name} was denied a call, hears so and goes on."),
            Some(Again::Told) => format!("{name} hears what came of its call and goes on."),
        },
        EventBody::TaskStarted(started) if started.goes_on => {
            format!("{name} goes on, attempt {}.", started.attempt)
        }
        EventBody::TaskStarted(started) if started.attempt > 1 => {
            format!("{name} started, attempt {}.", started.attempt)
        }
        EventBody::TaskStarted(_) => format!("{name} started."),
        EventBody::TaskWaiting(_) => format!("{name} waits for you."),
        EventBody::TaskCompleted(done) if done.reused.is_some() => {
            format!("{name} is done: its effect was made before, and what came of it was taken over.")
        }
        EventBody::TaskCompleted(done) if done.pinned => {
            format!("{name} is done: its output is pinned, nothing was called.")
        }
        EventBody::TaskCompleted(done) if done.accepted_after_rejections > 0 => {
            let look = if done.flags.is_empty() {
                ""
            } else {
                " Look at its output before you rely on it."
            };
            format!(
                "{name} is done, after {} that did not fit.{look}",
                counted(done.accepted_after_rejections, "answer")
            )
        }
        EventBody::TaskCompleted(_) => format!("{name} is done."),
        EventBody::OutputPinned(pinned) => format!("The output of {name} was pinned by {}.", pinned.by),
        EventBody::OutputUnpinned(by) => format!("The output of {name} is no longer pinned, by {}.", by.by),
        EventBody::BreakpointSet(set) => match (set.before, set.after) {
            (true, true) => format!("The run will stop before and after {name}."),
            (true, false) => format!("The run will stop before {name}."),
            (false, true) => format!("The run will stop after {name}."),
            (false, false) => format!("The run no longer stops at {name}."),
        },
        EventBody::TaskExpanded(expanded) => match expanded.count {
            1 => format!("{name} has one task of its own."),
            count => format!("{name} has {count} tasks of its own."),
        },
        EventBody::TaskPruned(_) => format!("{name} is no part of the plan any more."),
        EventBody::TaskReset(_) => format!("{name} will run again."),
        EventBody::TaskFailed(failed) => format!("{name} failed. {}", failed.error.message),
        EventBody::TaskSkipped(skipped) => match skipped.reason {
            SkipReason::When => format!("{name} was skipped: its condition does not hold."),
            SkipReason::Dependencies => format!("{name} was skipped with all that it depends on."),
            SkipReason::Withheld => format!("{name} was left out: what it needs was switched off."),
            SkipReason::Person => format!("{name} was skipped by choice."),
        },
        _ => return None,
    })
}

fn planned(ended: &PlanningEnded) -> String {
    let notes = ended
        .notes
        .iter()
        .map(|note| format!(" {note}"))
        .collect::<String>();
    match &ended.how {
        PlanningOutcome::Planned => format!("The plan is made.{notes}"),
        PlanningOutcome::Unmended => format!("The plan has problems that the planner did not mend.{notes}"),
        PlanningOutcome::Failed(error) => format!("No plan came of it. {}{notes}", error.message),
        PlanningOutcome::Stopped => format!("Planning was stopped.{notes}"),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only what `of_plan` sends here")]
fn of_edit(body: &EventBody) -> Option<String> {
    Some(match body {
        EventBody::EditAsked(asked) => format!("A change of the plan is wanted: {}", asked.wanted),
        EventBody::EditResumed(resumed) => {
            format!("The planner is asked on for the change, by {}.", resumed.by)
        }
        EventBody::EditSettled(settled) => proposed(settled),
        EventBody::EditDropped(dropped) if dropped.pieces.is_empty() => {
            "What was left of the proposed change was not taken.".to_owned()
        }
        EventBody::EditDropped(dropped) => {
            format!("Not taken of the proposed change: {}.", dropped.pieces.join(", "))
        }
        _ => return None,
    })
}

fn proposed(settled: &EditSettled) -> String {
    let notes: String = settled.notes.iter().map(|note| format!(" {note}")).collect();
    match &settled.how {
        PlanningOutcome::Planned => {
            format!("The planner has proposed the change; nothing is changed yet.{notes}")
        }
        PlanningOutcome::Unmended => {
            format!("The planner has proposed a change with problems; nothing is changed yet.{notes}")
        }
        PlanningOutcome::Failed(error) => format!("No change came of it. {}{notes}", error.message),
        PlanningOutcome::Stopped => format!("The planner is not asked for the change any more.{notes}"),
    }
}

/// A size as people read it.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}
