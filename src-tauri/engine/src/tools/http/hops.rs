//! Redirects, walked by hand: each hop needs a grant of its own, and credentials stay with their origin.

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Response, Url};

use super::outcome::{self, Asked, shown};
use super::request::Request;
use super::{addresses, send};
use crate::model::Json;
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
    /// A receiver has taken the request and sent us on for the answer: it must not be made again.
    has_acted: bool,
}

impl<'a> Hops<'a> {
    pub(super) fn new(request: Request, cx: &'a CallContext) -> Self {
        Self {
            request,
            cx,
            has_acted: false,
        }
    }

    pub(super) async fn walk(mut self) -> Result<Json, ToolError> {
        for _ in 0..=MOST_HOPS {
            let response = match self.hop().await {
                Ok(response) => response,
                Err(error) => return Err(self.told(error)),
            };
            let status = response.status().as_u16();
            self.has_acted |= asks_for_answer(status, &self.request.method) && !self.request.is_reading();
            match self.next_url(&response)? {
                Some(next) => self.turn(next, status)?,
                None => {
                    let asked = if self.has_acted || !self.request.is_reading() {
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

    /// Once a receiver has acted, no failure on the way to its answer is harmless.
    fn told(&self, error: ToolError) -> ToolError {
        if !self.has_acted {
            return error;
        }
        let after = "the request had been taken before that, and must not be made again blindly";
        match error {
            ToolError::Transient { code, message, .. } => ToolError::Unknown {
                code,
                message: format!("{message}; {after}"),
                retry_after: None,
            },
            ToolError::NotGranted { needs } => {
                let hosts: Vec<&str> = needs.iter().map(|n| n.resource.as_str()).collect();
                let message = format!("sent on to {}, which is not granted; {after}", hosts.join(", "));
                ToolError::Unknown {
                    code: "redirect_not_granted",
                    message,
                    retry_after: None,
                }
            }
            ToolError::Permanent { code, message } => ToolError::Unknown {
                code,
                message: format!("{message}; {after}"),
                retry_after: None,
            },
            other @ (ToolError::Unknown { .. } | ToolError::Cancelled) => other,
        }
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
