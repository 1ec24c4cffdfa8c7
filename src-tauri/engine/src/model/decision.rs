//! What a person may answer to each kind of decision, and what each answer would do. Pure; opens and answers nothing.

mod reading;

use super::ledger::Cap;
use super::state::Decision;
use super::status::DecisionKind;
use super::value::ValueRef;
use super::{Json, misfit};

pub use reading::{Acceptance, LONGEST_NOTE, ReplanAnswer, changed_arguments, choice_of, read_replan};

/// One choice: the word to answer with, the button's text, what would happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub answer: &'static str,
    pub label: &'static str,
    pub consequence: &'static str,
    /// The safe one, focused first.
    pub is_default: bool,
}

const fn choice(answer: &'static str, label: &'static str, consequence: &'static str) -> Choice {
    Choice {
        answer,
        label,
        consequence,
        is_default: false,
    }
}

const fn safe(answer: &'static str, label: &'static str, consequence: &'static str) -> Choice {
    Choice {
        answer,
        label,
        consequence,
        is_default: true,
    }
}

const PLAN_APPROVAL: &[Choice] = &[
    choice(
        "approve",
        "Approve and run",
        "Signs exactly this plan and lets it run.",
    ),
    safe("reject", "Reject", "Nothing runs; the run ends as cancelled."),
];
const TASK_APPROVAL: &[Choice] = &[
    choice("approve", "Approve", "The task starts."),
    safe(
        "reject",
        "Reject",
        "The task fails without having started; you decide what then.",
    ),
];
const GRANT: &[Choice] = &[
    choice(
        "once",
        "Allow once",
        "Allowed for the next call of this task only.",
    ),
    choice(
        "task",
        "Allow for this task",
        "Allowed for every call of this task in this run.",
    ),
    choice("run", "Allow for this run", "Allowed for every task of this run."),
    safe(
        "deny",
        "Deny",
        "The task fails as not granted; you decide what then.",
    ),
];
/// The same in the midst of an agent's work.
const GRANT_IN_TALK: &[Choice] = &[
    GRANT[0],
    GRANT[1],
    GRANT[2],
    safe(
        "deny",
        "Deny",
        "The call is not made; the agent hears so and goes on without it.",
    ),
];
const EFFECT_IN_TALK: &[Choice] = &[
    EFFECT[0],
    safe(
        "deny",
        "Deny",
        "The call is not made; the agent hears so and goes on without it.",
    ),
    STOP_AS_WELL,
];
/// Of another effect than the one that was made in what has been taken back.
const ANOTHER_EFFECT: &[Choice] = &[
    choice(
        "allow",
        "Make it too",
        "The call is made once, with exactly these arguments; what was made before stays made as well.",
    ),
    safe(
        "deny",
        "Do not make it",
        "The call is not made; what came of the task's earlier call is taken over. Where nothing is known of that, the \
         task fails and you decide what then.",
    ),
    STOP_AS_WELL,
];
const ANOTHER_EFFECT_IN_TALK: &[Choice] = &[
    ANOTHER_EFFECT[0],
    safe(
        "deny",
        "Do not make it",
        "The call is not made; the agent hears so, and what was made before, and goes on without it.",
    ),
    STOP_AS_WELL,
];
const IN_DOUBT_IN_TALK: &[Choice] = &[
    IN_DOUBT[0],
    choice(
        "done",
        "It happened",
        "The agent hears that the call was made, and what came of it if you say so, and goes on.",
    ),
    IN_DOUBT[2],
    IN_DOUBT[3],
];
const STOP_AS_WELL: Choice = choice(
    "stop",
    "Stop the run",
    "The run ends as failed; what is done stays done.",
);
const EFFECT: &[Choice] = &[
    choice(
        "allow",
        "Allow this call",
        "The call is made once, with exactly these arguments.",
    ),
    safe(
        "deny",
        "Deny",
        "The call is not made; the task fails and you decide what then.",
    ),
    STOP_AS_WELL,
];
const IN_DOUBT: &[Choice] = &[
    choice(
        "retry",
        "Send again",
        "The call is made again with the same key; it may then happen twice.",
    ),
    choice(
        "done",
        "It happened",
        "The task counts as done; its output is null unless you give one.",
    ),
    choice(
        "skip",
        "Skip the task",
        "The task is passed over; what depends on nothing else is skipped too, the rest gets null.",
    ),
    safe(
        "stop",
        "Stop the run",
        "The run ends as failed; what is done stays done.",
    ),
];
const STOP: Choice = safe(
    "stop",
    "Stop the run",
    "The run ends as failed; what is done stays done.",
);
const RETRY: Choice = choice(
    "retry",
    "Retry the task",
    "The task starts again; nothing that succeeded runs again.",
);
const SKIP: Choice = choice(
    "skip",
    "Skip the task",
    "The task is passed over; what depends on nothing else is skipped too, the rest gets null.",
);
const BLOCKED: &[Choice] = &[RETRY, SKIP, STOP];
const BLOCKED_WITH_A_WAY: &[Choice] = &[
    RETRY,
    SKIP,
    choice(
        "replan",
        "Find another way",
        "A model gets the plan, the results and the errors, and proposes what to do instead; you see that first, unless \
         replans may apply by themselves.",
    ),
    STOP,
];
/// Of a final answer that could not be made.
const UNANSWERED: &[Choice] = &[
    choice(
        "retry",
        "Try again",
        "Only the final answer is made again; every task's output is kept.",
    ),
    choice(
        "skip",
        "End without it",
        "The run succeeds with the outputs of its last tasks as its answer.",
    ),
    safe(
        "stop",
        "Stop the run",
        "The run ends as failed; every task's output is kept.",
    ),
];
const REPLAN: &[Choice] = &[
    choice(
        "accept",
        "Accept the new plan",
        "Signs exactly these changes and goes on with them; what is done stays as it is.",
    ),
    safe(
        "reject",
        "Keep the plan",
        "Nothing changes; you decide about the failed tasks one by one.",
    ),
    STOP_AS_WELL,
];
/// The same as long as another one may be asked for.
const REPLAN_OR_ANOTHER: &[Choice] = &[
    REPLAN[0],
    REPLAN[1],
    choice(
        "again",
        "Ask again",
        "The replanner hears what you say, and that this proposal was not taken, and proposes another one; it counts as one more replan.",
    ),
    STOP_AS_WELL,
];

const BUDGET: &[Choice] = &[
    choice(
        "raise",
        "Raise the budget",
        // Another one for each budget: see `consequence`.
        "",
    ),
    STOP,
];

/// The choices of a decision; a `question` has a form instead.
pub fn choices_of(decision: &Decision) -> &'static [Choice] {
    let is_about_task = decision.task.is_some();
    match decision.kind {
        DecisionKind::Grant if decision.is_in_talk => GRANT_IN_TALK,
        DecisionKind::Effect if decision.is_about_another() && decision.is_in_talk => ANOTHER_EFFECT_IN_TALK,
        DecisionKind::Effect if decision.is_about_another() => ANOTHER_EFFECT,
        DecisionKind::Effect if decision.is_in_talk => EFFECT_IN_TALK,
        DecisionKind::InDoubt if decision.is_in_talk => IN_DOUBT_IN_TALK,
        DecisionKind::Approval if is_about_task => TASK_APPROVAL,
        DecisionKind::Approval => PLAN_APPROVAL,
        DecisionKind::Grant => GRANT,
        DecisionKind::Effect => EFFECT,
        DecisionKind::InDoubt => IN_DOUBT,
        DecisionKind::Blocked if !is_about_task => UNANSWERED,
        DecisionKind::Blocked if decision.may_replan => BLOCKED_WITH_A_WAY,
        DecisionKind::Blocked => BLOCKED,
        DecisionKind::Budget => BUDGET,
        DecisionKind::Replan if decision.may_replan => REPLAN_OR_ANOTHER,
        DecisionKind::Replan => REPLAN,
        // A form has no fixed words.
        DecisionKind::Question => &[],
    }
}

/// What a choice does, with the sums where it is about a budget. `about` is the decision's own, as JSON text.
pub fn consequence(kind: DecisionKind, choice: &Choice, about: Option<&str>) -> String {
    if kind != DecisionKind::Budget || choice.answer != "raise" {
        return choice.consequence.to_owned();
    }
    let about: Json = about
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let to = Cap::raised_by_word(&about);
    let is_blind = about.get("unpriced").and_then(Json::as_bool) == Some(true);
    if to.is_none() {
        return "Lets calls of unknown cost be made: they can't be counted, all others are held to the budget as before."
            .to_owned();
    }
    let blind = if is_blind {
        ", lets calls of unknown cost be made,"
    } else {
        ""
    };
    format!(
        "Raises the budget to {} (twice what it would come to){blind} and the run goes on. To add an exact amount of what \
         has no room, answer such as {{\"raise\": {{\"usd\": \"1.00\"}}}}, {{\"raise\": {{\"tokens\": 50000}}}} or \
         {{\"raise\": {{\"seconds\": 600}}}}.",
        to.in_words()
    )
}

/// The answer as a bare word, if it is one.
pub fn word(answer: &ValueRef) -> Option<String> {
    match answer {
        ValueRef::Inline(raw) => serde_json::from_str(raw.get()).ok(),
        ValueRef::Payload { .. } => None,
    }
}

/// Checks an answer against what was asked. The error text says what would be accepted.
pub fn check_answer(decision: &Decision, answer: &Json) -> Result<(), String> {
    let kind = decision.kind;
    if kind == DecisionKind::Question {
        return check_form(decision.form.as_ref(), answer);
    }
    let choices = choices_of(decision);
    if choices.iter().any(|c| answer.as_str() == Some(c.answer)) {
        return Ok(());
    }
    let is_done_with_output = answer
        .as_object()
        .is_some_and(|o| o.len() == 1 && o.contains_key("done"));
    if kind == DecisionKind::InDoubt && is_done_with_output {
        return Ok(());
    }
    if let (DecisionKind::Budget, Some(amounts)) = (kind, raise_of(answer)) {
        let read = Cap::read(amounts).and_then(|_| raises_what_was_asked(decision, amounts));
        return read.map_err(|wrong| format!("{wrong}. Nothing was recorded."));
    }
    if kind == DecisionKind::Replan && answer.is_object() {
        return check_replan(decision, answer).map_err(|wrong| format!("{wrong}. Nothing was recorded."));
    }
    if kind == DecisionKind::Effect && changed_arguments(answer).is_some() {
        let may = may_change_arguments(decision);
        return may.map_err(|wrong| format!("{wrong}. Nothing was recorded."));
    }
    let words: Vec<&str> = choices.iter().map(|c| c.answer).collect();
    Err(format!(
        "the answer must be one of {}; got {answer}. Nothing was recorded.",
        words.join(", ")
    ))
}

fn check_replan(decision: &Decision, answer: &Json) -> Result<(), String> {
    match read_replan(answer)? {
        ReplanAnswer::Again(_) if !decision.may_replan => {
            Err("no more replans are left in this run; accept, reject or stop".to_owned())
        }
        ReplanAnswer::Accept(_) | ReplanAnswer::Again(_) | ReplanAnswer::Reject | ReplanAnswer::Stop => {
            Ok(())
        }
    }
}

/// Whether a person may put other arguments in the place of those that were shown; else why not.
pub fn may_change_arguments(decision: &Decision) -> Result<(), String> {
    if decision.kind != DecisionKind::Effect {
        return Err("only the arguments of a call can be changed".to_owned());
    }
    if decision.is_in_talk {
        let why = "an agent has asked for this call and goes on by its own words, so its arguments can't be changed here; \
                   deny it, and the agent hears so";
        return Err(why.to_owned());
    }
    if decision.is_about_another() {
        let why = "this call stands beside one that was made before, and what is asked is about exactly these arguments";
        return Err(why.to_owned());
    }
    Ok(())
}

/// A raise of something else would change nothing, and the same would be asked again.
fn raises_what_was_asked(decision: &Decision, amounts: &Json) -> Result<(), String> {
    let Some(ValueRef::Inline(about)) = &decision.about else {
        return Ok(());
    };
    let about: Json = serde_json::from_str(about.get()).unwrap_or_default();
    let passed = about.get("passed").and_then(Json::as_object);
    let left: Vec<&str> = passed
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .filter(|name| amounts.get(name).is_none())
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(format!(
        "what is used up, and has to be raised, is: {}",
        left.join(", ")
    ))
}

/// By how much a budget is raised, if the answer says it.
pub fn raise_of(answer: &Json) -> Option<&Json> {
    let map = answer.as_object().filter(|map| map.len() == 1)?;
    map.get("raise")
}

/// One thing that is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// JSON Pointer into the answer; where a field is missing, into the object that lacks it, with its name.
    pub at: String,
    pub message: String,
}

/// All that is wrong with an answer beside its form, field by field; at most so many.
const MOST_MISFITS: usize = 200;

/// What does not fit the form, field by field. `Err`: the form itself is unusable.
pub fn misfits(form: Option<&Json>, answer: &Json) -> Result<Vec<Misfit>, String> {
    let Some(form) = form else { return Ok(Vec::new()) };
    let validator = jsonschema::validator_for(form)
        .map_err(|e| format!("the question's form is not a usable JSON Schema: {e}"))?;
    let misfit = |error: jsonschema::ValidationError<'_>| {
        let mut at = error.instance_path().as_str().to_owned();
        if let jsonschema::error::ValidationErrorKind::Required { property } = error.kind()
            && let Some(name) = property.as_str()
        {
            super::json::push_step(&mut at, name);
        }
        let message = error.to_string();
        Misfit { at, message }
    };
    Ok(validator
        .iter_errors(answer)
        .take(MOST_MISFITS)
        .map(misfit)
        .collect())
}

fn check_form(form: Option<&Json>, answer: &Json) -> Result<(), String> {
    let wrong: Vec<String> = misfits(form, answer)?
        .iter()
        .take(5)
        .map(|wrong| misfit(&wrong.message, &wrong.at))
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the answer does not fit the form: {}. Nothing was recorded.",
        wrong.join("; ")
    ))
}
