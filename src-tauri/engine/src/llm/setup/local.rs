//! Finds servers of models on this machine by themselves: where each kind listens, on both loopback addresses, all at
//! once. It must not know any key, nor what the models are for.

use url::Url;

use super::listing::{self, Answers, Listed};
use super::settings::Discover;
use super::{Kind, address, look};
use crate::llm::wire;

/// A server that answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    pub kind: Kind,
    /// With what its wire puts behind it.
    pub base_url: Url,
    pub models: Vec<Listed>,
}

/// All servers of this machine, in the order in which they are looked for, each once.
pub async fn discover(places: Vec<Url>) -> Vec<Server> {
    let mut looking = tokio::task::JoinSet::new();
    for (ix, place) in places.into_iter().enumerate() {
        looking.spawn(async move { (ix, server_at(&place).await) });
    }
    let mut found = Vec::new();
    while let Some(looked) = looking.join_next().await {
        if let Ok((ix, Some(server))) = looked {
            found.push((ix, server));
        }
    }
    found.sort_by_key(|(ix, _)| *ix);
    let mut servers: Vec<Server> = Vec::new();
    for (_, server) in found {
        let is_known = |known: &Server| address::is_same(&known.base_url, &server.base_url);
        if !servers.iter().any(is_known) {
            servers.push(server);
        }
    }
    servers
}

/// Roots of servers to look at: both families where a kind listens by default, and where Ollama was told to listen.
pub fn places(where_to: &Discover, ollama_host: Option<&str>) -> Vec<Url> {
    match where_to {
        Discover::Nowhere => Vec::new(),
        Discover::At(urls) => urls.clone(),
        Discover::Usual => {
            let ports = Kind::ALL.into_iter().filter_map(Kind::port);
            let texts =
                ports.flat_map(|port| ["127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}")));
            let usual = texts.filter_map(|text| Url::parse(&text).ok());
            ollama_host
                .and_then(told_ollama)
                .into_iter()
                .chain(usual)
                .collect()
        }
    }
}

/// `OLLAMA_HOST` tells the server where to listen, so that it may be every address of this machine.
fn told_ollama(host: &str) -> Option<Url> {
    let here = host.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]");
    let mut url = address::read(&here, Kind::Ollama).ok()?;
    if url.port().is_none() {
        url.set_port(Kind::Ollama.port()).ok()?;
    }
    wire::is_loopback(&url).then_some(url)
}

/// What answers at this address, if it is a server of models. Its base address is given as its wire wants it.
pub async fn server_at(place: &Url) -> Option<Server> {
    let (models, props, studio, tags, version) = tokio::join!(
        look::get(place, "/v1/models"),
        look::get(place, "/props"),
        look::get(place, "/api/v0/models"),
        look::get(place, "/api/tags"),
        look::get(place, "/version"),
    );
    let answers = Answers {
        models,
        props,
        studio,
        tags,
        version,
    };
    let (kind, models) = listing::tell(&answers)?;
    let mut base_url = place.clone();
    base_url.set_path(kind.local_path());
    Some(Server {
        kind,
        base_url,
        models,
    })
}

/// What a server on this machine said that somebody has named; `None`: nobody answers there. It may have no list, or
/// show it to nobody without a key.
pub async fn named_at(base: &Url) -> Option<Option<Vec<Listed>>> {
    let (server, behind) = tokio::join!(server_at(base), look::behind(base, "models"));
    if let Some(server) = server {
        return Some(Some(server.models));
    }
    let answers = Answers {
        models: behind?,
        ..Answers::default()
    };
    Some(listing::tell(&answers).map(|(_, models)| models))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_looked_for_on_both_families() {
        let texts = |host: Option<&str>| -> Vec<String> {
            places(&Discover::Usual, host).iter().map(address::text).collect()
        };
        let usual = texts(None);
        assert_eq!(usual.len(), 8);
        for place in [
            "http://127.0.0.1:11434",
            "http://[::1]:11434",
            "http://[::1]:8000",
            "http://127.0.0.1:1234",
        ] {
            assert!(usual.iter().any(|text| text == place), "{place}: {usual:?}");
        }
        for (host, place) in [
            ("0.0.0.0:12000", "http://127.0.0.1:12000"),
            ("127.0.0.1", "http://127.0.0.1:11434"),
            ("[::]:9", "http://[::1]:9"),
        ] {
            assert_eq!(texts(Some(host))[0], place);
        }
        assert_eq!(texts(Some("gpu.example:11434")), usual);
        assert!(places(&Discover::Nowhere, Some("127.0.0.1")).is_empty());
    }
}
