//! The pipes of a server's process as a transport of the protocol's library: noise is passed over and counted, answers
//! that nobody asked for reach nobody, and a line has a limit. It must not know what is asked.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::model::{ServerJsonRpcMessage, ServerNotification};
use rmcp::transport::Transport;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::calls::Calls;
use super::clean;
use super::incoming::{self, Asked, Incoming};
use super::lines::Lines;
use crate::model::Json;

/// Messages on their way in each direction.
const ROOM: usize = 64;
/// Requests of a server that are being answered at once.
const MOST_REQUESTS: usize = 32;
/// Characters of the first line of noise, to be shown.
const SHOWN_NOISE: usize = 200;

/// Why nothing can be sent any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server does not read any more")]
pub(super) struct Gone;

type Line = (Vec<u8>, oneshot::Sender<Result<(), Gone>>);

/// Both pipes. They outlast an attempt to open a session on them.
pub(super) struct Pipe {
    shared: Arc<Shared>,
    out: mpsc::Sender<Line>,
    messages: tokio::sync::Mutex<mpsc::Receiver<ServerJsonRpcMessage>>,
}

/// What is known of the traffic.
struct Shared {
    asked: Mutex<HashMap<RequestId, Asked>>,
    /// Requests of the server that wait for our answer.
    requests: Mutex<HashSet<RequestId>>,
    calls: Arc<Calls>,
    noise: AtomicU64,
    unknown: AtomicU64,
    /// Messages that answer nothing: notifications, and requests of the server.
    unasked: AtomicU64,
    bytes: AtomicU64,
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    first_noise: Option<String>,
    first_unasked: Option<String>,
    fault: Option<String>,
    last_noise: Option<Instant>,
}

/// What has come that was no message, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// Lines that were passed over.
    pub lines: u64,
    /// Answers to requests that were never made, or were answered before.
    pub unknown_ids: u64,
    pub first: Option<String>,
    /// Messages that answer nothing, and the first of them. Once a session is open they are its ordinary life.
    pub unasked: u64,
    pub first_unasked: Option<String>,
}

impl Pipe {
    pub fn open(
        stdin: impl AsyncWrite + Send + Unpin + 'static,
        stdout: impl AsyncRead + Send + Unpin + 'static,
        calls: Arc<Calls>,
        longest_line: usize,
    ) -> Arc<Self> {
        let shared = Arc::new(Shared {
            asked: Mutex::default(),
            requests: Mutex::default(),
            calls,
            noise: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
            unasked: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            said: Mutex::default(),
        });
        let (out, lines) = mpsc::channel(ROOM);
        let (give, messages) = mpsc::channel(ROOM);
        tokio::spawn(write(stdin, lines));
        tokio::spawn(read(stdout, shared.clone(), out.clone(), give, longest_line));
        Arc::new(Self {
            shared,
            out,
            messages: tokio::sync::Mutex::new(messages),
        })
    }

    pub fn noise(&self) -> Noise {
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let said = self.shared.lock_said();
        Noise {
            lines: count(&self.shared.noise),
            unknown_ids: count(&self.shared.unknown),
            first: said.first_noise.clone(),
            unasked: count(&self.shared.unasked),
            first_unasked: said.first_unasked.clone(),
        }
    }

    /// Why the session was ended from here.
    pub fn fault(&self) -> Option<String> {
        self.shared.lock_said().fault.clone()
    }

    /// When something last came that was no message: a program that is being fetched may write so, and one that speaks
    /// the protocol is there already.
    pub fn last_noise(&self) -> Option<Instant> {
        self.shared.lock_said().last_noise
    }

    /// All that has come.
    pub fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn lock_said(&self) -> std::sync::MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_asked(&self, id: &RequestId) -> Option<Asked> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(id)
    }

    /// Remembers what is asked and what is answered by a message on its way out.
    fn note(&self, message: &ClientJsonRpcMessage) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            JsonRpcMessage::Request(request) => {
                let is_raw = matches!(
                    request.request,
                    ClientRequest::CallToolRequest(_) | ClientRequest::ListToolsRequest(_)
                );
                let how = if is_raw { Asked::Raw } else { Asked::Typed };
                let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
                asked.insert(request.id.clone(), how);
            }
            JsonRpcMessage::Notification(sent) => {
                // Nobody waits for that answer any more.
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.take_asked(id);
                }
            }
            JsonRpcMessage::Response(response) => drop(requests.remove(&response.id)),
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    requests.remove(id);
                }
            }
        }
    }

    /// Keeps what is told of it to people. True: it was no message.
    fn count(&self, incoming: &Incoming, line: &[u8]) -> bool {
        let shown = || clean::line(&String::from_utf8_lossy(line), SHOWN_NOISE);
        let is_answer = |message: &ServerJsonRpcMessage| {
            matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
        };
        match incoming {
            Incoming::Noise => {
                self.lock_said().first_noise.get_or_insert_with(shown);
                return true;
            }
            Incoming::Message(message) if is_answer(message) => {}
            Incoming::Message(_) | Incoming::Progress(_) | Incoming::Refuse(_) | Incoming::Idle => {
                self.unasked.fetch_add(1, Ordering::Relaxed);
                self.lock_said().first_unasked.get_or_insert_with(shown);
            }
            Incoming::Unknown | Incoming::Broken(_) => {}
        }
        false
    }

    /// What is to be handed on, and what is to be answered at once.
    fn take(&self, incoming: Incoming, handed: &mut Vec<ServerJsonRpcMessage>, answers: &mut Vec<Json>) {
        match incoming {
            Incoming::Message(message) => match self.admit(&message) {
                Some(refusal) => answers.push(refusal),
                None => handed.push(*message),
            },
            Incoming::Progress(params) => {
                if let Some(token) = params.get("progressToken") {
                    self.calls.progress(token);
                }
            }
            Incoming::Refuse(answer) => answers.push(answer),
            Incoming::Unknown => drop(self.unknown.fetch_add(1, Ordering::Relaxed)),
            Incoming::Noise => drop(self.noise.fetch_add(1, Ordering::Relaxed)),
            Incoming::Idle => {}
            Incoming::Broken(reason) => {
                self.lock_said()
                    .fault
                    .get_or_insert(format!("it sent a message that can't be taken in: {reason}"));
            }
        }
    }

    /// A server that asks without end is not listened to without end.
    fn admit(&self, message: &ServerJsonRpcMessage) -> Option<Json> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if let JsonRpcMessage::Notification(sent) = message
            && let ServerNotification::CancelledNotification(cancelled) = &sent.notification
            && let Some(id) = &cancelled.params.request_id
        {
            requests.remove(id);
        }
        let JsonRpcMessage::Request(request) = message else {
            return None;
        };
        if requests.len() >= MOST_REQUESTS {
            let error = json!({ "code": -32000, "message": "too many requests at once" });
            return Some(json!({ "jsonrpc": "2.0", "id": request.id, "error": error }));
        }
        requests.insert(request.id.clone());
        None
    }
}

async fn write(mut stdin: impl AsyncWrite + Send + Unpin, mut lines: mpsc::Receiver<Line>) {
    while let Some((line, done)) = lines.recv().await {
        let sent = async {
            stdin.write_all(&line).await?;
            stdin.write_all(b"\n").await?;
            stdin.flush().await
        };
        let sent = sent.await.map_err(|_| Gone);
        let is_gone = sent.is_err();
        let _ = done.send(sent);
        if is_gone {
            return;
        }
    }
}

async fn read(
    mut stdout: impl AsyncRead + Send + Unpin,
    shared: Arc<Shared>,
    out: mpsc::Sender<Line>,
    give: mpsc::Sender<ServerJsonRpcMessage>,
    longest_line: usize,
) {
    let mut lines = Lines::new(longest_line);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = tokio::select! {
            read = stdout.read(&mut buffer) => read.unwrap_or(0),
            () = give.closed() => return,
        };
        shared.bytes.fetch_add(count as u64, Ordering::Relaxed);
        let (mut handed, mut answers, mut is_noise) = (Vec::new(), Vec::new(), true);
        let mut take_line = |line: &[u8]| {
            let mut asked = |id: &RequestId| shared.take_asked(id);
            incoming::read(line, &mut asked, &mut |incoming| {
                is_noise &= shared.count(&incoming, line);
                shared.take(incoming, &mut handed, &mut answers);
            });
        };
        if count == 0 {
            lines.finish(&mut take_line);
        } else if let Err(too_long) = lines.push(&buffer[..count], &mut take_line) {
            shared.lock_said().fault = Some(format!("it sent {too_long}"));
        } else {
            if is_noise {
                shared.lock_said().last_noise = Some(Instant::now());
            }
            // More is to come.
            give_all(handed, answers, &out, &give).await;
            if shared.lock_said().fault.is_none() {
                continue;
            }
            return;
        }
        return give_all(handed, answers, &out, &give).await;
    }
}

async fn give_all(
    handed: Vec<ServerJsonRpcMessage>,
    answers: Vec<Json>,
    out: &mpsc::Sender<Line>,
    give: &mpsc::Sender<ServerJsonRpcMessage>,
) {
    for answer in answers {
        // A server that does not read its answers gets none.
        let (done, _) = oneshot::channel();
        let _ = out.try_send((answer.to_string().into_bytes(), done));
    }
    for message in handed {
        if give.send(message).await.is_err() {
            return;
        }
    }
}

/// One session, or one attempt at one, on the pipes.
pub(super) struct StdioTransport(pub Arc<Pipe>);

impl Transport<RoleClient> for StdioTransport {
    type Error = Gone;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Gone>> + Send + 'static {
        self.0.shared.note(&message);
        let line = serde_json::to_vec(&message);
        let out = self.0.out.clone();
        async move {
            let (done, sent) = oneshot::channel();
            out.send((line.map_err(|_| Gone)?, done))
                .await
                .map_err(|_| Gone)?;
            sent.await.map_err(|_| Gone)?
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.0.messages.lock().await.recv().await
    }

    async fn close(&mut self) -> Result<(), Gone> {
        Ok(())
    }
}
