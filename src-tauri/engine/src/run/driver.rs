//! The driver of one live run: it takes in what happened, decides what follows, commits that in one batch,
//! and only then lets it have consequences.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::asides::Asides;
use super::attempt::{Job, Report};
use super::breakers::Breakers;
use super::choice::Which;
use super::clock::{Clock, Drift};
use super::flights::Flights;
use super::growing::Growing;
use super::inputs::Lists;
use super::launch::{Launch, WhenIdle};
use super::midcall::MidCall;
use super::nested::Held;
use super::recent::Recent;
use super::redact::{add_keys, redactor_of};
use super::replanning::Replan;
use super::secrets::Secrets;
use super::slots::Slots;
use super::talk::Talk;
use crate::llm::Models;
use crate::model::events::{ClockJumped, Event, EventBody, Failure, NewEvent, Stop};
use crate::model::grants::{Need, Place};
use crate::model::ledger::Ledger;
use crate::model::plan::TaskIx;
use crate::model::redactor::Redactor;
use crate::model::state::{Illegal, RunState};
use crate::model::status::{RunStatus, TaskStatus};
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{Json, RunId, Seq, TaskId};
use crate::store::{Append, Durability, Guard, RunKey, Store, StoreError, Summary};
use crate::tools::Registry;

/// Why a driver stops without having ended the run.
#[derive(Debug, thiserror::Error)]
pub(super) enum DriveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Drafting(#[from] crate::history::drafting::DraftingError),
    #[error("the run's log does not fit its plan: {0}. Nothing was recorded.")]
    Illegal(#[from] Illegal),
    /// Nothing more could be stored for too long.
    #[error("{0}")]
    Full(String),
    #[error(
        "nothing can go on, though {0} is not done. This is a fault of Planloom; the log is kept as it is."
    )]
    Stuck(TaskId),
}

/// What the driver is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Going,
    /// Lets what is in flight finish, then pauses.
    Pausing,
    /// A person or a decision ends the run.
    Ending(RunStatus),
}

/// The longest remaining path, then the document's order.
pub(super) type Priority = (u32, Reverse<TaskIx>);

pub(super) struct Driver {
    pub run: RunId,
    pub key: RunKey,
    pub epoch: u64,
    _lease: crate::store::Lease,
    title: String,
    pub store: Store,
    pub tools: Registry,
    pub models: Models,
    pub replan: Replan,
    pub place: Place,
    /// The literal needs of each tool task, frozen with the plan; worked out when first asked for.
    pub frozen: HashMap<(TaskIx, Which), Arc<[Need]>>,
    pub clock: Clock,
    drift: Drift,
    pub max_parallel: usize,
    pub when_idle: WhenIdle,
    pub state: RunState,
    /// The longest remaining path first, then the document's order.
    pub ready: BinaryHeap<Priority>,
    /// Tasks that wait for their next attempt, by the moment of it.
    pub retries: BTreeSet<(i64, TaskIx)>,
    pub flights: Flights,
    /// What agents and model tasks have said and heard, as far as it is at hand.
    pub talks: HashMap<TaskIx, Talk>,
    /// Those of them of which a call has ended, so that their next step is due.
    pub stirred: BTreeSet<TaskIx>,
    pub jobs: JoinSet<Report>,
    pub asides: Asides,
    pub midcall: MidCall,
    /// Something has happened whose consequences are still to be looked for.
    pub is_restless: bool,
    /// What the run fails of, where a person lets it fail.
    pub why_ending: Option<Failure>,
    /// Decisions whose answer has not had its consequence yet, by position.
    pub undecided: BTreeSet<usize>,
    pub mode: Mode,
    /// The breakpoint that it pauses for.
    pub stop: Option<Stop>,
    pub batch: Vec<NewEvent>,
    payloads: Vec<NewPayload>,
    pub recent: Recent,
    pub lists: Lists,
    /// Items that are ready while their map has as many in flight as it may, by map.
    pub held: HashMap<TaskIx, Held>,
    pub breakers: Breakers,
    pub slots: Slots,
    /// Agents whose next question has no room in the budget before calls under way are settled; and the sums when they
    /// were looked at.
    pub short: BTreeSet<TaskIx>,
    pub short_at: Box<Ledger>,
    pub redactor: Arc<Redactor>,
    pub growing: Growing,
    pub secrets: Secrets,
    /// Folders of the person's own work, by the settings.
    pub own_folders: Arc<[String]>,
    pub is_barrier: bool,
    pub launches: Vec<Job>,
    pub shutdown: CancellationToken,
    /// What keeps the run from going on for now.
    pub trouble: watch::Sender<Option<Arc<str>>>,
}

/// From this many events on, readiness is committed before more of it is added.
const MOST_EVENTS: usize = 512;
/// How often another process's commits are looked for.
const LOOK: Duration = Duration::from_millis(250);

impl Driver {
    pub fn new(
        launch: Launch,
        shutdown: CancellationToken,
        trouble: watch::Sender<Option<Arc<str>>>,
    ) -> Self {
        let plan = launch.state.plan.clone();
        let mut redactor = redactor_of(&plan, &launch.secrets);
        add_keys(&mut redactor, &launch.models);
        Self {
            run: launch.run,
            key: launch.key,
            epoch: launch.claim.epoch,
            _lease: launch.claim.lease,
            title: launch.title,
            store: launch.store,
            tools: launch.tools,
            models: launch.models,
            replan: launch.replan,
            place: launch.place,
            frozen: HashMap::new(),
            drift: Drift::new(&launch.clock),
            clock: launch.clock,
            max_parallel: launch.max_parallel.max(1),
            when_idle: launch.when_idle,
            state: launch.state,
            ready: BinaryHeap::new(),
            retries: BTreeSet::new(),
            flights: Flights::default(),
            talks: HashMap::new(),
            stirred: BTreeSet::new(),
            jobs: JoinSet::new(),
            asides: Asides::default(),
            midcall: MidCall::default(),
            is_restless: false,
            why_ending: None,
            undecided: BTreeSet::new(),
            mode: Mode::Going,
            stop: None,
            batch: Vec::new(),
            payloads: Vec::new(),
            recent: Recent::default(),
            lists: Lists::default(),
            held: HashMap::new(),
            breakers: Breakers::default(),
            slots: Slots::new(launch.caps),
            short: BTreeSet::new(),
            short_at: Box::default(),
            redactor: Arc::new(redactor),
            growing: launch.growing,
            secrets: launch.secrets,
            own_folders: launch.own_work,
            is_barrier: false,
            launches: Vec::new(),
            shutdown,
            trouble,
        }
    }

    pub async fn run(&mut self, poke: &Notify, shutdown: &CancellationToken) -> Result<(), DriveError> {
        self.take_up()?;
        let mut foreign_version = self.store.foreign_version().await?;
        loop {
            if shutdown.is_cancelled() {
                return self.shut_down().await;
            }
            let is_over = self.step().await?;
            if self.only_starts() && self.launch_early().await? {
                // Something has finished already: its completion shares the commit of its start.
                continue;
            }
            self.commit().await?;
            if is_over {
                return Ok(());
            }
            if std::mem::take(&mut self.is_restless) || !self.undecided_answers().is_empty() {
                continue;
            }
            self.wait(poke, shutdown, &mut foreign_version).await?;
        }
    }

    /// Everything that follows from what is known now. True: there is nothing left to drive.
    async fn step(&mut self) -> Result<bool, DriveError> {
        if let Some(by_ms) = self.drift.look(&self.clock) {
            self.emit(None, ClockJumped { by_ms })?;
        }
        self.settle_answers().await?;
        self.heed_requests();
        match self.mode {
            Mode::Ending(status) => {
                self.end(status).await?;
                return Ok(true);
            }
            Mode::Pausing => return self.pause_when_quiet(),
            Mode::Going => {}
        }
        self.due_retries();
        self.advance_stirred().await?;
        self.start_ready().await?;
        if self.stops_after() {
            return self.pause_when_quiet();
        }
        self.idle().await
    }

    fn heed_requests(&mut self) {
        if self.state.cancel_requested && !matches!(self.mode, Mode::Ending(_)) {
            self.mode = Mode::Ending(RunStatus::Cancelled);
        } else if self.state.pause_requested && self.mode == Mode::Going {
            self.mode = Mode::Pausing;
        }
    }

    /// Starts what is ready, the longest remaining path first, as far as there are slots.
    async fn start_ready(&mut self) -> Result<(), DriveError> {
        while !self.stops_after() {
            self.unlock().await?;
            self.join_settled().await?;
            if !self.state.unlocked.is_empty() {
                continue;
            }
            self.wake_waiting();
            self.advance_stirred().await?;
            if self.stops_after() || self.flights.tasks() >= self.max_parallel || !self.may_go_on()? {
                return Ok(());
            }
            let Some((_, Reverse(ix))) = self.ready.pop() else {
                return Ok(());
            };
            self.came_up(ix);
            if self.stops_before(ix) {
                return Ok(());
            }
            if self.may_start_item(ix) {
                if !self.waits_for_slot(ix) {
                    self.start(ix).await?;
                }
                self.release_next(ix);
            }
        }
        Ok(())
    }

    fn due_retries(&mut self) {
        let now = self.clock.now_ms();
        while let Some(&(due, ix)) = self.retries.first() {
            if due > now {
                break;
            }
            self.retries.pop_first();
            self.push_ready(ix);
        }
    }

    pub fn push_ready(&mut self, ix: TaskIx) {
        self.ready.push(self.priority(ix));
    }

    pub fn priority(&self, ix: TaskIx) -> Priority {
        (self.state.tree.remaining(ix), Reverse(ix))
    }

    /// Waits until something has happened, and takes in all that has.
    async fn wait(
        &mut self,
        poke: &Notify,
        shutdown: &CancellationToken,
        foreign_version: &mut i64,
    ) -> Result<(), DriveError> {
        let retry = self.retries.first().map(|&(at, _)| at);
        let due = retry.into_iter().chain(self.breakers.next_probe()).min();
        let due = due.map(|at| (at - self.clock.now_ms()).max(0) as u64);
        let until_due = async {
            match due {
                Some(ms) if self.mode == Mode::Going => tokio::time::sleep(Duration::from_millis(ms)).await,
                Some(_) | None => std::future::pending().await,
            }
        };
        let (mut report, mut said, mut question) = (None, None, None);
        let mut is_poked = false;
        tokio::select! {
            biased;
            () = shutdown.cancelled() => return Ok(()),
            Some(joined) = self.jobs.join_next(), if !self.jobs.is_empty() => report = Some(joined),
            Some(joined) = self.asides.jobs.join_next(), if !self.asides.jobs.is_empty() => said = Some(joined),
            asked = self.midcall.questions.recv() => question = asked,
            () = poke.notified() => is_poked = true,
            () = until_due => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Some(joined) = report {
            return self.take_reports(joined).await;
        }
        if let Some(joined) = said {
            return self.take_said(joined);
        }
        if let Some(question) = question {
            return self.take_midcall(question).await;
        }
        let version = self.store.foreign_version().await?;
        if is_poked || version != *foreign_version {
            *foreign_version = version;
            self.read_foreign().await?;
        }
        Ok(())
    }

    /// Takes in what others have appended: answers and requests.
    async fn read_foreign(&mut self) -> Result<(), DriveError> {
        let events = self
            .store
            .events(&self.run, self.state.seq, Seq::MAX, usize::MAX)
            .await?;
        self.take_foreign(events)
    }

    fn take_foreign(&mut self, events: Vec<Event>) -> Result<(), DriveError> {
        // The log is another owner's from its claim on; it does not go with what this one has begun.
        let is_anothers = |e: &Event| matches!(&e.body, EventBody::RunClaimed(c) if c.epoch > self.epoch);
        if events.iter().any(is_anothers) {
            return Err(StoreError::Deposed.into());
        }
        for mut event in events {
            // Their place among our own of the same batch makes no difference to the fold.
            event.seq = self.state.seq + 1;
            self.state.apply(&event)?;
        }
        Ok(())
    }

    /// Takes a fact into the state and into the next commit. An illegal one is refused here, before it is recorded.
    pub fn emit(&mut self, task: Option<TaskIx>, body: impl Into<EventBody>) -> Result<(), DriveError> {
        let (node, was) = (task, task.map(|ix| self.state.task(ix).status));
        let task = task.map(|ix| self.state.tree.address(ix));
        let event = NewEvent {
            at_ms: self.clock.now_ms(),
            task,
            body: body.into(),
        };
        self.state.apply(&event.clone().at(self.state.seq + 1))?;
        self.batch.push(event);
        if let (Some(ix), Some(was)) = (node, was) {
            self.count_item(ix, was);
        }
        Ok(())
    }

    /// Takes in a report and all others that are there.
    pub async fn take_reports(
        &mut self,
        first: Result<Report, tokio::task::JoinError>,
    ) -> Result<(), DriveError> {
        crate::store::death::may_come("report");
        // Others that finish in the same moment share the commit.
        tokio::task::yield_now().await;
        let mut joined = vec![first];
        joined.extend(std::iter::from_fn(|| self.jobs.try_join_next()));
        // What arrives together is taken in the plan's order, so that equal answers give equal logs.
        joined.sort_by_key(|j| {
            j.as_ref()
                .map_or((TaskIx::MAX, 0), |report| (report.ix, report.call))
        });
        for report in joined {
            self.take_report(report)?;
        }
        Ok(())
    }

    /// The next commit is synced to disk before anything follows from it.
    pub fn barrier(&mut self) {
        self.is_barrier = true;
    }

    pub fn store_value(&mut self, value: &Json) -> ValueRef {
        let (reference, payload) = ValueRef::of(value);
        if let Some(payload) = payload {
            self.recent.add(&payload);
            self.store_payload(payload);
        }
        reference
    }

    pub fn store_payload(&mut self, payload: NewPayload) {
        self.payloads.push(payload);
    }

    pub fn launch(&mut self, job: Job) {
        self.launches.push(job);
    }

    /// Commits the batch; only then do the attempts that it started begin.
    pub async fn commit(&mut self) -> Result<(), DriveError> {
        if !self.batch.is_empty() {
            let events = std::mem::take(&mut self.batch);
            let head = self.state.seq - events.len() as Seq;
            let append = Append {
                run: self.key,
                guard: Guard::Owner {
                    epoch: self.epoch,
                    head,
                },
                events,
                payloads: std::mem::take(&mut self.payloads),
                durability: if self.is_barrier {
                    Durability::Disk
                } else {
                    Durability::Process
                },
                summary: Some(self.summary()),
            };
            self.is_barrier = false;
            let appended = self.append_or_hold(append).await?;
            self.recent.committed();
            self.take_foreign(appended.foreign)?;
        }
        self.spawn_launches();
        self.asides.launch();
        Ok(())
    }

    fn summary(&self) -> Summary {
        summary_of(&self.state, &self.title, self.state.plan.goal.as_deref())
    }

    /// Tasks whose last dependency has just been settled become ready. Ten thousand at once take several commits, so
    /// that their events never wait in memory all together; what is not recorded yet follows again from what is.
    async fn unlock(&mut self) -> Result<(), DriveError> {
        for ix in std::mem::take(&mut self.state.unlocked) {
            let task = self.state.task(ix);
            if task.status == TaskStatus::Pending && task.open == 0 {
                self.make_ready(ix)?;
            }
            if self.batch.len() >= MOST_EVENTS {
                self.commit().await?;
            }
        }
        Ok(())
    }
}

/// What lists show of a run in this state.
pub fn summary_of(state: &RunState, title: &str, goal: Option<&str>) -> Summary {
    Summary {
        status: Some(state.status),
        title: state.name.as_deref().unwrap_or(title).to_owned(),
        goal: goal.map(str::to_owned),
        revision: state.revision,
        counts: state.counts.to_vec(),
        open_decisions: state.open_count,
        ran_ms: state.ran_ms,
        going_since_ms: state.going_since_ms,
        path: state.path.as_deref().map(str::to_owned),
        spent: state.ledger.spent,
        cap: state.cap(),
        tags: state.tags.to_vec(),
    }
}
