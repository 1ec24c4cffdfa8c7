//! Where a provider is reached: the address as a person types it, and the endpoint behind it. It must not send anything.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Ends of addresses that people copy along.
const ENDPOINTS: &[&str] = &[
    "/chat/completions",
    "/completions",
    "/responses",
    "/messages",
    "/api/chat",
    "/api/generate",
    "/models",
];

/// Why a text is no address of a model server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error("`{0}` is no address of a model server; write one such as http://localhost:11434.")]
    Shape(String),
    #[error("`{0}` is what a server listens on, not where it is reached; write 127.0.0.1 in its place.")]
    Listening(String),
    #[error("The address of a model server begins with http:// or https://, not with {0}://.")]
    Scheme(String),
}

/// Reads an address with or without its scheme, with or without what comes behind the provider's own part.
pub fn base_url(typed: &str) -> Result<Url, BadAddress> {
    let text = typed.trim();
    let bad = || BadAddress::Shape(text.chars().take(200).collect());
    let url = if text.contains("://") {
        Url::parse(text)
    } else {
        // A machine nearby hardly ever has a certificate, one far away always has.
        let near = Url::parse(&format!("http://{text}")).map_err(|_| bad())?;
        let is_near = is_loopback(&near) || is_private(&near);
        Url::parse(&format!("{}://{text}", if is_near { "http" } else { "https" }))
    };
    let mut url = url.map_err(|_| bad())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BadAddress::Scheme(url.scheme().to_owned()));
    }
    if is_unspecified(&url) {
        return Err(BadAddress::Listening(text.to_owned()));
    }
    url.host().ok_or_else(bad)?;
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/');
    let path = ENDPOINTS
        .iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path);
    let path = path.trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// `path`, which may have a query, behind the base address. A base without a path gets `root`; a version that stands in
/// both stands there once, and Ollama's own interface lies beside its `/v1`.
pub(super) fn endpoint(base: &Url, root: &str, path: &str) -> Url {
    let (path, query) = path
        .split_once('?')
        .map_or((path, None), |(path, query)| (path, Some(query)));
    let given = base.path().trim_end_matches('/');
    let mut lead = if given.is_empty() { root } else { given };
    let first = path.split('/').nth(1).unwrap_or_default();
    let is_first = |lead: &str| !first.is_empty() && lead.rsplit('/').next() == Some(first);
    if is_first(lead) || (first == "api" && lead.ends_with("/v1")) {
        lead = lead.rsplit_once('/').map_or("", |(before, _)| before);
    }
    let mut url = base.clone();
    url.set_path(&format!("{lead}{path}"));
    url.set_query(query);
    url
}

/// This machine itself.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_local_name(name),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.to_canonical().is_loopback(),
        None => false,
    }
}

/// `localhost` and all below it (RFC 6761, 6.3).
pub(super) fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// In the person's own network, as far as the name or address tells.
pub(super) fn is_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let ends = [".local", ".lan", ".internal", ".home.arpa", ".test"];
            !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
        }
        Some(Host::Ipv4(ip)) => is_private_ip(ip),
        Some(Host::Ipv6(ip)) => match ip.to_canonical() {
            IpAddr::V4(ip) => is_private_ip(ip),
            IpAddr::V6(ip) => ip.is_unique_local() || ip.is_unicast_link_local(),
        },
        None => false,
    }
}

fn is_private_ip(ip: Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    ip.is_private() || ip.is_link_local() || (a == 100 && (64..128).contains(&b))
}

fn is_unspecified(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => ip == Ipv6Addr::UNSPECIFIED,
        Some(Host::Domain(_)) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (typed, base) in [
            ("localhost:11434", "http://localhost:11434/"),
            (" http://localhost:11434/v1/ ", "http://localhost:11434/v1"),
            ("192.168.1.5:8000", "http://192.168.1.5:8000/"),
            ("gpu-box:8000/v1", "http://gpu-box:8000/v1"),
            ("api.deepseek.com", "https://api.deepseek.com/"),
            (
                "https://api.example.com/v1/chat/completions",
                "https://api.example.com/v1",
            ),
            ("http://[::1]:11434", "http://[::1]:11434/"),
        ] {
            assert_eq!(base_url(typed).unwrap().as_str(), base, "{typed}");
        }
        for typed in [
            "",
            "http://",
            "ftp://x",
            "0.0.0.0:11434",
            "http://[::]:1",
            "a b",
            "file:///x",
            "x:y:z",
        ] {
            assert!(base_url(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn every_base_leads_to_the_same_endpoint() {
        for (base, root, path, url) in [
            (
                "http://h:1",
                "/v1",
                "/chat/completions",
                "http://h:1/v1/chat/completions",
            ),
            (
                "http://h:1/v1",
                "/v1",
                "/chat/completions",
                "http://h:1/v1/chat/completions",
            ),
            (
                "https://h/api/v1",
                "/v1",
                "/chat/completions",
                "https://h/api/v1/chat/completions",
            ),
            (
                "https://h/v4",
                "/v1",
                "/chat/completions",
                "https://h/v4/chat/completions",
            ),
            ("https://h", "", "/v1/messages", "https://h/v1/messages"),
            ("https://h/v1", "", "/v1/messages", "https://h/v1/messages"),
            ("https://h/x/v1/", "", "/v1/messages", "https://h/x/v1/messages"),
            ("http://h:1/v1", "", "/api/chat", "http://h:1/api/chat"),
            ("http://h:1/api", "", "/api/chat", "http://h:1/api/chat"),
            (
                "https://h/v1beta",
                "",
                "/v1beta/models/m:go?alt=sse",
                "https://h/v1beta/models/m:go?alt=sse",
            ),
        ] {
            let base = Url::parse(base).unwrap();
            assert_eq!(endpoint(&base, root, path).as_str(), url);
        }
    }

    #[test]
    fn this_machine_is_known_in_every_spelling() {
        let is = |text: &str| is_loopback(&Url::parse(text).unwrap());
        for here in [
            "http://localhost",
            "http://LOCALHOST.",
            "http://a.localhost",
            "http://127.9.9.9",
            "http://[::1]",
            "http://[::ffff:127.0.0.1]",
            "http://2130706433",
        ] {
            assert!(is(here), "{here}");
        }
        for elsewhere in ["http://localhost.example.com", "http://10.0.0.1", "http://[::2]"] {
            assert!(!is(elsewhere), "{elsewhere}");
        }
    }
}
