//! Decisions: opening them, and what an answer makes follow (rule 8). An answer is recorded by whoever gave it;
//! its consequence is recorded here, once.

use super::driver::{DriveError, Driver, Mode};
use super::fitting::has_to_fit;
use super::inputs::{Resolved, load, load_recent};
use super::intents::waits_for;
use super::midcall::is_of_call;
use super::other_effects;
use crate::model::events::{
    Again, CallFinished, CallOutcome, DecisionClosed, DecisionOpened, Failure, FailureClass, SkipReason,
    TaskCompleted, TaskFailed, TaskSkipped, TaskWaiting,
};
use crate::model::grants::{self, Labels, Need};
use crate::model::json::canonical;
use crate::model::plan::TaskIx;
use crate::model::provenance::Provenance;
use crate::model::state::{Call, Decision, Made};
use crate::model::status::{DecisionKind, RunStatus, TaskStatus};
use crate::model::value::ValueRef;
use crate::model::{DecisionId, Digest, Json, sentence, spoken};

impl Driver {
    fn open(&mut self, ix: TaskIx, opened: DecisionOpened) -> Result<(), DriveError> {
        self.undecided.insert(self.state.decisions.len());
        self.barrier();
        self.emit(Some(ix), opened)
    }

    /// A question about the run as a whole.
    pub(super) fn open_of_run(&mut self, opened: DecisionOpened) -> Result<(), DriveError> {
        self.undecided.insert(self.state.decisions.len());
        self.barrier();
        self.emit(None, opened)
    }

    pub(super) fn draft(&self, kind: DecisionKind, question: String) -> DecisionOpened {
        DecisionOpened {
            decision: self.state.next_decision(),
            kind,
            question,
            form: None,
            binds: None,
            needs: Vec::new(),
            about: None,
            provenance: None,
            may_replan: false,
        }
    }

    pub(super) fn name(&self, ix: TaskIx) -> String {
        self.state.name(ix)
    }

    fn open_and_wait(&mut self, ix: TaskIx, opened: DecisionOpened) -> Result<(), DriveError> {
        let decision = opened.decision.clone();
        self.open(ix, opened)?;
        self.emit(Some(ix), TaskWaiting { decision })
    }

    pub(super) fn ask(
        &mut self,
        ix: TaskIx,
        form: std::sync::Arc<Json>,
        resolved: &Resolved,
    ) -> Result<(), DriveError> {
        let question = self.state.def(ix).instruction.to_string();
        let about = self.about(&resolved.shown);
        let opened = DecisionOpened {
            form: Some((*form).clone()),
            about,
            ..self.draft(DecisionKind::Question, question)
        };
        self.open_and_wait(ix, opened)
    }

    pub(super) fn ask_approval(&mut self, ix: TaskIx, resolved: &Resolved) -> Result<(), DriveError> {
        let question = format!("Start {}?", self.name(ix));
        let about = self.about(&resolved.shown);
        let opened = DecisionOpened {
            about,
            ..self.draft(DecisionKind::Approval, question)
        };
        self.open_and_wait(ix, opened)
    }

    pub(super) fn ask_grant(&mut self, ix: TaskIx, needs: Vec<Need>) -> Result<(), DriveError> {
        self.ask_grant_for(ix, None, needs)
    }

    /// Bound to one call, where the task makes several.
    pub(super) fn ask_grant_for(
        &mut self,
        ix: TaskIx,
        binds: Option<Digest>,
        needs: Vec<Need>,
    ) -> Result<(), DriveError> {
        let (grants, place) = (&self.state.tree.scope(ix).plan.grants, self.place_of(ix));
        let told = |need: &Need| match grants::near_miss(grants, need, &place) {
            Some(why) => format!("{need} ({why})"),
            None => need.to_string(),
        };
        let wanted: Vec<String> = needs.iter().map(told).collect();
        let question = format!(
            "{} wants what was not granted: {}",
            self.name(ix),
            wanted.join(", ")
        );
        let opened = DecisionOpened {
            binds,
            needs,
            ..self.draft(DecisionKind::Grant, question)
        };
        self.open_and_wait(ix, opened)
    }

    /// All that it touches is granted, but a person must judge what it is made of. Bound to this very call.
    pub(super) fn ask_effect(
        &mut self,
        ix: TaskIx,
        key: Digest,
        arguments: &Json,
        provenance: Box<Provenance>,
    ) -> Result<(), DriveError> {
        let why: Vec<&str> = provenance.concerns.iter().map(|c| c.sentence()).collect();
        let name = self.name(ix);
        let question = if provenance.earlier.is_empty() {
            let (tool, why) = (&provenance.tool, why.join("; "));
            format!("{name} would call {tool}: {why}. Allow this call?")
        } else {
            other_effects::question(&name, &provenance, &canonical(arguments))
        };
        let question = match self.is_changed_by_person(ix) {
            true => format!("{question} Its arguments are as you have changed them."),
            false => question,
        };
        let about = self.about(arguments);
        let opened = DecisionOpened {
            binds: Some(key),
            about,
            provenance: Some(provenance),
            ..self.draft(DecisionKind::Effect, question)
        };
        self.open_and_wait(ix, opened)
    }

    pub(super) fn ask_in_doubt(
        &mut self,
        ix: TaskIx,
        key: Option<Digest>,
        error: &Failure,
    ) -> Result<(), DriveError> {
        let question = format!("Did {} happen? {}", self.name(ix), spoken(&error.message));
        let opened = DecisionOpened {
            binds: key,
            ..self.draft(DecisionKind::InDoubt, question)
        };
        self.open(ix, opened)
    }

    pub(super) fn ask_blocked(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        let message = self
            .state
            .task(ix)
            .error
            .as_ref()
            .map_or(String::new(), |e| spoken(&e.message));
        let mut question = format!("{} failed: {message}", self.name(ix));
        if let Some(refusal) = self.refusal_for(ix) {
            let refusal = format!("No other way was found: {}", spoken(&refusal));
            question = sentence([question.as_str(), refusal.as_str()]);
        }
        if self.may_have_arrived(ix) {
            let told = "A call of it may have arrived; `retry` sends that again under the same key";
            question = sentence([question.as_str(), told]);
        }
        let may_replan = self.can_replan() && self.is_mendable(ix);
        if let Some((model, host)) = self.far_replanner().filter(|_| may_replan) {
            let told = format!("`replan` gives the plan, its outputs and its errors to {model} at {host}");
            question = sentence([question.as_str(), told.as_str()]);
        }
        let opened = DecisionOpened {
            may_replan,
            ..self.draft(DecisionKind::Blocked, question)
        };
        self.open(ix, opened)
    }

    /// Whether an effect of it was sent, and nobody knows what came of that.
    fn may_have_arrived(&self, ix: TaskIx) -> bool {
        let task = self.state.task(ix);
        let mut effects = task.calls.iter().filter(|call| call.started.effect.is_effect());
        effects.next_back().is_some_and(|call| {
            let made = self.state.made.get(&call.started.key);
            matches!(made, Some(Made::Begun))
        })
    }

    pub(super) fn about(&mut self, value: &Json) -> Option<ValueRef> {
        let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
        (!is_empty).then(|| self.store_value(value))
    }

    /// Whether the decision may still have a consequence.
    pub(super) fn is_undecided(&self, position: usize) -> bool {
        let decision = &self.state.decisions[position];
        let Some(ix) = decision.task else {
            return self.is_undecided_of_run(decision);
        };
        // A rewind or a fork may have cut the task off from what it asked; then it asks again.
        !decision.is_closed && waits_for(self.state.task(ix), &decision.id)
    }

    /// Decisions that are answered and wait for their consequence.
    pub(super) fn undecided_answers(&self) -> Vec<usize> {
        let answered = |&&n: &&usize| self.state.decisions[n].answer.is_some();
        self.undecided.iter().filter(answered).copied().collect()
    }

    /// Lets each answer have its consequence, once.
    pub(super) async fn settle_answers(&mut self) -> Result<(), DriveError> {
        for position in self.undecided_answers() {
            self.undecided.remove(&position);
            if self.answer_midcall(position).await? || !self.is_undecided(position) {
                continue;
            }
            let decision = self.state.decisions[position].clone();
            let Some(answer) = &decision.answer else { continue };
            self.barrier();
            match decision.task {
                Some(ix) => self.settle(ix, &decision.id, decision.kind, answer).await?,
                None => self.settle_of_run(&decision, answer).await?,
            }
        }
        Ok(())
    }

    async fn settle(
        &mut self,
        ix: TaskIx,
        id: &DecisionId,
        kind: DecisionKind,
        answer: &ValueRef,
    ) -> Result<(), DriveError> {
        let word = self.state.decision(id).and_then(Decision::word);
        match (kind, word.as_deref()) {
            // Its call could not wait: it is made again, and told when it asks.
            (DecisionKind::Question, _) if self.state.decision(id).is_some_and(is_of_call) => {
                self.ready_again(ix, Again::Retry)
            }
            (DecisionKind::Question, _) => self.take_answer(ix, answer.clone()).await,
            (_, Some("stop")) => {
                self.mode = Mode::Ending(RunStatus::Failed);
                Ok(())
            }
            (DecisionKind::Grant, Some("run")) => {
                self.ready_again(ix, Again::Allowed)?;
                self.settle_twins()
            }
            (DecisionKind::Approval, Some("approve"))
            | (DecisionKind::Grant, Some("once" | "task"))
            | (DecisionKind::Effect, Some("allow")) => self.ready_again(ix, Again::Allowed),
            (DecisionKind::Grant | DecisionKind::Effect, _) if self.state.task(ix).has_asked() => {
                self.ready_again(ix, Again::Denied)
            }
            // It is not made; what came of the earlier one is taken over when the task comes up.
            (DecisionKind::Effect, _) if self.state.decision(id).is_some_and(Decision::is_about_another) => {
                self.ready_again(ix, Again::Denied)
            }
            (DecisionKind::Approval, _) => self.turn_down(ix, "rejected", "a person rejected the task"),
            (DecisionKind::Grant, _) => {
                self.turn_down(ix, "not_granted", "a person denied what the task wanted")
            }
            (DecisionKind::Effect, _) => self.turn_down(ix, "denied", "a person denied the call"),
            (DecisionKind::InDoubt | DecisionKind::Blocked, Some("retry")) => {
                self.allow_probes(ix);
                self.ready_again(ix, Again::Retry)
            }
            (DecisionKind::InDoubt | DecisionKind::Blocked, Some("skip")) => self.emit(
                Some(ix),
                TaskSkipped {
                    reason: SkipReason::Person,
                },
            ),
            (DecisionKind::Blocked, Some("replan")) => self.choose_replan(ix, id),
            (DecisionKind::InDoubt, Some("done")) => self.count_as_done(ix, &Json::Null),
            (DecisionKind::InDoubt, _) => self.count_as_done_with(ix, answer).await,
            // Answers are checked before they are recorded; a strange one leaves the question open in effect.
            (DecisionKind::Blocked | DecisionKind::Budget | DecisionKind::Replan, _) => {
                tracing::warn!(decision = %id, "an answer has no meaning for this decision");
                Ok(())
            }
        }
    }

    /// Other tasks that wait for nothing but what has just been allowed for the whole run.
    fn settle_twins(&mut self) -> Result<(), DriveError> {
        let allowed = self.state.allowed.clone();
        let is_twin = |d: &Decision| {
            d.kind == DecisionKind::Grant && d.is_open() && d.needs.iter().all(|n| allowed.contains(n))
        };
        let twins: Vec<_> = self
            .state
            .decisions
            .iter()
            .filter(|d| is_twin(d))
            .cloned()
            .collect();
        for twin in twins {
            self.emit(None, DecisionClosed { decision: twin.id })?;
            if let Some(ix) = twin.task {
                self.ready_again(ix, Again::Allowed)?;
            }
        }
        Ok(())
    }

    fn turn_down(&mut self, ix: TaskIx, code: &str, message: &str) -> Result<(), DriveError> {
        let error = Failure {
            class: FailureClass::NotGranted,
            code: code.to_owned(),
            message: message.to_owned(),
        };
        self.emit(Some(ix), TaskFailed { error })
    }

    /// A person's answer is the task's output; what a person writes is trusted.
    async fn take_answer(&mut self, ix: TaskIx, answer: ValueRef) -> Result<(), DriveError> {
        let value = load(&self.store, &answer).await?;
        let inputs = match has_to_fit(self.state.def(ix)) {
            true => self
                .resolve(ix)
                .await?
                .map_or(Json::Null, |resolved| resolved.shown),
            false => Json::Null,
        };
        match self.check_output(ix, &inputs, &value) {
            Ok(()) => self.emit(
                Some(ix),
                TaskCompleted {
                    output: Some(answer),
                    ..TaskCompleted::default()
                },
            ),
            Err(error) => self.emit(Some(ix), TaskFailed { error }),
        }
    }

    async fn count_as_done_with(&mut self, ix: TaskIx, answer: &ValueRef) -> Result<(), DriveError> {
        let answer = load(&self.store, answer).await?;
        self.count_as_done(ix, answer.get("done").unwrap_or(&Json::Null))
    }

    fn count_as_done(&mut self, ix: TaskIx, output: &Json) -> Result<(), DriveError> {
        if self.state.task(ix).has_asked() {
            return self.tell(ix, output);
        }
        let output = Some(self.store_value(output));
        self.emit(
            Some(ix),
            TaskCompleted {
                output,
                ..TaskCompleted::default()
            },
        )
    }

    /// What a person says of an agent's call is what came of it; the agent hears it and goes on.
    fn tell(&mut self, ix: TaskIx, output: &Json) -> Result<(), DriveError> {
        let task = self.state.task(ix);
        let asked = task.decision.as_ref().and_then(|id| self.state.decision(id));
        let key = asked.and_then(|decision| decision.binds);
        let is_it = |c: &Call| Some(c.started.key) == key && c.is_unknown();
        let call = task.calls.iter().rposition(is_it);
        if let Some(call) = call {
            let outcome = CallOutcome::Result(self.store_value(output));
            let finished = CallFinished {
                call: Some(call as u32),
                outcome,
                labels: Labels::default(),
                usage: None,
            };
            self.emit(Some(ix), finished)?;
        }
        self.ready_again(ix, Again::Told)
    }

    /// Failed tasks that nobody has been asked about.
    pub(super) fn unasked_failures(&self) -> Vec<TaskIx> {
        if self.state.count(TaskStatus::Failed) == 0 {
            return Vec::new();
        }
        self.state
            .nodes()
            .filter(|&ix| {
                let task = self.state.task(ix);
                let is_open = task.status == TaskStatus::Failed && task.decision.is_none();
                is_open && !self.state.is_settled(ix) && !self.is_being_replanned(ix)
            })
            .collect()
    }

    pub(super) async fn output_of(&self, ix: TaskIx) -> Result<Json, DriveError> {
        match &self.state.task(ix).output {
            Some(value) => Ok(load_recent(&self.store, &self.recent, value).await?),
            None => Ok(Json::Null),
        }
    }
}
