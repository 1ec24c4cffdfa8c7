//! Base addresses as people type them, made into one form. It must not connect anywhere.

use url::{Host, Url};

use super::Kind;

/// Why a text is no base address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error("`{0}` is not an address such as http://127.0.0.1:11434")]
    Shape(String),
    #[error("`{0}` is where a server listens, not where it is reached; use 127.0.0.1")]
    Listening(String),
    #[error("the address has a name or a password in it; keys go into the keychain or the environment")]
    Secret,
    #[error("the address has a query or a fragment; only what stands before `?` belongs to a base address")]
    Query,
}

/// Longer ones are no addresses.
const LONGEST: usize = 2000;

/// The address without a slash at its end; `http` for loopback and `https` elsewhere where no scheme was typed.
pub fn read(typed: &str, kind: Kind) -> Result<Url, BadAddress> {
    let text = typed.trim();
    let shown = || text.chars().take(100).collect::<String>();
    if text.is_empty() || text.len() > LONGEST {
        return Err(BadAddress::Shape(shown()));
    }
    let mut url = parse(text).ok_or_else(|| BadAddress::Shape(shown()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BadAddress::Secret);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(BadAddress::Query);
    }
    if is_listening(&url) {
        return Err(BadAddress::Listening(shown()));
    }
    let path = url.path().trim_end_matches('/');
    // Its own wire lies beside the one that it lends from OpenAI.
    let path = if kind == Kind::Ollama {
        path.strip_suffix("/v1").unwrap_or(path)
    } else {
        path
    };
    let path = path.to_owned();
    url.set_path(&path);
    Ok(url)
}

fn parse(text: &str) -> Option<Url> {
    if text.contains("://") {
        let url = Url::parse(text).ok()?;
        return (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url);
    }
    let plain = Url::parse(&format!("http://{text}")).ok()?;
    if is_loopback(&plain) || is_listening(&plain) {
        return Some(plain);
    }
    Url::parse(&format!("https://{text}")).ok()
}

fn is_listening(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => ip.is_unspecified(),
        Some(Host::Domain(_)) | None => false,
    }
}

/// Whether it leads to this very machine: such a way passes no proxy, and what runs there costs nothing.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback()),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// The address as text, without the slash that an empty path is shown with.
pub fn text(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

/// Whether both lead to the same place, written one way or the other.
pub fn is_same(one: &Url, other: &Url) -> bool {
    let place = |url: &Url| {
        let host = if is_loopback(url) {
            "loopback".to_owned()
        } else {
            url.host_str().unwrap_or_default().to_owned()
        };
        (host, url.port_or_known_default())
    };
    place(one) == place(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_leads_to_the_same_place() {
        for (typed, kind, want) in [
            ("http://localhost:11434", Kind::Ollama, "http://localhost:11434"),
            ("localhost:11434", Kind::Ollama, "http://localhost:11434"),
            ("http://localhost:11434/", Kind::Ollama, "http://localhost:11434"),
            (
                "http://localhost:11434/v1/",
                Kind::Vllm,
                "http://localhost:11434/v1",
            ),
            (
                "http://localhost:11434/v1/",
                Kind::Ollama,
                "http://localhost:11434",
            ),
            ("http://[::1]:11434", Kind::Ollama, "http://[::1]:11434"),
            ("https://localhost:11434", Kind::Ollama, "https://localhost:11434"),
            (
                "api.example.com/v1",
                Kind::OpenaiCompatible,
                "https://api.example.com/v1",
            ),
        ] {
            assert_eq!(text(&read(typed, kind).unwrap()), want, "{typed}");
        }
    }

    #[test]
    fn what_is_no_base_address_is_told_without_secrets() {
        let refused = |typed: &str| read(typed, Kind::OpenaiCompatible).unwrap_err();
        assert!(matches!(refused("0.0.0.0:11434"), BadAddress::Listening(_)));
        assert!(matches!(refused("http://[::]:1"), BadAddress::Listening(_)));
        for wrong in ["", "ftp://a", "file:///etc/passwd", "http://", &"a".repeat(3000)] {
            assert!(matches!(refused(wrong), BadAddress::Shape(_)), "{wrong}");
        }
        assert_eq!(refused("https://me:canary@a.example"), BadAddress::Secret);
        assert_eq!(refused("https://a.example/v1?key=canary"), BadAddress::Query);
        assert!(
            !refused("https://me:canary@a.example")
                .to_string()
                .contains("canary")
        );
    }

    #[test]
    fn loopback_is_known_in_every_dress() {
        let is = |typed: &str| is_loopback(&Url::parse(typed).unwrap());
        for here in [
            "http://localhost",
            "http://127.3.0.1",
            "http://[::1]:8",
            "http://[::ffff:127.0.0.1]",
        ] {
            assert!(is(here), "{here}");
        }
        for far in [
            "http://10.0.0.1",
            "https://localhost.example.com",
            "http://[fe80::1]",
        ] {
            assert!(!is(far), "{far}");
        }
        let same = |a: &str, b: &str| is_same(&Url::parse(a).unwrap(), &Url::parse(b).unwrap());
        assert!(same("http://localhost:8080/v1", "http://[::1]:8080"));
        assert!(!same("http://localhost:8080", "http://localhost:8081"));
    }
}
