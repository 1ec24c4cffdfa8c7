//! Small questions to a server on this machine: one answer of JSON, bounded in time and size, past any proxy. It must
//! not know what the answers mean, and never carries a key.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use url::Url;

use crate::llm::wire;
use crate::model::Json;
use crate::model::read::{self, Bounds};

const CONNECT: Duration = Duration::from_millis(400);
/// For one whole answer; a server that is there answers such questions at once.
const WHOLE: Duration = Duration::from_millis(1500);
const MOST_BYTES: usize = 2 << 20;
const BOUNDS: Bounds = Bounds {
    bytes: MOST_BYTES,
    depth: 32,
    values: 100_000,
    tasks: 100_000,
};

pub async fn get(base: &Url, path: &str) -> Option<Json> {
    let (client, url) = (wire::client(base, CONNECT).ok()?, beside(base, path)?);
    answer(client.get(url)).await
}

pub async fn post(base: &Url, path: &str, body: &Json) -> Option<Json> {
    let (client, url) = (wire::client(base, CONNECT).ok()?, beside(base, path)?);
    answer(client.post(url).json(body)).await
}

/// The server's own root: what a base address has as a path belongs to one wire of it.
fn beside(base: &Url, path: &str) -> Option<Url> {
    let mut url = base.clone();
    url.set_path("");
    url.join(path).ok()
}

/// The same at the base address itself, as its wire reaches it. `None`: nobody answers. Within: the JSON of a plain 200.
pub async fn behind(base: &Url, path: &str) -> Option<Option<Json>> {
    let client = wire::client(base, CONNECT).ok()?;
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    let response = client.get(url).timeout(WHOLE).send().await.ok()?;
    Some(json_of(response).await)
}

async fn answer(request: RequestBuilder) -> Option<Json> {
    json_of(request.timeout(WHOLE).send().await.ok()?).await
}

/// The JSON of a plain 200; anything else is no answer.
async fn json_of(mut response: Response) -> Option<Json> {
    if response.status() != 200 {
        return None;
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.ok()? {
        if bytes.len() + piece.len() > MOST_BYTES {
            return None;
        }
        bytes.extend_from_slice(&piece);
    }
    read::read_bytes(&bytes, &BOUNDS).ok()
}
