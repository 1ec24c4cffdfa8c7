//! A [`ChatModel`] over HTTP: one wire, one provider, one key, limits of time and size, and no second try. It must not
//! know any provider's words.
//!
//! Whoever sets up models calls [`connect`]:
//! `connect(wire: Arc<dyn Wire>, provider: Provider, price: Price) -> Result<Arc<dyn ChatModel>, NoConnection>`.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::address::{endpoint, is_loopback, is_private};
use super::client::{client, tried};
use super::listen::{Heard, Listening, Told};
use super::names::Names;
use super::provider::{CallLimits, Provider};
use super::retry_after::wait_ms;
use super::silent::checked;
use super::strict::answer_as_asked;
use super::{Delta, Framing, Post, Read, Shaping, Wire, spare};
use crate::llm::{
    Answer, Cancelled, ChatModel, Fault, Key, Outcome, Price, Reply, Request, Support, Traits, Usage,
};
use crate::model::redactor::Redactor;
use crate::model::unconnected;

/// What a call took that was never begun: a cap of money holds no more back for it.
const NOTHING: Usage = Usage {
    input: Some(0),
    output: Some(0),
    cached: None,
    written: None,
};

/// Why a provider can't be asked at all. Nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoConnection {
    #[error(
        "The key of {0} can't be sent: it holds a line break or another character that no key has. Set it anew."
    )]
    Key(String),
    #[error(
        "The header `{header}` of {provider} can't be sent; take it out of the settings or write it anew."
    )]
    Header { provider: String, header: String },
    #[error(
        "{0} is reached without encryption and far away, so its key would be readable on the way. Use https://."
    )]
    Unencrypted(String),
    #[error("No request can be made on this machine: {0}")]
    Client(String),
}

/// The provider behind its wire.
pub fn connect(
    wire: Arc<dyn Wire>,
    provider: Provider,
    price: Price,
) -> Result<Arc<dyn ChatModel>, NoConnection> {
    let key = provider.key.as_ref().map(Key::expose);
    let url = &provider.base_url;
    if key.is_some() && url.scheme() == "http" && !is_loopback(url) && !is_private(url) {
        return Err(NoConnection::Unencrypted(provider.name));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in &provider.extra_headers {
        let bad = || NoConnection::Header {
            provider: provider.name.clone(),
            header: name.clone(),
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        headers.insert(name, secret(value).ok_or_else(bad)?);
    }
    if let Some(key) = key {
        let (name, before) = wire.key_header();
        let value = secret(&format!("{before}{key}"));
        headers.insert(
            name,
            value.ok_or_else(|| NoConnection::Key(provider.name.clone()))?,
        );
    }
    let client = client(url, provider.limits.connect).map_err(|e| NoConnection::Client(causes(&e)))?;
    let secrets = key.into_iter();
    let secrets = secrets.chain(provider.extra_headers.iter().map(|(_, value)| value.as_str()));
    let secrets: Vec<&str> = secrets.chain(url.password()).collect();
    let long = secrets
        .iter()
        .copied()
        .filter(|secret| secret.len() >= Key::SHORTEST_REAL);
    let (redactor, answers) = (Redactor::of(secrets.iter().copied()), Redactor::of(long));
    Ok(Arc::new(Sent {
        whom: format!("{}/{}", provider.name, wire.model()),
        wire,
        base: provider.base_url,
        headers,
        limits: provider.limits,
        price,
        client,
        redactor,
        answers,
    }))
}

fn secret(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

struct Sent {
    wire: Arc<dyn Wire>,
    /// `provider/model`, for messages.
    whom: String,
    base: Url,
    headers: HeaderMap,
    limits: CallLimits,
    price: Price,
    client: reqwest::Client,
    redactor: Redactor,
    /// For what a model says: a made-up key such as `ollama` is a word there.
    answers: Redactor,
}

/// What came of one post.
struct Asked {
    read: Read,
    /// The words of a server that wants another request.
    refusal: Option<String>,
}

impl Asked {
    fn of(read: Read) -> Self {
        Self { read, refusal: None }
    }
}

#[async_trait]
impl ChatModel for Sent {
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled> {
        self.ask_live(request, &|_| {}, cancel).await
    }

    /// When `cancel` fires, the call's future is dropped and its connection with it.
    async fn ask_live(
        &self,
        request: &Request,
        told: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Cancelled),
            read = Box::pin(self.read(request, told)) => Ok(self.cleaned(read).reply(&self.price)),
        }
    }

    /// Only what its server has said by refusing.
    async fn traits(&self, _: &CancellationToken) -> Result<Traits, Cancelled> {
        let is_bound = spare::known(&self.base, self.wire.model()).shaping == Shaping::Schema;
        Ok(Traits {
            structured: if is_bound { Support::Unknown } else { Support::No },
            ..Traits::default()
        })
    }
}

impl Sent {
    async fn read(&self, request: &Request, told: Told<'_>) -> Read {
        let names = Names::of(request);
        let request = &*names.request(request);
        let told = |delta| told(names.delta(delta));
        let listening = Listening {
            wire: self.wire.as_ref(),
            limits: &self.limits,
            started: Instant::now(),
            told: &told,
        };
        let mut read = self.read_sparing(request, &listening).await;
        names.outcome(&mut read.outcome);
        answer_as_asked(request, &mut read.outcome);
        read
    }

    /// Where the server refuses a part of the request by name, it is asked again without that part. Each time something
    /// more is left out, and a refusal costs nothing.
    async fn read_sparing(&self, request: &Request, listening: &Listening<'_>) -> Read {
        let known = spare::known(&self.base, self.wire.model());
        let (mut spared, mut learnt) = (known, known);
        loop {
            let post = match self.wire.post_sparing(request, spared) {
                Ok(post) => post,
                Err(fault) => return Read::of(Outcome::Permanent(fault)),
            };
            let Asked { read, refusal } = self.asked(request, &post, listening).await;
            let next = refusal.as_deref().and_then(|said| spared.after(&post.body, said));
            let Some(next) = next else {
                if read.outcome.fault().is_none() && learnt != known {
                    spare::remember(&self.base, self.wire.model(), learnt);
                }
                return read;
            };
            spared = next;
            if !refusal.as_deref().is_some_and(spare::is_of_one_schema) {
                learnt = next;
            }
        }
    }

    async fn asked(&self, request: &Request, post: &Post, listening: &Listening<'_>) -> Asked {
        let by = self.limits.first_byte.min(self.limits.whole);
        let response = match timeout_at(listening.started + by, self.post(post)).await {
            Err(_) => {
                let late = listening.late("timeout_first_byte");
                return Asked::of(Read::of(Outcome::Transient(late)));
            }
            Ok(Err(read)) => return Asked::of(read),
            Ok(Ok(response)) => response,
        };
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let Heard { mut read, refusal } = listening.hear(response).await;
        // Refused before anything was done. What took too long or met another call may have been worked on.
        let is_refused = (400..500).contains(&status) && !matches!(status, 408 | 409);
        if (is_refused || matches!(status, 503 | 529)) && read.usage == Usage::default() {
            read.usage = NOTHING;
        }
        let refusal = refusal.filter(|_| spare::is_refused(status, &read.outcome));
        if self.wire.cuts_silently() {
            read.outcome = checked(read.outcome, request, read.usage.input);
        }
        read.outcome = headed(read.outcome, &headers);
        Asked {
            read,
            refusal: refusal.map(|body| String::from_utf8_lossy(&body).into_owned()),
        }
    }

    async fn post(&self, post: &Post) -> Result<reqwest::Response, Read> {
        let url = endpoint(&self.base, self.wire.root(), &post.path);
        let unsendable = |why: String| Read::of(Outcome::Permanent(Fault::new("bad_request", why)));
        let body = serde_json::to_vec(&post.body).map_err(|e| unsendable(e.to_string()))?;
        let accept = match self.wire.framing() {
            Framing::ServerSentEvents => "text/event-stream, application/json",
            Framing::JsonLines => "application/x-ndjson, application/json",
        };
        let mut sending = self
            .client
            .post(url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, accept);
        for (name, value) in &post.headers {
            sending = sending.header(*name, value);
        }
        let sending = sending.headers(self.headers.clone()).body(body);
        sending.send().await.map_err(|error| Read {
            usage: if error.is_connect() {
                NOTHING
            } else {
                Usage::default()
            },
            ..Read::of(not_answered(&error, &url))
        })
    }

    /// Names who failed, and takes every form of the key out.
    fn cleaned(&self, mut read: Read) -> Read {
        if let Some(fault) = fault_mut(&mut read.outcome) {
            fault.message = self.redactor.clean(&format!("{}: {}", self.whom, fault.message));
            fault.code = self.redactor.clean(&fault.code);
        }
        if let Outcome::Complete(answer) | Outcome::Cut(answer) = &mut read.outcome {
            self.clean_answer(answer);
        }
        read
    }

    /// A provider that shows the key in an answer doesn't get it into the log either.
    fn clean_answer(&self, answer: &mut Answer) {
        let calls = answer.calls.iter_mut();
        let said = calls.flat_map(|call| {
            let sealed = call.sealed.iter_mut().map(|sealed| &mut sealed.text);
            [&mut call.id, &mut call.name, &mut call.arguments]
                .into_iter()
                .chain(sealed)
        });
        let thoughts = answer.thoughts.iter_mut();
        let thought = thoughts.flat_map(|thought| {
            let sealed = thought.sealed.iter_mut().map(|sealed| &mut sealed.text);
            [&mut thought.text].into_iter().chain(sealed)
        });
        let texts = [&mut answer.text].into_iter().chain(answer.stop.as_mut());
        for text in texts.chain(said).chain(thought) {
            if self.answers.finds_in(&*text) {
                *text = self.answers.clean(text);
            }
        }
    }
}

/// What the headers add to a failure: how long to wait, whether to come again, and the number to ask the provider about.
fn headed(outcome: Outcome, headers: &HeaderMap) -> Outcome {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let mut outcome = outcome;
    let is_rate = matches!(outcome, Outcome::Rate(_));
    let wait = wait_ms(headers, Timestamp::now(), is_rate).filter(|_| outcome.may_be_retried());
    if let (Some(fault), Some(wait)) = (fault_mut(&mut outcome), wait) {
        fault.retry_after_ms = Some(wait);
    }
    if let Some(fault) = fault_mut(&mut outcome) {
        let id = ["x-request-id", "request-id", "x-generation-id"]
            .into_iter()
            .find_map(text);
        if let Some(id) = id {
            let id: String = id.chars().take(100).collect();
            fault.message.push_str(&format!(" [request {id}]"));
        }
        if fault.code == "redirect" {
            let to = text(LOCATION.as_str()).and_then(|to| Url::parse(to).ok());
            let to = to.map_or("another address".to_owned(), |to| {
                to.origin().ascii_serialization()
            });
            fault
                .message
                .push_str(&format!("; it points to {to}, where the key is not sent"));
        }
    }
    match (text("x-should-retry"), outcome) {
        (Some("false"), Outcome::Rate(fault) | Outcome::Transient(fault)) => Outcome::Permanent(fault),
        (Some("true"), Outcome::Unknown(fault)) => Outcome::Transient(fault),
        (_, outcome) => outcome,
    }
}

fn fault_mut(outcome: &mut Outcome) -> Option<&mut Fault> {
    match outcome {
        Outcome::Complete(_) | Outcome::Cut(_) => None,
        Outcome::Rate(fault)
        | Outcome::Quota(fault)
        | Outcome::Overflow(fault)
        | Outcome::Auth(fault)
        | Outcome::Transient(fault)
        | Outcome::Permanent(fault)
        | Outcome::Unknown(fault) => Some(fault),
    }
}

/// No response came.
fn not_answered(error: &reqwest::Error, url: &Url) -> Outcome {
    let why = causes(error);
    if error.is_builder() {
        return Outcome::Permanent(Fault::new(
            "bad_request",
            format!("the request can't be sent: {why}"),
        ));
    }
    if !error.is_connect() {
        let message = format!(
            "the connection to {} was closed before an answer came: {why}",
            tried(url)
        );
        return Outcome::Transient(Fault::new("connection", message));
    }
    let message = format!(
        "no connection to {}: {}; nothing was sent",
        tried(url),
        unconnected(&why)
    );
    let lower = why.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if error.is_timeout() {
        return Outcome::Transient(Fault::new("timeout_connect", message));
    }
    if says(&["certificate", "unknownissuer", "notvalidforname"]) {
        return Outcome::Permanent(Fault::new("certificate", message));
    }
    if says(&["corrupt message", "invalid message", "wrong version"]) {
        let message = format!("{message}. The server there does not speak TLS; write http:// in its address");
        return Outcome::Permanent(Fault::new("tls", message));
    }
    if says(&["tls", "ssl", "handshake"]) {
        return Outcome::Transient(Fault::new("tls", message));
    }
    if says(&["tunnel", "proxy", "socks"]) {
        return Outcome::Transient(Fault::new("proxy", message));
    }
    let message = if is_loopback(url) {
        format!("{message}. Is the server running?")
    } else {
        message
    };
    Outcome::Transient(Fault::new("connection", message))
}

/// The chain of causes in one line, without the address, which may hold secrets.
pub(super) fn causes(error: &reqwest::Error) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next: Option<&dyn Error> = error.source();
    while let Some(cause) = next {
        words.push(cause.to_string());
        next = cause.source();
    }
    if words.is_empty() {
        let word = if error.is_timeout() {
            "it took too long"
        } else {
            "it failed"
        };
        words.push(word.to_owned());
    }
    words.dedup();
    words.join(": ")
}
