//! The HTTP clients with which providers are asked: no redirects, no second tries, no proxy for this machine. It must
//! not know a key.

use std::collections::HashMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, redirect, retry};
use url::{Host, Url};

use super::address::{is_local_name, is_loopback};

const MOST_KEPT: usize = 16;

/// `localhost` is both addresses, whatever the machine's files say: a server may listen on one of them only.
struct ThisMachine;

impl Resolve for ThisMachine {
    fn resolve(&self, _: Name) -> Resolving {
        let both = [
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
        ];
        let both: Addrs = Box::new(both.into_iter());
        Box::pin(std::future::ready(Ok(both)))
    }
}

/// One for addresses like `base`. Making one reads the machine's certificates, so that it is kept. No connection is
/// kept: nothing is ever sent on one that may be dead.
pub fn client(base: &Url, connect: Duration) -> Result<Client, reqwest::Error> {
    static KEPT: OnceLock<Mutex<HashMap<(bool, Duration), Client>>> = OnceLock::new();
    let kept = KEPT.get_or_init(Mutex::default);
    let key = (is_loopback(base), connect);
    if let Some(client) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(client.clone());
    }
    let mut builder = Client::builder()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .pool_max_idle_per_host(0)
        .tcp_keepalive(Duration::from_secs(30))
        .connect_timeout(connect)
        .user_agent(concat!("Planloom/", env!("CARGO_PKG_VERSION")));
    if key.0 {
        builder = builder.no_proxy().dns_resolver(Arc::new(ThisMachine));
    }
    let client = builder.build()?;
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    kept.insert(key, client.clone());
    Ok(client)
}

/// For messages: every address that is tried, as far as that is known here.
pub(super) fn tried(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    match url.host() {
        Some(Host::Domain(name)) if is_local_name(name) => format!("127.0.0.1:{port} and [::1]:{port}"),
        Some(host) => format!("{host}:{port}"),
        None => url.origin().ascii_serialization(),
    }
}
