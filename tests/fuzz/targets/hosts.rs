//! Hosts of URLs and of grant entries: what the gate allows leads to the granted host, as `url` itself reads it. Nothing
//! is looked up. It must not know who makes up the bytes.
//!
//! Four lines: an entry of `hosts`, a URL, a method, and where that URL redirects to.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use planloom_engine::model::grants::{
    Allowed, CallFacts, Circumstances, Grants, Labels, Need, Place, Verdict, covers, decide, entry_problem,
    host_of, needs_of,
};
use planloom_engine::model::tool::{Access, ToolSpec};
use planloom_engine::tools::Registry;
use serde_json::json;
use url::{Host, Url};

static REQUEST: LazyLock<Arc<ToolSpec>> = LazyLock::new(|| {
    let registry = Registry::builtin();
    registry
        .get("http.request")
        .expect("it is built in")
        .spec()
        .clone()
});

pub fn hosts(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(4, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let (entry, url, method, location) = (line(), line(), line(), line());
    has_one_spelling(url);
    is_allowed_only_there(entry, url, method);
    is_allowed_by_its_own_name(url, method);
    if let Some(next) = Url::parse(url).ok().and_then(|url| url.join(location).ok()) {
        has_one_spelling(next.as_str());
        is_allowed_only_there(entry, next.as_str(), method);
    }
    // What no reader of URLs has made, as it could stand in an edited log.
    let _ = covers(&granting(entry), &need(url, method), &place());
}

/// What is compared is what `url`, and with it the sender, reads; and reading it again changes nothing.
fn has_one_spelling(url: &str) {
    let Ok(resource) = host_of(url) else { return };
    let parsed = Url::parse(url).expect("it has a host");
    assert_eq!(Some(resource.clone()), place_of(&parsed), "{url:?}");
    assert!(
        parsed.username().is_empty() && parsed.password().is_none(),
        "{url:?}"
    );
    assert_eq!(host_of(parsed.as_str()).as_ref(), Ok(&resource), "{url:?}");
    let plain = format!("http://{resource}/");
    assert_eq!(host_of(&plain).as_ref(), Ok(&resource), "{url:?}");
}

/// A second reading of a host, with the crate that the sender dials by.
fn place_of(url: &Url) -> Option<String> {
    let host = match url.host()? {
        Host::Domain(name) => name.trim_end_matches('.').to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => match address.to_ipv4_mapped() {
            Some(inside) => inside.to_string(),
            None => format!("[{address}]"),
        },
    };
    Some(format!("{host}:{}", url.port_or_known_default()?))
}

/// Allowed: then the entry, made a URL, has the same host and port, and the method is one that it names.
fn is_allowed_only_there(entry: &str, url: &str, method: &str) {
    if !is_allowed(&granting(entry), url, method) {
        return;
    }
    let (methods, place) = entry
        .trim()
        .rsplit_once(char::is_whitespace)
        .unwrap_or(("", entry.trim()));
    let parsed = Url::parse(url).expect("what is allowed can be read");
    let is_named = |scheme: &str| {
        let bare = place.parse::<std::net::Ipv6Addr>().is_ok();
        let place = if bare {
            format!("[{place}]")
        } else {
            place.to_owned()
        };
        let named = Url::parse(&format!("{scheme}://{place}")).ok();
        named.and_then(|named| place_of(&named)) == place_of(&parsed)
    };
    // Without a port an entry means those of both.
    assert!(
        is_named("http") || is_named("https"),
        "{entry:?} let {url:?} through"
    );
    let method = method.to_ascii_uppercase();
    let is_method = match methods.trim().to_ascii_uppercase().as_str() {
        "" => ["", "GET", "HEAD"].contains(&method.as_str()),
        "*" => true,
        one => one == method || (one == "GET" && method.is_empty()),
    };
    assert!(is_method, "{entry:?} let {method:?} through");
}

/// The very place is enough as an entry, and another port is not. A host with a `*` can't be named: it would be taken for
/// a wildcard.
fn is_allowed_by_its_own_name(url: &str, method: &str) {
    let Some(resource) = host_of(url).ok().filter(|host| !host.contains('*')) else {
        return;
    };
    let own = granting(&format!("* {resource}"));
    let problem = entry_problem(Access::Host, &own.hosts[0], &place());
    // An address with another one inside is reached under no name at all.
    if resource.starts_with('[') && problem.is_some() {
        assert!(!is_allowed(&own, url, method), "{url:?}");
        return;
    }
    assert!(problem.is_none(), "{resource:?}");
    assert_eq!(
        is_allowed(&own, url, method),
        needs(url, method).is_some(),
        "{url:?}"
    );
    let (host, port) = resource.rsplit_once(':').expect("the port is always there");
    let other = if port == "8080" { "8081" } else { "8080" };
    assert!(
        !is_allowed(&granting(&format!("* {host}:{other}")), url, method),
        "{url:?}"
    );
    assert!(!is_allowed(&Grants::default(), url, method), "{url:?}");
}

fn is_allowed(grants: &Grants, url: &str, method: &str) -> bool {
    let Some(needs) = needs(url, method) else {
        return false;
    };
    let place = place();
    let allowed = Allowed {
        withheld: &[],
        grants,
        frozen: &[],
        answered: &[],
        is_effect_allowed: false,
        place: &place,
    };
    let call = CallFacts {
        effect: REQUEST.effect,
        needs: &needs,
        labels: Labels::default(),
        circumstances: Circumstances::default(),
    };
    decide(&allowed, &call) == Verdict::Allow
}

fn needs(url: &str, method: &str) -> Option<Vec<Need>> {
    let mut arguments = json!({ "url": url });
    if !method.is_empty() {
        arguments["method"] = json!(method);
    }
    let needs = needs_of(&REQUEST, &arguments, &place()).ok()?;
    assert!(!needs.is_empty(), "{url:?} needs nothing");
    Some(needs)
}

fn granting(entry: &str) -> Grants {
    Grants {
        hosts: vec![entry.to_owned()],
        ..Grants::default()
    }
}

fn need(resource: &str, method: &str) -> Need {
    Need {
        access: Access::Host,
        resource: resource.to_owned(),
        method: Some(method.to_owned()),
    }
}

fn place() -> Place {
    Place {
        folder: None,
        workspace: PathBuf::from("run"),
    }
}
