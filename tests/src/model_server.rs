//! A small server of models on loopback, over real HTTP: it speaks `/v1/models` and `/v1/chat/completions`, and
//! remembers all that it was sent. It knows no plan.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Such as `POST /v1/chat/completions`.
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What it answers to a chat: status and body, streamed where the body has `choices`.
type Answer = dyn Fn(&Asked) -> (u16, Value) + Send + Sync;

#[derive(Clone)]
pub struct ModelServer {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// Characters in each piece of an answer that is written slowly.
const PIECE: usize = 60;

impl ModelServer {
    /// With these paths answered by GET, and this answer to each chat.
    pub fn start(
        gets: &[(&str, Value)],
        answer: impl Fn(&Asked) -> (u16, Value) + Send + Sync + 'static,
    ) -> Self {
        Self::start_on(TcpListener::bind(("127.0.0.1", 0)).unwrap(), gets, answer)
    }

    /// The same on a listener of one's own.
    pub fn start_on(
        listener: TcpListener,
        gets: &[(&str, Value)],
        answer: impl Fn(&Asked) -> (u16, Value) + Send + Sync + 'static,
    ) -> Self {
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            asked: Arc::default(),
        };
        let gets: Vec<(String, Value)> = gets
            .iter()
            .map(|(path, body)| ((*path).to_owned(), body.clone()))
            .collect();
        let (asked, answer): (_, Arc<Answer>) = (server.asked.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (gets, asked, answer) = (gets.clone(), asked.clone(), answer.clone());
                std::thread::spawn(move || {
                    let _ = serve(&stream, &gets, &asked, &*answer);
                });
            }
        });
        server
    }

    /// One model by this name that does what it is asked: answers in the form that a schema wants, calls the first
    /// tool that is offered for a probe, and submits `text` as a task's result.
    pub fn able(model: &str, text: &'static str) -> Self {
        let list = json!({ "object": "list", "data": [{ "id": model, "object": "model", "owned_by": "vllm", "max_model_len": 32768 }] });
        Self::start(&[("/v1/models", list)], move |asked| {
            (200, able(&asked.body, text))
        })
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The chats alone.
    pub fn chats(&self) -> Vec<Asked> {
        let is_chat = |asked: &Asked| asked.line.starts_with("POST");
        self.asked().into_iter().filter(is_chat).collect()
    }
}

/// The answer of an able model.
pub fn able(body: &Value, text: &str) -> Value {
    let offers: Vec<&Value> = body["tools"].as_array().into_iter().flatten().collect();
    let named = |name: &str| offers.iter().any(|offer| offer["function"]["name"] == name);
    if named("submit_result") {
        return call("submit_result", &json!({ "result": text }));
    }
    if named("note_color") {
        return call("note_color", &json!({ "color": "red" }));
    }
    let schema = &body["response_format"]["json_schema"]["schema"];
    let word = &schema["properties"]["greeting"]["enum"][0];
    if word.is_string() {
        return say(&json!({ "greeting": word }).to_string());
    }
    say(text)
}

/// A chat's answer in plain words.
pub fn say(text: &str) -> Value {
    let message = json!({ "role": "assistant", "content": text });
    json!({ "id": "c1", "object": "chat.completion", "model": "m",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25 } })
}

/// A chat's answer that calls one tool.
pub fn call(name: &str, arguments: &Value) -> Value {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let message = json!({ "role": "assistant", "content": null,
        "tool_calls": [{ "id": "call_1", "type": "function", "function": function }] });
    json!({ "id": "c1", "object": "chat.completion", "model": "m",
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25 } })
}

fn serve(
    stream: &TcpStream,
    gets: &[(String, Value)],
    asked: &Mutex<Vec<Asked>>,
    answer: &Answer,
) -> std::io::Result<()> {
    let request = read(stream)?;
    asked.lock().unwrap().push(request.clone());
    let path = request.line.split(' ').nth(1).unwrap_or_default();
    if request.line.starts_with("GET") {
        let found = gets.iter().find(|(known, _)| known == path);
        return match found {
            Some((_, body)) => write(stream, 200, "application/json", &body.to_string()),
            None => write(stream, 404, "application/json", r#"{"error":"no such path"}"#),
        };
    }
    let (status, body) = answer(&request);
    if request.body["stream"] == true && body["choices"].is_array() {
        return match body["pace_ms"].as_u64() {
            None => write(stream, status, "text/event-stream", &streamed(&body).concat()),
            Some(pace) => trickle(stream, &streamed(&body), Duration::from_millis(pace)),
        };
    }
    write(stream, status, "application/json", &body.to_string())
}

fn read(stream: &TcpStream) -> std::io::Result<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(Asked {
        line: line.trim_end().to_owned(),
        headers,
        body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    })
}

fn write(mut stream: &TcpStream, status: u16, kind: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )?;
    stream.flush()
}

/// Event by event, with a pause after each.
fn trickle(mut stream: &TcpStream, events: &[String], pace: Duration) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 Said\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    for event in events {
        stream.write_all(event.as_bytes())?;
        stream.flush()?;
        std::thread::sleep(pace);
    }
    Ok(())
}

/// The same answer as a stream of its parts; with a `pace_ms` its text comes in many of them.
fn streamed(body: &Value) -> Vec<String> {
    let choice = &body["choices"][0];
    let chunk = |delta: Value, finish: &Value| {
        json!({ "id": "c1", "object": "chat.completion.chunk", "model": "m",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
    };
    let mut delta = choice["message"].clone();
    if let Some(calls) = delta["tool_calls"].as_array_mut() {
        for (ix, call) in calls.iter_mut().enumerate() {
            call["index"] = json!(ix);
        }
    }
    let text: Vec<char> = match delta["content"].as_str() {
        Some(text) if body["pace_ms"].is_u64() => text.chars().collect(),
        Some(_) | None => Vec::new(),
    };
    if !text.is_empty() {
        delta["content"] = json!("");
    }
    let usage =
        json!({ "id": "c1", "object": "chat.completion.chunk", "choices": [], "usage": body["usage"] });
    let pieces = text.chunks(PIECE).map(|piece| {
        let piece: String = piece.iter().collect();
        chunk(json!({ "content": piece }), &Value::Null)
    });
    let parts = std::iter::once(chunk(delta, &Value::Null))
        .chain(pieces)
        .chain([chunk(json!({}), &choice["finish_reason"]), usage]);
    let lines = parts.map(|part| format!("data: {part}\n\n"));
    lines.chain(["data: [DONE]\n\n".to_owned()]).collect()
}
