//! Loops of dependencies: each whole ring in order, and apart from it what merely hangs behind it.

use super::sketch::{Outline, Sketch, place_of};
use super::{Check, listed, lower};
use crate::model::TaskId;
use crate::model::edit::PlanEdit;
use crate::model::graph::{Components, Graph, Node, Ring, rings};
use crate::model::json::At;
use crate::model::problem::{Code, QuickFix, Severity};

/// A ring of more tasks is shortened in the message; the problem lists all of them.
const SHOWN_OF_RING: usize = 60;

pub(super) fn tell(
    check: &mut Check<'_>,
    outline: &Outline<'_>,
    graph: &Graph,
    components: &Components,
    at: &At<'_>,
) {
    for ring in rings(graph, components) {
        tell_ring(check, outline, &ring, at);
    }
}

fn tell_ring(check: &mut Check<'_>, outline: &Outline<'_>, ring: &Ring, at: &At<'_>) {
    let task = |node: &Node| outline.first(*node);
    let ids = |nodes: &[Node]| -> Vec<TaskId> {
        nodes
            .iter()
            .filter_map(|node| task(node).who.task.clone())
            .collect()
    };
    let members = ids(&ring.members);
    let mut message = format!(
        "These tasks wait for each other in a loop and could never start: {}.",
        shown_ring(&members)
    );
    if !ring.behind.is_empty() {
        let behind = listed("task", "tasks", &ids(&ring.behind));
        let verb = if ring.behind.len() == 1 { "waits" } else { "wait" };
        message.push_str(&format!(
            " Behind the loop, not in it, {verb} {}.",
            lower(&behind)
        ));
    }
    if ring.more > 0 {
        message.push_str(&format!(
            " {} more tasks are in further loops with these.",
            ring.more
        ));
    }
    let (Some(first), Some(last)) = (ring.members.first(), ring.members.last()) else {
        return;
    };
    let (first, last) = (task(first), task(last));
    let Some((entry, place)) = closing_edge(outline, first, last) else {
        return;
    };
    let pointer = at.item(entry).key("dependencies").item(place as usize).pointer();
    let fix = remove_edge(first, last);
    check
        .say(Severity::Error, Code::Cycle, pointer, members, message)
        .fix = fix;
}

/// The entry and the place in its list that let the first task wait for the last.
fn closing_edge(outline: &Outline<'_>, first: &Sketch, last: &Sketch) -> Option<(usize, u32)> {
    let name = last.id.as_ref()?.as_str();
    let place = |ix: usize| Some((ix, place_of(&outline.entries.get(ix), name)?));
    let mut copies = (0..outline.tasks.len()).filter(|ix| outline.tasks[*ix].node == first.node);
    // Nearly always the first copy is the only one.
    place(outline.first_of[first.node as usize] as usize).or_else(|| copies.find_map(place))
}

fn remove_edge(first: &Sketch, last: &Sketch) -> Option<QuickFix> {
    let from = last.who.editable()?.to_owned();
    let to = first.id.as_ref().map_or("", TaskId::as_str);
    first.who.fix(format!("Remove {from} → {to}"), |to| {
        vec![PlanEdit::Disconnect {
            from,
            to: to.to_owned(),
        }]
    })
}

/// `a → b → c → a`.
fn shown_ring(members: &[TaskId]) -> String {
    let names: Vec<&str> = members.iter().map(TaskId::as_str).collect();
    let closing = names.first().copied().unwrap_or_default();
    if names.len() <= SHOWN_OF_RING {
        return format!("{} → {closing}", names.join(" → "));
    }
    let half = SHOWN_OF_RING / 2;
    let (head, tail) = (&names[..half], &names[names.len() - half..]);
    let left_out = names.len() - 2 * half;
    format!(
        "{} → … {left_out} more … → {} → {closing}",
        head.join(" → "),
        tail.join(" → ")
    )
}
