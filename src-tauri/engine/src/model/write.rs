//! The one text of a plan document: known fields in the design's order, unknown ones after them in their own,
//! so that files diff well. It must not know whether the plan is right.

use serde_json::Map;

use super::{Json, fields};

/// A list or object of plain values that fits in this many characters stands on one line.
const ONE_LINE: usize = 80;

/// What an object is, and so in which order its fields are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plan,
    Tasks,
    Task,
    Ordered(&'static [&'static str]),
    Layout,
    /// Keys sorted: the positions of the cards have no order of their own.
    Sorted,
    Other,
}

/// The text, ending with a newline. Values, ids and numbers stand as they were read.
pub fn write_plan(document: &Json) -> String {
    let mut out = String::new();
    write(document, Shape::Plan, 0, &mut out);
    out.push('\n');
    out
}

/// The keys of an object: known ones first, in their order.
fn ordered(map: &Map<String, Json>, shape: Shape) -> Vec<(&String, &Json)> {
    let known: Vec<&str> = match shape {
        Shape::Plan => fields::PLAN.to_vec(),
        Shape::Task => fields::of_tasks().collect(),
        Shape::Ordered(names) => names.to_vec(),
        Shape::Layout => fields::LAYOUT.to_vec(),
        Shape::Sorted => {
            let mut entries: Vec<(&String, &Json)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            return entries;
        }
        Shape::Tasks | Shape::Other => return map.iter().collect(),
    };
    let first = known.iter().filter_map(|name| map.get_key_value(*name));
    first
        .chain(map.iter().filter(|(key, _)| !known.contains(&key.as_str())))
        .collect()
}

fn shape_of(parent: Shape, key: &str, value: &Json) -> Shape {
    match (parent, key) {
        (Shape::Plan, "tasks") => Shape::Tasks,
        (Shape::Plan, "grants") => Shape::Ordered(&fields::GRANTS),
        (Shape::Plan, "budget") => Shape::Ordered(&fields::BUDGET),
        (Shape::Plan, "synthesis") => Shape::Ordered(&fields::SYNTHESIS),
        (Shape::Plan, "layout") => Shape::Layout,
        (Shape::Layout, "positions") => Shape::Sorted,
        (Shape::Task, "retry") => Shape::Ordered(&fields::RETRY),
        (Shape::Task, "task") => Shape::Task,
        (Shape::Task, "plan") if value.is_object() => Shape::Plan,
        (
            Shape::Plan
            | Shape::Tasks
            | Shape::Task
            | Shape::Ordered(_)
            | Shape::Layout
            | Shape::Sorted
            | Shape::Other,
            _,
        ) => Shape::Other,
    }
}

fn write(value: &Json, shape: Shape, indent: usize, out: &mut String) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            let is_block = matches!(shape, Shape::Plan | Shape::Task);
            if is_block || !write_line(value, shape, out) {
                write_object(map, shape, indent, out);
            }
        }
        Json::Array(items) if !items.is_empty() => {
            if !write_line(value, Shape::Other, out) {
                let inner = if shape == Shape::Tasks {
                    Shape::Task
                } else {
                    Shape::Other
                };
                write_block(items.len(), ('[', ']'), indent, out, |ix, out| {
                    write(&items[ix], inner, indent + 1, out);
                });
            }
        }
        Json::Object(_) | Json::Array(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            push_plain(value, out)
        }
    }
}

fn write_object(map: &Map<String, Json>, shape: Shape, indent: usize, out: &mut String) {
    let entries = ordered(map, shape);
    write_block(entries.len(), ('{', '}'), indent, out, |ix, out| {
        let (key, value) = entries[ix];
        push_key(key, out);
        write(value, shape_of(shape, key, value), indent + 1, out);
    });
}

fn write_block(
    len: usize,
    (open, close): (char, char),
    indent: usize,
    out: &mut String,
    mut entry: impl FnMut(usize, &mut String),
) {
    out.push(open);
    for ix in 0..len {
        out.push_str(if ix == 0 { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n("  ", indent + 1));
        entry(ix, out);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", indent));
    out.push(close);
}

/// Writes a short container of plain values on one line, or nothing.
fn write_line(value: &Json, shape: Shape, out: &mut String) -> bool {
    let start = out.len();
    let is_written = match value {
        Json::Object(map) => push_line(
            ordered(map, shape)
                .into_iter()
                .map(|(key, value)| (Some(key.as_str()), value)),
            ('{', '}'),
            out,
        ),
        Json::Array(items) => push_line(items.iter().map(|item| (None, item)), ('[', ']'), out),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    };
    if !is_written {
        out.truncate(start);
    }
    is_written
}

fn push_line<'v>(
    entries: impl Iterator<Item = (Option<&'v str>, &'v Json)>,
    (open, close): (char, char),
    out: &mut String,
) -> bool {
    let start = out.len();
    out.push(open);
    for (ix, (key, value)) in entries.enumerate() {
        if is_container(value) || out.len() - start > ONE_LINE {
            return false;
        }
        out.push_str(if ix == 0 { "" } else { ", " });
        if let Some(key) = key {
            push_key(key, out);
        }
        push_plain(value, out);
    }
    out.push(close);
    out.len() - start <= ONE_LINE
}

fn is_container(value: &Json) -> bool {
    match value {
        Json::Array(items) => !items.is_empty(),
        Json::Object(map) => !map.is_empty(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

fn push_key(key: &str, out: &mut String) {
    super::json::push_string(key, out);
    out.push_str(": ");
}

/// A scalar or an empty container.
fn push_plain(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(number) => out.push_str(number.as_str()),
        Json::String(text) => super::json::push_string(text, out),
        Json::Array(_) => out.push_str("[]"),
        Json::Object(_) => out.push_str("{}"),
    }
}
