//! A server that plays bytes: one script for each connection, and everything that it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planloom_engine::llm::wire::base_url;
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// What happens on a connection, one after the other, once the request is in.
#[derive(Clone, Debug)]
pub enum Act {
    Send(Vec<u8>),
    Wait(Duration),
    /// The connection breaks instead of ending.
    Reset,
    /// Nothing more, and no end either, until the client leaves.
    Hang,
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub head: String,
    pub body: Json,
}

pub struct Server {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    left: Arc<Notify>,
    serving: JoinHandle<()>,
}

impl Server {
    /// The last script goes on for ever.
    pub async fn playing(scripts: Vec<Vec<Act>>) -> Self {
        Self::on("127.0.0.1:0", scripts).await.expect("a free port")
    }

    pub async fn on(address: &str, scripts: Vec<Vec<Act>>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let left = Arc::new(Notify::new());
        let (book, gone) = (asked.clone(), left.clone());
        let serving = tokio::spawn(async move {
            let mut nth = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let script = scripts[nth.min(scripts.len() - 1)].clone();
                nth += 1;
                tokio::spawn(play(stream, script, book.clone(), gone.clone()));
            }
        });
        Ok(Self {
            address,
            asked,
            left,
            serving,
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn base(&self) -> planloom_engine::llm::wire::Provider {
        provider(&self.url())
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Whether a client that hung on has left, within a time that no limit of its own explains.
    pub async fn is_left(&self) -> bool {
        timeout(Duration::from_secs(5), self.left.notified())
            .await
            .is_ok()
    }

    /// Until somebody has asked.
    pub async fn is_asked(&self) {
        while self.asked.lock().unwrap().is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

pub fn provider(url: &str) -> planloom_engine::llm::wire::Provider {
    planloom_engine::llm::wire::Provider::new("there", base_url(url).expect("an address"))
}

async fn play(mut stream: TcpStream, script: Vec<Act>, asked: Arc<Mutex<Vec<Asked>>>, left: Arc<Notify>) {
    stream.set_nodelay(true).expect("a connection");
    let Some(request) = read(&mut stream).await else {
        return;
    };
    asked.lock().unwrap().push(request);
    for act in script {
        match act {
            Act::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    left.notify_one();
                    return;
                }
            }
            Act::Wait(time) => sleep(time).await,
            Act::Reset => {
                stream.set_zero_linger().expect("a connection");
                return;
            }
            Act::Hang => {
                let mut byte = [0];
                while stream.read(&mut byte).await.is_ok_and(|read| read > 0) {}
                left.notify_one();
                return;
            }
        }
    }
}

/// A whole request, if one comes.
async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().ok())?
            });
            let body = &bytes[end + 4..];
            if body.len() >= length.unwrap_or(0) {
                let body = serde_json::from_slice(body).unwrap_or(Json::Null);
                return Some(Asked { head, body });
            }
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

/// The shortest whole answer of the most common interface.
pub const ANSWER: &str = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#;

/// A response with its length.
pub fn response(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<Act> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut bytes = (head + "\r\n").into_bytes();
    bytes.extend_from_slice(body);
    vec![Act::Send(bytes)]
}

pub fn json(status: u16, body: &str) -> Vec<Act> {
    response(status, &[("content-type", "application/json")], body.as_bytes())
}

/// The head of a stream whose length isn't known.
pub fn stream_head() -> Act {
    Act::Send(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec(),
    )
}

pub fn chunk(bytes: &[u8]) -> Act {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    Act::Send(chunk)
}

pub fn last_chunk() -> Act {
    Act::Send(b"0\r\n\r\n".to_vec())
}

/// A whole stream in pieces of this size.
pub fn in_pieces(bytes: &[u8], size: usize) -> Vec<Act> {
    stream(&bytes.chunks(size).collect::<Vec<_>>())
}

/// A whole stream in these pieces.
pub fn stream(pieces: &[&[u8]]) -> Vec<Act> {
    let pieces = pieces
        .iter()
        .filter(|piece| !piece.is_empty())
        .map(|piece| chunk(piece));
    [stream_head()]
        .into_iter()
        .chain(pieces)
        .chain([last_chunk()])
        .collect()
}
