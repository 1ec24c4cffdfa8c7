//! A real HTTP server on the loopback address, of a few lines: it answers by script and keeps what it was asked.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Asked {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }
}

pub(super) enum Reply {
    /// Bytes as they go on the wire; then the connection is closed.
    Bytes(Vec<u8>),
    /// The connection is closed without a byte.
    Close,
    /// Bytes, then silence.
    Hang(Vec<u8>),
}

pub(super) fn reply(status: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        head.push_str(&format!("{header}\r\n"));
    }
    head.push_str("\r\n");
    Reply::Bytes([head.as_bytes(), body].concat())
}

pub(super) struct Server {
    pub(super) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(super) async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (log, answer) = (asked.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, log.clone(), answer.clone()));
            }
        });
        Self { port, asked }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    log: Arc<Mutex<Vec<Asked>>>,
    answer: Arc<dyn Fn(&Asked) -> Reply + Send + Sync>,
) {
    let Some(asked) = read(&mut stream).await else {
        return;
    };
    log.lock().unwrap().push(asked.clone());
    match answer(&asked) {
        Reply::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Close => {}
        Reply::Hang(bytes) => {
            let _ = stream.write_all(&bytes).await;
            tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let asked = parse(head, body);
            let length: usize = asked.header("content-length").map_or(0, |l| l.parse().unwrap());
            if body.len() >= length {
                return Some(asked);
            }
        }
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
        }
    }
}

fn parse(head: &str, body: &str) -> Asked {
    let mut lines = head.lines();
    let mut first = lines.next().unwrap().split(' ');
    let header = |line: &str| {
        line.split_once(": ")
            .map(|(n, v)| (n.to_ascii_lowercase(), v.to_owned()))
    };
    Asked {
        method: first.next().unwrap().to_owned(),
        target: first.next().unwrap().to_owned(),
        headers: lines.filter_map(header).collect(),
        body: body.to_owned(),
    }
}
