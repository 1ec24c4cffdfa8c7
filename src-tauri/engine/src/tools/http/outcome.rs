//! From a response to a result or a typed error (rule 4 of the design). HTTP 200 with a lost body is no success.

use std::borrow::Cow;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderMap, SET_COOKIE};
use reqwest::{Response, Url};
use serde_json::json;

use super::request::Request;
use super::send::{causes, lost};
use crate::model::Json;
use crate::model::retry_after::retry_after;
use crate::tools::ToolError;
use crate::tools::decode::decode;

const LARGEST: usize = 32 << 20;
/// Of an answer that refuses.
const LARGEST_REFUSAL: usize = 1 << 20;
/// Of a body that is longer than what is taken in, if the request has done something.
const KEPT_OF_CUT: usize = 64 << 10;
/// How long that is waited for.
const FOR_BEGINNING: Duration = Duration::from_secs(5);
/// Characters of a body, and of each header, that an error tells.
const TOLD_BODY: usize = 2000;
const TOLD_HEADER: usize = 200;

/// Words by which a 429 says that waiting does not help.
const QUOTA: &[&str] = &[
    "insufficient_quota",
    "credit_balance_exhausted",
    "spend_limit_exceeded",
    "spend_limit_reached",
    "usage_limit_exceeded",
    "quota_exceeded",
    "billing_hard_limit_reached",
];

/// What is known of the request by its answer alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing but for this answer.
    ToRead,
    /// To do something: an answer that says it was done must not be lost for its length.
    ToAct,
}

/// As much of a body as is taken in.
struct Body {
    bytes: Vec<u8>,
    is_cut: bool,
}

pub(super) async fn read(response: Response, request: &Request, asked: Asked) -> Result<Json, ToolError> {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let is_done = (200..300).contains(&status) || request.accepted.contains(&status);
    // Of what is refused, a few letters are told.
    let most = if is_done { LARGEST } else { LARGEST_REFUSAL };
    let is_head = request.method == reqwest::Method::HEAD;
    let is_long = !is_head && response.content_length().is_some_and(|n| n > most as u64);
    if is_long && is_done && asked == Asked::ToRead {
        return Err(too_large(request, status));
    }
    let body = if is_long {
        beginning_of(response).await
    } else {
        body_of(response, request, most).await?
    };
    if !is_done {
        return Err(refused(status, &headers, &body.bytes, request));
    }
    match (body.is_cut, asked) {
        (false, _) => Ok(result(status, &headers, &body.bytes)),
        (true, Asked::ToRead) => Err(too_large(request, status)),
        (true, Asked::ToAct) => Ok(cut_result(status, &headers, &body.bytes)),
    }
}

fn too_large(request: &Request, status: u16) -> ToolError {
    let what = format!("{} {}", request.method, shown(&request.url));
    let message = format!("{what} answered {status} with more than {} MiB", LARGEST >> 20);
    ToolError::permanent("too_large", message)
}

/// The URL for messages: without the query, which may hold secrets.
pub(super) fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

async fn body_of(mut response: Response, request: &Request, most: usize) -> Result<Body, ToolError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|e| cut_off(&response, request, &e))?
    {
        if bytes.len() + chunk.len() > most {
            bytes.extend_from_slice(&chunk[..most - bytes.len()]);
            return Ok(Body { bytes, is_cut: true });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Body { bytes, is_cut: false })
}

/// What comes soon of a body that is announced to be too long. It is not needed, so that its loss is no failure.
async fn beginning_of(mut response: Response) -> Body {
    let mut bytes = Vec::new();
    let until = tokio::time::Instant::now() + FOR_BEGINNING;
    while let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(until, response.chunk()).await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= KEPT_OF_CUT {
            break;
        }
    }
    Body { bytes, is_cut: true }
}

fn cut_off(response: &Response, request: &Request, error: &reqwest::Error) -> ToolError {
    let what = format!("{} {}", request.method, shown(&request.url));
    let why = format!("after status {}: {}", response.status().as_u16(), causes(error));
    lost(&what, &why, error.is_timeout(), request.is_reading())
}

/// Of an answer that is too long to be taken in, to a request that was carried out.
fn cut_result(status: u16, headers: &HeaderMap, beginning: &[u8]) -> Json {
    let kept = &beginning[..beginning.len().min(KEPT_OF_CUT)];
    let text = decode(kept, charset(headers)).text;
    // The last letter may be torn.
    let text = text.trim_end_matches('\u{fffd}');
    json!({ "status": status, "headers": headers_json(headers), "body": text, "body_is_cut": true })
}

fn result(status: u16, headers: &HeaderMap, body: &[u8]) -> Json {
    let mut result = json!({ "status": status, "headers": headers_json(headers) });
    let decoded = decode(body, charset(headers));
    if !decoded.is_whole {
        result["body_base64"] = STANDARD.encode(body).into();
    }
    result["body"] = json_of(headers, &decoded.text).unwrap_or_else(|| decoded.text.into());
    result
}

/// As the sender names it behind the kind of the body.
fn charset(headers: &HeaderMap) -> Option<&str> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let parts = kind
        .split(';')
        .skip(1)
        .filter_map(|part| part.trim().split_once('='));
    let charset = parts
        .into_iter()
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charset.map(|(_, label)| label.trim().trim_matches('"'))
}

fn text_of<'b>(headers: &HeaderMap, body: &'b [u8]) -> Cow<'b, str> {
    decode(body, charset(headers)).text
}

fn json_of(headers: &HeaderMap, text: &str) -> Option<Json> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split(';').next()?.trim().to_ascii_lowercase();
    let is_json = kind == "application/json" || kind == "text/json" || kind.ends_with("+json");
    // What calls itself JSON and is none stays text.
    is_json.then(|| serde_json::from_str(text).ok()).flatten()
}

fn headers_json(headers: &HeaderMap) -> Json {
    let join = |name| {
        let values = headers
            .get_all(name)
            .iter()
            .map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned());
        Json::from(values.collect::<Vec<_>>().join(", "))
    };
    headers
        .keys()
        .map(|name| (name.as_str().to_owned(), join(name)))
        .collect()
}

fn refused(status: u16, headers: &HeaderMap, body: &[u8], request: &Request) -> ToolError {
    let message = message(status, headers, body, request);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let retry_after = retry_after(header, Timestamp::now());
    let is_quota = || {
        let text = text_of(headers, body).to_lowercase();
        QUOTA.iter().any(|word| text.contains(word))
    };
    match status {
        429 if is_quota() => ToolError::Permanent {
            code: "quota",
            message,
        },
        429 => ToolError::Transient {
            code: "rate_limited",
            message,
            retry_after,
        },
        408 => ToolError::Transient {
            code: "http_408",
            message,
            retry_after,
        },
        503 | 529 => ToolError::Transient {
            code: "unavailable",
            message,
            retry_after,
        },
        500..=599 => ToolError::Unknown {
            code: "server_error",
            message,
            retry_after,
        },
        401 | 403 => ToolError::Permanent {
            code: "http_denied",
            message,
        },
        404 | 410 => ToolError::Permanent {
            code: "http_not_found",
            message,
        },
        _ => ToolError::Permanent {
            code: "http_status",
            message,
        },
    }
}

fn message(status: u16, headers: &HeaderMap, body: &[u8], request: &Request) -> String {
    let mut message = format!("{} {} answered {status}", request.method, shown(&request.url));
    for (name, value) in headers.iter().filter(|(name, _)| *name != SET_COOKIE).take(40) {
        let value = cut(&String::from_utf8_lossy(value.as_bytes()), TOLD_HEADER);
        message.push_str(&format!("\n{name}: {value}"));
    }
    let text = text_of(headers, &body[..body.len().min(TOLD_BODY * 4)]).into_owned();
    if !text.is_empty() {
        message.push_str("\n\n");
        message.push_str(&cut(&text, TOLD_BODY));
    }
    message
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
