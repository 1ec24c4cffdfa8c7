//! One server: started when it is first needed, kept while it lives, started again after a rest when it has gone. It must
//! not know tasks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::SubscriptionFilter;
use rmcp::service::Peer;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::calls::Calls;
use super::clean;
use super::definition::Definition;
use super::ground::Ground;
use super::listing::{Listing, list};
use super::secrets::{Secrets, Variables};
use super::setup::Setup;
use super::start::{Link, NotUp, Patience, Start};
use super::stdio::Noise;
use crate::model::counted;
use crate::model::redactor::Redactor;

/// Rests between starts that failed one after the other.
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(60);
/// Lines of noise after which a person is told of them.
const MUCH_NOISE: u64 = 20;

/// What a server is doing, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has needed it yet.
    #[default]
    Idle,
    Starting,
    /// It writes while it starts, as one does that is being installed; its last line.
    Installing(String),
    Ready,
    Failed(String),
}

/// What all servers of a database have in common.
#[derive(Clone)]
pub struct Around {
    pub secrets: Arc<dyn Secrets>,
    pub patience: Patience,
    pub ground: Ground,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            secrets: Arc::new(Variables),
            patience: Patience::default(),
            ground: Ground::default(),
        }
    }
}

pub struct Server {
    pub setup: Setup,
    around: Around,
    slot: Mutex<Slot>,
    standing: watch::Sender<Standing>,
}

enum Slot {
    Down {
        fails: u32,
        not_before: Option<Instant>,
        why: Option<NotUp>,
    },
    Starting(Come),
    Up(Arc<Connection>),
}

/// What a start came to, once it is over.
type Come = watch::Receiver<Option<Result<Arc<Connection>, NotUp>>>;

enum Coming {
    Up(Arc<Connection>),
    Soon(Come),
    Not(NoConnection),
}

/// Why there is no connection now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoConnection {
    NotUp { why: NotUp, again_in: Option<Duration> },
    Cancelled,
}

/// A session that is open.
pub struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: Arc<Calls>,
    pub(super) handler: super::handler::Handler,
    pub(super) veil: Redactor,
    link: Link,
    live: RwLock<Arc<Listing>>,
    is_stale: Arc<AtomicBool>,
    listing_patience: Duration,
}

impl Server {
    pub fn new(setup: Setup, around: Around) -> Arc<Self> {
        Arc::new(Self {
            setup,
            around,
            slot: Mutex::new(Slot::Down {
                fails: 0,
                not_before: None,
                why: None,
            }),
            standing: watch::channel(Standing::Idle).0,
        })
    }

    pub fn standing(&self) -> Standing {
        self.standing.borrow().clone()
    }

    pub fn watch(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    pub(super) fn patience(&self) -> Patience {
        let mut patience = self.around.patience;
        if let Some(call) = self.setup.patience {
            patience.call = call;
        }
        patience
    }

    /// The open connection; one is made if there is none. Whoever gives up waiting stops nothing: others may wait too,
    /// and half an installation helps nobody.
    pub(super) async fn connection(
        self: &Arc<Self>,
        cancel: &CancellationToken,
    ) -> Result<Arc<Connection>, NoConnection> {
        let mut coming = match self.coming() {
            Coming::Up(connection) => return Ok(connection),
            Coming::Soon(coming) => coming,
            Coming::Not(none) => return Err(none),
        };
        let come = tokio::select! {
            come = coming.wait_for(Option::is_some) => come.ok().and_then(|come| come.clone()),
            () = cancel.cancelled() => return Err(NoConnection::Cancelled),
        };
        match come {
            Some(Ok(connection)) => Ok(connection),
            Some(Err(why)) => Err(NoConnection::NotUp {
                again_in: self.rest(&why),
                why,
            }),
            None => Err(self.lost_start()),
        }
    }

    /// The start itself stopped without a word, which is a fault of ours; the next call starts anew.
    fn lost_start(&self) -> NoConnection {
        let message = format!(
            "the start of the server `{}` stopped unexpectedly",
            self.setup.name
        );
        let why = NotUp {
            message,
            is_final: false,
        };
        self.settle(&Err(why.clone()), 0);
        NoConnection::NotUp { why, again_in: None }
    }

    /// A person asks for it: it is started anew at once.
    pub fn reconnect(&self) {
        *self.lock() = Slot::Down {
            fails: 0,
            not_before: None,
            why: None,
        };
        self.standing.send_replace(Standing::Idle);
    }

    fn coming(self: &Arc<Self>) -> Coming {
        let mut slot = self.lock();
        let fails = match &*slot {
            Slot::Up(connection) if !connection.is_gone() => return Coming::Up(connection.clone()),
            Slot::Up(_) => 0,
            Slot::Starting(coming) => return Coming::Soon(coming.clone()),
            Slot::Down {
                fails,
                not_before,
                why,
            } => {
                if let (Some(at), Some(why)) = (not_before, why)
                    && *at > Instant::now()
                {
                    let again_in = Some(at.duration_since(Instant::now()));
                    return Coming::Not(NoConnection::NotUp {
                        why: why.clone(),
                        again_in,
                    });
                }
                *fails
            }
        };
        let (tell, coming) = watch::channel(None);
        *slot = Slot::Starting(coming.clone());
        drop(slot);
        self.standing.send_replace(Standing::Starting);
        let server = self.clone();
        tokio::spawn(async move {
            let come = server.start().await;
            server.settle(&come, fails);
            let _ = tell.send(Some(come));
        });
        Coming::Soon(coming)
    }

    async fn start(&self) -> Result<Arc<Connection>, NotUp> {
        let (calls, is_stale) = (Arc::<Calls>::default(), Arc::<AtomicBool>::default());
        let watch = |stderr: &super::child::Tail, veil: &Redactor| {
            if stderr.total() > 0 {
                let last = stderr.last_words(200, veil);
                let last = last.lines().next_back().unwrap_or_default();
                self.standing
                    .send_replace(Standing::Installing(clean::line(last, 120)));
            }
        };
        let start = Start {
            setup: &self.setup,
            ground: &self.around.ground,
            secrets: &*self.around.secrets,
            patience: self.around.patience,
            calls: calls.clone(),
            is_stale: is_stale.clone(),
            watch: &watch,
        };
        let link = start.go().await?;
        let veil = link.veil.clone();
        Connection::open(link, calls, is_stale, self.around.patience.listing)
            .await
            .map_err(|what| NotUp {
                message: veil.text(&format!(
                    "the server `{}` did not come up: {what}",
                    self.setup.name
                )),
                is_final: false,
            })
    }

    fn settle(&self, come: &Result<Arc<Connection>, NotUp>, fails: u32) {
        let (slot, standing) = match come {
            Ok(connection) => (Slot::Up(connection.clone()), Standing::Ready),
            Err(why) => {
                let rest = FIRST_REST.saturating_mul(1 << fails.min(6)).min(LONGEST_REST);
                let down = Slot::Down {
                    fails: fails + 1,
                    not_before: Some(Instant::now() + rest),
                    why: Some(why.clone()),
                };
                (down, Standing::Failed(why.message.clone()))
            }
        };
        *self.lock() = slot;
        self.standing.send_replace(standing);
    }

    fn rest(&self, why: &NotUp) -> Option<Duration> {
        match &*self.lock() {
            Slot::Down {
                not_before: Some(at), ..
            } if !why.is_final => Some(at.saturating_duration_since(Instant::now())),
            Slot::Down { .. } | Slot::Starting(_) | Slot::Up(_) => None,
        }
    }

    /// The connection, if there is one now.
    pub(super) fn up(&self) -> Option<Arc<Connection>> {
        match &*self.lock() {
            Slot::Up(connection) => Some(connection.clone()),
            Slot::Down { .. } | Slot::Starting(_) => None,
        }
    }

    /// Ends its process, if it has one.
    pub fn stop(&self) {
        if let Some(connection) = self.up()
            && let Some(process) = &connection.link.process
        {
            process.life.end();
        }
        self.reconnect();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("server", &self.handler.server)
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// A session becomes one when its tools are known.
    pub(super) async fn open(
        link: Link,
        calls: Arc<Calls>,
        is_stale: Arc<AtomicBool>,
        listing_patience: Duration,
    ) -> Result<Arc<Self>, String> {
        let peer = link.session.peer().clone();
        let listed = list(&peer, listing_patience, &link.veil).await;
        // What was read of a list counts for nothing where nobody is left to call.
        if peer.is_transport_closed() {
            let words = link.last_words().await;
            let why = match (words.is_empty(), listed) {
                (true, Err(error)) => format!(": {error}"),
                (true, Ok(_)) | (false, _) => words,
            };
            return Err(format!("it went away while it listed its tools{why}"));
        }
        let listing = listed?;
        let connection = Arc::new(Self {
            peer,
            calls,
            handler: link.session.service().clone(),
            veil: link.veil.clone(),
            link,
            live: RwLock::new(Arc::new(listing)),
            is_stale,
            listing_patience,
        });
        connection.listen();
        Ok(connection)
    }

    pub(super) fn is_gone(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// What it offers now. After word of a change the list is read again first; calls under way go on undisturbed.
    pub(super) async fn tools(&self) -> Arc<Listing> {
        if self.is_stale.swap(false, Ordering::AcqRel)
            && let Ok(listing) = list(&self.peer, self.listing_patience, &self.veil).await
        {
            *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(listing);
        }
        self.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) async fn tool(&self, name: &str) -> Option<Definition> {
        self.tools()
            .await
            .tools
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    }

    /// Newer revisions tell of changes only on a stream that is asked for.
    fn listen(self: &Arc<Self>) {
        let is_asked_for = self
            .peer
            .peer_info()
            .is_some_and(|info| !info.protocol_version.has_initialize());
        if !is_asked_for {
            return;
        }
        let (peer, is_stale) = (self.peer.clone(), self.is_stale.clone());
        tokio::spawn(async move {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            let Ok(mut news) = peer.listen(filter).await else {
                return;
            };
            while let Ok(Some(_)) = news.next().await {
                is_stale.store(true, Ordering::Release);
            }
        });
    }

    pub fn noise(&self) -> Noise {
        self.link
            .process
            .as_ref()
            .map(|process| process.pipe.noise())
            .unwrap_or_default()
    }

    /// The end of what it wrote to stderr, with its secrets taken out.
    pub fn stderr(&self) -> String {
        let text = self.link.process.as_ref().map(|process| process.stderr.text());
        self.veil.text(&text.unwrap_or_default())
    }

    /// What is to be told of it, beside its tools.
    pub fn warnings(&self) -> Vec<String> {
        let noise = self.noise();
        let mut warnings = self
            .live
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .warnings
            .clone();
        if noise.lines >= MUCH_NOISE {
            let first = self.veil.text(&noise.first.unwrap_or_default());
            warnings.push(format!(
                "this server writes to stdout ({}, the first: {first})",
                counted(noise.lines, "line")
            ));
        }
        warnings
    }

    /// How it names itself, and the revision that is spoken.
    pub fn names(&self) -> (String, String) {
        let Some(info) = self.peer.peer_info() else {
            return Default::default();
        };
        let server = info
            .server_info
            .as_ref()
            .map(|own| format!("{} {}", own.name, own.version));
        let version = info.protocol_version.as_str().to_owned();
        (
            clean::line(&self.veil.text(&server.unwrap_or_default()), 100),
            clean::line(&version, 20),
        )
    }

    /// Why a connection that has gone has gone: its own last words.
    pub(super) async fn last_words(&self) -> String {
        self.link.last_words().await
    }
}

impl Link {
    async fn last_words(&self) -> String {
        let Some(process) = &self.process else {
            return String::new();
        };
        let ended = tokio::time::timeout(Duration::from_secs(1), process.life.ended()).await;
        let what = match (process.pipe.fault(), ended) {
            (Some(fault), _) => format!(" ({fault})"),
            (None, Ok(status)) => format!(" ({status})"),
            (None, Err(_)) => String::new(),
        };
        let words = process.stderr.last_words(1000, &self.veil);
        let words = if words.is_empty() {
            String::new()
        } else {
            format!(". It said:\n{words}")
        };
        self.veil.text(&format!("{what}{words}"))
    }
}
