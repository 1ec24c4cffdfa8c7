//! A tool that does what the test says, and remembers what it was asked to do.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use planloom_engine::model::Json;
use planloom_engine::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use planloom_engine::tools::{CallContext, Tool, ToolError};
use serde_json::json;

/// What a call does, once.
#[derive(Clone, Debug)]
pub enum Act {
    /// Gives this output.
    Give(Json),
    /// Gives it after this long.
    Slow(Duration, Json),
    Transient(Option<Duration>),
    /// The answer is lost on the way.
    Unknown,
    Permanent,
    /// Fails for good with these words.
    Say(String),
    /// Never ends by itself, but obeys cancellation.
    Hang,
    /// Never ends and does not obey.
    Deaf,
    /// Asks the person in its midst, and gives the answer.
    Ask,
    Panic,
}

/// One finished or begun call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub id: String,
    pub key: String,
}

#[derive(Default)]
struct Book {
    acts: HashMap<String, VecDeque<Act>>,
    calls: Vec<Call>,
    running: usize,
    most: usize,
}

/// `read.do`, `effect.do` or another name, with `{"id": …}` as arguments. Without a script a call gives its id.
#[derive(Clone)]
pub struct Script {
    spec: Arc<ToolSpec>,
    book: Arc<Mutex<Book>>,
}

impl Script {
    pub fn new(name: &str, effect: Effect, idempotency: Idempotency) -> Self {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: "Does what the test says".to_owned(),
            arguments: json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } }),
            result: json!({}),
            effect,
            idempotency,
            // A literal id is its own grant, as with every built-in tool.
            touches: vec![Touch::one("id", Access::Command)],
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        };
        Self {
            spec: Arc::new(spec),
            book: Arc::default(),
        }
    }

    /// The same tool, giving what somebody outside wrote.
    pub fn from_outside(self) -> Self {
        let spec = ToolSpec {
            is_source_untrusted: true,
            needs: Vec::new(),
            definition: None,
            ..(*self.spec).clone()
        };
        Self {
            spec: Arc::new(spec),
            ..self
        }
    }

    /// The same tool as a later version might define it.
    pub fn redefined(&self) -> Self {
        let spec = ToolSpec {
            effect: Effect::Exec,
            ..(*self.spec).clone()
        };
        Self {
            spec: Arc::new(spec),
            book: self.book.clone(),
        }
    }

    /// The next calls with this id do this, one after the other.
    pub fn on(&self, id: &str, acts: impl IntoIterator<Item = Act>) {
        self.book
            .lock()
            .unwrap()
            .acts
            .entry(id.to_owned())
            .or_default()
            .extend(acts);
    }

    pub fn calls(&self) -> Vec<Call> {
        self.book.lock().unwrap().calls.clone()
    }

    pub fn calls_of(&self, id: &str) -> usize {
        self.calls().iter().filter(|c| c.id == id).count()
    }

    /// In the order in which they began.
    pub fn order(&self) -> Vec<String> {
        self.calls().into_iter().map(|c| c.id).collect()
    }

    /// How many calls were under way at once, at most.
    pub fn most_at_once(&self) -> usize {
        self.book.lock().unwrap().most
    }

    /// How many are under way now.
    pub fn running(&self) -> usize {
        self.book.lock().unwrap().running
    }
}

struct Running(Arc<Mutex<Book>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.lock().unwrap().running -= 1;
    }
}

#[async_trait]
impl Tool for Script {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let id = arguments["id"].as_str().unwrap_or_default().to_owned();
        let act = {
            let mut book = self.book.lock().unwrap();
            book.calls.push(Call {
                id: id.clone(),
                key: cx.idempotency_key.clone(),
            });
            book.running += 1;
            book.most = book.most.max(book.running);
            book.acts.get_mut(&id).and_then(VecDeque::pop_front)
        };
        let _running = Running(self.book.clone());
        let message = "as scripted".to_owned();
        match act.unwrap_or(Act::Give(json!(id))) {
            Act::Give(value) => {
                tokio::task::yield_now().await;
                Ok(value)
            }
            Act::Slow(time, value) => tokio::select! {
                () = tokio::time::sleep(time) => Ok(value),
                () = cx.cancel.cancelled() => Err(ToolError::Cancelled),
            },
            Act::Transient(retry_after) => Err(ToolError::Transient {
                code: "busy",
                message,
                retry_after,
            }),
            Act::Unknown => Err(ToolError::Unknown {
                code: "lost",
                message,
                retry_after: None,
            }),
            Act::Permanent => Err(ToolError::Permanent {
                code: "refused",
                message,
            }),
            Act::Say(words) => Err(ToolError::Permanent {
                code: "refused",
                message: words,
            }),
            Act::Hang => {
                cx.cancel.cancelled().await;
                Err(ToolError::Cancelled)
            }
            Act::Deaf => std::future::pending().await,
            Act::Ask => {
                let ask = cx.ask.as_ref().expect("a run can ask");
                let form = json!({ "type": "object" });
                ask.ask("Which?".to_owned(), form)
                    .await
                    .ok_or(ToolError::Cancelled)
            }
            Act::Panic => panic!("as scripted"),
        }
    }
}
