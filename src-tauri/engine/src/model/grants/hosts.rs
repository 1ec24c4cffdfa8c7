//! Hosts of URLs and of grant entries in one normal form, `host:port`. Looks up nothing.

use std::net::IpAddr;

use url::{Host, Url};

use super::{Need, addresses};

/// The `host:port` that a URL leads to, in the one spelling that grants are compared in: lower case, no dot at the end,
/// addresses in their usual notation (`0x7f.1` is `127.0.0.1`, `[::ffff:127.0.0.1]` too), the port always there.
pub fn host_of(url: &str) -> Result<String, String> {
    let parsed = Url::parse(url).map_err(|e| format!("`{}` is no URL: {e}", shortened(url)))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(format!("`{}` is not an http or https URL", shortened(url)));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("a URL must not hold a user name or password; send them as a header".to_owned());
    }
    let host = parsed.host().ok_or("the URL names no host")?;
    let port = parsed
        .port_or_known_default()
        .filter(|p| *p != 0)
        .ok_or("the URL's port can't be used")?;
    Ok(format!("{}:{port}", normal(&host.to_owned())?))
}

/// One entry of `hosts`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    method: Methods,
    host: String,
    /// `None` is 80 and 443.
    port: Option<u16>,
}

#[derive(Debug, PartialEq, Eq)]
enum Methods {
    Reading,
    One(String),
    Any,
}

impl Entry {
    pub(super) fn parse(entry: &str) -> Result<Self, String> {
        let words: Vec<&str> = entry.split_whitespace().collect();
        let (method, place) = match words[..] {
            [place] => (Methods::Reading, place),
            ["*", place] => (Methods::Any, place),
            [method, place] => (Methods::One(method_word(method)?), place),
            _ => {
                return Err(format!(
                    "`{}` is not `host[:port]` or `METHOD host[:port]`",
                    shortened(entry)
                ));
            }
        };
        let (host, port) = split_port(place)?;
        Ok(Self {
            method,
            host: entry_host(host)?,
            port,
        })
    }

    /// The entry as it is compared, so that what is shown is what is granted: `POST xn--bcher-kva.example:8443`.
    pub(super) fn written(&self) -> String {
        let method = match &self.method {
            Methods::Reading => String::new(),
            Methods::One(method) => format!("{method} "),
            Methods::Any => "* ".to_owned(),
        };
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        format!("{method}{}{port}", self.host)
    }

    /// For people.
    pub(super) fn methods(&self) -> String {
        match &self.method {
            Methods::Reading => "GET and HEAD only".to_owned(),
            Methods::One(one) if one == "GET" || one == "HEAD" => format!("{one} only"),
            Methods::One(one) => format!("Sends {one}"),
            Methods::Any => "Sends with any method".to_owned(),
        }
    }

    pub(super) fn is_any_method(&self) -> bool {
        self.method == Methods::Any
    }

    fn covers(&self, need: &Need) -> bool {
        let method = need.method.as_deref().unwrap_or("GET");
        let is_method = match &self.method {
            Methods::Reading => matches!(method, "GET" | "HEAD"),
            Methods::One(one) => one == method,
            Methods::Any => true,
        };
        let Some((host, port)) = need.resource.rsplit_once(':') else {
            return false;
        };
        let is_port = match self.port {
            Some(granted) => port == granted.to_string(),
            None => matches!(port, "80" | "443"),
        };
        is_method && is_port && host == self.host
    }
}

pub(super) fn entry_covers(entry: &str, need: &Need) -> bool {
    Entry::parse(entry).is_ok_and(|e| e.covers(need))
}

/// Methods of HTTP and of WebDAV, and some that caches know.
const METHODS: [&str; 20] = [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "QUERY",
    "PROPFIND",
    "PROPPATCH",
    "MKCOL",
    "COPY",
    "MOVE",
    "LOCK",
    "UNLOCK",
    "REPORT",
    "SEARCH",
    "LINK",
    "UNLINK",
    "PURGE",
];

/// An entry that can be read, but hardly says what was meant: a method without a host, or one that nobody knows.
pub(super) fn odd_method(entry: &str) -> Option<String> {
    let words: Vec<&str> = entry.split_whitespace().collect();
    match words[..] {
        [method] if METHODS.contains(&method) => Some(format!(
            "`{method}` is a method, and the host that it is sent to is missing: `{method} host[:port]`"
        )),
        [method, _] if method != "*" && !METHODS.contains(&method.to_ascii_uppercase().as_str()) => Some(
            format!("`{}` is no method of HTTP that is known", shortened(method)),
        ),
        _ => None,
    }
}

fn method_word(word: &str) -> Result<String, String> {
    if word.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Ok(word.to_ascii_uppercase());
    }
    Err(format!("`{}` is no HTTP method", shortened(word)))
}

fn split_port(place: &str) -> Result<(&str, Option<u16>), String> {
    let bare_v6 = place.parse::<std::net::Ipv6Addr>().is_ok();
    match place.rsplit_once(':') {
        Some((host, port)) if !bare_v6 && !port.ends_with(']') => match port.parse::<u16>() {
            Ok(number) if number > 0 && port.bytes().all(|b| b.is_ascii_digit()) => Ok((host, Some(number))),
            _ => Err(format!("`{}` is no port", shortened(port))),
        },
        _ => Ok((place, None)),
    }
}

/// An entry is read by people, so that it counts only as what it looks like: an address in its usual notation, a name in
/// letters that stand for themselves. A URL may be spelt in any way; it is shown as what it leads to.
fn entry_host(host: &str) -> Result<String, String> {
    if host.contains(['/', '?', '#', '@', '%', '\\', '*']) {
        return Err(format!(
            "`{}` is no host: write a name or an address, without wildcards",
            shortened(host)
        ));
    }
    let bracketed = if host.parse::<std::net::Ipv6Addr>().is_ok() {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    let parsed = Host::parse(&bracketed).map_err(|e| format!("`{}` is no host: {e}", shortened(host)))?;
    let known = normal(&parsed)?;
    let disguised = |as_what: &str| {
        let shown = shortened(host);
        Err(format!(
            "`{shown}` is another spelling of `{as_what}`; it counts only when it is written so"
        ))
    };
    match &parsed {
        Host::Ipv4(_) if host != known => disguised(&known),
        Host::Ipv6(address) => match addresses::carried(*address) {
            Some(v4) => disguised(&v4.to_string()),
            None => Ok(known),
        },
        // A name of other letters is granted under the name that is asked for; signs that only look like these are not.
        Host::Domain(_) if !host.is_ascii() && !is_international(&known) => disguised(&known),
        Host::Ipv4(_) | Host::Domain(_) => Ok(known),
    }
}

fn is_international(name: &str) -> bool {
    name.split('.').any(|part| part.starts_with("xn--"))
}

/// The entry under the name that is asked for, where that is not how it was written.
pub(super) fn other_name(entry: &str) -> Option<String> {
    let parsed = Entry::parse(entry).ok().filter(|_| !entry.is_ascii())?;
    Some(parsed.written())
}

fn normal(host: &Host<String>) -> Result<String, String> {
    match host {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            if name.is_empty() {
                Err("the host is empty".to_owned())
            } else if name.split('.').any(str::is_empty) {
                // No name server knows it, and without its last dot it would be another one.
                Err(format!("`{}` has an empty part between dots", shortened(name)))
            } else {
                Ok(name.to_ascii_lowercase())
            }
        }
        Host::Ipv4(address) => Ok(address.to_string()),
        Host::Ipv6(address) => Ok(address_text(IpAddr::V6(*address))),
    }
}

/// An address as it stands in a need: IPv6 in brackets, IPv4 inside IPv6 as IPv4.
pub(super) fn address_text(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
