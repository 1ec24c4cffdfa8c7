//! Base addresses as people type them, made into one form. It must not connect anywhere.

use url::Url;

use super::Kind;
use crate::llm::wire::{self, is_loopback};

/// Why a text is no base address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error(transparent)]
    Wire(#[from] wire::BadAddress),
    #[error(
        "The address of a model server has no name or password in it; keys go into the keychain or the environment."
    )]
    Secret,
    #[error("The address of a model server ends before any `?` or `#`.")]
    Query,
    #[error("The address is longer than any.")]
    TooLong,
}

/// Longer ones are no addresses.
const LONGEST: usize = 2000;

/// The address without a slash at its end; the scheme may be left out.
pub fn read(typed: &str, kind: Kind) -> Result<Url, BadAddress> {
    if typed.len() > LONGEST {
        return Err(BadAddress::TooLong);
    }
    // Looked at first, so that no message shows what may be a secret.
    let authority = typed.split_once("://").map_or(typed, |(_, rest)| rest);
    if authority.split('/').next().is_some_and(|host| host.contains('@')) {
        return Err(BadAddress::Secret);
    }
    if typed.contains(['?', '#']) {
        return Err(BadAddress::Query);
    }
    let mut url = wire::base_url(typed)?;
    // Its own wire lies beside the one that it lends from OpenAI.
    if kind == Kind::Ollama
        && let Some(path) = url.path().strip_suffix("/v1").map(str::to_owned)
    {
        url.set_path(&path);
    }
    Ok(url)
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
        for wrong in [
            "",
            "ftp://a",
            "http://",
            "0.0.0.0:11434",
            "http://[::]:1",
            "file:///etc/passwd",
        ] {
            assert!(matches!(refused(wrong), BadAddress::Wire(_)), "{wrong}");
        }
        assert_eq!(refused(&"a".repeat(3000)), BadAddress::TooLong);
        for secret in [
            "https://me:canary@a.example",
            "me:canary@a.example/v1",
            "me:canary@",
            "ht!tp://me:canary@",
        ] {
            assert_eq!(refused(secret), BadAddress::Secret);
        }
        assert_eq!(refused("https://a.example/v1?key=canary"), BadAddress::Query);
    }

    #[test]
    fn loopback_is_one_place_in_every_dress() {
        let same = |a: &str, b: &str| is_same(&Url::parse(a).unwrap(), &Url::parse(b).unwrap());
        assert!(same("http://localhost:8080/v1", "http://[::1]:8080"));
        assert!(!same("http://localhost:8080", "http://localhost:8081"));
        assert!(!same("http://localhost:8080", "http://10.0.0.1:8080"));
    }
}
