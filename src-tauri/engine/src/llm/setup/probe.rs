//! Finds out what a model can do by asking it two small things, some hundred tokens in all: an answer bound to a
//! schema, and a call of a tool. Works against any wire. It must not know where the model runs.

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::llm::{
    Cancelled, ChatModel, Message, Offer, Outcome, OutputFormat, Reply, Request, Support, Traits, json_of,
};

/// Enough for a model that thinks a little first; what is cut says nothing.
const MOST_OUTPUT: u32 = 200;
const TOOL: &str = "note_color";
/// No model says this by itself.
const WORD: &str = "zq7";

/// What a probe found, and what it could not find out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub traits: Traits,
    /// Why something is still unknown; the model may not have answered at all.
    pub trouble: Option<String>,
}

/// Asks; each question once. A model that doesn't answer leaves everything unknown.
pub async fn probe(
    model: &dyn ChatModel,
    name: &str,
    cancel: &CancellationToken,
) -> Result<Found, Cancelled> {
    let mut found = Found::default();
    let structured = model.ask(&schema_question(name), cancel).await?;
    if let Some(trouble) = unanswered(&structured) {
        found.trouble = Some(trouble);
        return Ok(found);
    }
    found.traits.structured = judge_schema(&structured);
    // It may have said the right thing because it was told so in words.
    if model.traits(cancel).await?.structured == Support::No {
        found.traits.structured = Support::No;
    }
    let tools = model.ask(&tool_question(name), cancel).await?;
    found.trouble = unanswered(&tools);
    found.traits.tools = judge_tool(&tools);
    Ok(found)
}

fn question(name: &str, text: &str) -> Request {
    Request {
        model: name.to_owned(),
        system: String::new(),
        messages: vec![Message::User(text.to_owned())],
        tools: Vec::new(),
        output: None,
        max_output_tokens: Some(MOST_OUTPUT),
        temperature: None,
    }
}

/// The schema allows only what nobody would say unbound.
fn schema_question(name: &str) -> Request {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["greeting"],
        "properties": { "greeting": { "type": "string", "enum": [WORD] } },
    });
    Request {
        output: Some(OutputFormat {
            name: "greeting".to_owned(),
            schema,
        }),
        ..question(name, "Say hello.")
    }
}

fn tool_question(name: &str) -> Request {
    let arguments = json!({
        "type": "object", "additionalProperties": false, "required": ["color"],
        "properties": { "color": { "type": "string" } },
    });
    let offer = Offer {
        name: TOOL.to_owned(),
        description: "Notes a color.".to_owned(),
        arguments,
    };
    Request {
        tools: vec![offer],
        ..question(
            name,
            "Note the color red by calling the tool note_color. Say nothing else.",
        )
    }
}

/// Why an outcome says nothing of the model; a refusal of the request itself does say something.
fn unanswered(reply: &Reply) -> Option<String> {
    match &reply.outcome {
        Outcome::Complete(_) | Outcome::Cut(_) => None,
        Outcome::Permanent(fault) if fault.code == "bad_request" => None,
        Outcome::Rate(fault)
        | Outcome::Quota(fault)
        | Outcome::Overflow(fault)
        | Outcome::Auth(fault)
        | Outcome::Transient(fault)
        | Outcome::Permanent(fault)
        | Outcome::Unknown(fault) => Some(fault.message.clone()),
    }
}

fn judge_schema(reply: &Reply) -> Support {
    match &reply.outcome {
        Outcome::Complete(answer) => {
            let said = json_of(&answer.text).ok();
            Support::of(said.is_some_and(|json| json["greeting"] == WORD))
        }
        Outcome::Permanent(_) => Support::No,
        Outcome::Cut(_)
        | Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_)
        | Outcome::Transient(_)
        | Outcome::Unknown(_) => Support::Unknown,
    }
}

/// A call that stands fenced in the text is none: such models are asked in text.
fn judge_tool(reply: &Reply) -> Support {
    match &reply.outcome {
        Outcome::Complete(answer) => {
            let is_call = |call: &crate::llm::ToolCall| {
                call.name == TOOL
                    && call
                        .parsed()
                        .is_ok_and(|arguments| arguments["color"].is_string())
            };
            Support::of(answer.calls.iter().any(is_call))
        }
        Outcome::Permanent(fault) if fault.code == "bad_request" => Support::No,
        Outcome::Cut(_)
        | Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_)
        | Outcome::Transient(_)
        | Outcome::Permanent(_)
        | Outcome::Unknown(_) => Support::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;

    use super::*;
    use crate::llm::{Answer, Fault, ToolCall};

    /// Gives one outcome after the other.
    struct Says(Mutex<Vec<Outcome>>);

    #[async_trait]
    impl ChatModel for Says {
        async fn ask(&self, request: &Request, _: &CancellationToken) -> Result<Reply, Cancelled> {
            tokio::task::yield_now().await;
            assert!(request.guessed_input_tokens() < 200, "a probe is small");
            assert!(request.max_output_tokens.is_some());
            Ok(Reply::of(self.0.lock().unwrap().remove(0)))
        }
    }

    fn text(text: &str) -> Outcome {
        Outcome::Complete(Answer::text(text))
    }

    fn call(name: &str, arguments: &str) -> Outcome {
        Outcome::Complete(Answer::calls(vec![ToolCall {
            id: String::new(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            sealed: None,
        }]))
    }

    async fn probed(outcomes: Vec<Outcome>) -> Found {
        let model = Says(Mutex::new(outcomes));
        probe(&model, "x/y", &CancellationToken::new()).await.unwrap()
    }

    fn refused() -> Outcome {
        Outcome::Permanent(Fault::new("bad_request", "no such field"))
    }

    #[tokio::test]
    async fn what_a_model_does_tells_what_it_can() {
        for (schema, tool, wants) in [
            (
                text(r#"{"greeting":"zq7"}"#),
                call("note_color", r#"{"color":"red"}"#),
                (Support::Yes, Support::Yes),
            ),
            (
                text("Hello!"),
                text("```json\n{}\n```"),
                (Support::No, Support::No),
            ),
            (
                text(r#"{"greeting":"hello"}"#),
                call("other", "{}"),
                (Support::No, Support::No),
            ),
            (refused(), refused(), (Support::No, Support::No)),
            (
                Outcome::Cut(Answer::text("{")),
                Outcome::Cut(Answer::text("")),
                (Support::Unknown, Support::Unknown),
            ),
            (text("{}"), call("note_color", "{"), (Support::No, Support::No)),
        ] {
            let found = probed(vec![schema, tool]).await;
            assert_eq!((found.traits.structured, found.traits.tools), wants);
            assert_eq!(found.trouble, None);
        }
    }

    #[tokio::test]
    async fn a_model_that_does_not_answer_is_asked_no_more() {
        let down = Outcome::Transient(Fault::new("connection", "refused"));
        let found = probed(vec![down.clone()]).await;
        assert_eq!(
            (found.traits, found.trouble.as_deref()),
            (Traits::default(), Some("refused"))
        );
        let found = probed(vec![text("Hello"), down]).await;
        assert_eq!(
            (found.traits.structured, found.traits.tools),
            (Support::No, Support::Unknown)
        );
        assert!(found.trouble.is_some());
    }
}
