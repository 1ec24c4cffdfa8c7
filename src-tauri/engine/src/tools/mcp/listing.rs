//! All pages of a server's list of tools, with an end to it. It must not know what a tool is good for.

use std::collections::HashSet;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};

use super::clean;
use super::definition::Definition;
use super::lines::{LONGEST_LINE, is_too_long};
use crate::model::Json;
use crate::model::counted;
use crate::model::redactor::Redactor;

/// Pages that are asked for, and tools that are taken.
const MOST_PAGES: usize = 64;
const MOST_TOOLS: usize = 2000;
/// Bytes of a cursor.
const MOST_CURSOR: usize = 16 << 10;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Listing {
    pub tools: Vec<Definition>,
    pub warnings: Vec<String>,
    pub pages: usize,
}

/// Reads the list, within this time, without the secrets that the server was given: it goes to models and is kept. What
/// was read before a page failed is kept, with a warning; where not even the first comes there is no list.
pub(super) async fn list(
    peer: &Peer<RoleClient>,
    patience: Duration,
    veil: &Redactor,
) -> Result<Listing, String> {
    let mut listing = Listing::default();
    let reading = pages(peer, veil, &mut listing);
    match tokio::time::timeout(patience, reading).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) if listing.pages == 0 => return Err(error),
        Ok(Err(error)) => listing.warn(format!("the list of tools is cut short: {error}")),
        Err(_) if listing.pages == 0 => return Err("it does not list its tools in time".to_owned()),
        Err(_) => listing.warn("the list of tools took too long and is cut short".to_owned()),
    }
    listing.mark_twins();
    Ok(listing)
}

async fn pages(peer: &Peer<RoleClient>, veil: &Redactor, listing: &mut Listing) -> Result<(), String> {
    let mut cursor: Option<String> = None;
    let mut seen = HashSet::new();
    loop {
        let page = page(peer, cursor.clone())
            .await
            .map_err(|error| veil.text(&error))?;
        let next = page.get("nextCursor").and_then(Json::as_str).map(str::to_owned);
        listing.take(&veil.value(page))?;
        listing.pages += 1;
        let Some(next) = next else { return Ok(()) };
        if next.len() > MOST_CURSOR || !seen.insert(next.clone()) {
            listing.warn("its list of tools leads back to a page that was read; it ends there".to_owned());
            return Ok(());
        }
        if listing.pages == MOST_PAGES || listing.tools.len() >= MOST_TOOLS {
            listing.warn(format!(
                "its list of tools does not end; {} of it can be used",
                counted(listing.tools.len(), "tool")
            ));
            return Ok(());
        }
        cursor = Some(next);
    }
}

async fn page(peer: &Peer<RoleClient>, cursor: Option<String>) -> Result<Json, String> {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request = ListToolsRequest {
        method: Default::default(),
        params,
        extensions: Default::default(),
    };
    let request = ClientRequest::ListToolsRequest(request);
    let told = |error: ServiceError| match error.to_string() {
        said if is_too_long(&said) => {
            format!(
                "it answered with a list of tools of more than {} MiB",
                LONGEST_LINE >> 20
            )
        }
        said => clean::line(&said, 300),
    };
    let handle: RequestHandle<RoleClient> = peer
        .send_request_with_option(request, PeerRequestOptions::no_options())
        .await
        .map_err(told)?;
    json_of(handle.await_response().await.map_err(told)?).ok_or_else(|| "the answer can't be read".to_owned())
}

/// The answer as it came, or as the library read it.
pub(super) fn json_of(result: ServerResult) -> Option<Json> {
    if let ServerResult::CustomResult(raw) = result {
        return Some(raw.0);
    }
    serde_json::to_value(&result).ok()
}

impl Listing {
    fn take(&mut self, page: &Json) -> Result<(), String> {
        let tools = page
            .get("tools")
            .and_then(Json::as_array)
            .ok_or("a page without `tools`")?;
        for raw in tools.iter().take(MOST_TOOLS - self.tools.len().min(MOST_TOOLS)) {
            match Definition::read(raw) {
                // Seen twice is kept once; what differs is told apart below.
                Some(tool) if self.tools.contains(&tool) => {}
                Some(tool) => self.tools.push(tool),
                None => self.warn("a tool without a name was left out".to_owned()),
            }
        }
        Ok(())
    }

    /// Of two tools of one name nobody knows which one a call reaches: neither can be used.
    fn mark_twins(&mut self) {
        let mut names = HashSet::new();
        let twins: HashSet<String> = self
            .tools
            .iter()
            .filter(|tool| !names.insert(tool.name.clone()))
            .map(|tool| tool.name.clone())
            .collect();
        for name in twins {
            let mut is_first = true;
            self.tools
                .retain(|tool| tool.name != name || std::mem::take(&mut is_first));
            for tool in self.tools.iter_mut().filter(|tool| tool.name == name) {
                tool.refuse("it is listed twice with different definitions");
            }
        }
    }

    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) && self.warnings.len() < 20 {
            self.warnings.push(warning);
        }
    }
}
