//! From the cards and edges of a draft to what is drawn: the tasks inside maps and nested plans come from the tasks' own
//! documents. Works on wrong documents too.

use std::collections::HashMap;

use super::{Card, Inner, Link, Picture};
use crate::model::Json;
use crate::model::draft_view::{DraftEdge, DraftTask};
use crate::model::status::TaskStatus;
use crate::model::tool::Access;

/// How deep maps and nested plans are followed.
const DEEPEST: u32 = 8;

/// What a run knows of a task.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub state: Option<TaskStatus>,
    pub count: String,
    pub right: String,
    pub items: Vec<TaskStatus>,
}

/// A plan as a picture. `drawn` tells what a run knows of the tasks, by their ids; of a draft it is empty.
pub fn sketch(
    title: &str,
    tasks: &[DraftTask],
    edges: &[DraftEdge],
    mut drawn: HashMap<String, Drawn>,
) -> Picture {
    let places: HashMap<&str, usize> = tasks
        .iter()
        .enumerate()
        .map(|(ix, task)| (task.id.as_str(), ix))
        .collect();
    let link = |edge: &DraftEdge| {
        Some(Link {
            from: *places.get(edge.from.as_str())?,
            to: *places.get(edge.to.as_str())?,
            is_in_loop: edge.is_in_loop,
        })
    };
    Picture {
        title: title.to_owned(),
        cards: tasks
            .iter()
            .map(|task| card(task, drawn.remove(&task.id).unwrap_or_default()))
            .collect(),
        links: edges.iter().filter_map(link).collect(),
    }
}

fn card(task: &DraftTask, drawn: Drawn) -> Card {
    let document: Json = serde_json::from_str(&task.document).unwrap_or_default();
    let mut inner = inner_of(&document, 0);
    if let Some(inner) = &mut inner {
        inner.items = drawn.items;
    }
    Card {
        id: task.id.clone(),
        title: task.title.clone(),
        kind: task.task_type.clone(),
        detail: task.detail.clone(),
        position: task.position,
        state: drawn.state,
        count: drawn.count,
        right: drawn.right,
        grants: grants(task),
        inner,
    }
}

fn grants(task: &DraftTask) -> Vec<(Access, usize)> {
    let mut counts: Vec<(Access, usize)> = Vec::new();
    for need in &task.needs {
        match counts.iter_mut().find(|(access, _)| *access == need.access) {
            Some((_, count)) => *count += 1,
            None => counts.push((need.access, 1)),
        }
    }
    counts.sort_by_key(|&(access, _)| access);
    counts
}

/// The task of a map, or those of a nested plan that stands in the document.
fn inner_of(task: &Json, depth: u32) -> Option<Inner> {
    if depth == DEEPEST {
        return None;
    }
    match task.get("task_type").and_then(Json::as_str) {
        Some("map") => Some(Inner {
            cards: task
                .get("task")
                .map(|inner| plain_card(inner, 0, depth))
                .into_iter()
                .collect(),
            at_a_time: task.get("max_parallel").and_then(Json::as_u64),
            ..Inner::default()
        }),
        Some("subplan") => {
            let tasks = task.pointer("/plan/tasks")?.as_array()?;
            let cards = tasks.iter().enumerate();
            Some(Inner {
                cards: cards.map(|(ix, task)| plain_card(task, ix, depth)).collect(),
                links: links_of(tasks),
                ..Inner::default()
            })
        }
        Some(_) | None => None,
    }
}

fn plain_card(task: &Json, ix: usize, depth: u32) -> Card {
    let text = |name: &str| task.get(name).and_then(Json::as_str).unwrap_or_default();
    let id = match text("id") {
        "" => format!("#{ix}"),
        id => id.to_owned(),
    };
    let title = match (text("title"), text("instruction")) {
        ("", "") => id.clone(),
        ("", instruction) => instruction.to_owned(),
        (title, _) => title.to_owned(),
    };
    let kind = match text("task_type") {
        "" => "agent",
        kind => kind,
    };
    Card {
        id,
        title,
        kind: kind.to_owned(),
        detail: match kind {
            "tool" => text("tool").to_owned(),
            "code" => "JavaScript".to_owned(),
            _ => text("model").to_owned(),
        },
        inner: inner_of(task, depth + 1),
        ..Card::default()
    }
}

fn links_of(tasks: &[Json]) -> Vec<Link> {
    let id = |task: &Json| task.get("id").and_then(Json::as_str).map(str::to_owned);
    let places: HashMap<String, usize> = tasks
        .iter()
        .enumerate()
        .filter_map(|(ix, task)| Some((id(task)?, ix)))
        .collect();
    let mut links = Vec::new();
    for (to, task) in tasks.iter().enumerate() {
        let named = task.get("dependencies").and_then(Json::as_array);
        for name in named.into_iter().flatten().filter_map(Json::as_str) {
            if let Some(&from) = places.get(name) {
                links.push(Link {
                    from,
                    to,
                    is_in_loop: false,
                });
            }
        }
    }
    links
}
