//! Redirects, walked by hand: each hop needs a grant of its own, and credentials stay with their origin.

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Response, Url};

use super::outcome::{self, Asked, shown};
use super::request::Request;
use super::{addresses, send};
use crate::model::Json;
use crate::model::grants::Need;
use crate::tools::{CallContext, ToolError};

const MOST_HOPS: usize = 5;

/// Headers that say nothing about who asks; all others are dropped when the origin changes.
const IMPERSONAL: &[&str] = &[
    "accept",
    "accept-language",
    "cache-control",
    "content-language",
    "content-type",
    "idempotency-key",
    "if-modified-since",
    "if-none-match",
    "range",
    "user-agent",
];

pub(super) struct Hops<'a> {
    request: Request,
    cx: &'a CallContext,
    /// A receiver has taken the request and sent us on for the answer: it must not be made again. What was answered how:
    /// `POST http://a.example/orders was answered 303`.
    acted: Option<String>,
}

impl<'a> Hops<'a> {
    pub(super) fn new(request: Request, cx: &'a CallContext) -> Self {
        Self {
            request,
            cx,
            acted: None,
        }
    }

    pub(super) async fn walk(mut self) -> Result<Json, ToolError> {
        for _ in 0..=MOST_HOPS {
            let response = match self.hop().await {
                Ok(response) => response,
                Err(error) => return Err(self.told(error)),
            };
            let status = response.status().as_u16();
            self.note_act(status);
            match self.next_url(&response)? {
                Some(next) => self.turn(next, status)?,
                None => {
                    let asked = if self.acted.is_some() || !self.request.is_reading() {
                        Asked::ToAct
                    } else {
                        Asked::ToRead
                    };
                    let done = outcome::read(response, &self.request, asked).await;
                    return done.map_err(|e| self.told(e));
                }
            }
        }
        let message = format!(
            "more than {MOST_HOPS} redirects, the last to {}",
            shown(&self.request.url)
        );
        Err(self.told(ToolError::permanent("redirect", message)))
    }

    async fn hop(&self) -> Result<Response, ToolError> {
        let Request { url, method, .. } = &self.request;
        let need = addresses::need_of(url, method)?;
        if !self.cx.permit.covers(&need, &self.cx.place) {
            return Err(ToolError::NotGranted { needs: vec![need] });
        }
        let found = addresses::resolve(url, method, self.cx).await?;
        send::send(&self.request, &found).await
    }

    fn next_url(&self, response: &Response) -> Result<Option<Url>, ToolError> {
        let status = response.status().as_u16();
        if !matches!(status, 301 | 302 | 303 | 307 | 308) || self.request.accepted.contains(&status) {
            return Ok(None);
        }
        let Some(location) = response.headers().get(LOCATION) else {
            return Ok(None);
        };
        let next = location.to_str().ok().and_then(|l| self.request.url.join(l).ok());
        let Some(mut next) = next else {
            let message = format!(
                "{} sends on to something that is no URL",
                shown(&self.request.url)
            );
            return Err(self.told(ToolError::permanent("redirect", message)));
        };
        next.set_fragment(None);
        Ok(Some(next))
    }

    /// What the next hop sends (RFC 9110, 15.4): 303, and 301 and 302 after POST, ask for the answer with GET.
    fn turn(&mut self, next: Url, status: u16) -> Result<(), ToolError> {
        let request = &mut self.request;
        if asks_for_answer(status, &request.method) {
            request.method = Method::GET;
            request.body = None;
            request.headers.remove(CONTENT_TYPE);
        }
        if request.url.origin() != next.origin() {
            // A body was meant for the receiver that was named, whatever other hosts are granted.
            if request.body.is_some() {
                let message = format!(
                    "{} sends the request on to {}, which is another receiver: it was not given what was to be sent. Name \
                     it in the plan if it should get it",
                    shown(&request.url),
                    shown(&next)
                );
                return Err(ToolError::permanent("redirect_elsewhere", message));
            }
            request.headers = impersonal(&request.headers);
        }
        request.url = next;
        Ok(())
    }

    fn note_act(&mut self, status: u16) {
        let Request { url, method, .. } = &self.request;
        if asks_for_answer(status, method) && !self.request.is_reading() {
            self.acted = Some(format!("{method} {} was answered {status}", shown(url)));
        }
    }

    /// Once a receiver has acted, no failure on the way to its answer is harmless.
    fn told(&self, error: ToolError) -> ToolError {
        let Some(acted) = &self.acted else {
            return error;
        };
        let after = format!("before that, {acted}: it was taken, and must not be made again blindly");
        match error {
            ToolError::Transient { code, message, .. } | ToolError::Permanent { code, message } => {
                ToolError::Unknown {
                    code,
                    message: format!("{message}; {after}"),
                    retry_after: None,
                }
            }
            ToolError::NotGranted { needs } => ToolError::Unknown {
                code: "redirect_not_granted",
                message: self.unfetched(acted, &needs),
                retry_after: None,
            },
            other @ (ToolError::Unknown { .. } | ToolError::Cancelled) => other,
        }
    }

    /// The receiver has answered, but only where to look: such an answer follows a deed (post, redirect, get) as well as a
    /// refusal (a page to log in). Nobody here knows which, so that a person says it.
    fn unfetched(&self, acted: &str, needs: &[Need]) -> String {
        let entries: Vec<String> = needs.iter().map(|need| format!("`{need}`")).collect();
        let hosts: Vec<String> = needs
            .iter()
            .map(|need| format!("\"{}\"", need.resource))
            .collect();
        format!(
            "{acted}, which says to fetch what came of it from {}. That was not fetched: {} is not granted. The request itself \
             was taken, and is not sent again by itself; whether it did what was asked only that page tells (it may as well be \
             one to log in). Look there before you answer. For the next run, let it be fetched: add {} to `hosts` of the plan, \
             or take the answer as it is with `accept_status`",
            shown(&self.request.url),
            entries.join(", "),
            hosts.join(", "),
        )
    }
}

/// Whether the answer to what was sent is to be fetched elsewhere.
fn asks_for_answer(status: u16, method: &Method) -> bool {
    match status {
        303 => method != Method::HEAD,
        301 | 302 => method == Method::POST,
        _ => false,
    }
}

fn impersonal(headers: &HeaderMap) -> HeaderMap {
    headers
        .iter()
        .filter(|(name, _)| IMPERSONAL.contains(&name.as_str()))
        .map(|(n, v)| (n.clone(), v.clone()))
        .collect()
}
