//! Looking for another way when tasks have failed for good (rule 7): when it is tried, and who must see what is
//! proposed. It must not know how a proposal is judged, nor how it becomes the plan.

use serde_json::json;

use super::amending::stays_done;
use super::asides::Purpose;
use super::billing::{lost, usage_of};
use super::chain::UNREACHABLE;
use super::driver::{DriveError, Driver};
use super::judging::{bound, is_mendable, judge_recorded};
use super::proposals::Next;
use super::situation::Given;
use crate::llm::Role;
use crate::model::events::{Amended, DecisionClosed, DecisionOpened, ReplanAsked, ReplanProposed};
use crate::model::ledger::{Ledger, Reserve, Spent};
use crate::model::plan::TaskIx;
use crate::model::proposal::pieces;
use crate::model::replan::{Replanned, as_text, describe};
use crate::model::state::{OpenReplan, digest_of_proposal};
use crate::model::status::{DecisionKind, TaskStatus};
use crate::model::{DecisionId, Setting, TaskId, sentence};

/// What may be done by itself when tasks have failed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replan {
    /// Nothing: a person decides, and may choose it.
    Off,
    /// Another way is looked for, and a person sees it first.
    #[default]
    Ask,
    /// It applies by itself where nothing speaks against it.
    Auto,
}

impl Driver {
    /// Whether another way can be asked for at all.
    pub(super) fn can_replan(&self) -> bool {
        self.state.replans.are_left() && self.models.find(Role::Replanner.word()).is_ok()
    }

    pub(super) fn is_mendable(&self, ix: TaskIx) -> bool {
        // Another plan brings back no server.
        let error = self.state.task(ix).error.as_ref();
        if error.is_some_and(|error| error.code == UNREACHABLE) {
            return false;
        }
        let top = self.state.top_of(ix);
        is_mendable(&self.state, &self.state.tree.address(top))
    }

    pub(super) fn is_being_replanned(&self, ix: TaskIx) -> bool {
        let current = self.state.replans.current.as_ref();
        current.is_some_and(|current| current.failed.contains(&self.state.tree.address(ix)))
    }

    /// Why the last replan of this task's failure came to nothing, shortened for a question.
    pub(super) fn refusal_for(&self, ix: TaskIx) -> Option<String> {
        let (failed, refusal) = self.state.replans.refusal.as_ref()?;
        let is_it = failed.contains(&self.state.tree.address(ix));
        is_it.then(|| refusal.chars().take(500).collect())
    }

    /// Asks for another way instead of asking a person, if it may be tried by itself. What it can't mend is left.
    pub(super) fn begin_replan(&mut self, failed: &mut Vec<TaskIx>) -> Result<(), DriveError> {
        if self.replan == Replan::Off || self.state.replans.current.is_some() || !self.can_replan() {
            return Ok(());
        }
        // What is private is not sent anywhere that nobody has agreed to: it is a choice of the question then.
        if !self.may_tell_replanner() {
            return Ok(());
        }
        let (mendable, rest): (Vec<TaskIx>, Vec<TaskIx>) = failed
            .iter()
            .partition(|&&ix| self.is_mendable(ix) && !self.is_refused_to_planner(ix));
        let failure = self.state.failure_of(&mendable);
        if mendable.is_empty() || self.state.replans.has_given_up(failure) {
            return Ok(());
        }
        *failed = rest;
        self.ask_replan(&mendable, None, String::new())
    }

    /// Its provider takes no question any more, for its key or its money, and the replanner's is the same: it would be
    /// refused likewise. A person sees to that first.
    fn is_refused_to_planner(&self, ix: TaskIx) -> bool {
        let error = self.state.task(ix).error.as_ref();
        if !error.is_some_and(|error| matches!(error.code.as_str(), "auth" | "quota")) {
            return false;
        }
        let provider_of = |name: &str| {
            let chain = self.models.chain(name).unwrap_or_default();
            chain.first().map(|entry| entry.provider().to_owned())
        };
        let called = self
            .state
            .task(ix)
            .calls
            .iter()
            .rev()
            .find(|call| call.started.model);
        let own = called.and_then(|call| provider_of(&call.started.tool));
        own.is_some() && own == provider_of(Role::Replanner.word())
    }

    /// A person chose it for one failure; what else has failed is told with it.
    pub(super) fn choose_replan(&mut self, ix: TaskIx, decision: &DecisionId) -> Result<(), DriveError> {
        if !self.can_replan() || self.state.replans.current.is_some() || !self.is_mendable(ix) {
            return self.ask_blocked(ix);
        }
        let failed: Vec<TaskIx> = self
            .state
            .nodes()
            .filter(|&ix| {
                let is_failed = self.state.task(ix).status == TaskStatus::Failed;
                is_failed && !self.state.is_settled(ix) && self.optional_around(ix).is_none()
            })
            .filter(|&ix| self.is_mendable(ix))
            .collect();
        for &ix in &failed {
            let open = self.state.task(ix).decision.as_ref();
            let open = open
                .and_then(|id| self.state.decision(id))
                .filter(|d| d.is_open());
            if let Some(decision) = open.map(|d| d.id.clone()) {
                self.emit(None, DecisionClosed { decision })?;
            }
        }
        self.ask_replan(&failed, Some(decision.clone()), String::new())
    }

    pub(super) fn ask_replan(
        &mut self,
        failed: &[TaskIx],
        decision: Option<DecisionId>,
        note: String,
    ) -> Result<(), DriveError> {
        self.go_on()?;
        let asked = ReplanAsked {
            failed: failed.iter().map(|&ix| self.state.tree.address(ix)).collect(),
            attempt: self.state.replans.tried + 1,
            failure: self.state.failure_of(failed),
            decision,
            note,
        };
        self.is_restless = true;
        self.emit(None, asked)
    }

    /// The next step of the replan under way. True: something else comes first than asking a person about failures.
    pub(super) async fn go_on_replanning(&mut self) -> Result<bool, DriveError> {
        let Some(current) = self.state.replans.current.clone() else {
            return Ok(false);
        };
        if !self.is_still_wanted(&current) {
            self.leave(&current)?;
            self.is_restless = true;
            return Ok(true);
        }
        if current.decision.is_some() {
            return Ok(false);
        }
        if current.proposed.is_some() {
            self.follow_proposal(&current).await?;
            return Ok(true);
        }
        if self.is_held_by_budget() {
            return Ok(false);
        }
        self.look_for_a_way(&current).await
    }

    fn is_still_wanted(&self, current: &OpenReplan) -> bool {
        let mut failed = current
            .failed
            .iter()
            .filter_map(|id| self.state.find(id.as_str()));
        failed.any(|ix| self.state.task(ix).status == TaskStatus::Failed && !self.state.is_settled(ix))
    }

    /// What it was asked for is no question any more.
    fn leave(&mut self, current: &OpenReplan) -> Result<(), DriveError> {
        self.give_up_asking(Purpose::Replan)?;
        match &current.decision {
            Some(decision) => self.emit(
                None,
                DecisionClosed {
                    decision: decision.clone(),
                },
            ),
            None => self.refuse_replan(
                current,
                vec!["What had failed has been settled otherwise.".to_owned()],
                false,
                Spent::default(),
            ),
        }
    }

    /// False: the budget holds it back.
    async fn look_for_a_way(&mut self, current: &OpenReplan) -> Result<bool, DriveError> {
        let chain = match self.models.chain(Role::Replanner.word()) {
            Ok(chain) => chain.into_iter().cloned().collect(),
            Err(error) => {
                return self
                    .give_up_replan(current, error.to_string())
                    .await
                    .map(|()| true);
            }
        };
        let given = self.situation().await?;
        match self.next_of(current, &given, chain).await? {
            Next::Take(replanned) => self.propose(current, &given, *replanned).await?,
            Next::GiveUp(reason) => self.give_up_replan(current, reason).await?,
            Next::Ask { sent_back, rest } => {
                let request = given.request(Role::Replanner.word(), &sent_back);
                return self.ask_model(Purpose::Replan, rest, request);
            }
        }
        Ok(true)
    }

    /// A proposal that can be taken is recorded; then it applies, or a person is asked.
    async fn propose(
        &mut self,
        current: &OpenReplan,
        given: &Given,
        replanned: Replanned,
    ) -> Result<(), DriveError> {
        let spent = self.spent_on_replan().await?;
        let mut asks = replanned.asks.clone();
        asks.extend(stays_done(&given.made, &replanned));
        let proposed = ReplanProposed {
            label: format!(
                "Replan {} after {} failed",
                current.attempt,
                named(&current.failed)
            ),
            patch: replanned.patch.clone(),
            inverse: replanned.inverse.clone(),
            asks,
            refused: Vec::new(),
            repeats: false,
            untrusted: given.is_untrusted,
            prunes: replanned.pruned.clone(),
            resets: self.resets_of(&replanned),
            spent,
            amended: None,
        };
        let proposal = Some(digest_of_proposal(&proposed));
        let mut tried = self.state.replans.outcomes.iter();
        if tried.any(|tried| tried.failure == current.failure && tried.proposal == proposal) {
            let reason = "The same was proposed for the same failure before.".to_owned();
            return self.refuse_replan(current, vec![reason], true, spent);
        }
        self.emit(None, proposed)?;
        match self.state.replans.current.clone() {
            Some(current) => self.follow_proposal(&current).await,
            None => Ok(()),
        }
    }

    /// Tasks that stay, do something else, and have begun.
    fn resets_of(&self, replanned: &Replanned) -> Vec<TaskId> {
        let is_touched = |id: &TaskId| {
            let status = self.state.find(id.as_str()).map(|ix| self.state.task(ix).status);
            status.is_some_and(|status| status != TaskStatus::Pending)
        };
        let changed = replanned.changed.iter().map(|changed| changed.task.clone());
        changed.filter(is_touched).collect()
    }

    /// A person's version of what was proposed, as the log keeps it.
    pub(super) fn version_of(
        &self,
        proposed: &ReplanProposed,
        replanned: &Replanned,
        amended: Amended,
    ) -> ReplanProposed {
        ReplanProposed {
            label: match amended {
                Amended::Part { .. } => format!("{}, in part", proposed.label),
                Amended::Edited => format!("{}, edited", proposed.label),
            },
            patch: replanned.patch.clone(),
            inverse: replanned.inverse.clone(),
            asks: replanned.asks.clone(),
            refused: Vec::new(),
            repeats: false,
            untrusted: proposed.untrusted,
            prunes: replanned.pruned.clone(),
            resets: self.resets_of(replanned),
            // Its calls have been counted with what the replanner proposed.
            spent: Spent::default(),
            amended: Some(amended),
        }
    }

    /// What was proposed applies by itself, or a person sees it first.
    async fn follow_proposal(&mut self, current: &OpenReplan) -> Result<(), DriveError> {
        let Some(proposed) = current.proposed.clone() else {
            return Ok(());
        };
        let (draft, _) = self.document().await?;
        let replanned = match judge_recorded(&self.state, &draft, &self.setting()) {
            Ok(replanned) => replanned,
            Err(reasons) => return self.refuse_replan(current, reasons, false, Spent::default()),
        };
        let reasons = self.reasons_to_ask(&proposed);
        if reasons.is_empty() {
            return self.take_over(&replanned, &proposed, "the policy for replans".to_owned(), None);
        }
        let lines = describe(&draft, &replanned, &self.setting());
        let pieces: Vec<_> = pieces(&draft, &replanned.document)
            .into_iter()
            .map(|piece| json!({ "id": piece.id, "title": piece.title, "needs": piece.needs }))
            .collect();
        let about = json!({
            "failed": current.failed, "attempt": current.attempt, "label": proposed.label, "why": reasons,
            "text": as_text(&lines), "changes": lines, "pieces": pieces,
            "spent": proposed.spent,
        });
        let question = format!(
            "{} failed. Go on with another plan? {}",
            named(&current.failed),
            reasons.join(" ")
        );
        let may_replan = self.can_replan();
        let question = match self.far_replanner().filter(|_| may_replan) {
            Some((model, host)) => {
                let told = format!("`again` gives the plan, its outputs and its errors to {model} at {host}");
                sentence([question.as_str(), told.as_str()])
            }
            None => question,
        };
        let opened = DecisionOpened {
            binds: bound(&self.state),
            about: self.about(&about),
            may_replan,
            ..self.draft(DecisionKind::Replan, question)
        };
        self.is_restless = true;
        self.open_of_run(opened)
    }

    /// Why it does not apply by itself; nothing: it does.
    fn reasons_to_ask(&self, proposed: &ReplanProposed) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.replan != Replan::Auto {
            reasons.push("You see replans first.");
        }
        if !proposed.asks.is_empty() {
            reasons.push("It asks for more than was approved.");
        }
        if proposed.untrusted {
            reasons.push("Text from outside was among what it was made from.");
        }
        if !self.is_in_budget() {
            reasons.push("The budget is used up.");
        }
        reasons.into_iter().map(str::to_owned).collect()
    }

    fn is_in_budget(&self) -> bool {
        let total = self.total_with(Reserve::default());
        self.state.cap().passed_by(total).is_none()
    }

    pub(super) fn setting(&self) -> Setting<'_> {
        Setting {
            catalog: self.tools.catalog(),
            place: &self.place,
            has_models: !self.models.is_empty(),
        }
    }

    async fn give_up_replan(&mut self, current: &OpenReplan, reason: String) -> Result<(), DriveError> {
        let spent = self.spent_on_replan().await?;
        self.refuse_replan(current, vec![reason], false, spent)
    }

    pub(super) fn refuse_replan(
        &mut self,
        current: &OpenReplan,
        refused: Vec<String>,
        repeats: bool,
        spent: Spent,
    ) -> Result<(), DriveError> {
        self.is_restless = true;
        let refused = refused.iter().map(|reason| self.redactor.text(reason)).collect();
        self.emit(
            None,
            ReplanProposed {
                label: format!("Replan {}", current.attempt),
                patch: json!([]),
                inverse: json!([]),
                asks: Vec::new(),
                refused,
                repeats,
                untrusted: false,
                prunes: Vec::new(),
                resets: Vec::new(),
                spent,
                amended: None,
            },
        )
    }

    /// What the calls of this replan came to.
    async fn spent_on_replan(&self) -> Result<Spent, DriveError> {
        let mut ledger = Ledger::default();
        for call in &self.state.aside {
            let reserve = call.started.reserve.unwrap_or_default();
            let usage = match self.reply_of(call).await? {
                Some(Ok(reply)) => usage_of(&reply, reserve),
                Some(Err(_)) | None => lost(reserve),
            };
            ledger.settle(Reserve::default(), Some(usage));
        }
        Ok(ledger.spent)
    }
}

/// `a`, `b` and 3 more.
fn named(failed: &[TaskId]) -> String {
    let shown: Vec<String> = failed.iter().take(3).map(|id| format!("`{id}`")).collect();
    match failed.len().saturating_sub(3) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
