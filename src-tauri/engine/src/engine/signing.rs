//! The signature: it covers exactly what was shown, is given once, and opens runs for faces without an editor.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::drafts::CachedDraft;
use super::nested_files::read_whole;
use super::parameters::{Parameters, check_parameters};
use super::{Engine, Error};
use crate::model::conditions::{Choices, Conditions};
use crate::model::document::DraftPlan;
use crate::model::events::{
    Approved, Change, DecisionAnswered, DecisionClosed, DecisionOpened, NewEvent, PlanRevised, RunRejected,
};
use crate::model::grants::Place;
use crate::model::ledger::Cap;
use crate::model::plan::Plan;
use crate::model::signature::signature_of;
use crate::model::status::{DecisionKind, RunStatus};
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{DecisionId, Digest, Json, RunId, WrittenPlan, digest, title};
use crate::run::models_of;
use crate::store::{Append, Durability, Guard, Summary};

/// What a face that has no editor does with a plan file.
#[derive(Clone, Debug, PartialEq)]
pub enum Consent {
    /// Signed in the same transaction that opens the run.
    Given,
    /// Asked for: the run is opened with an approval decision.
    Asked,
}

/// What a person says when they sign.
struct Word<'a> {
    /// The digest that they saw; without one, that of the open decision.
    expected: Option<Digest>,
    /// `Null`: those that the run was opened with.
    parameters: &'a Json,
    decision: Option<&'a DecisionId>,
    /// `None`: what was switched off when the run was signed before stays off.
    choices: Option<&'a Choices>,
}

impl Default for Word<'_> {
    fn default() -> Self {
        Self {
            expected: None,
            parameters: &Json::Null,
            decision: None,
            choices: None,
        }
    }
}

impl Engine {
    /// Signs exactly this digest and starts the run in this process. Of two at once, one wins.
    pub async fn approve(&self, run: &RunId, digest: Digest, parameters: Json) -> Result<(), Error> {
        self.approve_choosing(run, digest, parameters, None).await
    }

    /// The same with some of what it may touch switched off, and with ways of foreign text let go.
    pub async fn approve_with(
        &self,
        run: &RunId,
        digest: Digest,
        parameters: Json,
        choices: &Choices,
    ) -> Result<(), Error> {
        self.approve_choosing(run, digest, parameters, Some(choices))
            .await
    }

    async fn approve_choosing(
        &self,
        run: &RunId,
        digest: Digest,
        parameters: Json,
        choices: Option<&Choices>,
    ) -> Result<(), Error> {
        let cached = self.cached(run).await?;
        let word = Word {
            expected: Some(digest),
            parameters: &parameters,
            decision: None,
            choices,
        };
        self.sign(&cached, word).await?;
        self.resume(run).await
    }

    /// Opens a plan file as a run for a face without an editor; with consent, opened and signed in one transaction.
    pub async fn open_run(
        &self,
        path: PathBuf,
        parameters: &Parameters,
        consent: &Consent,
    ) -> Result<RunId, Error> {
        let path = std::path::absolute(&path).unwrap_or(path);
        let text = read_whole(path.clone()).await?;
        let shown = path.to_string_lossy().into_owned();
        // The tree of a large document never stands as a whole: nothing here edits it.
        self.inner.around.plans.forget();
        let place = self.inner.around.place(&RunId::from("new"), Some(&shown));
        let (document, plan) = self.read_written(&text, &place)?;
        let given = check_parameters(&plan, &parameters.read(&plan)?)?;
        let digest = self.signed(&plan, &place);
        let summary = summary(&plan, Some(&shown), 1, RunStatus::AwaitingApproval, 1);
        let mut opening = self.begin(text, document, Some(shown)).await?;
        let at_ms = self.now_ms();
        let (status, open_decisions) = match consent {
            Consent::Given => {
                let approved = Approved {
                    revision: 1,
                    digest,
                    parameters: given,
                    conditions: Conditions::default(),
                    by: self.face(),
                };
                opening.events.push(self.event(None, approved));
                (RunStatus::Running, 0)
            }
            Consent::Asked => {
                let opened = approval_decision(
                    DecisionId::from("d1"),
                    &opening.run,
                    digest,
                    &given,
                    &mut opening.payloads,
                );
                opening.events.push(NewEvent {
                    at_ms,
                    task: None,
                    body: opened.into(),
                });
                (RunStatus::AwaitingApproval, 1)
            }
        };
        let summary = Summary {
            status: Some(status),
            open_decisions,
            ..summary
        };
        let append = Append {
            run: opening.key,
            guard: Guard::Head(0),
            events: opening.events,
            payloads: opening.payloads,
            durability: Durability::Disk,
            summary: Some(summary),
        };
        self.inner.store.append(append).await?;
        // What was judged here is what runs: driving begins with this very plan.
        self.inner.around.plans.keep(&opening.run, document, plan);
        Ok(opening.run)
    }

    /// Approves a run that waits for it, with the parameters that it was opened with.
    pub async fn approve_as_opened(&self, run: &RunId) -> Result<(), Error> {
        let cached = self.cached(run).await?;
        self.sign(&cached, Word::default()).await
    }

    /// The answer to a plan's approval decision: signs what it was bound to, or rejects.
    pub(super) async fn answer_approval(
        &self,
        run: &RunId,
        decision: &DecisionId,
        answer: &Json,
    ) -> Result<(), Error> {
        let cached = self.cached(run).await?;
        if answer.as_str() == Some("approve") {
            let word = Word {
                decision: Some(decision),
                ..Word::default()
            };
            return self.sign(&cached, word).await;
        }
        let at_ms = self.now_ms();
        let event = |body| NewEvent {
            at_ms,
            task: None,
            body,
        };
        let events = vec![
            event(self.answered(decision, answer).into()),
            event(RunRejected { by: self.face() }.into()),
        ];
        let plan = Plan::empty();
        let mut summary = summary(
            &plan,
            cached.path.as_deref(),
            cached.drafting.revision,
            RunStatus::Cancelled,
            0,
        );
        let goal = cached.drafting.plan.goal();
        summary.goal = goal.map(str::to_owned);
        let summary = cached.told(summary);
        self.append_signature(&cached, events, Vec::new(), summary).await
    }

    fn answered(&self, decision: &DecisionId, answer: &Json) -> DecisionAnswered {
        DecisionAnswered {
            decision: decision.clone(),
            answer: ValueRef::of(answer).0,
            by: self.face(),
            choice: None,
        }
    }

    async fn sign(&self, cached: &CachedDraft, word: Word<'_>) -> Result<(), Error> {
        expect_draft(cached)?;
        self.refuse_while_asked(&cached.run).await?;
        let whole = self.whole(cached).await?;
        let document = whole.as_ref().unwrap_or(&cached.drafting.plan);
        let plan = self.runnable(self.plan_of(document, &cached.place)?)?;
        self.refuse_unfit_pins(cached).await?;
        let digest = self.signed(&plan, &cached.place);
        let asked = self.open_approval(&cached.run).await?;
        let bound = cached.laid.bind(digest);
        let shown = word.expected.or_else(|| asked.as_ref().and_then(|a| a.binds));
        self.refuse_other(cached, (shown.unwrap_or(bound), bound), document)
            .await?;
        let signed_before = self.signed_before(cached).await?;
        let before = signed_before
            .as_ref()
            .map_or(Json::Null, |signed| Json::Object(signed.parameters.clone()));
        let parameters = match (word.parameters, &asked) {
            (Json::Null, Some(asked)) => &asked.parameters,
            (Json::Null, None) => &before,
            (given, _) => given,
        };
        let given = check_parameters(&plan, parameters)?;
        let before = signed_before.as_ref().map(|signed| &signed.conditions);
        let conditions = self.conditions_of(&plan, document, &cached.place, (word.choices, before))?;
        let mut events = Vec::new();
        let open = word
            .decision
            .cloned()
            .or_else(|| asked.as_ref().map(|a| a.id.clone()));
        if let Some(open) = open {
            events.push(self.event(None, self.answered(&open, &json!("approve"))));
        }
        let mut revision = cached.drafting.revision;
        let mut payloads = Vec::new();
        if let Some(whole) = &whole {
            revision += 1;
            events.push(self.event(None, as_read(whole, revision, &mut payloads)));
        }
        let approved = Approved {
            revision,
            digest,
            parameters: given,
            conditions,
            by: self.face(),
        };
        if cached.has_begun {
            return self
                .sign_anew(cached, (events, payloads), (approved, document))
                .await;
        }
        events.push(self.event(None, approved));
        let document = digest::of_document(document);
        self.begin_signed(cached, (events, payloads), (plan, revision), document)
            .await
    }

    /// The run that has just been signed may begin, by the plan that was read.
    async fn begin_signed(
        &self,
        cached: &CachedDraft,
        (events, payloads): (Vec<NewEvent>, Vec<NewPayload>),
        (plan, revision): (Plan, u32),
        document: Digest,
    ) -> Result<(), Error> {
        let summary = summary(&plan, cached.path.as_deref(), revision, RunStatus::Running, 0);
        let summary = cached.told(summary);
        self.append_signature(cached, events, payloads, summary).await?;
        let plans = &self.inner.around.plans;
        plans.keep(&cached.run, document, Arc::new(plan));
        Ok(())
    }

    /// The signature before this one.
    pub(super) async fn signed_before(&self, cached: &CachedDraft) -> Result<Option<Approved>, Error> {
        if !cached.has_begun {
            return Ok(None);
        }
        let store = &self.inner.store;
        let events = store.events(&cached.run, 0, crate::run::END, usize::MAX).await?;
        let mut approvals = events.iter().rev().filter_map(|e| e.body.as_approval());
        Ok(approvals.next().cloned())
    }

    /// The signature of a plan of which some has run: what differs from what was signed before runs again.
    async fn sign_anew(
        &self,
        cached: &CachedDraft,
        (mut events, payloads): (Vec<NewEvent>, Vec<NewPayload>),
        (approved, document): (Approved, &DraftPlan),
    ) -> Result<(), Error> {
        let loaded = self.at_rest(&cached.run).await?;
        if let Some(signed) = &loaded.signed {
            events.extend(self.taken_over(&loaded.state, signed, document));
        }
        events.push(self.event(None, approved));
        let after = self.after(&loaded.state, &events)?;
        let summary = self.summary_at(&loaded, &after);
        self.append_signature(cached, events, payloads, summary).await
    }

    /// Asks for the approval of a plan that waits for it, bound to what would be signed; once. What was asked about
    /// something else, which has been changed since, is closed.
    pub async fn ask_approval(&self, run: &RunId) -> Result<(), Error> {
        let loaded = self.at_rest(run).await?;
        let digest = self.signed(&loaded.state.plan, &loaded.place);
        let digest = self.cached(run).await?.laid.bind(digest);
        let is_asked =
            |d: &&crate::model::state::Decision| d.kind == DecisionKind::Approval && d.task.is_none();
        let asked: Vec<_> = loaded.state.open_decisions().filter(is_asked).collect();
        if asked.iter().any(|d| d.binds == Some(digest)) {
            return Ok(());
        }
        let closed = |d: &&crate::model::state::Decision| {
            let decision = d.id.clone();
            self.event(None, DecisionClosed { decision })
        };
        let mut events: Vec<NewEvent> = asked.iter().map(closed).collect();
        let mut approvals = loaded.events.iter().rev().filter_map(|e| e.body.as_approval());
        let given = approvals.next().map(|a| a.parameters.clone()).unwrap_or_default();
        let mut payloads = Vec::new();
        let id = loaded.state.next_decision();
        let opened = approval_decision(id, run, digest, &given, &mut payloads);
        events.push(self.event(None, opened));
        let after = self.after(&loaded.state, &events)?;
        self.append_at_rest(&loaded, events, payloads, &after).await
    }

    /// Compare and set: whoever saw the same log and came second hears that it has been decided.
    async fn append_signature(
        &self,
        cached: &CachedDraft,
        events: Vec<NewEvent>,
        payloads: Vec<NewPayload>,
        summary: Summary,
    ) -> Result<(), Error> {
        let append = Append {
            run: cached.key,
            guard: Guard::Head(cached.head),
            events,
            payloads,
            durability: Durability::Disk,
            summary: Some(summary),
        };
        match self.inner.store.append(append).await {
            Ok(_) => Ok(()),
            Err(crate::store::StoreError::Moved { .. }) => Err(Error::conflict(
                "answered",
                "someone else has answered or changed the plan in the meantime; nothing was recorded",
            )),
            Err(error) => Err(error.into()),
        }
    }

    async fn open_approval(&self, run: &RunId) -> Result<Option<AskedApproval>, Error> {
        let events = self
            .inner
            .store
            .events(run, 0, crate::run::END, usize::MAX)
            .await?;
        let opened = events.iter().rev().filter(|e| e.task.is_none());
        let mut opened = opened.filter_map(|e| e.body.as_opened_decision());
        let Some(opened) = opened.find(|o| o.kind == DecisionKind::Approval) else {
            return Ok(None);
        };
        // One that was answered or closed binds nothing any more.
        let state = self.state(run, crate::run::END).await?;
        if !state.decision(&opened.decision).is_some_and(|d| d.is_open()) {
            return Ok(None);
        }
        let about = match &opened.about {
            Some(value) => crate::run::load(&self.inner.store, value).await?,
            None => Json::Null,
        };
        let parameters = about.get("parameters").cloned().unwrap_or_else(|| json!({}));
        Ok(Some(AskedApproval {
            id: opened.decision.clone(),
            binds: opened.binds,
            parameters,
        }))
    }

    pub(super) fn plan_of(&self, draft: &DraftPlan, place: &Place) -> Result<Plan, Error> {
        let accepted = draft.to_plan_in(&self.inner.around.setting(&self.catalog(), place));
        accepted
            .map(|a| a.plan)
            .map_err(|problems| Error::Problems { problems })
    }

    /// The digest of a plan file's document, and its plan.
    fn read_written(&self, text: &str, place: &Place) -> Result<(Digest, Arc<Plan>), Error> {
        let refused = |problems| Error::Problems { problems };
        let written = WrittenPlan::read(text).map_err(refused)?;
        let catalog = self.catalog();
        let setting = self.inner.around.setting(&catalog, place);
        let plan = written.to_plan_in(&setting).map_err(refused)?.plan;
        Ok((written.digest(), Arc::new(self.runnable(plan)?)))
    }

    /// What a signature covers: the plan, the tools as they are defined now, and where relative paths lie.
    pub(super) fn signed(&self, plan: &Plan, place: &Place) -> Digest {
        signature_of(plan, &self.catalog(), place, &models_of(&self.models(), plan))
    }
}

fn expect_draft(cached: &CachedDraft) -> Result<(), Error> {
    match cached.is_draft {
        true => Ok(()),
        false => Err(Error::conflict(
            "approved",
            "the plan has been approved or rejected already, or was imported; nothing changed",
        )),
    }
}

/// The revision that a plan becomes when the plan files that it names are read into it.
fn as_read(whole: &DraftPlan, revision: u32, payloads: &mut Vec<NewPayload>) -> PlanRevised {
    let (document, payload) = ValueRef::of(&Json::String(whole.to_text()));
    payloads.extend(payload);
    PlanRevised {
        revision,
        digest: crate::model::digest::of_document(whole),
        change: Change::Document(document),
        signed: None,
    }
}

struct AskedApproval {
    id: DecisionId,
    binds: Option<Digest>,
    parameters: Json,
}

fn approval_decision(
    id: DecisionId,
    run: &RunId,
    digest: Digest,
    given: &serde_json::Map<String, Json>,
    payloads: &mut Vec<NewPayload>,
) -> DecisionOpened {
    let (about, payload) = ValueRef::of(&json!({ "run": run.as_str(), "parameters": given }));
    payloads.extend(payload);
    DecisionOpened {
        decision: id,
        kind: DecisionKind::Approval,
        question: "Approve this plan and let it run?".to_owned(),
        form: None,
        binds: Some(digest),
        needs: Vec::new(),
        about: Some(about),
        provenance: None,
        may_replan: false,
    }
}

fn summary(
    plan: &Plan,
    path: Option<&str>,
    revision: u32,
    status: RunStatus,
    open_decisions: u32,
) -> Summary {
    let mut counts = vec![0; 11];
    counts[0] = plan.tasks.len() as u32;
    Summary {
        status: Some(status),
        title: title::of(path, plan.goal.as_deref()),
        goal: plan.goal.clone(),
        revision,
        counts,
        open_decisions,
        path: path.map(str::to_owned),
        cap: Cap::of(&plan.budget),
        ..Summary::default()
    }
}
