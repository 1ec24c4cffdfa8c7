//! A request without the provider's form for tools: offers, calls and what they gave, told in words.

use serde_json::{Value as Json, json};

use super::Way;
use crate::llm::{Message, Offer, OutputFormat, Request, ToolCall, json_of};

/// The request in the given way; nothing, where it stands as it is.
pub(super) fn request(way: Way, request: &Request) -> Option<Request> {
    let speaks = |message: &Message| match message {
        Message::User(_) => false,
        Message::Assistant { calls, .. } => !calls.is_empty(),
        Message::Observation { .. } => true,
    };
    if way == Way::Native || (request.tools.is_empty() && !request.messages.iter().any(speaks)) {
        return None;
    }
    let output = match way {
        Way::Schema if !request.tools.is_empty() => Some(OutputFormat {
            name: "step".to_owned(),
            schema: step_schema(&request.tools),
        }),
        Way::Schema | Way::Text | Way::Native => request.output.clone(),
    };
    let mut system = request.system.clone();
    if !request.tools.is_empty() {
        system.push_str(&offered(way, &request.tools));
    }
    Some(Request {
        system,
        messages: messages(way, &request.messages),
        tools: Vec::new(),
        output,
        ..request.clone()
    })
}

fn offered(way: Way, offers: &[Offer]) -> String {
    let mut text =
        "\n\nThe tools that you can call, each with the JSON Schema of its arguments:\n".to_owned();
    for offer in offers {
        text.push_str(&format!(
            "- {}: {} {}\n",
            offer.name, offer.description, offer.arguments
        ));
    }
    text.push_str(match way {
        Way::Schema => "Answer with one JSON object: what you think, the name of one tool, and its arguments.",
        Way::Text | Way::Native => {
            "To call one, end your answer with one block, and nothing after it:\n```json\n{\"name\": \"the tool\", \
             \"arguments\": {}}\n```"
        }
    });
    text
}

/// One step: a thought, and a call of one of the tools.
fn step_schema(offers: &[Offer]) -> Json {
    let one = |offer: &Offer| {
        json!({
            "type": "object",
            "properties": {
                "thought": { "type": "string" },
                "name": { "type": "string", "enum": [offer.name] },
                "arguments": offer.arguments,
            },
            "required": ["thought", "name", "arguments"],
            "additionalProperties": false,
        })
    };
    match offers {
        [only] => one(only),
        several => json!({ "anyOf": several.iter().map(one).collect::<Vec<_>>() }),
    }
}

fn messages(way: Way, messages: &[Message]) -> Vec<Message> {
    let mut told: Vec<Message> = Vec::new();
    let mut calls: &[ToolCall] = &[];
    for message in messages {
        match message {
            Message::User(text) => say(&mut told, text),
            Message::Assistant {
                text, calls: made, ..
            } => {
                calls = made;
                told.push(Message::Assistant {
                    text: spelled(way, text, made),
                    calls: Vec::new(),
                    thoughts: Vec::new(),
                });
            }
            Message::Observation {
                call,
                content,
                is_error,
            } => {
                let name = calls
                    .iter()
                    .find(|c| c.id == *call)
                    .map_or("a tool", |c| c.name.as_str());
                let what = if *is_error { "failed" } else { "gave" };
                say(&mut told, &format!("The call of {name} {what}:\n{content}"));
            }
        }
    }
    told
}

/// Some wires refuse two messages of one side in a row.
fn say(told: &mut Vec<Message>, text: &str) {
    if let Some(Message::User(known)) = told.last_mut() {
        known.push_str("\n\n");
        known.push_str(text);
    } else {
        told.push(Message::User(text.to_owned()));
    }
}

/// Its own calls, in the form in which it is to write the next one.
fn spelled(way: Way, text: &str, calls: &[ToolCall]) -> String {
    let value = |call: &ToolCall| {
        let arguments = json_of(&call.arguments).unwrap_or_else(|_| Json::String(call.arguments.clone()));
        json!({ "name": call.name, "arguments": arguments })
    };
    match (way, calls) {
        (_, []) => text.to_owned(),
        (Way::Schema, [call]) => {
            let mut step = json!({ "thought": text });
            if let (Some(step), Json::Object(call)) = (step.as_object_mut(), value(call)) {
                step.extend(call);
            }
            step.to_string()
        }
        (Way::Schema | Way::Text | Way::Native, calls) => {
            let blocks = calls.iter().map(|call| format!("```json\n{}\n```", value(call)));
            let mut parts: Vec<String> = [text.trim().to_owned()]
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect();
            parts.extend(blocks);
            parts.join("\n")
        }
    }
}
