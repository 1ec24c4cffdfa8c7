//! A replan as people read it before they accept it: one line for each change, with what differs in it, what the new
//! work may touch, and what is asked for. It must not know colours, terminals or windows.

use serde::Serialize;

use super::ask::Ask;
use super::outcome::Replanned;
use super::refusal::listed;
use super::wording;
use crate::model::draft_view::NeedView;
use crate::model::draft_view::needs::Needs;
use crate::model::edit::names::{Index, dependencies_of};
use crate::model::{DraftPlan, Json, Setting, TaskId};

/// What a line is about; a face draws each kind in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person must allow it first.
    Asked,
    Added,
    Changed,
    Pruned,
    Retitled,
    /// A field of the plan itself.
    Plan,
    /// Nothing changes, but it should be known.
    Note,
}

/// One line of the diff, with the lines below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    pub kind: Kind,
    #[specta(type = Option<String>)]
    pub task: Option<TaskId>,
    /// A whole sentence.
    pub text: String,
    pub fields: Vec<FieldChange>,
    /// What the task may touch, as sentences.
    pub touches: Vec<String>,
}

/// One field before and after, shortened for reading; `None` where it is not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// All lines: what is asked for first, then what is new, changed and dropped, then the plan itself and notes.
/// Linear in both plans.
pub fn describe(current: &DraftPlan, replanned: &Replanned, setting: &Setting<'_>) -> Vec<Line> {
    let (old, new) = (current.document(), replanned.document.document());
    let mut diff = Diff {
        old: Index::new(old),
        new: Index::new(new),
        needs: Needs::new(new, setting.catalog, setting.place),
    };
    let mut lines: Vec<Line> = replanned.asks.iter().map(|ask| asked(ask, &diff)).collect();
    lines.extend(replanned.added.iter().map(|id| diff.added(id)));
    lines.extend(
        replanned
            .changed
            .iter()
            .map(|changed| diff.changed(&changed.task, &changed.fields)),
    );
    lines.extend(replanned.pruned.iter().map(|id| diff.pruned(id)));
    lines.extend(replanned.retitled.iter().map(|id| diff.retitled(id)));
    for field in &replanned.plan_fields {
        let text = format!("Changes `{field}` of the plan.");
        let mut line = Line::new(Kind::Plan, None, text);
        line.fields.push(change(field, old, new));
        lines.push(line);
    }
    if replanned.is_empty() {
        lines.push(Line::new(
            Kind::Note,
            None,
            "The replan changes nothing.".to_owned(),
        ));
    }
    if !replanned.still_failed.is_empty() {
        let who = listed(replanned.still_failed.iter().map(TaskId::as_str));
        lines.push(Line::new(Kind::Note, None, format!("Still failed: {who}.")));
    }
    lines
}

/// The lines as plain text, one below the other: what a terminal shows and a log keeps.
pub fn as_text(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        let mark = match line.kind {
            Kind::Asked => '!',
            Kind::Added => '+',
            Kind::Changed | Kind::Plan | Kind::Retitled => '~',
            Kind::Pruned => '-',
            Kind::Note => ' ',
        };
        out.push_str(&format!("{mark} {}\n", line.text));
        for field in &line.fields {
            let (before, after) = (shown(&field.before), shown(&field.after));
            out.push_str(&format!("    {}: {before} → {after}\n", field.field));
        }
        for touch in &line.touches {
            out.push_str(&format!("    {touch}\n"));
        }
    }
    out
}

fn shown(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or("nothing")
}

fn asked(ask: &Ask, diff: &Diff<'_, '_>) -> Line {
    let task = wording::task_of(ask).cloned();
    Line::new(Kind::Asked, task, wording::sentence(ask, |id| diff.name(id)))
}

struct Diff<'n, 'd> {
    old: Index<'d>,
    new: Index<'d>,
    needs: Needs<'n>,
}

impl Line {
    fn new(kind: Kind, task: Option<TaskId>, text: String) -> Self {
        Self {
            kind,
            task,
            text,
            fields: Vec::new(),
            touches: Vec::new(),
        }
    }
}

impl<'d> Diff<'_, 'd> {
    fn task(&self, id: &str) -> Option<&'d Json> {
        let found = self.new.find(id).map(|ix| &self.new.tasks[ix]);
        found.or_else(|| self.old.find(id).map(|ix| &self.old.tasks[ix]))
    }

    /// As people know it: the title with the id behind it, else the id.
    fn name(&self, id: &str) -> String {
        let title = self
            .task(id)
            .and_then(|task| task.get("title"))
            .and_then(Json::as_str);
        match title.filter(|title| !title.trim().is_empty()) {
            Some(title) => format!("“{}” (`{id}`)", wording::short(title)),
            None => format!("`{id}`"),
        }
    }

    fn added(&mut self, id: &TaskId) -> Line {
        let task = self.task(id.as_str()).unwrap_or(&Json::Null);
        let after: Vec<&str> = dependencies_of(task).collect();
        let place = if after.is_empty() {
            "at the start".to_owned()
        } else {
            format!("after {}", listed(after))
        };
        let what = task.get("instruction").and_then(Json::as_str).unwrap_or_default();
        let text = format!(
            "Adds {}, {}, {place}: {}",
            self.name(id.as_str()),
            kind(task),
            wording::sentence_of(what)
        );
        let mut line = Line::new(Kind::Added, Some(id.clone()), text);
        line.touches = self.touches(task, id);
        line
    }

    fn changed(&mut self, id: &TaskId, fields: &[String]) -> Line {
        let what = listed(fields.iter().map(String::as_str));
        let text = format!("Changes {what} of {}.", self.name(id.as_str()));
        let mut line = Line::new(Kind::Changed, Some(id.clone()), text);
        let (old, new) = self.both(id);
        line.fields = fields.iter().map(|field| change(field, old, new)).collect();
        line.touches = self.touches(new, id);
        line
    }

    fn pruned(&self, id: &TaskId) -> Line {
        let text = format!("Drops {}.", self.name(id.as_str()));
        Line::new(Kind::Pruned, Some(id.clone()), text)
    }

    fn retitled(&self, id: &TaskId) -> Line {
        let text = format!("Renames `{id}`; it does the same as before.");
        let mut line = Line::new(Kind::Retitled, Some(id.clone()), text);
        let (old, new) = self.both(id);
        line.fields.push(change("title", old, new));
        line
    }

    fn both(&self, id: &TaskId) -> (&'d Json, &'d Json) {
        let old = self.old.find(id.as_str()).map(|ix| &self.old.tasks[ix]);
        let new = self.new.find(id.as_str()).map(|ix| &self.new.tasks[ix]);
        (old.unwrap_or(&Json::Null), new.unwrap_or(&Json::Null))
    }

    fn touches(&mut self, task: &Json, id: &TaskId) -> Vec<String> {
        let needs = task.as_object().map(|task| self.needs.of_task(task, id.as_str()));
        needs.iter().flatten().map(touch).collect()
    }
}

fn touch(need: &NeedView) -> String {
    let how = need.method.as_deref().unwrap_or(wording::verb(need.access));
    format!("{how} {} ({})", need.resource, need.note)
}

/// "an agent", "the tool `echo`".
fn kind(task: &Json) -> String {
    let text = |name: &str| task.get(name).and_then(Json::as_str);
    match text("task_type").unwrap_or("agent") {
        "agent" => "an agent".to_owned(),
        "tool" => format!("the tool `{}`", text("tool").unwrap_or_default()),
        "model" => "a model call".to_owned(),
        "human" => "a question to you".to_owned(),
        "map" => "a step for each item".to_owned(),
        "subplan" => "a nested plan".to_owned(),
        other => other.to_owned(),
    }
}

fn change(field: &str, old: &Json, new: &Json) -> FieldChange {
    let (old, new) = (old.get(field), new.get(field));
    let (before, after) = wording::contrast(old, new);
    FieldChange {
        field: field.to_owned(),
        before,
        after,
    }
}
