//! Which model a task asks now: the first of its chain that has not been given up. Pure; asks nobody.

use std::collections::BTreeMap;

use crate::llm::{Entry, Fault, Models, NoModel};
use crate::model::backoff::{LOADING, LONG_WAIT};
use crate::model::events::{CallOutcome, Failure, FailureClass};
use crate::model::plan::{Plan, Task};
use crate::model::state::Call;

/// The role of tasks that name no model.
pub const EXECUTOR: &str = "executor";
/// The code of an attempt that took longer than its task may.
pub(super) const TIMED_OUT: &str = "attempt_timeout";
/// No money, no right, no such model, no room here: another one may have what this one has not.
const ELSEWHERE: [&str; 5] = ["quota", "auth", "not_found", "no_provider", NO_ROOM];

/// The model can't take the question in, or gave more than it may: it is asked in another way, as far as that goes.
pub(super) const OVERFLOW: &str = "overflow";
pub(super) const CUT: &str = "cut";
/// Nor in a smaller form: another model may have more room.
pub(super) const NO_ROOM: &str = "no_room";

/// How often a server is asked that says each time that it is still loading the model: some minutes.
const MOST_LOADS: u32 = 60;

/// The code of a task whose models nobody answers for any more.
pub(super) const UNREACHABLE: &str = "unreachable";

/// Answers that are none: their server is there, and only this call is made anew.
const NO_ANSWERS: [&str; 4] = ["truncated", "empty_answer", "unreadable", Fault::MALFORMED_CALL];

/// Whether the failure says nothing against the provider as a whole.
pub(super) fn is_of_one_call(code: &str) -> bool {
    NO_ANSWERS.contains(&code) || code == LONG_WAIT
}

/// Where in its chain a task stands.
#[derive(Debug, PartialEq)]
pub(super) enum Place {
    Ask {
        at: usize,
        /// How often in a row this model has failed in a way that a retry may mend.
        fails: u32,
    },
    /// Nobody is left to ask, or asking again can't help.
    Over(Failure),
}

/// The models of a task, best first, each once: what it names with its stand-ins, then its fallback.
pub fn chain_of(models: &Models, task: &Task) -> Result<Vec<Entry>, NoModel> {
    let mut chain: Vec<Entry> = Vec::new();
    let name = task.model.as_deref().unwrap_or(EXECUTOR);
    for name in [Some(name), task.fallback.as_deref()].into_iter().flatten() {
        for entry in models.chain(name)? {
            if chain.iter().all(|known| known.name != entry.name) {
                chain.push(entry.clone());
            }
        }
    }
    Ok(chain)
}

/// What a signature covers of models: those of the plan's tasks, best first, by what the tasks name.
pub fn models_of(models: &Models, plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    plan.visit(&mut |task, _| {
        if task.kind.asks_model()
            && let Ok(chain) = chain_of(models, task)
        {
            let named = [
                task.model.as_deref().unwrap_or(EXECUTOR),
                task.fallback.as_deref().unwrap_or(""),
            ];
            let names = chain.iter().map(|entry| entry.name.to_string()).collect();
            found.insert(named.join(" "), names);
        }
    });
    found
}

/// The failure is about this provider, its key or its model, and says nothing of those that stand in for it.
pub(super) fn may_do_elsewhere(code: &str) -> bool {
    ELSEWHERE.contains(&code)
}

/// Reads from the calls so far which model is next. One that was moved on to is stayed with.
pub(super) fn place(calls: &[Call], chain: &[Entry], most: u32) -> Place {
    let (mut at, mut fails, mut timeouts, mut loads) = (0, 0, 0, 0);
    let mut last = None;
    for call in calls {
        let started = &call.started;
        let known = chain
            .iter()
            .skip(at)
            .position(|entry| *entry.name == *started.tool);
        if let Some(ahead) = known.filter(|&ahead| started.model && ahead > 0) {
            (at, fails) = (at + ahead, 0);
        }
        let error = match &call.outcome {
            Some(CallOutcome::Error(error)) => error,
            Some(CallOutcome::Result(_)) if started.model => {
                (fails, last) = (0, None);
                continue;
            }
            Some(CallOutcome::Result(_)) | None => continue,
        };
        if error.code == TIMED_OUT {
            timeouts += 1;
            if timeouts >= most {
                return Place::Over(error.clone());
            }
        }
        if !started.model {
            continue;
        }
        last = Some(error.clone());
        match error.class {
            // It is there and says that it will answer: that is waited for, as long as a large model takes.
            FailureClass::Transient if error.code == LOADING => {
                loads += 1;
                fails = if loads < MOST_LOADS {
                    fails.clamp(1, most.saturating_sub(1).max(1))
                } else {
                    most
                };
            }
            // It asked for more patience than there is while another one stands in for it.
            FailureClass::Transient if error.code == LONG_WAIT => fails = most,
            FailureClass::Transient | FailureClass::Unknown => fails += 1,
            FailureClass::Permanent if may_do_elsewhere(&error.code) => fails = most,
            // Whoever builds the question says when it can't be asked any more.
            FailureClass::Permanent if matches!(error.code.as_str(), OVERFLOW | CUT) => last = None,
            FailureClass::Permanent | FailureClass::NotGranted | FailureClass::Cancelled => {
                return Place::Over(error.clone());
            }
        }
        if fails >= most {
            (at, fails) = (at + 1, 0);
        }
    }
    match last {
        Some(error) if at >= chain.len() => Place::Over(error),
        Some(_) | None => Place::Ask { at, fails },
    }
}
