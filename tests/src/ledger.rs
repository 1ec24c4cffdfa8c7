//! A receiver outside the engine: an HTTP server on loopback that counts what it is asked to do, by idempotency key.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What arrived under one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    /// How often it was asked and did it.
    pub requests: u32,
    /// How often it was too busy: nothing was done then.
    pub refused: u32,
}

/// The server; it ends with the process.
#[derive(Clone)]
pub struct Ledger {
    address: SocketAddr,
    entries: Arc<Mutex<BTreeMap<String, Entry>>>,
}

impl Ledger {
    /// Answers each request after `delay`, with status 200 and what it was asked; but a path that begins with
    /// `busy` with 503, the first time.
    pub fn open(delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ledger = Self {
            address: listener.local_addr().unwrap(),
            entries: Arc::default(),
        };
        let serving = ledger.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let ledger = serving.clone();
                std::thread::spawn(move || ledger.serve(stream, delay));
            }
        });
        ledger
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub fn entries(&self) -> BTreeMap<String, Entry> {
        self.entries.lock().unwrap().clone()
    }

    fn serve(&self, stream: TcpStream, delay: Duration) {
        let mut reader = BufReader::new(stream);
        let (mut path, mut key, mut length) = (String::new(), String::new(), 0usize);
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|n| n > 0) && !line.trim().is_empty() {
            let lower = line.to_ascii_lowercase();
            if path.is_empty() {
                path = line.split(' ').nth(1).unwrap_or_default().to_owned();
            } else if let Some(value) = lower.strip_prefix("idempotency-key:") {
                key = value.trim().to_owned();
            } else if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        let mut body = vec![0; length];
        // A client that died before it had asked has asked nothing.
        if path.is_empty() || reader.read_exact(&mut body).is_err() {
            return;
        }
        // The effect happens here; the answer may never arrive.
        let mut entries = self.entries.lock().unwrap();
        let entry = entries.entry(key).or_default();
        entry.path.clone_from(&path);
        if path.starts_with("/busy") && entry.refused == 0 {
            entry.refused += 1;
            let head = "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = reader.get_mut().write_all(head.as_bytes());
            return;
        }
        entry.requests += 1;
        drop(entries);
        std::thread::sleep(delay);
        let text = format!("{{\"did\":\"{path}\"}}");
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            text.len()
        );
        let _ = reader.get_mut().write_all((head + &text).as_bytes());
    }
}
