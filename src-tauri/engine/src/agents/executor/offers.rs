//! What is offered to an agent: its tools, and the call by which it hands in its result. It must not know the talk.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::Assignment;
use super::guarded::Checked;
use crate::llm::{Offer, ToolCall};
use crate::model::Json;
use crate::model::tool::{Catalog, Effect, ToolSpec};
use crate::tools::Tool;

/// The call by which an agent hands in its final result. A tool of this name would be hidden by it: those that come
/// with Planloom have other names, and those of a server have a slash.
pub const SUBMIT: &str = "submit_result";

/// A longer one costs more than it teaches; those of servers are whatever they are.
const LONGEST_EXAMPLE: usize = 400;

/// The tools of an assignment by name, each once.
pub(super) struct Offers<'a> {
    tools: BTreeMap<&'a str, &'a Arc<dyn Tool>>,
    catalog: Option<&'a Catalog>,
    submit: Offer,
    is_wrapped: bool,
}

/// Why a call can't be made, for the model.
pub(super) enum Wrong {
    /// There is no one tool of that name.
    Name(String),
    Arguments(String),
}

fn ambiguous(several: &[&Arc<dyn Tool>]) -> String {
    let names: Vec<&str> = several.iter().map(|tool| tool.spec().name.as_str()).collect();
    format!(
        "There are several tools of that name; give the whole name of one: {}.",
        names.join(", ")
    )
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
            catalog: assignment.catalog,
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
    pub fn all(&self, more: Option<Offer>) -> Vec<Offer> {
        let tools = self.tools.values().map(|tool| offer_of(tool.spec()));
        let mut all: Vec<Offer> = tools.chain([self.submit.clone()]).chain(more).collect();
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
    pub fn check(&self, call: &ToolCall) -> Result<Checked, Wrong> {
        let name = call.name.trim();
        let tool = match self.tools.get(name) {
            Some(tool) => tool,
            None => match self.namesakes(name)[..] {
                [tool] => tool,
                [] => return self.not_offered(call),
                ref several => return Err(Wrong::Name(ambiguous(several))),
            },
        };
        let arguments = call.parsed().map_err(|error| {
            let told =
                format!("The call was not made: its arguments are not JSON that can be read: {error}.");
            Wrong::Arguments(told)
        })?;
        tool.check_arguments(&arguments).map_err(|error| {
            Wrong::Arguments(format!(
                "The call was not made: its arguments don't fit: {error}."
            ))
        })?;
        let effect = tool.spec().effect_of(&arguments);
        Ok(Checked {
            tool: tool.spec().name.clone(),
            arguments,
            effect,
        })
    }

    /// Tools of servers whose own name this is, without the server's. Nothing nearer than that is guessed.
    fn namesakes(&self, name: &str) -> Vec<&'a Arc<dyn Tool>> {
        let own = |full: &str| {
            full.rsplit(['/']).next().is_some_and(|own| own == name)
                || full.rsplit("__").next().is_some_and(|own| own == name)
        };
        let tools = self
            .tools
            .iter()
            .filter(|(full, _)| !name.is_empty() && own(full));
        tools.map(|(_, tool)| *tool).collect()
    }

    /// A tool that there is, but not for this task, is refused where the call is recorded.
    fn not_offered(&self, call: &ToolCall) -> Result<Checked, Wrong> {
        let is_known = self
            .catalog
            .is_some_and(|catalog| catalog.get(call.name.trim()).is_some());
        if is_known {
            return Ok(Checked {
                tool: call.name.trim().to_owned(),
                arguments: call.parsed().unwrap_or_default(),
                effect: Effect::Pure,
            });
        }
        let names: Vec<&str> = self.tools.keys().copied().chain([SUBMIT]).collect();
        Err(Wrong::Name(format!(
            "There is no such tool. You may call: {}.",
            names.join(", ")
        )))
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

/// An example stands in the words, where every model sees it: grammars know only the shape.
fn offer_of(tool: &ToolSpec) -> Offer {
    let mut arguments = tool.arguments.clone();
    let examples = arguments
        .as_object_mut()
        .and_then(|schema| schema.remove("examples"));
    let example = examples.as_ref().and_then(|examples| examples.get(0));
    let description = match example.map(Json::to_string) {
        Some(example) if example.len() <= LONGEST_EXAMPLE => {
            format!("{} Example: {example}", tool.description)
        }
        Some(_) | None => tool.description.clone(),
    };
    Offer {
        name: tool.name.clone(),
        description,
        arguments,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_told_in_words_and_left_out_of_the_shape() {
        let registry = crate::tools::Registry::builtin();
        let read = registry.get("csv.read").unwrap().spec();
        let offer = offer_of(read);
        assert!(
            offer
                .description
                .ends_with(r#"Example: {"path":"data/sales.csv","delimiter":";"}"#),
            "{}",
            offer.description
        );
        assert!(offer.arguments.get("examples").is_none());
        let long = ToolSpec {
            arguments: json!({ "type": "object", "examples": [{ "a": "x".repeat(LONGEST_EXAMPLE) }] }),
            ..(**read).clone()
        };
        assert_eq!(offer_of(&long).description, long.description);
    }

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
