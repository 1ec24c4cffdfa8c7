//! What is offered to an agent: its tools, and the call by which it hands in its result. It must not know the talk.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::Assignment;
use super::guarded::Checked;
use crate::llm::{Offer, ToolCall};
use crate::model::Json;
use crate::tools::Tool;

/// The call by which an agent hands in its final result. A tool of this name would be hidden by it: those that come
/// with Planloom have other names, and those of a server have a slash.
pub const SUBMIT: &str = "submit_result";

/// The tools of an assignment by name, each once.
pub(super) struct Offers<'a> {
    tools: BTreeMap<&'a str, &'a Arc<dyn Tool>>,
    submit: Offer,
    is_wrapped: bool,
}

impl<'a> Offers<'a> {
    pub fn of(assignment: &Assignment<'a>) -> Self {
        let named = assignment
            .tools
            .iter()
            .map(|tool| (tool.spec().name.as_str(), tool));
        let (arguments, is_wrapped) = submit_arguments(assignment.output_schema);
        Self {
            tools: named.filter(|(name, _)| *name != SUBMIT).collect(),
            submit: Offer {
                name: SUBMIT.to_owned(),
                description: "Hands in the final result of your task and ends it. Call it once, alone."
                    .to_owned(),
                arguments,
            },
            is_wrapped,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Everything that may be called, sorted by name.
    pub fn all(&self) -> Vec<Offer> {
        let tools = self.tools.values().map(|tool| Offer {
            name: tool.spec().name.clone(),
            description: tool.spec().description.clone(),
            arguments: tool.spec().arguments.clone(),
        });
        let mut all: Vec<Offer> = tools.chain([self.submit.clone()]).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Only the way to end.
    pub fn only_submit(&self) -> Vec<Offer> {
        vec![self.submit.clone()]
    }

    /// Whether the result stands in the field `result` of the submitted arguments.
    pub fn is_wrapped(&self) -> bool {
        self.is_wrapped
    }

    /// The call with its arguments, or why it can't be made, for the model.
    pub fn check(&self, call: &ToolCall) -> Result<Checked, String> {
        let Some(tool) = self.tools.get(call.name.as_str()) else {
            let names: Vec<&str> = self.tools.keys().copied().chain([SUBMIT]).collect();
            return Err(format!(
                "There is no such tool. You may call: {}.",
                names.join(", ")
            ));
        };
        let arguments = call.parsed().map_err(|error| {
            format!("The call was not made: its arguments are not JSON that can be read: {error}.")
        })?;
        tool.check_arguments(&arguments)
            .map_err(|error| format!("The call was not made: its arguments don't fit: {error}."))?;
        let effect = tool.spec().effect_of(&arguments);
        Ok(Checked { arguments, effect })
    }
}

/// The schema of the submitted arguments, and whether the result is wrapped in a field of its own: tools only take
/// objects.
fn submit_arguments(schema: Option<&Json>) -> (Json, bool) {
    let wrapped = |result: Json| {
        let object = json!({
            "type": "object", "properties": { "result": result }, "required": ["result"], "additionalProperties": false
        });
        (object, true)
    };
    let Some(schema) = schema else {
        return wrapped(json!({ "description": "The final result, usually text" }));
    };
    if schema.get("type").and_then(Json::as_str) == Some("object") {
        return (schema.clone(), false);
    }
    // References of the schema start at its root, which is another one now.
    let (mut object, _) = wrapped(schema.clone());
    for definitions in ["$defs", "definitions"] {
        if let (Some(known), Some(map)) = (schema.get(definitions), object.as_object_mut()) {
            map.insert(definitions.to_owned(), known.clone());
        }
    }
    (object, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_are_no_objects_are_wrapped() {
        let object = json!({"type": "object", "properties": {"a": {}}});
        assert_eq!(submit_arguments(Some(&object)), (object, false));
        let (list, is_wrapped) = submit_arguments(Some(&json!({"type": "array", "$defs": {"x": true}})));
        assert!(is_wrapped);
        assert_eq!(list["properties"]["result"]["type"], "array");
        assert_eq!(list["$defs"], json!({"x": true}));
        assert!(submit_arguments(None).1);
    }
}
