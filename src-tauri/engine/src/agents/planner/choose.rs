//! Which of the values in an answer is the plan: one, never a mixture. Plans that were only repeated from the question
//! or made up for another goal are not taken. It must not know what follows.

use std::collections::HashSet;

use super::{Brief, convert, edges, prompt, restate};
use crate::agents::candidates::{self, Found};
use crate::llm::Answer;
use crate::model::problem::{Code, Problem, Severity};
use crate::model::{DraftPlan, Json, TaskId};

/// What an answer comes to.
#[derive(Debug)]
pub(super) enum Reading {
    Plan(Judged),
    /// No tasks at all; the words around, for people.
    Empty(String),
    Questions(Vec<Question>),
    /// Nothing that can be taken, and why; the plan that is shown if it stays so.
    Unfit(String, Option<Judged>),
}

#[derive(Debug, PartialEq)]
pub(super) struct Question {
    pub question: String,
    pub options: Vec<String>,
}

/// A plan with all that is wrong or doubtful about it.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub draft: DraftPlan,
    pub problems: Vec<Problem>,
    pub notes: Vec<String>,
}

impl Judged {
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|p| p.severity == Severity::Error)
    }
}

/// Noted where an answer left open which plan was meant, so that only a person may take it.
pub const SEVERAL: &str = "The answer held several different plans; this is the first one for this goal, and nothing of the others is used.";

/// Plans of one answer that are judged; more are not looked at.
const MOST_JUDGED: usize = 5;
/// Characters of the planner's own words that are shown.
const WORDS: usize = 300;

pub(super) fn read(brief: &Brief<'_>, answer: &Answer) -> Reading {
    let found = found_in(answer);
    let values: Vec<&Json> = found.values.iter().flat_map(each).map(unwrapped).collect();
    let plans: Vec<&Json> = values.iter().copied().filter(|value| is_plan(value)).collect();
    if !plans.is_empty() {
        return of_plans(brief, &plans);
    }
    let questions: Vec<Question> = values.iter().flat_map(|value| questions_in(value)).collect();
    if !questions.is_empty() {
        return Reading::Questions(questions);
    }
    match found.broken {
        Some(error) if answer.text.contains("\"tasks\"") || answer.text.is_empty() => {
            Reading::Unfit(format!("- It is not JSON that can be read: {error}."), None)
        }
        Some(_) | None => Reading::Empty(words(&answer.text)),
    }
}

/// The values of the text; where there is none, those of the arguments of a call.
fn found_in(answer: &Answer) -> Found {
    if !answer.text.trim().is_empty() {
        return candidates::find(&answer.text);
    }
    let all: Vec<Found> = answer
        .calls
        .iter()
        .map(|call| candidates::find(&call.arguments))
        .collect();
    Found {
        broken: all.iter().find_map(|found| found.broken.clone()),
        values: all.into_iter().flat_map(|found| found.values).collect(),
    }
}

/// The plans of a list; anything else by itself.
fn each(value: &Json) -> &[Json] {
    let is_task = |item: &Json| item.get("id").is_some() || item.get("instruction").is_some();
    let holds_plan = |item: &Json| !is_task(item) && unwrapped(item).get("tasks").is_some();
    match value {
        Json::Array(items) if !items.is_empty() && items.iter().all(holds_plan) => items,
        Json::Array(_) | Json::Object(_) | Json::String(_) | Json::Number(_) | Json::Bool(_) | Json::Null => {
            std::slice::from_ref(value)
        }
    }
}

/// A plan that stands alone under one key.
fn unwrapped(value: &Json) -> &Json {
    let Some(map) = value.as_object().filter(|map| !map.contains_key("tasks")) else {
        return value;
    };
    let mut inner = map.values().filter(|inner| inner.get("tasks").is_some());
    match (inner.next(), inner.next()) {
        (Some(one), None) => one,
        (Some(_) | None, _) => value,
    }
}

fn is_plan(value: &Json) -> bool {
    let is_task = |task: &Json| task.get("id").is_some() || task.get("instruction").is_some();
    let tasks = value.get("tasks").unwrap_or(value).as_array();
    tasks.is_some_and(|tasks| tasks.iter().any(is_task))
}

fn of_plans(brief: &Brief<'_>, plans: &[&Json]) -> Reading {
    let mut own: Vec<&Json> = Vec::new();
    for plan in plans {
        let is_new = !own.contains(plan) && !prompt::is_example(plan);
        if is_new && (plans.len() == 1 || !states_another_goal(brief, plan)) {
            own.push(plan);
        }
    }
    let Some((first, others)) = own.split_first() else {
        let why = "- It only repeats a plan that is not for this goal.".to_owned();
        return Reading::Unfit(why, None);
    };
    let mut judged = judge(brief, first);
    if plans.iter().any(|plan| plan != first) {
        judged.notes.push(SEVERAL.to_owned());
    }
    let has_better = || {
        let mut others = others.iter().take(MOST_JUDGED);
        others.any(|other| !judge(brief, other).has_errors())
    };
    if judged.has_errors() && has_better() {
        // Which of them is meant is the planner's to say.
        let why = "- The answer holds several different plans. Give exactly one.".to_owned();
        return Reading::Unfit(why, Some(judged));
    }
    Reading::Plan(judged)
}

fn states_another_goal(brief: &Brief<'_>, plan: &Json) -> bool {
    let plain = |text: &str| {
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase()
    };
    let goal = plan.get("goal").and_then(Json::as_str);
    goal.is_some_and(|goal| plain(goal) != plain(brief.goal))
}

/// The plan that the value stands for, with the edges that its references need.
fn judge(brief: &Brief<'_>, value: &Json) -> Judged {
    let document = match &brief.revising {
        Some(revising) => restate::revised(brief, revising.base, value),
        None => convert::document(brief, value),
    };
    let mut notes = said(value, "assumptions", "Assumed: ");
    notes.extend(
        questions_in(value)
            .into_iter()
            .map(|q| format!("It would have asked: {}", q.question)),
    );
    let draft = match DraftPlan::parse(&document.to_string()) {
        Ok(draft) => draft,
        Err(problems) => {
            return Judged {
                draft: nothing(brief),
                problems,
                notes,
            };
        }
    };
    let problems = problems_of(brief, &draft);
    let Some((completed, added)) = edges::completed(&draft, &problems) else {
        return Judged {
            draft,
            problems,
            notes,
        };
    };
    let after = problems_of(brief, &completed);
    let has_loop = |problems: &[Problem]| problems.iter().any(|p| p.code == Code::Cycle);
    if has_loop(&after) && !has_loop(&problems) {
        // Two that read each other: neither edge is right.
        return Judged {
            draft,
            problems,
            notes,
        };
    }
    notes.extend(added);
    Judged {
        draft: completed,
        problems: after,
        notes,
    }
}

/// What is wrong or doubtful. A person's own plan is held against nobody who only changes it.
pub(super) fn problems_of(brief: &Brief<'_>, draft: &DraftPlan) -> Vec<Problem> {
    let mut problems = draft.problems_in(brief.setting);
    if let Some(revising) = &brief.revising {
        let before = revising.base.problems_in(brief.setting);
        let before: HashSet<(Code, &str, &[TaskId])> = before
            .iter()
            .map(|p| (p.code, p.message.as_str(), &p.tasks[..]))
            .collect();
        problems.retain(|p| !before.contains(&(p.code, p.message.as_str(), &p.tasks[..])));
    }
    problems
}

/// A plan without tasks; the plan as it was where it was only to be changed.
pub(super) fn nothing(brief: &Brief<'_>) -> DraftPlan {
    if let Some(revising) = &brief.revising {
        return revising.base.clone();
    }
    let text = convert::without_tasks(brief).to_string();
    DraftPlan::parse(&text).unwrap_or_else(|_| DraftPlan::empty())
}

fn said(value: &Json, name: &str, before: &str) -> Vec<String> {
    let items = value.get(name).and_then(Json::as_array).into_iter().flatten();
    let texts = items
        .filter_map(Json::as_str)
        .filter(|text| !text.trim().is_empty());
    texts
        .take(20)
        .map(|text| format!("{before}{}", words(text)))
        .collect()
}

fn questions_in(value: &Json) -> Vec<Question> {
    let items = value
        .get("questions")
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    let read = |item: &Json| {
        let question = item.as_str().or_else(|| item.get("question")?.as_str())?.trim();
        let options = item.get("options").and_then(Json::as_array).into_iter().flatten();
        (!question.is_empty()).then(|| Question {
            question: question.to_owned(),
            options: options
                .filter_map(|o| o.as_str().map(str::to_owned))
                .take(12)
                .collect(),
        })
    };
    items.filter_map(read).take(10).collect()
}

/// The beginning of a text, for people.
pub(super) fn words(text: &str) -> String {
    let text = text.trim();
    let mut short: String = text.chars().take(WORDS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
