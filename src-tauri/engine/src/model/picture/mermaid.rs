//! A plan as Mermaid text, for READMEs and wikis. Whatever a title says stays inside its quotes: everything that Mermaid
//! or the page around it could take for more than a letter is written as a character code.

use std::fmt::Write as _;

use super::{Card, Link, Picture, kind_name, plain, state_name};
use crate::model::status::TaskStatus;
use crate::model::title::cut_at;

/// Letters of a title that a box shows.
const LONGEST: usize = 80;
/// What Mermaid draws unless its page allows more.
const MOST_LETTERS: usize = 50_000;
const MOST_EDGES: usize = 500;

/// The flowchart, top down. Tasks are `t0`, `t1` … in the plan's order; a map and a nested plan are subgraphs.
pub fn mermaid(picture: &Picture) -> String {
    let mut text = String::from("flowchart TD\n");
    for (ix, card) in picture.cards.iter().enumerate() {
        node(&mut text, &format!("t{ix}"), card, 1);
    }
    for link in &picture.links {
        edge(&mut text, "t", *link, 1);
    }
    classes(&mut text, picture);
    if text.len() > MOST_LETTERS || picture.links.len() > MOST_EDGES {
        text.push_str(
            "%% Larger than Mermaid draws by itself: set maxTextSize and maxEdges on the page that shows it.\n",
        );
    }
    text
}

// Writing into a text does not fail.
fn node(text: &mut String, name: &str, card: &Card, depth: usize) {
    let indent = "  ".repeat(depth);
    let label = label(card);
    let inner = card.inner.as_ref().filter(|inner| !inner.cards.is_empty());
    let Some(inner) = inner else {
        let (open, close) = shape(&card.kind);
        let _ = writeln!(text, "{indent}{name}{open}\"{label}\"{close}");
        return;
    };
    let _ = writeln!(text, "{indent}subgraph {name}[\"{label}\"]");
    for (ix, card) in inner.cards.iter().enumerate() {
        node(text, &format!("{name}_{ix}"), card, depth + 1);
    }
    for link in &inner.links {
        edge(text, &format!("{name}_"), *link, depth + 1);
    }
    let _ = writeln!(text, "{indent}end");
}

fn edge(text: &mut String, prefix: &str, link: Link, depth: usize) {
    let arrow = if link.is_in_loop { "-. loop .->" } else { "-->" };
    let indent = "  ".repeat(depth);
    let _ = writeln!(text, "{indent}{prefix}{} {arrow} {prefix}{}", link.from, link.to);
}

/// Who does the work: models round, tools and code square, a person a hexagon, what holds more doubled.
fn shape(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "agent" | "model" => ("(", ")"),
        "human" => ("{{", "}}"),
        "map" | "subplan" => ("[[", "]]"),
        _ => ("[", "]"),
    }
}

/// Title, kind and, of a run, the state.
fn label(card: &Card) -> String {
    let mut label = coded(&cut_at(&plain(&card.title), LONGEST));
    label.push_str("<br>");
    label.push_str(&coded(&cut_at(&plain(kind_name(&card.kind)), LONGEST)));
    if let Some(state) = card.state {
        label.push_str(" · ");
        label.push_str(state_name(state));
    }
    label
}

/// Letters, digits, blanks and a few signs as they are; all else as `#code;`.
fn coded(text: &str) -> String {
    let mut coded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | ',' | '.' | '·' | '…' | '–' | '’') {
            coded.push(c);
        } else {
            let _ = write!(coded, "#{};", c as u32);
        }
    }
    coded
}

fn classes(text: &mut String, picture: &Picture) {
    for state in TaskStatus::ALL {
        let of_it = |(ix, card): (usize, &Card)| (card.state == Some(state)).then(|| format!("t{ix}"));
        let names: Vec<String> = picture.cards.iter().enumerate().filter_map(of_it).collect();
        let (Some(style), false) = (style(state), names.is_empty()) else {
            continue;
        };
        let word = format!("{state:?}").to_lowercase();
        let _ = writeln!(text, "  classDef {word} {style}");
        let _ = writeln!(text, "  class {} {word}", names.join(","));
    }
}

/// Strokes alone, so that it can be read on a dark page and on a light one.
fn style(state: TaskStatus) -> Option<&'static str> {
    match state {
        TaskStatus::Completed => Some("stroke:#2f9e5b,stroke-width:2px"),
        TaskStatus::Failed => Some("stroke:#d9483f,stroke-width:3px"),
        TaskStatus::Running | TaskStatus::Retrying => {
            Some("stroke:#1c93a3,stroke-width:2px,stroke-dasharray:6 4")
        }
        TaskStatus::Waiting => Some("stroke:#c99700,stroke-width:3px"),
        TaskStatus::InDoubt => Some("stroke:#c2499c,stroke-width:3px,stroke-dasharray:2 3"),
        TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::Pruned => Some("stroke-dasharray:4 3"),
        TaskStatus::Pending | TaskStatus::Ready => None,
    }
}
