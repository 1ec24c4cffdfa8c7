//! The validator: everything that is wrong or doubtful about a plan document, all at once, and the typed plan
//! if nothing blocks it. Linear in the document. It must not know where documents come from or how plans run.

mod code;
mod expressions;
mod fallback;
mod fits;
mod foreseen;
mod inputs;
mod loops;
mod models;
mod object;
mod own;
mod places;
mod plan;
mod references;
mod schema;
mod shapes;
mod sketch;
mod synthesis;
mod task;
mod terms;
mod tools;
mod writes;

pub(super) use sketch::is_id;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::edit::PlanEdit;
use super::entries::Entries;
use super::foreseen::ReadCode;
use super::grants::Place;
use super::json::At;
use super::near::Names;
use super::plan::{Plan, Terms, Word};
use super::problem::{Code, Problem, QuickFix, Severity};
use super::tool::Catalog;
use super::{Digest, Json, TaskId, fields, sentence};

/// What a plan is judged against.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub catalog: &'a Catalog,
    pub place: &'a Place,
    /// Whether models are set up, so that tasks that need one can run.
    pub has_models: bool,
}

/// All problems of a document, errors first, else in the order of the checks.
pub(super) fn problems(document: &Json, setting: &Setting<'_>) -> Vec<Problem> {
    let mut check = Check::new(setting);
    let _ = plan::check(&mut check, (document, None), &At::Root, "", plan::Keep::No);
    check.finish()
}

/// The plan with its warnings, or all problems. `tasks` are the document's, where they do not stand in it.
pub(super) fn plan(
    document: &Json,
    tasks: Option<Entries<'_>>,
    setting: &Setting<'_>,
    digest: Digest,
) -> Result<(Plan, Vec<Problem>), Vec<Problem>> {
    let mut check = Check::new(setting);
    let parts = plan::check(&mut check, (document, tasks), &At::Root, "", plan::Keep::Yes);
    let problems = check.finish();
    match parts {
        Some(parts) if !has_errors(&problems) => Ok((parts.into_plan(digest), problems)),
        Some(_) | None => Err(problems),
    }
}

fn has_errors(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}

/// Longer plain values are taken to be each task's own.
const SHARED_LEN: usize = 64;
/// How many plain values are looked out for; in a plan in which all are different, more of them would only be a load.
const SHARED_LITERALS: usize = 1024;

/// One run of the validator: what it judges against, what it has found, what it need not work out twice.
struct Check<'a> {
    setting: &'a Setting<'a>,
    problems: Vec<Problem>,
    schemas: schema::Schemas,
    /// Who reads the code of tasks, once there is some to be read.
    code: Option<Option<Box<dyn ReadCode>>>,
    tool_names: Names<'a>,
    field_names: Names<'static>,
    words: HashSet<Word>,
    usual_terms: Arc<Terms>,
    literals: HashMap<Json, Arc<Json>>,
    /// Tasks of this plan and of all plans inside it.
    tasks: usize,
    /// Where a model is asked for, and by which tasks; told once, as it is one thing to mend.
    wants_model: Option<(String, Vec<TaskId>)>,
    /// The same of those that name no model of their own.
    wants_usual: Option<(String, Vec<TaskId>)>,
    /// What is done in the run's own folder by the tasks of the plan that is read.
    own: own::OwnFiles,
}

impl<'a> Check<'a> {
    fn new(setting: &'a Setting<'a>) -> Self {
        Self {
            setting,
            problems: Vec::new(),
            schemas: schema::Schemas::default(),
            code: None,
            tool_names: Names::new(setting.catalog.iter().map(|spec| spec.name.as_str())),
            field_names: Names::new(fields::of_tasks()),
            words: HashSet::new(),
            usual_terms: Arc::default(),
            literals: HashMap::new(),
            tasks: 0,
            wants_model: None,
            wants_usual: None,
            own: own::OwnFiles::default(),
        }
    }

    /// Whether it is to say what would only fail in the run.
    fn foresees(&self) -> bool {
        self.setting.catalog.foresees()
    }

    /// The word, once for all places where it stands.
    fn word(&mut self, text: &str) -> Word {
        if let Some(known) = self.words.get(text) {
            return known.clone();
        }
        let word = Word::from(text);
        self.words.insert(word.clone());
        word
    }

    /// A short plain value, once for all places where it stands; `None` where it is neither.
    fn shared_literal(&mut self, value: &Json) -> Option<Arc<Json>> {
        let is_short = match value {
            Json::Null | Json::Bool(_) => true,
            Json::Number(number) => number.as_str().len() <= SHARED_LEN,
            Json::String(text) => text.len() <= SHARED_LEN,
            Json::Array(_) | Json::Object(_) => false,
        };
        if !is_short {
            return None;
        }
        if let Some(known) = self.literals.get(value) {
            return Some(known.clone());
        }
        let literal = Arc::new(value.clone());
        if self.literals.len() < SHARED_LITERALS {
            self.literals.insert(value.clone(), literal.clone());
        }
        Some(literal)
    }

    /// The usual terms are held once; others may be as many as there are tasks.
    fn shared(&self, terms: Terms) -> Arc<Terms> {
        if terms == *self.usual_terms {
            self.usual_terms.clone()
        } else {
            Arc::new(terms)
        }
    }

    fn finish(mut self) -> Vec<Problem> {
        if let Some((pointer, tasks)) = self.wants_model.take().filter(|_| !self.setting.has_models) {
            let who = if tasks.is_empty() {
                "The final answer".to_owned()
            } else {
                listed("Task", "Tasks", &tasks)
            };
            let message = format!(
                "No model is set up, and {who} will need one before the plan can run.",
                who = lower(&who)
            );
            self.say(Severity::Warning, Code::UnknownModel, pointer, tasks, message);
        }
        if let Some(wants) = self.wants_usual.take().filter(|_| self.setting.has_models) {
            models::check_usual(&mut self, wants);
        }
        own::tell(&mut self);
        self.problems.sort_by_key(|problem| problem.severity);
        self.problems
    }

    fn error(&mut self, code: Code, at: &At<'_>, who: &Who, message: String) -> &mut Problem {
        self.say(Severity::Error, code, at.pointer(), who.tasks(), message)
    }

    fn warn(&mut self, code: Code, at: &At<'_>, who: &Who, message: String) -> &mut Problem {
        self.say(Severity::Warning, code, at.pointer(), who.tasks(), message)
    }

    fn say(
        &mut self,
        severity: Severity,
        code: Code,
        pointer: String,
        tasks: Vec<TaskId>,
        message: String,
    ) -> &mut Problem {
        let at = self.problems.len();
        self.problems.push(Problem {
            code,
            severity,
            message: in_one_line(&sentence([message.as_str()])),
            pointer,
            tasks,
            fix: None,
        });
        &mut self.problems[at]
    }
}

/// Whom a problem concerns: one task, or the plan as a whole.
#[derive(Clone, Debug)]
struct Who {
    /// The id with the ids of the tasks around it, `outer/inner`; where there is none, `#` and the position.
    task: Option<TaskId>,
    /// Whether an edit can reach the task by its id: not where that is repeated, missing or inside another task.
    is_editable: bool,
}

impl Who {
    fn plan() -> Self {
        Self {
            task: None,
            is_editable: false,
        }
    }

    fn tasks(&self) -> Vec<TaskId> {
        self.task.iter().cloned().collect()
    }

    /// The id by which an edit can reach the task.
    fn editable(&self) -> Option<&str> {
        self.task
            .as_ref()
            .filter(|_| self.is_editable)
            .map(TaskId::as_str)
    }

    fn fix(&self, label: impl Into<String>, edits: impl FnOnce(&str) -> Vec<PlanEdit>) -> Option<QuickFix> {
        let id = self.editable()?;
        Some(QuickFix {
            label: label.into(),
            edits: edits(id),
            unpins: None,
        })
    }
}

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.task {
            Some(task) => write!(f, "Task `{task}`"),
            None => f.write_str("The plan"),
        }
    }
}

/// Names shown in one message; beyond them only their number is told. The problem itself lists all.
const SHOWN: usize = 12;

fn listed(one: &str, many: &str, tasks: &[TaskId]) -> String {
    let names: Vec<String> = tasks.iter().take(SHOWN).map(|task| format!("`{task}`")).collect();
    match (tasks.len(), tasks.len().saturating_sub(SHOWN)) {
        (1, _) => format!("{one} {}", names.concat()),
        (_, 0) => format!("{many} {}", joined(&names)),
        (_, more) => format!("{many} {} and {more} more", names.join(", ")),
    }
}

/// `a`, `b` and `c`.
fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(char::to_lowercase)
        .into_iter()
        .flatten()
        .chain(letters)
        .collect()
}

/// What a value is, for messages.
fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// What a plan's author has written into names is shown, and breaks no line.
fn in_one_line(message: &str) -> String {
    if !message.contains(char::is_control) {
        return message.to_owned();
    }
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        if c.is_control() {
            shown.extend(c.escape_debug());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" Did you mean `{name}`?"))
}
