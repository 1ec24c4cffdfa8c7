//! A run's trace to an endpoint that a person has named: OTLP over HTTP, as JSON. Bounded in time; no redirect is followed, so
//! that it goes where the person said and nowhere else; tried again only where the protocol allows it.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use serde_json::Value;
use url::{Host, Url};

use super::{Engine, Error};
use crate::history::otlp::{self, Contents};
use crate::model::{RunId, counted};

/// For one request, and for all of them with what is waited for between.
const ONE: Duration = Duration::from_secs(15);
const ALL: Duration = Duration::from_secs(120);
const CONNECT: Duration = Duration::from_secs(5);
const TRIES: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Of an answer, so much is read.
const ANSWER: usize = 64 * 1024;

/// Where a trace goes.
#[derive(Clone, Debug)]
pub struct Endpoint {
    url: Url,
    headers: HeaderMap,
}

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub spans: usize,
    pub trace: String,
    pub to: String,
    /// Spans that the receiver did not take, and what it said of that.
    pub rejected: u64,
    pub said: Option<String>,
}

impl Endpoint {
    /// An address without a path gets the usual one, `/v1/traces`.
    pub fn parse(text: &str, headers: &HashMap<String, String>) -> Result<Self, Error> {
        let refused = |what: &str| {
            Error::invalid(
                "bad_endpoint",
                format!("`{}` {what}. Nothing was sent.", public(text)),
            )
        };
        let mut url = Url::parse(text).map_err(|e| refused(&format!("is no address ({e})")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(refused("is no address of http or https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused(
                "holds a name or password; set OTEL_EXPORTER_OTLP_HEADERS instead",
            ));
        }
        if url.path() == "/" {
            url.set_path("/v1/traces");
        }
        url.set_fragment(None);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name
                .parse()
                .map_err(|_| refused("can't be sent with such a header"))?;
            let mut value: HeaderValue = value
                .parse()
                .map_err(|_| refused("can't be sent with such a header"))?;
            value.set_sensitive(true);
            map.insert(name, value);
        }
        Ok(Self { url, headers: map })
    }

    /// As it may be shown: without what may be a key.
    pub fn shown(&self) -> String {
        let mut shown = self.url.clone();
        shown.set_query(None);
        shown.to_string()
    }

    /// Whoever is on the way can read what goes there.
    pub fn is_open(&self) -> bool {
        self.url.scheme() == "http" && !self.is_local()
    }

    fn is_local(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    fn client(&self) -> reqwest::Result<reqwest::Client> {
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(CONNECT)
            .timeout(ONE)
            .default_headers(self.headers.clone())
            .user_agent(concat!("Planloom/", env!("CARGO_PKG_VERSION")));
        if self.is_local() {
            builder.no_proxy()
        } else {
            builder
        }
        .build()
    }
}

/// An address as it may be repeated: neither a name and password before the host, nor what is asked behind it.
fn public(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://{place}"),
        (None, Some((_, place))) => place.to_owned(),
        (_, None) => text.to_owned(),
    }
}

impl Engine {
    /// Sends the run's trace. What has arrived before a failure is there; the ids are the same the next time.
    pub async fn send_trace(&self, run: &RunId, contents: Contents, to: &Endpoint) -> Result<Sent, Error> {
        let traced = self.traced(run, contents).await?;
        let client = to.client().map_err(|e| failed(to, 0, &e))?;
        let mut sent = Sent {
            spans: 0,
            trace: traced.trace,
            to: to.shown(),
            rejected: 0,
            said: None,
        };
        let sending = async {
            for spans in traced.spans.chunks(otlp::BATCH) {
                let body = otlp::batch(spans, env!("CARGO_PKG_VERSION")).to_string();
                let answer = post(&client, to, &body)
                    .await
                    .map_err(|e| failed(to, sent.spans, &e))?;
                sent.spans += spans.len();
                note_partial(&mut sent, &answer);
            }
            Ok::<(), Error>(())
        };
        let done = tokio::time::timeout(ALL, sending).await;
        done.map_err(|_| failed(to, 0, &format!("it took more than {} s", ALL.as_secs())))??;
        Ok(sent)
    }
}

/// Sends one batch, again where the protocol allows it: 429, 502, 503, 504, and where no connection came about.
async fn post(client: &reqwest::Client, to: &Endpoint, body: &str) -> Result<String, String> {
    let mut wait = FIRST_WAIT;
    for nth in 1..=TRIES {
        let request = client
            .post(to.url.clone())
            .header("content-type", "application/json")
            .body(body.to_owned());
        let (why, asked) = match request.send().await {
            Ok(answer) if answer.status().is_success() => return read(answer).await,
            Ok(answer) => {
                let status = answer.status();
                let asked = answer
                    .headers()
                    .get(RETRY_AFTER)
                    .and_then(|v| v.to_str().ok()?.parse().ok());
                let told = read(answer).await.unwrap_or_default();
                let why = refusal(status, &told);
                if !may_again(status) {
                    return Err(why);
                }
                (why, asked.map(Duration::from_secs))
            }
            Err(error) if error.is_connect() => {
                (format!("no connection came about ({})", inmost(&error)), None)
            }
            Err(error) => return Err(inmost(&error)),
        };
        if nth == TRIES {
            return Err(format!("{why}, {TRIES} times"));
        }
        // Somebody who wants more time than there is gets no second try.
        tokio::time::sleep(asked.unwrap_or(wait).min(ALL)).await;
        wait *= 2;
    }
    Err("it was not sent".to_owned())
}

fn may_again(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

fn refusal(status: StatusCode, told: &str) -> String {
    if status.is_redirection() {
        return format!(
            "it sends elsewhere (HTTP {}), which is not followed",
            status.as_u16()
        );
    }
    let words = serde_json::from_str::<Value>(told).ok();
    let words = words
        .as_ref()
        .and_then(|told| told.get("message")?.as_str())
        .unwrap_or_default();
    let words = crate::model::title::cut_at(&crate::model::picture::plain(words), 300);
    if words.is_empty() {
        return format!("HTTP {}", status.as_u16());
    }
    format!("HTTP {}: {words}", status.as_u16())
}

async fn read(mut answer: reqwest::Response) -> Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|e| inmost(&e))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ANSWER {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn note_partial(sent: &mut Sent, answer: &str) {
    let Ok(answer) = serde_json::from_str::<Value>(answer) else {
        return;
    };
    let Some(partial) = answer.get("partialSuccess") else {
        return;
    };
    let rejected = partial.get("rejectedSpans");
    // 64 bit numbers are texts in OTLP's JSON; some receivers write numbers all the same.
    let count = rejected.and_then(|n| n.as_u64().or_else(|| n.as_str()?.parse().ok()));
    sent.rejected += count.unwrap_or_default();
    let said = partial
        .get("errorMessage")
        .and_then(Value::as_str)
        .filter(|said| !said.is_empty());
    if let Some(said) = said {
        sent.said = Some(crate::model::title::cut_at(
            &crate::model::picture::plain(said),
            300,
        ));
    }
}

/// The last of the reasons: those before only say that something was sent.
fn inmost(error: &reqwest::Error) -> String {
    let mut at: &dyn std::error::Error = error;
    while let Some(inner) = at.source() {
        at = inner;
    }
    if error.is_timeout() {
        return format!("no answer in {} s", ONE.as_secs());
    }
    at.to_string()
}

fn failed(to: &Endpoint, sent: usize, why: &dyn std::fmt::Display) -> Error {
    let arrived = if sent == 0 {
        "Nothing has arrived for certain".to_owned()
    } else {
        format!("{} have arrived", counted(sent as u64, "span"))
    };
    Error::Store {
        code: "endpoint",
        message: format!(
            "the trace was not sent to {}: {why}. {arrived}; sending it again gives the same trace. The run is as it was.",
            to.shown()
        ),
    }
}
