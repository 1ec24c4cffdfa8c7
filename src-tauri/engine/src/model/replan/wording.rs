//! The words for what a replan asks for, and values shortened so that their difference shows. It must not know plans.

use super::ask::Ask;
use super::refusal::listed;
use crate::model::tool::{Access, Effect};
use crate::model::{Json, TaskId};

/// Characters of a value that are shown.
const SHOWN: usize = 120;
/// Characters before a difference that are shown with it.
const BEFORE: usize = 40;

/// The task that asks, where it is one.
pub(super) fn task_of(ask: &Ask) -> Option<&TaskId> {
    match ask {
        Ask::Need { task, .. }
        | Ask::Tool { task, .. }
        | Ask::Secret { task, .. }
        | Ask::Model { task, .. }
        | Ask::PlanFile { task, .. }
        | Ask::Unattended { task }
        | Ask::Idempotent { task }
        | Ask::Repeats { task, .. }
        | Ask::StaysDone { task } => Some(task),
        Ask::Grant { task, .. } => task.as_ref(),
        Ask::Flow { path } => path.last(),
        Ask::Budget { .. } | Ask::Synthesis | Ask::NothingLeft => None,
    }
}

/// The ask as a sentence. `name` says how people know a task.
pub(super) fn sentence(ask: &Ask, name: impl Fn(&str) -> String) -> String {
    let name = |task: &TaskId| name(task.as_str());
    match ask {
        Ask::Grant { access, entry, task } => {
            let who = task
                .as_ref()
                .map_or_else(String::new, |task| format!(" in the plan inside {}", name(task)));
            format!("Asks for a new grant{who}: {} {}.", verb(*access), short(entry))
        }
        Ask::Need { task, need } => format!("{} needs what was not approved: {need}.", name(task)),
        Ask::Tool { task, tool, effect } => {
            format!("{} gets the tool `{tool}`, which {}.", name(task), does(*effect))
        }
        Ask::Secret { task, name: secret } => {
            format!("{} is handed the secret {}.", name(task), short(secret))
        }
        Ask::Model { task, model } => format!(
            "{} sends its inputs to another model, `{}`.",
            name(task),
            short(model)
        ),
        Ask::PlanFile { task, path } => format!(
            "{} runs the plan file {}, which was not approved.",
            name(task),
            short(path)
        ),
        Ask::Budget { field, from, to } => format!("Raises the budget in {field} from {from} to {to}."),
        Ask::Unattended { task } => format!("{} no longer waits for your word.", name(task)),
        Ask::Idempotent { task } => format!(
            "{} claims that doing it twice does no harm; that is for you to say.",
            name(task)
        ),
        Ask::Flow { path } => format!(
            "Text from outside could leave by a new way: {}.",
            path.iter().map(name).collect::<Vec<_>>().join(" → ")
        ),
        Ask::Repeats { task, of } => format!(
            "{} makes the same call as {}, which has begun: it might happen twice.",
            name(task),
            listed([of.as_str()])
        ),
        Ask::StaysDone { task } => format!(
            "{} has changed something outside, which stays done: what takes its place might do it again.",
            name(task)
        ),
        Ask::Synthesis => "The final answer is made in another way.".to_owned(),
        Ask::NothingLeft => "Nothing is left to run: the run would end with what it has.".to_owned(),
    }
}

pub(super) fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Host => "reach",
        Access::Database => "query",
        Access::Command => "run",
        Access::Mcp => "call",
    }
}

fn does(effect: Effect) -> &'static str {
    match effect {
        Effect::Pure => "touches nothing",
        Effect::Read => "reads on this machine",
        Effect::ReadExternal => "reads from outside",
        Effect::Write => "writes files",
        Effect::WriteExternal => "changes something outside",
        Effect::Exec => "runs programs",
        Effect::Spend => "spends money",
    }
}

/// A text on one line, cut where it is long. Signs that can't be seen are written out.
pub(super) fn short(text: &str) -> String {
    cut(text, 0)
}

/// The text as the end of a sentence.
pub(super) fn sentence_of(text: &str) -> String {
    let text = short(text.trim());
    if text.ends_with(['.', '!', '?', '…']) {
        text
    } else {
        format!("{text}.")
    }
}

/// Two values, cut around the first place where they differ.
pub(super) fn contrast(old: Option<&Json>, new: Option<&Json>) -> (Option<String>, Option<String>) {
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (old, new) = (old.map(text), new.map(text));
    let same = match (&old, &new) {
        (Some(old), Some(new)) => old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count(),
        (Some(_) | None, Some(_) | None) => 0,
    };
    // What fits is shown from its beginning.
    let from = if same < SHOWN / 2 { 0 } else { same - BEFORE };
    (old.map(|old| cut(&old, from)), new.map(|new| cut(&new, from)))
}

fn cut(text: &str, from: usize) -> String {
    let mut out = String::from(if from > 0 { "…" } else { "" });
    let mut rest = text.chars().skip(from);
    rest.by_ref().take(SHOWN).for_each(|c| push(c, &mut out));
    if rest.next().is_some() {
        out.push('…');
    }
    out
}

/// Line breaks become spaces. What can't be seen, or turns the direction of writing, is shown by its number, so that
/// nothing hides in what a person accepts.
fn push(c: char, out: &mut String) {
    match c {
        '\n' | '\r' | '\t' => out.push(' '),
        c if is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        c => out.push(c),
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
