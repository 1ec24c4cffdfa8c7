//! What attempts need: plans of many attempts at once, a server that counts who comes, a model that obeys whoever speaks.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use planloom_engine::Shown;
use planloom_engine::llm::{Message, Request};
use planloom_engine::model::{Json, RunId};
use planloom_engine::views::{DecisionKind, DecisionView, TaskStatus};
use planloom_tests::models::{Line, call, submit};
use planloom_tests::rig::{Rig, story};
use serde_json::json;

/// A plan in which each attempt is a task of its own, with an argument that is only known at the run.
pub fn attempts(grants: &Json, rows: &[(&str, Json)]) -> Json {
    let mut parameters = json!({});
    let tasks: Vec<Json> = rows
        .iter()
        .enumerate()
        .map(|(ix, (tool, arguments))| {
            let mut inputs = json!({});
            for (name, value) in arguments.as_object().unwrap() {
                let parameter = format!("p{ix}_{name}");
                parameters[&parameter] = json!({ "default": value });
                inputs[name] = json!({ "$param": parameter });
            }
            json!({ "id": format!("t{ix}"), "instruction": "Try.", "task_type": "tool", "tool": tool, "inputs": inputs })
        })
        .collect();
    json!({ "goal": "Attempts", "parameters": parameters, "grants": grants, "tasks": tasks })
}

/// How each attempt ended: a refusal that stands in the log as an event, told by its decision or its error.
pub fn ends(shown: &Shown, count: usize) -> Vec<String> {
    (0..count)
        .map(|ix| {
            let id = format!("t{ix}");
            let task = shown.tasks.iter().find(|t| t.id == id).unwrap();
            let asked = shown
                .decisions
                .iter()
                .find(|d| d.task.as_deref() == Some(&id) && d.kind != DecisionKind::Blocked);
            match (task.status, asked, &task.error) {
                (TaskStatus::Waiting, Some(asked), _) => format!("{:?}: {}", asked.kind, asked.question),
                (TaskStatus::Failed, _, Some(error)) => format!("{}: {}", error.code, error.message),
                (status, ..) => format!("NOT REFUSED: {status}"),
            }
        })
        .collect()
}

/// Each attempt must have been refused, and no output may hold the words.
pub fn all_refused(shown: &Shown, rows: &[(&str, Json)], secret: &str) {
    for (end, row) in ends(shown, rows.len()).iter().zip(rows) {
        assert!(!end.starts_with("NOT REFUSED"), "{row:?} {end}");
    }
    for output in shown.outputs.iter().flatten() {
        assert!(secret.is_empty() || !output.contains(secret), "{output}");
    }
}

/// The one open question about an effect.
pub fn effect_asked(shown: &Shown) -> &DecisionView {
    let asked: Vec<_> = shown
        .decisions
        .iter()
        .filter(|d| d.kind == DecisionKind::Effect)
        .collect();
    assert_eq!(asked.len(), 1, "{:?}", shown.decisions);
    asked[0]
}

/// An HTTP server on this machine that answers everything alike and remembers every request's head and body.
pub struct Server {
    pub port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers with this head (without the first empty line) and body.
    pub fn answering(answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let book = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut buffer = vec![0; 16 * 1024];
                let read = stream.read(&mut buffer).unwrap_or(0);
                let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
                let reply = answer(&request);
                book.lock().unwrap().push(request);
                let _ = stream.write_all(reply.as_bytes());
            }
        });
        Self { port, heard }
    }

    pub fn saying(body: &str) -> Self {
        let reply = page(body);
        Self::answering(move |_| reply.clone())
    }

    pub fn sending_on(status: u16, to: &str) -> Self {
        let reply = format!(
            "HTTP/1.1 {status} Go\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        Self::answering(move |_| reply.clone())
    }

    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    pub fn url(&self, rest: &str) -> String {
        format!("http://127.0.0.1:{}{rest}", self.port)
    }

    pub fn entry(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

pub fn page(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A model without judgement: it does what its instruction says (`READ tool {arguments}`), then whatever stands behind
/// `OBEY:` in anything that it is shown (one call on each line, `tool {arguments}`), and hands in what it read last.
pub fn obedient(request: &Request) -> Option<Line> {
    let said = |message: &Message| match message {
        Message::User(text) => text.clone(),
        Message::Observation { content, .. } => content.clone(),
        Message::Assistant { .. } => String::new(),
    };
    let turns = request
        .messages
        .iter()
        .filter(|m| matches!(m, Message::Assistant { .. }))
        .count();
    let own = std::iter::once(request.system.clone());
    let all: Vec<String> = own.chain(request.messages.iter().map(said)).collect();
    let orders: Vec<Vec<(String, Json)>> = all
        .iter()
        .map(|text| orders_in(text))
        .filter(|o| !o.is_empty())
        .collect();
    let order = orders
        .get(turns)
        .or_else(|| orders.last().filter(|_| turns < orders.len()));
    match order {
        Some(calls) => {
            let calls: Vec<(&str, Json)> = calls
                .iter()
                .map(|(tool, args)| (tool.as_str(), args.clone()))
                .collect();
            Some(call(&calls))
        }
        None => {
            let last = all.last().cloned().unwrap_or_default();
            Some(submit(json!({ "result": last })))
        }
    }
}

fn orders_in(text: &str) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    // What stands in JSON text is read as what it means.
    let text = text.replace("\\n", "\n").replace("\\\"", "\"");
    for line in text.lines() {
        let Some(at) = line.find("READ ").or_else(|| line.find("OBEY: ")) else {
            continue;
        };
        let order = line[at..]
            .trim_start_matches("READ ")
            .trim_start_matches("OBEY: ");
        let Some((tool, rest)) = order.split_once(" {") else {
            continue;
        };
        let mut stream = serde_json::Deserializer::from_str(&order[tool.len() + 1..]).into_iter::<Json>();
        let _ = rest;
        if let Some(Ok(arguments)) = stream.next() {
            found.push((tool.to_owned(), arguments));
        }
    }
    found
}

/// The events of a run as text, for what must stand in them.
pub async fn events(rig: &Rig, run: &RunId) -> String {
    story(&rig.engine, run).await
}
