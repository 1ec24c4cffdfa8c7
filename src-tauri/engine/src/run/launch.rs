//! How a driver begins. It must not know what driving is.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::clock::Clock;
use super::driver::Driver;
use super::growing::Growing;
use super::handle::{Ended, Handle};
use super::redact::names_in;
use super::replanning::Replan;
use super::secrets::Secrets;
use crate::llm::Models;
use crate::model::RunId;
use crate::model::caps::Caps;
use crate::model::grants::Place;
use crate::model::state::RunState;
use crate::store::{Claim, RunKey, Store};
use crate::tools::Registry;

/// What a driver needs to begin.
pub struct Launch {
    pub run: RunId,
    pub key: RunKey,
    pub claim: Claim,
    /// Folded up to and with the claim.
    pub state: RunState,
    pub title: String,
    pub store: Store,
    pub tools: Registry,
    pub models: Models,
    pub replan: Replan,
    pub place: Place,
    pub clock: Clock,
    /// How many tasks may be in flight.
    pub max_parallel: usize,
    /// How many calls to one tool or provider may be.
    pub caps: Arc<Caps>,
    pub when_idle: WhenIdle,
    /// Folders of the person's own work, in their normal form.
    pub own_work: Arc<[String]>,
    pub secrets: Secrets,
    pub growing: Growing,
}

/// What a driver does when only a person can make the run go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenIdle {
    /// Waits for the answer, holding the run.
    Stay,
    /// Lets the run go; a later resume goes on.
    Leave,
}

/// Starts driving the run on the current runtime.
pub fn drive(launch: Launch) -> Handle {
    let (tell, ended) = watch::channel(None);
    let (tell_trouble, trouble) = watch::channel(None);
    let handle = Handle {
        poke: Arc::default(),
        shutdown: CancellationToken::new(),
        trouble,
        ended,
    };
    let (poke, shutdown) = (handle.poke.clone(), handle.shutdown.clone());
    tokio::spawn(async move {
        // Known before anything of the plan is called, so that they are taken out of whatever comes back.
        launch.secrets.load(names_in(&launch.state.plan)).await;
        let mut driver = Driver::new(launch, shutdown.clone(), tell_trouble);
        let result = driver.run(&poke, &shutdown).await;
        driver.jobs.shutdown().await;
        let trouble = result.err().map(|e| e.to_string().into());
        let status = driver.state.status;
        // The lease goes before anybody hears of the end, so that the next owner finds the run free.
        drop(driver);
        let _ = tell.send(Some(Ended { status, trouble }));
    });
    handle
}
