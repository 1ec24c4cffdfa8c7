//! What a call asks to be sent, read from its arguments.

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};

use crate::model::Json;
use crate::model::foreseen::{Fault, Foreseen};
use crate::tools::{ToolError, arguments};

#[derive(Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
    pub(super) accepted: Vec<u16>,
}

/// Set by us or by the connection; a plan that sets them would change whom it talks to, or as whom.
const OURS: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "idempotency-key",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Request {
    pub(super) fn read(arguments: &Json, method: &str) -> Result<Self, ToolError> {
        let url = arguments::text(arguments, "url")?;
        let mut url = Url::parse(url).map_err(|e| arguments::bad(format!("`url`: {e}")))?;
        url.set_fragment(None);
        add_query(&mut url, arguments)?;
        let mut request = Self {
            method: method_of(method)?,
            url,
            headers: headers_of(arguments)?,
            body: None,
            accepted: accepted_of(arguments)?,
        };
        if let Some(body) = arguments::given(arguments, "body") {
            request.take_body(body)?;
        }
        Ok(request)
    }

    pub(super) fn with_key(mut self, key: &str) -> Result<Self, ToolError> {
        let key =
            HeaderValue::from_str(key).map_err(|_| arguments::bad("the idempotency key can't be sent"))?;
        self.headers
            .insert(HeaderName::from_static("idempotency-key"), key);
        Ok(self)
    }

    pub(super) fn is_reading(&self) -> bool {
        is_reading(&self.method)
    }

    fn take_body(&mut self, body: &Json) -> Result<(), ToolError> {
        if self.is_reading() {
            return Err(arguments::bad(format!(
                "`body`: {} sends none; use `query`, or another method",
                self.method
            )));
        }
        let (bytes, kind) = match body.as_str() {
            Some(text) => (text.to_owned(), "text/plain; charset=utf-8"),
            None => (body.to_string(), "application/json"),
        };
        self.headers
            .entry(CONTENT_TYPE)
            .or_insert(HeaderValue::from_static(kind));
        self.body = Some(bytes.into_bytes());
        Ok(())
    }
}

/// What can't be sent, whatever the run will put in the holes. The address itself is judged by whoever grants it.
pub(super) fn foresee(known: &Foreseen<'_>, method: &str) -> Vec<Fault> {
    let mut arguments = known.filled(&Json::from("x"));
    if let Some(map) = arguments.as_object_mut() {
        map.insert("url".to_owned(), "http://x".into());
        if known.known("accept_status").is_none() {
            map.remove("accept_status");
        }
    }
    let wrong = Request::read(&arguments, method).err();
    wrong.as_ref().map(arguments::fault).into_iter().collect()
}

pub(super) fn is_reading(method: &Method) -> bool {
    *method == Method::GET || *method == Method::HEAD
}

fn method_of(word: &str) -> Result<Method, ToolError> {
    let bad = || arguments::bad(format!("`method`: `{word}` can't be sent"));
    if matches!(word, "CONNECT" | "TRACE") || !word.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Err(bad());
    }
    Method::from_bytes(word.as_bytes()).map_err(|_| bad())
}

fn add_query(url: &mut Url, arguments: &Json) -> Result<(), ToolError> {
    let Some(query) = arguments::given(arguments, "query") else {
        return Ok(());
    };
    let query = query
        .as_object()
        .ok_or_else(|| arguments::bad("`query` must be an object"))?;
    let mut pairs = Vec::new();
    for (name, value) in query {
        match value {
            Json::Null => {}
            Json::Array(values) => {
                for value in values {
                    pairs.push((name, plain(value, "query", name)?));
                }
            }
            Json::String(_) | Json::Number(_) | Json::Bool(_) | Json::Object(_) => {
                pairs.push((name, plain(value, "query", name)?));
            }
        }
    }
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    Ok(())
}

fn plain(value: &Json, of: &str, name: &str) -> Result<String, ToolError> {
    match value {
        Json::String(text) => Ok(text.clone()),
        Json::Number(_) | Json::Bool(_) => Ok(value.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => Err(arguments::bad(format!(
            "`{of}`: `{name}` must be text, a number, true or false"
        ))),
    }
}

fn headers_of(arguments: &Json) -> Result<HeaderMap, ToolError> {
    let mut headers = HeaderMap::new();
    let Some(given) = arguments::given(arguments, "headers") else {
        return Ok(headers);
    };
    let given = given
        .as_object()
        .ok_or_else(|| arguments::bad("`headers` must be an object"))?;
    for (name, value) in given {
        let text = plain(value, "headers", name)?;
        let known = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| arguments::bad(format!("`headers`: `{}` is no header name", name.escape_debug())))?;
        if OURS.contains(&known.as_str()) {
            return Err(arguments::bad(format!(
                "`headers`: `{name}` is set by Planloom itself"
            )));
        }
        // The value may be a secret and is not told.
        let value = HeaderValue::from_str(&text).map_err(|_| {
            arguments::bad(format!(
                "`headers`: the value of `{name}` holds characters that can't be sent"
            ))
        })?;
        if headers.insert(known, value).is_some() {
            return Err(arguments::bad(format!("`headers`: `{name}` is there twice")));
        }
    }
    Ok(headers)
}

fn accepted_of(arguments: &Json) -> Result<Vec<u16>, ToolError> {
    let bad = || arguments::bad("`accept_status` must be a list of statuses");
    let Some(given) = arguments::given(arguments, "accept_status") else {
        return Ok(Vec::new());
    };
    let status = |v: &Json| v.as_u64().and_then(|n| u16::try_from(n).ok()).ok_or_else(bad);
    given.as_array().ok_or_else(bad)?.iter().map(status).collect()
}
