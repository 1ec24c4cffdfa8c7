//! Asks a server through a wire, and reads the files of cases and recorded answers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use planloom_engine::llm::wire::{Anthropic, Compatible, Delta, Provider, Responses, Wire, connect};
use planloom_engine::llm::{ChatModel, Message, Price, Reply, Request, ToolCall, Traits};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use crate::server::{Act, Server};

pub fn file(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn text(path: &str) -> String {
    String::from_utf8(file(path)).unwrap()
}

pub fn json(path: &str) -> Json {
    serde_json::from_str(&text(path)).unwrap()
}

pub fn compatible() -> Arc<dyn Wire> {
    Arc::new(Compatible::new("m", Traits::default()))
}

pub fn anthropic() -> Arc<dyn Wire> {
    Arc::new(Anthropic::new("m", Traits::default()))
}

pub fn responses() -> Arc<dyn Wire> {
    Arc::new(Responses::new("m", Traits::default()))
}

pub fn request() -> Request {
    asking(vec![Message::User("Go.".to_owned())])
}

pub fn asking(messages: Vec<Message>) -> Request {
    Request {
        model: "executor".to_owned(),
        system: String::new(),
        messages,
        tools: Vec::new(),
        output: None,
        max_output_tokens: None,
        temperature: None,
    }
}

pub fn model(wire: Arc<dyn Wire>, provider: Provider) -> Arc<dyn ChatModel> {
    connect(wire, provider, Price::Unknown).expect("a connection")
}

pub async fn ask(model: &dyn ChatModel) -> Reply {
    model.ask(&request(), &CancellationToken::new()).await.unwrap()
}

/// What one script means to one wire.
pub async fn played(wire: Arc<dyn Wire>, script: Vec<Act>) -> Reply {
    let server = Server::playing(vec![script]).await;
    ask(model(wire, server.base()).as_ref()).await
}

/// The same, with what was told on its way.
pub async fn told(wire: Arc<dyn Wire>, script: Vec<Act>) -> (Reply, Vec<Delta>) {
    let server = Server::playing(vec![script]).await;
    let told = Mutex::new(Vec::new());
    let hear = |delta| told.lock().unwrap().push(delta);
    let model = model(wire, server.base());
    let reply = model
        .ask_live(&request(), &hear, &CancellationToken::new())
        .await
        .unwrap();
    (reply, told.into_inner().unwrap())
}

pub fn code(reply: &Reply) -> (&'static str, &str) {
    let code = reply.outcome.fault().map_or("", |fault| fault.code.as_str());
    (reply.outcome.word(), code)
}

pub fn message(reply: &Reply) -> &str {
    reply.outcome.fault().map_or("", |fault| fault.message.as_str())
}

/// Name and arguments of each call.
pub fn named(calls: &[ToolCall]) -> Json {
    calls
        .iter()
        .map(|call| serde_json::json!([call.name, call.parsed().unwrap()]))
        .collect()
}
