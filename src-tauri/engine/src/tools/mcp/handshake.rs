//! Opens a session with a server of any known revision of the protocol: the newest that both speak. It must not know
//! how the server was started.

use std::error::Error;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::Transport;

use super::clean;
use super::handler::Handler;

pub(super) type Session = RunningService<RoleClient, Handler>;

/// Characters of what a server says of its refusal.
const MOST_TOLD: usize = 500;

/// Why there is no session, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct Refused {
    pub message: String,
    /// The other side did not refuse; nothing came from it.
    pub is_silent: bool,
}

/// Tries the handshake that nearly all servers know, then what the server says it speaks instead, once. Each try gets a
/// transport of its own.
pub(super) async fn shake_hands<T>(
    mut transport: impl FnMut() -> T,
    handler: &Handler,
) -> Result<Session, Refused>
where
    T: Transport<RoleClient> + 'static,
{
    let newest = ProtocolVersion::LATEST_WITH_INITIALIZE;
    let first = match attempt(transport(), handler, newest.clone()).await {
        Ok(session) => return checked(session, &newest),
        Err(error) => *error,
    };
    let Some(other) = offered(&first) else {
        return Err(refused(&first, &newest));
    };
    match attempt(transport(), handler, other.clone()).await {
        Ok(session) => checked(session, &other),
        Err(second) => Err(refused(&second, &other)),
    }
}

async fn attempt<T>(
    transport: T,
    handler: &Handler,
    version: ProtocolVersion,
) -> Result<Session, Box<ClientInitializeError>>
where
    T: Transport<RoleClient> + 'static,
{
    let mode = if version.has_initialize() {
        ClientLifecycleMode::Initialize
    } else {
        let preferred_versions = vec![version.clone()];
        ClientLifecycleMode::Discover { preferred_versions }
    };
    let handler = Handler {
        version,
        ..handler.clone()
    };
    Box::pin(serve_client_with_lifecycle(handler, transport, mode))
        .await
        .map_err(Box::new)
}

/// Which revision to try after a refusal.
fn offered(error: &ClientInitializeError) -> Option<ProtocolVersion> {
    let tried = ProtocolVersion::LATEST_WITH_INITIALIZE;
    let said = listed(error).unwrap_or_else(|| whole(error));
    let named = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .rev()
        .filter(|version| said.contains(version.as_str()));
    // The refusal may name what we have sent.
    if let Some(version) = named.into_iter().find(|version| **version != tried) {
        return Some(version.clone());
    }
    let has_no_handshake = refusal_of(error).is_some_and(|data| {
        matches!(
            data.code,
            ErrorCode::METHOD_NOT_FOUND | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        )
    });
    has_no_handshake.then_some(ProtocolVersion::LATEST)
}

/// What the server itself said against the handshake.
fn refusal_of(error: &ClientInitializeError) -> Option<&ErrorData> {
    if let ClientInitializeError::JsonRpcError(data) = error {
        return Some(data);
    }
    None
}

/// The list of what the server speaks, where its error has one: beside it stands what was asked for.
fn listed(error: &ClientInitializeError) -> Option<String> {
    let error = refusal_of(error)?;
    let data = error.data.as_ref()?;
    let list = data.get("supported").or_else(|| data.get("supportedVersions"))?;
    Some(list.to_string())
}

fn checked(session: Session, asked: &ProtocolVersion) -> Result<Session, Refused> {
    let spoken = session
        .peer()
        .peer_info()
        .map(|info| info.protocol_version.clone());
    match spoken {
        Some(version) if ProtocolVersion::KNOWN_VERSIONS.contains(&version) => Ok(session),
        other => Err(Refused {
            message: format!(
                "it speaks version \"{}\" of the protocol, this program \"{}\" and older; they can't talk",
                clean::line(other.as_ref().map_or("", ProtocolVersion::as_str), 40),
                asked.as_str().max(ProtocolVersion::LATEST.as_str())
            ),
            is_silent: false,
        }),
    }
}

fn refused(error: &ClientInitializeError, sent: &ProtocolVersion) -> Refused {
    let sent = sent.as_str();
    let message = if let Some(data) = refusal_of(error) {
        let said = clean::line(&data.message, MOST_TOLD);
        format!(
            "it refused the handshake (we sent version {sent}): {said} ({})",
            data.code.0
        )
    } else if matches!(error, ClientInitializeError::ExpectedInitResult(_)) {
        format!("its answer to the handshake (we sent version {sent}) names no version of the protocol")
    } else {
        clean::line(&whole(error), MOST_TOLD)
    };
    Refused {
        message,
        // What can't be written to has ended as well as what can't be read from.
        is_silent: matches!(
            error,
            ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
        ),
    }
}

/// All that an error says, with its causes.
fn whole(error: &ClientInitializeError) -> String {
    // How the library's transport is called tells nobody anything.
    let told: &(dyn Error + 'static) = if let ClientInitializeError::TransportError { error, .. } = error {
        &*error.error
    } else {
        error
    };
    let mut said = told.to_string();
    if let Some(data) = refusal_of(error).and_then(|refusal| refusal.data.as_ref()) {
        said.push_str(&format!(" {data}"));
    }
    let mut source = told.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !said.contains(&text) {
            said.push_str(": ");
            said.push_str(&text);
        }
        source = cause.source();
    }
    clean::of_transport(&said)
}
