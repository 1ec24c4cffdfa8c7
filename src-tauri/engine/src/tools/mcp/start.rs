//! Starts a server and opens a session with it: how long is waited, and what is told when it does not come up. It must
//! not know who needs it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::time::Instant;

use super::calls::Calls;
use super::child::{self, Child, Life, Tail};
use super::ground::{Ground, Stage};
use super::handler::Handler;
use super::handshake::{Refused, Session, shake_hands};
use super::lines::LONGEST_LINE;
use super::secrets::{Secrets, filled};
use super::setup::{Setup, Value, Way};
use super::stdio::{Pipe, StdioTransport};
use crate::model::counted;
use crate::model::redactor::Redactor;
use crate::tools::hands::ANYWHERE;
use crate::tools::login_path::search_path;
use crate::tools::sandbox::{Confined, SandboxError};

/// How long is waited for a server.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the handshake of a process that says nothing at all, and of a server at an address.
    pub silence: Duration,
    /// For the handshake of one that goes on writing: it may be installing itself. Messages of the protocol are no sign of
    /// that, and neither is a flood.
    pub install: Duration,
    /// For its list of tools.
    pub listing: Duration,
    /// For a call without a sign of life.
    pub call: Duration,
    /// For a call, whatever signs it gives.
    pub longest_call: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(60),
            install: Duration::from_secs(900),
            listing: Duration::from_secs(60),
            call: Duration::from_secs(300),
            longest_call: Duration::from_secs(3600),
        }
    }
}

/// Bytes on both streams before the handshake, beyond which what is written is no sign of life any more: no installation
/// tells so much.
const FLOOD: u64 = 4 << 20;

/// Why a server is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotUp {
    pub message: String,
    /// Trying again can't help before something is changed.
    pub is_final: bool,
}

impl NotUp {
    fn passing(message: String) -> Self {
        Self {
            message,
            is_final: false,
        }
    }

    fn lasting(message: String) -> Self {
        Self {
            message,
            is_final: true,
        }
    }
}

/// An open session with all that it lives on.
pub(super) struct Link {
    pub session: Session,
    pub process: Option<Process>,
    pub veil: Redactor,
}

/// The process behind a session.
pub(super) struct Process {
    pub pipe: Arc<Pipe>,
    pub stderr: Arc<Tail>,
    pub life: Life,
}

/// What is shown while it starts.
pub(super) type Watch<'a> = &'a (dyn Fn(&Tail, &Redactor) + Send + Sync);

pub(super) struct Start<'a> {
    pub setup: &'a Setup,
    pub ground: &'a Ground,
    pub secrets: &'a dyn Secrets,
    pub patience: Patience,
    pub calls: Arc<Calls>,
    pub is_stale: Arc<AtomicBool>,
    /// Told now and then while a process is waited for.
    pub watch: Watch<'a>,
}

impl Start<'_> {
    pub async fn go(&self) -> Result<Link, NotUp> {
        match &self.setup.way {
            Way::Stdio { .. } => self.process().await,
            Way::Http { url, headers } => self.address(url, headers).await,
        }
    }

    fn handler(&self, veil: &Redactor) -> Handler {
        Handler {
            veil: veil.clone(),
            server: self.setup.name.as_str().into(),
            calls: self.calls.clone(),
            folders: self.setup.folders.clone().into(),
            is_stale: self.is_stale.clone(),
            version: rmcp::model::ProtocolVersion::LATEST_WITH_INITIALIZE,
        }
    }

    /// A server that has to fetch itself first does so once, with network and without anything else.
    async fn process(&self) -> Result<Link, NotUp> {
        let whole = Instant::now() + self.patience.install + self.patience.silence;
        if self.ground.must_install(self.setup) {
            let installed = Box::pin(self.started(Stage::Install, whole)).await?;
            self.ground.note_installed(self.setup);
            if let Some(process) = &installed.process {
                process.life.end();
                process.life.ended().await;
            }
        }
        Box::pin(self.started(Stage::Work, whole)).await
    }

    /// However many stages a start has, it is over by `whole`.
    async fn started(&self, stage: Stage, whole: Instant) -> Result<Link, NotUp> {
        let (confined, veil) = self.confined(stage).await?;
        let is_unconfined = self.setup.is_unconfined;
        // The first look for a sandbox takes its time.
        let started = tokio::task::spawn_blocking(move || child::spawn(&confined, is_unconfined)).await;
        let started = started.map_err(|error| NotUp::passing(error.to_string()))?;
        let started = started.map_err(|error| self.not_started(&error))?;
        let Child {
            stdin,
            stdout,
            stderr,
            life,
        } = started;
        let pipe = Pipe::open(stdin, stdout, self.calls.clone(), LONGEST_LINE);
        let process = Process { pipe, stderr, life };
        let handler = self.handler(&veil);
        let shaking = shake_hands(|| StdioTransport(process.pipe.clone()), &handler);
        let shaken = tokio::select! {
            shaken = shaking => shaken,
            limit = self.until_given_up(&process, whole, &veil) => {
                return Err(self.told_of_waiting(&process, limit, &veil));
            }
            // An end is told by the streams too; whichever comes first, the process says why.
            _ = process.life.ended() => Err(Refused { message: String::new(), is_silent: true }),
        };
        match shaken {
            Ok(session) => Ok(Link {
                session,
                process: Some(process),
                veil,
            }),
            Err(refused) => Err(self.told(&process, refused, &veil).await),
        }
    }

    fn not_started(&self, error: &SandboxError) -> NotUp {
        let name = &self.setup.name;
        let more = match error {
            SandboxError::Off(_) => {
                " If it may run with all your rights, set \"unconfined\": true for it in settings.json."
            }
            SandboxError::NotAbsolute(_)
            | SandboxError::Closed(..)
            | SandboxError::SetUp(_)
            | SandboxError::Start(_)
            | SandboxError::Cancelled => "",
        };
        NotUp::lasting(format!("the server `{name}` was not started: {error}.{more}"))
    }

    /// Returns when a process is not waited for any longer, with the limit that it has passed.
    async fn until_given_up(&self, process: &Process, whole: Instant, veil: &Redactor) -> Duration {
        let begun = Instant::now();
        let latest = (begun + self.patience.install).min(whole);
        loop {
            let (stderr, pipe) = (&process.stderr, &process.pipe);
            let is_flood = stderr.total().saturating_add(pipe.bytes()) > FLOOD;
            let signs = stderr.last().into_iter().chain(pipe.last_noise());
            let last = signs.max().filter(|_| !is_flood).unwrap_or(begun);
            let quiet = last + self.patience.silence;
            let end = quiet.min(latest);
            if Instant::now() >= end {
                return if quiet <= latest {
                    self.patience.silence
                } else {
                    latest - begun
                };
            }
            (self.watch)(stderr, veil);
            tokio::time::sleep_until(end.min(Instant::now() + Duration::from_millis(250))).await;
        }
    }

    /// What is told of a process that did not come up: its own words first.
    async fn told(&self, process: &Process, refused: Refused, veil: &Redactor) -> NotUp {
        let closed = Duration::from_secs(2);
        let status = match refused.is_silent {
            true => tokio::time::timeout(closed, process.life.ended()).await.ok(),
            false => None,
        };
        let what = match (status, process.pipe.fault()) {
            (_, Some(fault)) => fault,
            (Some(status), None) => format!("it ended before the handshake ({status})"),
            (None, None) => refused.message,
        };
        self.not_up(process, &what, veil)
    }

    /// What is told of one that was not waited for any longer: what came of it instead.
    fn told_of_waiting(&self, process: &Process, limit: Duration, veil: &Redactor) -> NotUp {
        if let Some(fault) = process.pipe.fault() {
            return self.not_up(process, &fault, veil);
        }
        let noise = process.pipe.noise();
        let first = noise.first_unasked.unwrap_or_default();
        let how = match (noise.unknown_ids, noise.unasked, noise.lines) {
            (0, 0, 0) if process.stderr.total() == 0 && process.pipe.bytes() == 0 => {
                "no output at all".to_owned()
            }
            (0, 0, 0) => "no answer to the handshake".to_owned(),
            (0, 0, lines) => format!(
                "no answer to the handshake, but {} on stdout that are no messages of the protocol,",
                counted(lines, "line")
            ),
            (0, unasked, _) => format!(
                "no answer to the handshake, but {} that nobody asked for (the first: {first}),",
                counted(unasked, "message")
            ),
            (others, ..) => format!(
                "no answer to the handshake, but {} to other ids than were sent (a number must come back as that number, \
                 not as text),",
                counted(others, "answer")
            ),
        };
        self.not_up(
            process,
            &format!("{how} within the limit of {} s", limit.as_secs_f64()),
            veil,
        )
    }

    fn not_up(&self, process: &Process, what: &str, veil: &Redactor) -> NotUp {
        let name = &self.setup.name;
        let words = process.stderr.last_words(2000, veil);
        let noise = process.pipe.noise().first.unwrap_or_default();
        let said = match (words.is_empty(), noise.is_empty()) {
            (false, _) => format!(". It said:\n{words}"),
            (true, false) => format!(". It said on stdout: {noise}"),
            (true, true) => String::new(),
        };
        NotUp::passing(veil.text(&format!("the server `{name}` did not come up: {what}{said}")))
    }

    async fn confined(&self, stage: Stage) -> Result<(Confined, Redactor), NotUp> {
        let Way::Stdio { command, env, .. } = &self.setup.way else {
            return Err(NotUp::lasting("the server is no program".to_owned()));
        };
        let search = search_path().await;
        let program = search.find(command);
        let program = program
            .map_err(|e| NotUp::lasting(format!("the server `{}` was not started: {e}", self.setup.name)))?;
        let (env, veil) = match stage {
            Stage::Install => Default::default(),
            Stage::Work => self.filled(env).await?,
        };
        Ok((
            self.ground.confined(self.setup, program, env, search, stage),
            veil,
        ))
    }

    async fn filled<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v String, &'v Value)>,
    ) -> Result<(Vec<(String, String)>, Redactor), NotUp> {
        let (values, veil) = filled(self.secrets, values).await.map_err(|missing| {
            NotUp::lasting(format!(
                "the server `{}` was not started: {missing}",
                self.setup.name
            ))
        })?;
        let mut veil = veil;
        veil.add(self.setup.keys_of_way().iter().map(String::as_str));
        Ok((values, veil))
    }

    /// A server on this machine is a program that nothing confines.
    async fn note_anywhere(&self) -> Result<(), NotUp> {
        let hands = self.ground.hands.clone();
        let noted = tokio::task::spawn_blocking(move || hands.may_write([Path::new(ANYWHERE)])).await;
        noted.map_err(std::io::Error::other).flatten().map_err(|error| {
            NotUp::passing(format!(
                "the server `{}` was not asked: what it may write could not be noted ({error})",
                self.setup.name
            ))
        })
    }

    async fn address(
        &self,
        url: &url::Url,
        headers: &std::collections::BTreeMap<String, Value>,
    ) -> Result<Link, NotUp> {
        let (headers, mut veil) = self.filled(headers).await?;
        if is_local(url) {
            self.note_anywhere().await?;
        }
        // People put keys into queries too.
        url.query().into_iter().for_each(|query| veil.add([query]));
        let client = client(url).map_err(|error| NotUp::lasting(error.to_string()))?;
        let mut custom = HashMap::new();
        for (name, value) in headers {
            let pair = HeaderName::from_bytes(name.as_bytes())
                .ok()
                .zip(HeaderValue::from_str(&value).ok());
            let Some((header, mut value)) = pair else {
                return Err(NotUp::lasting(format!(
                    "the header `{name}` of `{}` can't be sent",
                    self.setup.name
                )));
            };
            value.set_sensitive(true);
            custom.insert(header, value);
        }
        let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .custom_headers(custom)
            .max_sse_event_size(LONGEST_LINE)
            .max_json_response_size(LONGEST_LINE);
        let handler = self.handler(&veil);
        let transport = || StreamableHttpClientTransport::with_client(client.clone(), config.clone());
        let shaking = shake_hands(transport, &handler);
        let told = |what: &str| {
            let message = format!(
                "the server `{}` at {} did not come up: {what}",
                self.setup.name,
                shown(url)
            );
            NotUp::passing(veil.text(&message))
        };
        match tokio::time::timeout(self.patience.silence, shaking).await {
            Ok(Ok(session)) => Ok(Link {
                session,
                process: None,
                veil,
            }),
            Ok(Err(refused)) => Err(told(&refused.message)),
            Err(_) => Err(told(&format!(
                "no answer within {} s",
                self.patience.silence.as_secs_f64()
            ))),
        }
    }
}

/// Without the query, which may hold a key.
fn shown(url: &url::Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

fn is_local(url: &url::Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Some(url::Host::Ipv6(ip)) => {
            let ip = ip.to_canonical();
            ip.is_loopback() || ip.is_unspecified()
        }
        Some(url::Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
    }
}

/// The address is the person's own choice, so it may lie anywhere; what answers there sends nobody elsewhere.
fn client(url: &url::Url) -> reqwest::Result<reqwest::Client> {
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10));
    if is_local(url) {
        builder.no_proxy().build()
    } else {
        builder.build()
    }
}
