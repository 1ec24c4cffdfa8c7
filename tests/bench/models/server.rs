//! A server in a process of its own that answers chats as a fast model would: so its work is not counted as ours.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::Url;

pub struct Server {
    child: Child,
    port: u16,
}

impl Server {
    pub fn start(args: &[&str]) -> Option<Self> {
        let exe = std::env::current_exe().ok()?;
        let mut command = Command::new(exe);
        command.arg("serve-model").args(args).stdout(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let port = line.trim().parse().ok()?;
        Some(Self { child, port })
    }

    pub fn address(&self) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}/v1", self.port)).expect("it is an address")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What each stream tells in all.
pub fn told(tokens: usize) -> String {
    (0..tokens).map(|n| format!("word{n} ")).collect()
}

enum Habit {
    /// Calls a tool so many times in a talk, then hands in.
    Turns(usize),
    /// So many tokens, so many a second.
    Streams(usize, u64),
}

/// Runs in the process of its own.
#[expect(clippy::print_stdout, reason = "the parent reads the port")]
pub fn child() {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let number = |ix: usize| args.get(ix).and_then(|n| n.parse::<u64>().ok()).unwrap_or(1);
    let habit = match args.first().map(String::as_str) {
        Some("streams") => Habit::Streams(number(1) as usize, number(2)),
        _ => Habit::Turns(number(1) as usize),
    };
    let habit = Arc::new(habit);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    println!("{}", listener.local_addr().expect("it is bound").port());
    for stream in listener.incoming().flatten() {
        let habit = habit.clone();
        std::thread::spawn(move || {
            let _ = serve(stream, &habit);
        });
    }
}

fn serve(stream: TcpStream, habit: &Habit) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut from = BufReader::new(stream.try_clone()?);
    let mut to = stream;
    while let Some(body) = body_of(&mut from)? {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        to.write_all(head.as_bytes())?;
        match habit {
            Habit::Turns(most) => turn(&mut to, &body, *most)?,
            Habit::Streams(tokens, rate) => stream_out(&mut to, *tokens, *rate)?,
        }
        to.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

fn body_of(from: &mut BufReader<TcpStream>) -> std::io::Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

fn event(to: &mut TcpStream, text: &str) -> std::io::Result<()> {
    let frame = format!("data: {text}\n\n");
    write!(to, "{:x}\r\n{frame}\r\n", frame.len())
}

fn end(to: &mut TcpStream, reason: &str) -> std::io::Result<()> {
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    event(to, &last.to_string())?;
    event(to, "[DONE]")
}

fn turn(to: &mut TcpStream, body: &Value, most: usize) -> std::io::Result<()> {
    let messages = body["messages"].as_array().map_or(0, |messages| {
        let is_tool = |message: &&Value| message["role"] == "tool";
        messages.iter().filter(is_tool).count()
    });
    if body["tools"].is_null() {
        let said = json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "ok" } }] });
        event(to, &said.to_string())?;
        return end(to, "stop");
    }
    let (name, arguments) = if messages + 1 < most {
        ("echo", json!({ "value": messages }))
    } else {
        ("submit_result", json!({ "result": "done" }))
    };
    let call = json!({ "index": 0, "id": "c", "type": "function",
        "function": { "name": name, "arguments": arguments.to_string() } });
    let said = json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "tool_calls": [call] } }] });
    event(to, &said.to_string())?;
    end(to, "tool_calls")
}

fn stream_out(to: &mut TcpStream, tokens: usize, rate: u64) -> std::io::Result<()> {
    let began = Instant::now();
    for n in 0..tokens {
        let due = Duration::from_millis(1000 * (n as u64 + 1) / rate.max(1));
        std::thread::sleep(due.saturating_sub(began.elapsed()));
        let said = json!({ "choices": [{ "index": 0, "delta": { "content": format!("word{n} ") } }] });
        event(to, &said.to_string())?;
    }
    end(to, "stop")
}
