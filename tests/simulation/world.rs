//! What lies outside the engine: receivers that misbehave, and their books, which outlive every process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use planloom_engine::model::Json;
use planloom_engine::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use planloom_engine::tools::{CallContext, Tool, ToolError};
use serde_json::json;

use crate::dice::Dice;
use crate::heard::Heard;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Well,
    Slow,
    Refused,
    Busy,
    /// It happens, and the answer is lost.
    LostAfter,
    /// It does not happen, and nobody hears of that.
    LostBefore,
    Hang,
    /// It happens, and the answer comes when nobody waits for it any more.
    Late,
    /// Never ends and heeds no cancellation.
    Deaf,
    Panic,
}

/// One call as the receiver saw it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: String,
    pub key: String,
    /// Of an effect: whether the receiver honours the key.
    pub honours: Option<bool>,
    /// The effect took place, or the answer was given.
    pub has_happened: bool,
}

#[derive(Default)]
struct Books {
    entries: Vec<Entry>,
    numbers: HashMap<String, u64>,
}

#[derive(Clone)]
pub struct World {
    seed: u64,
    books: Arc<Mutex<Books>>,
    heard: Heard,
}

impl World {
    pub fn new(seed: u64, heard: &Heard) -> Self {
        Self {
            seed,
            books: Arc::default(),
            heard: heard.clone(),
        }
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.books.lock().unwrap().entries.clone()
    }

    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |name, effect, idempotency| -> Arc<dyn Tool> {
            Arc::new(Receiver {
                spec: spec(name, effect, idempotency),
                world: self.clone(),
            })
        };
        vec![
            tool("read.do", Effect::Read, Idempotency::Natural),
            tool("outside.do", Effect::ReadExternal, Idempotency::Natural),
            tool("effect.do", Effect::WriteExternal, Idempotency::Not),
            tool("keyed.do", Effect::WriteExternal, Idempotency::ByKey),
            tool("spare.do", Effect::Read, Idempotency::Natural),
            tool("spare.send", Effect::WriteExternal, Idempotency::Not),
            tool("spare.keyed", Effect::WriteExternal, Idempotency::ByKey),
        ]
    }

    /// Hangs on the id and on how often it was asked, never on when.
    fn fate(&self, id: &str, number: u64) -> (Fate, u64) {
        let mut dice = Dice::of(self.seed, id, number);
        let fate = match dice.below(100) {
            0..50 => Fate::Well,
            50..62 => Fate::Slow,
            62..65 => Fate::Late,
            65..75 => Fate::Busy,
            75..80 => Fate::Refused,
            80..85 => Fate::LostAfter,
            85..90 => Fate::LostBefore,
            90..95 => Fate::Hang,
            95..98 => Fate::Deaf,
            _ => Fate::Panic,
        };
        (fate, dice.below(5_000))
    }

    fn begin(&self, spec: &ToolSpec, id: &str, key: &str) -> (usize, u64) {
        let honours = spec
            .effect
            .is_effect()
            .then_some(spec.idempotency == Idempotency::ByKey);
        if honours.is_some() {
            self.heard.expect_intent(&spec.name, id, key);
        }
        let mut books = self.books.lock().unwrap();
        let number = books.numbers.entry(id.to_owned()).or_default();
        *number += 1;
        let number = *number;
        books.entries.push(Entry {
            id: id.to_owned(),
            key: key.to_owned(),
            honours,
            has_happened: false,
        });
        (books.entries.len() - 1, number)
    }

    fn happen(&self, at: usize) {
        self.books.lock().unwrap().entries[at].has_happened = true;
    }
}

fn spec(name: &str, effect: Effect, idempotency: Idempotency) -> Arc<ToolSpec> {
    Arc::new(ToolSpec {
        name: name.to_owned(),
        description: "Misbehaves as the dice fall".to_owned(),
        arguments: json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } }),
        result: json!({}),
        effect,
        idempotency,
        touches: vec![Touch::one("id", Access::Command)],
        method_argument: None,
        is_source_untrusted: effect == Effect::ReadExternal,
        needs: Vec::new(),
        definition: None,
    })
}

struct Receiver {
    spec: Arc<ToolSpec>,
    world: World,
}

#[async_trait]
impl Tool for Receiver {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let id = arguments["id"].as_str().unwrap_or_default().to_owned();
        let (entry, number) = self.world.begin(&self.spec, &id, &cx.idempotency_key);
        let (fate, ms) = self.world.fate(&id, number);
        let message = "as the dice fell".to_owned();
        let lost = || ToolError::Unknown {
            code: "lost",
            message: message.clone(),
            retry_after: None,
        };
        // The way there: a process that dies on it has done nothing.
        tokio::task::yield_now().await;
        match fate {
            Fate::Well => {}
            Fate::Slow => tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(ms)) => {}
                () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
            },
            Fate::Busy => {
                let retry_after = (ms % 3 == 0).then_some(Duration::from_millis(ms));
                return Err(ToolError::Transient {
                    code: "busy",
                    message,
                    retry_after,
                });
            }
            Fate::Refused => {
                return Err(ToolError::Permanent {
                    code: "refused",
                    message,
                });
            }
            Fate::LostBefore => return Err(lost()),
            Fate::LostAfter => {
                self.world.happen(entry);
                return Err(lost());
            }
            Fate::Late => {
                self.world.happen(entry);
                tokio::time::sleep(Duration::from_millis(ms)).await;
                return Ok(json!({ "id": id, "number": number }));
            }
            Fate::Hang => {
                cx.cancel.cancelled().await;
                return Err(ToolError::Cancelled);
            }
            Fate::Deaf => std::future::pending().await,
            Fate::Panic => panic!("as the dice fell"),
        }
        self.world.happen(entry);
        // The way back: a process that dies on it never hears of it.
        tokio::task::yield_now().await;
        Ok(json!({ "id": id, "number": number }))
    }
}
