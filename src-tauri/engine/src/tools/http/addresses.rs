//! Where a host really lies, and whether a call may go there. Names are looked up here, once for each hop.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::{Method, Url};
use url::Host;

use crate::model::grants::{self, Need};
use crate::model::tool::Access;
use crate::model::unconnected;
use crate::tools::{CallContext, ToolError};

const LOOK_UP: Duration = Duration::from_secs(10);

/// What one hop needs.
pub(super) fn need_of(url: &Url, method: &Method) -> Result<Need, ToolError> {
    let resource = grants::host_of(url.as_str()).map_err(|e| ToolError::permanent("bad_url", e))?;
    Ok(Need {
        access: Access::Host,
        resource,
        method: Some(method.as_str().to_owned()),
    })
}

/// The addresses to connect to. An address of this machine or of a private network is among them only if it was
/// written as such: the URL is that address, its host is `localhost`, or a grant names the address beside the name.
pub(super) async fn resolve(
    url: &Url,
    method: &Method,
    cx: &CallContext,
) -> Result<Vec<SocketAddr>, ToolError> {
    let port = url.port_or_known_default().unwrap_or(80);
    let name = match url.host() {
        Some(Host::Ipv4(address)) => return Ok(vec![(address, port).into()]),
        Some(Host::Ipv6(address)) => return Ok(vec![(address, port).into()]),
        Some(Host::Domain(name)) => name.to_owned(),
        None => return Err(ToolError::permanent("bad_url", "the URL names no host")),
    };
    let is_local = name.trim_end_matches('.').eq_ignore_ascii_case("localhost");
    let found = look_up(if is_local { "localhost" } else { &name }, port).await?;
    let need_for = |address: &SocketAddr| Need {
        access: Access::Host,
        resource: grants::host_of(&format!("http://{address}/")).unwrap_or_default(),
        method: Some(method.as_str().to_owned()),
    };
    let may_go = |address: &SocketAddr| {
        is_public(address.ip())
            || (is_local && address.ip().to_canonical().is_loopback())
            || cx.permit.covers(&need_for(address), &cx.place)
    };
    let (open, closed): (Vec<SocketAddr>, Vec<SocketAddr>) = found.into_iter().partition(may_go);
    match (open.is_empty(), closed.first()) {
        (true, Some(address)) => Err(ToolError::NotGranted {
            needs: vec![need_for(address)],
        }),
        _ => Ok(open),
    }
}

async fn look_up(name: &str, port: u16) -> Result<Vec<SocketAddr>, ToolError> {
    let failed = |why: String| ToolError::Transient {
        code: "dns",
        message: format!(
            "the address of `{name}` can't be found: {}; nothing was sent",
            unconnected(&why)
        ),
        retry_after: None,
    };
    match tokio::time::timeout(LOOK_UP, tokio::net::lookup_host((name, port))).await {
        Err(_) => Err(failed(format!("no answer within {} s", LOOK_UP.as_secs()))),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Ok(Ok(found)) => {
            let found: Vec<SocketAddr> = found.collect();
            if found.is_empty() {
                Err(failed("it has none".to_owned()))
            } else {
                Ok(found)
            }
        }
    }
}

/// Whether anybody on the internet could mean this address.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_closed = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19));
    !is_closed
}

/// Global unicast without what carries an IPv4 address or leads elsewhere (Teredo, ORCHID, 6to4, documentation).
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global = a & 0xe000 == 0x2000;
    let is_special = (a == 0x2001 && (b < 0x200 || b == 0xdb8)) || a == 0x2002 || (a == 0x3fff && b < 0x1000);
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_and_open_addresses() {
        let closed = [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.1.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "fe80::1",
            "fc00::1",
            "fd00::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
        ];
        for text in closed {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "93.184.216.34",
            "100.63.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "2606:4700::1",
            "2a00:1450::1",
            "2001:4860::1",
            "::ffff:1.1.1.1",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
