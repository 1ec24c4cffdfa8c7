//! Calls of tools in a model's text: for models that can't call tools in their provider's form, and for those that
//! write a call down although they can. Who asks sees calls either way. It must not know tools, nor any wire.

mod read;
mod write;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::wire::Delta;
use super::{Answer, Cancelled, ChatModel, Outcome, Reply, Request, Support, Traits};

/// How calls reach the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In the provider's form.
    Native,
    /// As an answer that is bound to a schema of all calls.
    Schema,
    /// As a block of JSON that the model is told to write.
    Text,
}

struct Spoken {
    inner: Arc<dyn ChatModel>,
    /// What to do when the provider says that the model has no tools.
    without_tools: Way,
    way: AtomicU8,
}

/// The model, with calls in its text read as calls. What it is not known to be able to do is tried.
pub fn spoken(inner: Arc<dyn ChatModel>, traits: Traits) -> Arc<dyn ChatModel> {
    let without_tools = if traits.structured.is_tried() {
        Way::Schema
    } else {
        Way::Text
    };
    let way = if traits.tools == Support::No {
        without_tools
    } else {
        Way::Native
    };
    Arc::new(Spoken {
        inner,
        without_tools,
        way: AtomicU8::new(way as u8),
    })
}

impl Spoken {
    fn way(&self) -> Way {
        match self.way.load(Ordering::Relaxed) {
            way if way == Way::Schema as u8 => Way::Schema,
            way if way == Way::Text as u8 => Way::Text,
            _ => Way::Native,
        }
    }

    async fn ask_by(
        &self,
        way: Way,
        request: &Request,
        told: Option<&(dyn Fn(Delta) + Send + Sync)>,
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        let written = write::request(way, request);
        let request = written.as_ref().unwrap_or(request);
        match told {
            Some(told) => self.inner.ask_live(request, told, cancel).await,
            None => self.inner.ask(request, cancel).await,
        }
    }

    async fn ask_spoken(
        &self,
        request: &Request,
        told: Option<&(dyn Fn(Delta) + Send + Sync)>,
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        let way = self.way();
        let mut reply = self.ask_by(way, request, told, cancel).await?;
        if way == Way::Native && !request.tools.is_empty() && has_no_tools(&reply.outcome) {
            // It was refused before anything was thought, so nothing is paid twice.
            self.way.store(self.without_tools as u8, Ordering::Relaxed);
            reply = self.ask_by(self.without_tools, request, told, cancel).await?;
        }
        if let Outcome::Complete(answer) = reply.outcome {
            reply.outcome = Outcome::Complete(heard(self.way(), request, answer));
        }
        Ok(reply)
    }
}

/// The answer with the calls that stand in its text.
fn heard(way: Way, request: &Request, mut answer: Answer) -> Answer {
    if request.tools.is_empty() || !answer.calls.is_empty() {
        return answer;
    }
    let found = match way {
        Way::Schema => read::step(&answer.text).or_else(|| read::calls(&answer.text, &request.tools)),
        Way::Native | Way::Text => read::calls(&answer.text, &request.tools),
    };
    if let Some(found) = found {
        (answer.text, answer.calls) = (found.text, found.calls);
    }
    answer
}

/// Whether the provider says that this model can't be given tools.
fn has_no_tools(outcome: &Outcome) -> bool {
    let fault = match outcome {
        Outcome::Permanent(fault) | Outcome::Unknown(fault) => fault,
        Outcome::Complete(_)
        | Outcome::Cut(_)
        | Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_)
        | Outcome::Transient(_) => return false,
    };
    let words = fault.message.to_lowercase();
    let speaks_of_tools = words.contains("tool") || words.contains("function call");
    speaks_of_tools && (words.contains("not support") || words.contains("unsupported"))
}

#[async_trait]
impl ChatModel for Spoken {
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled> {
        self.ask_spoken(request, None, cancel).await
    }

    async fn ask_live(
        &self,
        request: &Request,
        told: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        self.ask_spoken(request, Some(told), cancel).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::json;

    use super::*;
    use crate::llm::{Fault, Message, Offer, ToolCall};

    /// Has no tools, and says what it is given to say.
    struct Plain {
        says: &'static str,
        asked: Mutex<Vec<Request>>,
    }

    #[async_trait]
    impl ChatModel for Arc<Plain> {
        async fn ask(&self, request: &Request, _: &CancellationToken) -> Result<Reply, Cancelled> {
            tokio::task::yield_now().await;
            self.asked.lock().unwrap().push(request.clone());
            if !request.tools.is_empty() {
                let fault = Fault::new("bad_request", "registry/small does not support tools");
                return Ok(Reply::of(Outcome::Permanent(fault)));
            }
            Ok(Reply::complete(Answer::text(self.says)))
        }
    }

    fn request() -> Request {
        let offer = |name: &str| Offer {
            name: name.to_owned(),
            description: "Does it.".to_owned(),
            arguments: json!({ "type": "object" }),
        };
        let call = ToolCall {
            id: "c1".to_owned(),
            name: "get".to_owned(),
            arguments: "{\"n\":9007199254740993}".to_owned(),
            sealed: None,
        };
        Request {
            model: "m".to_owned(),
            system: "Work.".to_owned(),
            messages: vec![
                Message::User("Begin.".to_owned()),
                Message::Assistant {
                    text: "I look.".to_owned(),
                    calls: vec![call],
                    thoughts: Vec::new(),
                },
                Message::Observation {
                    call: "c1".to_owned(),
                    content: "42".to_owned(),
                    is_error: false,
                },
            ],
            tools: vec![offer("get"), offer("submit_result")],
            output: None,
            max_output_tokens: None,
            temperature: None,
        }
    }

    async fn asked(traits: Traits, says: &'static str) -> (Reply, Vec<Request>) {
        let plain = Arc::new(Plain {
            says,
            asked: Mutex::default(),
        });
        let model = spoken(Arc::new(plain.clone()), traits);
        let mut reply = Reply::complete(Answer::default());
        for _ in 0..2 {
            reply = model.ask(&request(), &CancellationToken::new()).await.unwrap();
        }
        (reply, std::mem::take(&mut plain.asked.lock().unwrap()))
    }

    #[tokio::test]
    async fn a_model_without_tools_is_found_out_once_and_asked_in_words() {
        let says = r#"{"thought":"so","name":"submit_result","arguments":{"result":1}}"#;
        let (reply, asked) = asked(Traits::default(), says).await;
        let answer = reply.outcome.answer().unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.calls[0].name.as_str()),
            ("so", "submit_result")
        );
        assert_eq!(asked.len(), 3, "with tools once, then without");
        let told = &asked[2];
        assert!(
            told.tools.is_empty()
                && told.system.starts_with("Work.")
                && told.system.contains("- get: Does it.")
        );
        let schema = &told.output.as_ref().unwrap().schema;
        assert_eq!(schema["anyOf"][0]["properties"]["name"]["enum"], json!(["get"]));
        let (Message::Assistant { text, calls, .. }, Message::User(gave)) =
            (&told.messages[1], &told.messages[2])
        else {
            panic!("{:?}", told.messages)
        };
        assert!(calls.is_empty() && text.contains("9007199254740993"), "{text}");
        assert!(gave.contains("The call of get gave:\n42"), "{gave}");
    }

    #[tokio::test]
    async fn without_schemas_the_call_is_written_as_a_block() {
        let traits = Traits {
            tools: Support::No,
            structured: Support::No,
            ..Traits::default()
        };
        let says = "Good.\n```json\n{\"name\": \"get\", \"arguments\": {}}\n```";
        let (reply, asked) = asked(traits, says).await;
        assert_eq!(reply.outcome.answer().unwrap().calls.len(), 1);
        assert_eq!(asked.len(), 2);
        assert!(asked[0].output.is_none() && asked[0].system.contains("```json"));
    }
}
