//! Set-ups, and servers that live in the test itself. They must not know what is tested.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ProtocolVersion;
use serde_json::json;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

use super::calls::Calls;
use super::handler::Handler;
use super::handshake::{Refused, shake_hands};
use super::lines::LONGEST_LINE;
use super::server::Connection;
use super::setup::{Setup, Way};
use super::start::Link;
use super::stdio::{Pipe, StdioTransport};
use crate::model::Json;
use crate::model::redactor::Redactor;

pub(crate) fn setup(name: &str, command: &str, args: &[&str]) -> Setup {
    Setup {
        name: name.to_owned(),
        way: Way::Stdio {
            command: command.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: BTreeMap::new(),
            cwd: None,
        },
        is_unconfined: true,
        has_network: false,
        folders: Vec::new(),
        tools: BTreeMap::new(),
        patience: None,
        is_disabled: false,
    }
}

/// A case's own input.
pub(crate) fn case(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// The server's side of the pipes, line by line.
pub(crate) struct Side<R, W> {
    lines: tokio::io::Lines<BufReader<R>>,
    out: W,
}

pub(crate) type Far = Side<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Side<R, W> {
    pub async fn hear(&mut self) -> Option<Json> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    pub async fn say(&mut self, line: &str) {
        let _ = self.out.write_all(format!("{line}\n").as_bytes()).await;
    }

    /// Answers requests until the other side has gone; what gives nothing is not answered.
    pub async fn serve(mut self, mut answer: impl FnMut(&str, &Json) -> Option<Json>) {
        while let Some(asked) = self.hear().await {
            let method = asked["method"].as_str().unwrap_or_default();
            let Some(id) = asked.get("id") else { continue };
            if let Some(mut given) = answer(method, &asked["params"]) {
                given["jsonrpc"] = json!("2.0");
                given["id"] = id.clone();
                self.say(&given.to_string()).await;
            }
        }
    }
}

pub(crate) fn hello(version: &str) -> Json {
    let info = json!({ "name": "stub", "version": "1" });
    json!({ "result": { "protocolVersion": version, "capabilities": { "tools": {} }, "serverInfo": info } })
}

/// Our side, not yet connected.
pub(crate) struct Near {
    pub pipe: Arc<Pipe>,
    pub handler: Handler,
}

pub(crate) fn pipes() -> (Near, Far) {
    let (near, far) = tokio::io::duplex(1 << 20);
    let (stdout, stdin) = tokio::io::split(near);
    let calls = Arc::<Calls>::default();
    let pipe = Pipe::open(stdin, stdout, calls.clone(), LONGEST_LINE);
    let handler = Handler {
        veil: Redactor::default(),
        server: "stub".into(),
        calls,
        folders: vec![PathBuf::from("/root/of/it")].into(),
        is_stale: Arc::default(),
        version: ProtocolVersion::LATEST_WITH_INITIALIZE,
    };
    let (read, out) = tokio::io::split(far);
    let lines = BufReader::new(read).lines();
    (Near { pipe, handler }, Side { lines, out })
}

impl Near {
    pub async fn link(&self) -> Result<Link, Refused> {
        let session = shake_hands(|| StdioTransport(self.pipe.clone()), &self.handler).await?;
        Ok(Link {
            session,
            process: None,
            veil: Redactor::default(),
        })
    }

    pub async fn connect(&self) -> Result<Arc<Connection>, String> {
        let link = self.link().await.map_err(|refused| refused.to_string())?;
        let (calls, is_stale) = (self.handler.calls.clone(), self.handler.is_stale.clone());
        Connection::open(link, calls, is_stale, Duration::from_secs(5)).await
    }
}
