//! What a task's output can hold, as far as that is certain from the document: its fields, where it has these and no others.

use std::collections::HashMap;

use super::Check;
use super::sketch::Outline;
use crate::model::Json;
use crate::model::graph::Node;

/// The fields of outputs, each worked out once.
#[derive(Default)]
pub(super) struct Shapes {
    of: HashMap<Node, Option<Vec<String>>>,
}

impl Shapes {
    /// Of the output of a task; none where it may be anything.
    pub fn fields(&mut self, check: &Check<'_>, outline: &Outline<'_>, node: Node) -> Option<&[String]> {
        let work_out = || {
            let entry = outline.first_of[node as usize] as usize;
            fields_of(check, &outline.entries.get(entry))
        };
        self.of.entry(node).or_insert_with(work_out).as_deref()
    }
}

fn fields_of(check: &Check<'_>, task: &Json) -> Option<Vec<String>> {
    let kind = task.get("task_type").map_or(Some("agent"), Json::as_str)?;
    let own = || closed(task.get("output_schema")?);
    match kind {
        "tool" if task.get("fallback").is_none() => {
            let tool = task.get("tool")?.as_str()?;
            closed(&check.setting.catalog.get(tool)?.result).or_else(own)
        }
        "human" => task.get("form").and_then(closed).or_else(own),
        // A list has places.
        "map" => None,
        _ => own(),
    }
}

/// The properties of an object that can have no others.
fn closed(schema: &Json) -> Option<Vec<String>> {
    let schema = schema.as_object()?;
    let is_closed = schema.get("additionalProperties") == Some(&Json::Bool(false))
        && schema.get("type").and_then(Json::as_str) == Some("object")
        && !schema.contains_key("patternProperties");
    let properties = schema.get("properties")?.as_object()?;
    is_closed.then(|| properties.keys().cloned().collect())
}
