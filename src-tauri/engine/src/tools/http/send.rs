//! One request on one connection, and what its failure means: whether anything can have reached the receiver.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::{Client, Response, retry};

use super::outcome::shown;
use super::request::Request;
use crate::model::unconnected;
use crate::tools::{ToolError, arguments};

const CONNECT: Duration = Duration::from_secs(10);
/// Silence of the receiver; a task's own `timeout_s` may be shorter.
const SILENCE: Duration = Duration::from_secs(300);
const MOST_KEPT: usize = 64;

/// The addresses that were looked up and allowed, whatever is asked: nobody looks a name up a second time.
struct Pinned(Vec<SocketAddr>);

impl Resolve for Pinned {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: reqwest::dns::Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// Sends it to one of these addresses, follows no redirect, tries nothing twice, asks no proxy.
pub(super) async fn send(request: &Request, addresses: &[SocketAddr]) -> Result<Response, ToolError> {
    let client = client_for(request, addresses).map_err(|e| {
        ToolError::permanent(
            "http",
            format!("no request can be made on this machine: {}", causes(&e)),
        )
    })?;
    let mut sending = client
        .request(request.method.clone(), request.url.clone())
        .headers(request.headers.clone());
    if let Some(body) = &request.body {
        sending = sending.body(body.clone());
    }
    sending.send().await.map_err(|e| failed(&e, request, addresses))
}

/// A client that connects to these addresses only. Making one reads the machine's certificates, so that it is kept for
/// the next call; no connection is kept, so that nothing is ever sent on one that may be dead.
fn client_for(request: &Request, addresses: &[SocketAddr]) -> Result<Client, reqwest::Error> {
    static KEPT: OnceLock<Mutex<HashMap<Vec<SocketAddr>, Client>>> = OnceLock::new();
    let kept = KEPT.get_or_init(Mutex::default);
    // Nothing is looked up for an address.
    let is_name = matches!(request.url.host(), Some(url::Host::Domain(_)));
    let pinned = if is_name { addresses.to_vec() } else { Vec::new() };
    if let Some(client) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(&pinned) {
        return Ok(client.clone());
    }
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(retry::never())
        .no_proxy()
        .referer(false)
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .dns_resolver(Arc::new(Pinned(pinned.clone())))
        .user_agent(concat!("Planloom/", env!("CARGO_PKG_VERSION")))
        .build()?;
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    kept.insert(pinned, client.clone());
    Ok(client)
}

fn failed(error: &reqwest::Error, request: &Request, addresses: &[SocketAddr]) -> ToolError {
    let what = format!("{} {}", request.method, shown(&request.url));
    let why = causes(error);
    if error.is_builder() {
        return arguments::bad(format!("{what} can't be sent: {why}"));
    }
    if error.is_connect() {
        return not_connected(&what, &why, error.is_timeout(), addresses);
    }
    lost(&what, &why, error.is_timeout(), request.is_reading())
}

/// Nothing was sent.
fn not_connected(what: &str, why: &str, is_timeout: bool, addresses: &[SocketAddr]) -> ToolError {
    let tried: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let message = format!(
        "{what}: no connection to {}: {}; nothing was sent",
        tried.join(", "),
        unconnected(why)
    );
    let lower = why.to_lowercase();
    if lower.contains("certificate") || lower.contains("unknownissuer") || lower.contains("notvalidforname") {
        return ToolError::permanent("certificate", message);
    }
    let is_tls = ["tls", "ssl", "corrupt message", "handshake"]
        .iter()
        .any(|word| lower.contains(word));
    let code = if is_timeout {
        "connect_timeout"
    } else if is_tls {
        "tls"
    } else {
        "connect"
    };
    ToolError::Transient {
        code,
        message,
        retry_after: None,
    }
}

/// The receiver may have got it.
pub(super) fn lost(what: &str, why: &str, is_timeout: bool, is_reading: bool) -> ToolError {
    let code = if is_timeout { "timeout" } else { "connection_lost" };
    let so = if is_reading {
        "it only reads, so nothing was changed"
    } else {
        "whether the receiver acted on it is unknown"
    };
    let message = format!("{what}: the answer was lost: {why}; {so}");
    ToolError::Unknown {
        code,
        message,
        retry_after: None,
    }
}

/// The chain of causes in one line, without the URL, which may hold secrets.
pub(super) fn causes(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut next: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(cause) = next {
        words.push(cause.to_string());
        next = cause.source();
    }
    if words.is_empty() {
        let kind = if error.is_timeout() {
            "it took too long"
        } else {
            "it failed"
        };
        words.push(kind.to_owned());
    }
    words.dedup();
    words.join(": ")
}
