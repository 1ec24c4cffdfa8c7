//! Going again: tasks are set back, runs come back to an earlier position, forks begin, plans change in mid-run.
//! Whatever was done outside stays done, and stays remembered.

use std::sync::Arc;

use super::super::events::{Event, EventBody, TaskCompleted, TaskReset};
use super::super::grants::Labels;
use super::super::plan::{Plan, TaskIx};
use super::super::status::{DecisionKind, RunStatus, TaskStatus};
use super::{Decision, Illegal, RunState, TaskState, Tree};

impl RunState {
    /// The task is as it was before it ever ran; whatever waited for it waits again.
    pub(super) fn reset(&mut self, ix: TaskIx, reset: &TaskReset) -> Result<(), Illegal> {
        let from = self.task(ix).status;
        let is_inner = self.tree.owner(ix).is_some();
        // While the run goes on, only a replan sets back, and only what is not under way.
        let may_go_back = match self.status {
            RunStatus::Running => matches!(from, TaskStatus::Ready | TaskStatus::Failed),
            RunStatus::AwaitingApproval
            | RunStatus::Paused
            | RunStatus::Waiting
            | RunStatus::Blocked
            | RunStatus::Succeeded
            | RunStatus::Failed
            | RunStatus::Cancelled => from != TaskStatus::Pruned,
        };
        let is_held_fast = is_inner && (self.status == RunStatus::Running || !self.goes_on_around(ix));
        if !may_go_back || is_held_fast {
            let task = self.tree.address(ix);
            let to = TaskStatus::Pending;
            return Err(Illegal::Task { task, from, to });
        }
        let was_settled = self.is_settled(ix);
        let was_skipped = from == TaskStatus::Skipped;
        self.lose_questions_of(ix);
        self.drop_inner(ix);
        self.close_decision_of(ix);
        let address = self.tree.address(ix);
        if reset.again {
            self.past.forget(&address);
        } else {
            self.past.take_back(&address);
        }
        self.counts[from.index()] -= 1;
        self.counts[TaskStatus::Pending.index()] += 1;
        // No generation comes twice, whatever was taken back, so that no key does.
        self.generations += u32::from(reset.again);
        let old = &self.tasks[ix as usize];
        let fresh = TaskState {
            // Of what is taken over instead of being called for again.
            origins: old.origins.clone(),
            generation: if reset.again {
                self.generations
            } else {
                old.generation
            },
            open: old.open,
            skipped: old.skipped,
            ..TaskState::new(0)
        };
        self.tasks[ix as usize] = fresh;
        self.stop_again_at(ix);
        self.replans.carried_through(&self.tree.address(ix));
        if self.task(ix).open == 0 {
            self.unlocked.push(ix);
        }
        if was_settled {
            for child in self.tree.children(ix) {
                let state = &mut self.tasks[child as usize];
                state.open += 1;
                state.skipped -= u32::from(was_skipped);
            }
            self.reopen_around(ix);
        }
        Ok(())
    }

    /// Whether a node can run again by itself: each map and nested plan around it is done or under way and has kept what
    /// it has inside.
    pub fn goes_on_around(&self, ix: TaskIx) -> bool {
        let mut at = self.tree.owner(ix);
        while let Some(owner) = at {
            let task = self.task(owner);
            let has_kept = task.inner.is_some() && !task.is_gone;
            if !has_kept || !matches!(task.status, TaskStatus::Completed | TaskStatus::Running) {
                return false;
            }
            at = self.tree.owner(owner);
        }
        true
    }

    /// What is around a node that runs again has its output no more; whatever waited for that waits again.
    fn reopen_around(&mut self, ix: TaskIx) {
        let Some(owner) = self.tree.owner(ix) else { return };
        self.joined.retain(|&joined| joined != owner);
        let task = &mut self.tasks[owner as usize];
        if let Some(inner) = &mut task.inner {
            inner.open += 1;
        }
        if task.status != TaskStatus::Completed {
            return;
        }
        (task.output, task.origins, task.labels) = (None, None, Labels::default());
        task.status = TaskStatus::Running;
        task.ended_ms = 0;
        self.counts[TaskStatus::Completed.index()] -= 1;
        self.counts[TaskStatus::Running.index()] += 1;
        for child in self.tree.children(owner) {
            self.tasks[child as usize].open += 1;
        }
        self.stop_again_at(owner);
        self.reopen_around(owner);
    }

    pub(super) fn close_decision_of(&mut self, ix: TaskIx) {
        for decision in self.decisions.iter_mut().filter(|d| d.task == Some(ix)) {
            if decision.is_open() {
                decision.is_closed = true;
                self.open_count -= 1;
            }
        }
    }

    pub(super) fn complete(&mut self, ix: TaskIx, completed: &TaskCompleted) {
        let address = self.tree.address(ix);
        let task = &mut self.tasks[ix as usize];
        task.output = completed.output.clone().or_else(|| task.call_result());
        task.rejections = completed.accepted_after_rejections;
        task.labels = completed.labels;
        let sources = if task.labels.is_default() {
            Vec::new()
        } else {
            task.sources(&address)
        };
        if let Some(key) = completed.reused {
            self.past.take_over(&address, key);
        }
        let task = &mut self.tasks[ix as usize];
        // What is taken over was called for before.
        if completed.reused.is_none() || !sources.is_empty() {
            task.origins = (!sources.is_empty()).then(|| sources.into());
        }
        let told = task.decision.take().zip(task.output.clone());
        // What went wrong on the way, or was in doubt, is no matter of what is done.
        task.error = None;
        task.end_well();
        self.count_as_made(told);
    }

    /// What was allowed was allowed to another run.
    pub(super) fn forget_allowances(&mut self) {
        self.allowed.clear();
        for task in &mut self.tasks {
            task.allowed = None;
        }
    }

    /// A person's word that the effect in doubt has happened counts like its result.
    fn count_as_made(&mut self, told: Option<(super::DecisionId, super::ValueRef)>) {
        let Some((id, output)) = told else { return };
        let key = self
            .decision(&id)
            .filter(|d| d.kind == DecisionKind::InDoubt)
            .and_then(|d| d.binds);
        if let Some(key) = key {
            self.made.insert(key, super::Made::Done(output));
        }
    }

    /// Nobody drives what has just been rewound; it goes on when a person says so.
    pub(super) fn come_to_rest(&mut self, at: i64, body: &EventBody) -> Result<(), Illegal> {
        self.pause_requested = false;
        self.cancel_requested = false;
        self.paused_at = None;
        (self.output, self.error) = (None, None);
        match self.status {
            RunStatus::AwaitingApproval | RunStatus::Paused => {}
            RunStatus::Running
            | RunStatus::Waiting
            | RunStatus::Blocked
            | RunStatus::Succeeded
            | RunStatus::Failed
            | RunStatus::Cancelled => self.go(RunStatus::Paused, at, body)?,
        }
        self.set_back_cancelled()
    }

    /// What was cut off with a run that is to go on has not run: without it, others would run on nothing.
    fn set_back_cancelled(&mut self) -> Result<(), Illegal> {
        let root = self.tree.root().nodes.clone();
        for ix in root {
            if self.task(ix).status == TaskStatus::Cancelled {
                self.reset(ix, &TaskReset { again: false })?;
            }
        }
        Ok(())
    }

    /// Nobody's signature covers what is to run next.
    pub(super) fn unsign(&mut self) {
        self.status = RunStatus::AwaitingApproval;
        self.approved = None;
        self.aside.clear();
        self.replans.current = None;
        let is_of_run = |kind| matches!(kind, DecisionKind::Approval | DecisionKind::Replan);
        let asked = |d: &&mut Decision| is_of_run(d.kind) && d.task.is_none() && d.is_open();
        for decision in self.decisions.iter_mut().filter(asked) {
            decision.is_closed = true;
            self.open_count -= 1;
        }
    }

    /// A fork is a new run: nobody has approved it, nobody drives it, and no effect of it has been made.
    pub(super) fn begin_fork(&mut self, at: i64, is_from_elsewhere: bool) -> Result<(), Illegal> {
        if is_from_elsewhere {
            self.distrust();
        }
        self.ran_ms = 0;
        self.going_since_ms = None;
        self.paused_at = None;
        self.opened_ms = at;
        self.unsign();
        self.epoch = 0;
        self.owner = None;
        self.pause_requested = false;
        self.cancel_requested = false;
        // Of a run from elsewhere only the log was taken in; what follows is this machine's.
        self.is_imported = false;
        (self.output, self.error) = (None, None);
        self.forget_allowances();
        self.made.clear();
        self.undone.clear();
        self.past.clear();
        self.lost.clear();
        self.begin_ledger();
        self.replans.begin_anew();
        // What was in flight there is the other run's; here it has not been begun.
        for task in &mut self.tasks {
            if task.status == TaskStatus::Running && task.inner.is_none() && !task.is_gone {
                task.status = TaskStatus::Ready;
                task.attempts = task.attempts.saturating_sub(1);
                // What a model has said is shared with the parent; nobody pays for it twice.
                task.lose_open_calls();
                self.counts[TaskStatus::Running.index()] -= 1;
                self.counts[TaskStatus::Ready.index()] += 1;
            }
        }
        self.set_back_cancelled()
    }

    /// The generation that the keys of a node's effects hang on: raised with that of the map or plan around it.
    pub fn generation(&self, ix: TaskIx) -> u32 {
        let around = self.tree.owner(ix).map_or(0, |owner| self.generation(owner));
        self.task(ix).generation.max(around)
    }

    /// Takes over an event of a stretch that was taken back later: only what it did outside still counts. `ended` is the
    /// key of the call that it ends, if it does.
    pub fn absorb(&mut self, event: &Event, ended: Option<super::Digest>) -> Result<(), Illegal> {
        if event.seq != self.seq + 1 {
            return Err(Illegal::Order {
                head: self.seq,
                got: event.seq,
            });
        }
        self.run_clock(event.at_ms, &event.body);
        self.seq = event.seq;
        self.changed_ms = event.at_ms;
        self.remember_taken_back(event, ended);
        Ok(())
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "nothing else leaves a trace outside"
    )]
    fn remember_taken_back(&mut self, event: &Event, ended: Option<super::Digest>) {
        self.hold(event.task.as_ref(), &event.body);
        match &event.body {
            // How it is called and sorted is no step of the run, so no rewind takes it back.
            EventBody::RunNamed(named) => self.name = named.name.as_deref().map(Into::into),
            EventBody::RunTagged(tagged) => self.tags.take(tagged),
            EventBody::CallStarted(started) if started.model => {
                self.ledger.reserve(started.reserve.unwrap_or_default());
                self.questions_taken_back
                    .push((event.task.clone(), started.clone()));
            }
            EventBody::CallStarted(started) if started.effect.is_effect() => {
                self.note_writes(started);
                self.begin_effect(started.key);
                if let Some(task) = &event.task {
                    self.past.note(task, event.at_ms, started, true);
                }
                self.use_word(event.task.as_ref(), started.key);
            }
            EventBody::TaskReset(reset) => self.generations += u32::from(reset.again),
            EventBody::TaskExpanded(_) => {
                if let Some(task) = &event.task {
                    self.past.begin_in_vain(task);
                }
            }
            EventBody::CallFinished(finished) => {
                if let Some(key) = ended.filter(|key| self.made.contains_key(key)) {
                    self.end_effect(key, &finished.outcome);
                }
                // What was paid stays paid.
                let reserve = self.end_taken_back(event.task.as_ref(), ended);
                self.ledger.settle(reserve, finished.usage);
            }
            EventBody::DecisionOpened(opened) => self.decisions.push(Decision {
                id: opened.decision.clone(),
                kind: opened.kind,
                task: None,
                question: opened.question.clone(),
                form: None,
                binds: None,
                needs: Vec::new(),
                about: None,
                provenance: None,
                may_replan: false,
                is_in_talk: false,
                opened_ms: event.at_ms,
                answer: None,
                choice: None,
                is_closed: true,
            }),
            _ => {}
        }
    }

    /// The plan that was approved; the run has nothing to lose yet.
    pub fn set_plan(&mut self, plan: Arc<Plan>) {
        let fresh = Self::new(plan);
        self.tree = Tree::new(fresh.plan.clone());
        self.plan = fresh.plan;
        self.tasks = fresh.tasks;
        self.counts = fresh.counts;
    }

    /// Another version of the plan in the midst of the run: what has run keeps its state, by its id.
    pub fn adopt(&mut self, plan: &Arc<Plan>) {
        let fresh = self.tree.adopt(plan.clone());
        self.plan = plan.clone();
        self.counts[TaskStatus::Pending.index()] += fresh.len() as u32;
        self.tasks.extend(fresh.iter().map(|_| TaskState::new(0)));
        // Those inside maps and nested plans are not looked at below: what has just been unlocked there stays so.
        let (tree, tasks) = (&self.tree, &self.tasks);
        self.unlocked
            .retain(|&ix| tree.owner(ix).is_some() && !tasks[ix as usize].is_gone);
        let nodes = self.tree.root().nodes.clone();
        for node in nodes {
            let open = self.tree.parents(node).filter(|&p| !self.is_settled(p)).count();
            let is_skipped = |&p: &TaskIx| self.task(p).status == TaskStatus::Skipped;
            let skipped = self.tree.parents(node).filter(is_skipped).count();
            let state = &mut self.tasks[node as usize];
            (state.open, state.skipped) = (open as u32, skipped as u32);
            if open == 0 && state.status == TaskStatus::Pending {
                self.unlocked.push(node);
            }
        }
    }
}
