//! Where a host really lies, and whether a call may go there. Names are looked up here, once for each hop.

use std::net::SocketAddr;
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
        grants::is_public(address.ip())
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
