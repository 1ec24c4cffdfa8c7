//! A change of the draft that a planner is asked for: asking, what it proposes as pieces, and taking or dropping them. The
//! draft changes by the pieces that a person takes and by nothing else.

use std::collections::{BTreeMap, BTreeSet};

use tokio_util::sync::CancellationToken;

use super::planning::PlannerCall;
use super::{Engine, Error};
use crate::history::load::{self, Loaded};
use crate::llm::Role;
use crate::model::events::{
    Change, EditAsked, EditDropped, EditSettled, EventBody, NewEvent, PlanningOutcome, Revision,
};
use crate::model::ledger::Spent;
use crate::model::problem::{Problem, Severity};
use crate::model::proposal::{self, Piece, Refused, Standing};
use crate::model::state::Edit;
use crate::model::value::ValueRef;
use crate::model::{DraftPlan, Json, RunId, TaskId, title};
use crate::run::{END, Grown, PlanRest, Voice, summary_of, tools_of};
use crate::store::{Append, Durability, Guard};
use crate::views::DraftView;

/// The longest wish, in bytes.
const LARGEST_WISH: usize = 64 * 1024;
/// The largest plan that a planner is asked to change.
const LARGEST_PLAN: usize = 1024 * 1024;
/// How often it is looked anew when the log moves under it.
const TRIES: u32 = 20;

/// What a run or a part of it came to, as faces show it.
pub fn spent_view(spent: &Spent) -> crate::views::SpentView {
    crate::history::rows::spent(spent)
}

/// The last change that was asked for, until all of it is taken or dropped.
#[derive(Clone, Debug)]
pub struct ProposalShown {
    pub wanted: String,
    /// The revision that it was asked for.
    pub base: u32,
    pub state: ProposalState,
    /// Why nothing came of it.
    pub error: Option<String>,
    pub notes: Vec<String>,
    pub calls: Vec<PlannerCall>,
    /// What asking came to.
    pub spent: Spent,
    pub pieces: Vec<PieceShown>,
    /// What would be wrong with the plan as proposed, and is not now.
    pub problems: Vec<Problem>,
    /// The plan as it would be; empty where there is none.
    pub document: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalState {
    /// The planner is being asked, by this process or by one that is gone.
    Open,
    Proposed,
    /// The planner could not do better: with new problems.
    Unmended,
    Failed,
    Stopped,
}

#[derive(Clone, Debug)]
pub struct PieceShown {
    pub piece: Piece,
    pub standing: Standing,
    pub is_dropped: bool,
}

impl Engine {
    /// Whoever asks the planner for a change has the log, so that the run could not begin.
    pub(super) async fn refuse_while_asked(&self, run: &RunId) -> Result<(), Error> {
        let is_asked = self.state(run, crate::run::END).await?.open_edit().is_some();
        if !is_asked || self.inner.store.holder(run).is_none() {
            return Ok(());
        }
        let message = "the planner is being asked for a change of this plan. Wait for it, or stop it, then approve. Nothing \
                       was signed.";
        Err(Error::conflict("planning", message))
    }

    /// Asks the planner for the draft changed so, and waits until it rests. Nothing of the draft is changed by it.
    pub async fn propose_edit(
        &self,
        run: &RunId,
        wanted: &str,
        cancel: &CancellationToken,
    ) -> Result<PlanRest, Error> {
        self.open_edit(run, wanted).await?;
        self.edit_on(run, cancel).await
    }

    /// Records what is wanted of the draft as it is now; nothing is asked yet. An earlier proposal gives way to it.
    pub async fn open_edit(&self, run: &RunId, wanted: &str) -> Result<(), Error> {
        let wanted = wanted.trim();
        if wanted.is_empty() {
            return Err(Error::invalid(
                "no_change",
                "say what shall change; nothing was asked",
            ));
        }
        if wanted.len() > LARGEST_WISH {
            let message = format!("what shall change is longer than {LARGEST_WISH} bytes; nothing was asked");
            return Err(Error::invalid("too_large", message));
        }
        if let Err(error) = self.models().find(Role::Planner.word()) {
            return Err(Error::invalid("no_model", error.to_string()));
        }
        let mut cached = self.cached(run).await?;
        if !cached.is_draft {
            let message = "this plan has been approved or imported and can't be changed any more; edit it as a new draft";
            return Err(Error::conflict("approved", message));
        }
        let text = cached.drafting.plan.to_text();
        if text.len() > LARGEST_PLAN {
            let message = "the plan is larger than 1 MiB, more than a planner can be asked to change; nothing was asked";
            return Err(Error::invalid("too_large", message));
        }
        if self.state(run, END).await?.open_edit().is_some() && self.inner.store.holder(run).is_some() {
            let message = "the planner is being asked for a change already; wait for it, or stop it first. Nothing was asked.";
            return Err(Error::conflict("planning", message));
        }
        let by_hand = self.take_from_planner(&mut cached)?;
        let (document, payload) = ValueRef::of(&Json::String(text));
        let plan = cached.drafting.plan.clone();
        let revision = cached.drafting.revision;
        self.append_with(run, payload.into_iter().collect(), |loaded| {
            let state = &loaded.state;
            let asked = EditAsked {
                wanted: wanted.to_owned(),
                by: self.face(),
                model: Role::Planner.word().to_owned(),
                base: revision,
                document: document.clone(),
                tools: self.tools_for(
                    &plan,
                    state.planning.as_ref().and_then(|p| p.given.tools.as_deref()),
                ),
                budget: plan.document().get("budget").cloned().unwrap_or_default(),
            };
            let left = state.open_edit().map(|_| stopped());
            let by_hand = by_hand.iter().map(|event| event.body.clone());
            Ok(left.into_iter().chain(by_hand).chain([asked.into()]).collect())
        })
        .await
    }

    /// Goes on with the change that was asked for, wherever it was left. With `cancel` it is over, and what was proposed
    /// before stays as it was.
    pub async fn edit_on(&self, run: &RunId, cancel: &CancellationToken) -> Result<PlanRest, Error> {
        let rest = Box::pin(self.plan_on(run, cancel)).await?;
        if rest != PlanRest::Interrupted || !cancel.is_cancelled() {
            return Ok(rest);
        }
        self.append_with(run, Vec::new(), |loaded| {
            Ok(loaded.state.open_edit().map(|_| stopped()).into_iter().collect())
        })
        .await?;
        Ok(PlanRest::Stopped)
    }

    /// The last change that was asked for; `None` where there is nothing of it left to say.
    pub async fn proposal(&self, run: &RunId) -> Result<Option<ProposalShown>, Error> {
        let state = self.state(run, END).await?;
        let cached = self.cached(run).await?;
        let Some(edit) = state
            .edit
            .as_deref()
            .filter(|edit| cached.is_draft && !edit.is_all_dropped)
        else {
            return Ok(None);
        };
        let (base, proposed) = self.plans_of(edit).await?;
        let pieces = self.pieces_shown(edit, &base, proposed.as_ref(), &cached.drafting.plan);
        let is_left = |piece: &PieceShown| piece.standing != Standing::Taken && !piece.is_dropped;
        let is_over = edit
            .how()
            .is_some_and(|how| matches!(how, PlanningOutcome::Stopped));
        if is_over || (!pieces.is_empty() && !pieces.iter().any(is_left)) {
            return Ok(None);
        }
        let mut calls = Vec::new();
        for call in &edit.asking.calls {
            calls.push(self.planner_call(call).await?);
        }
        let catalog = self.catalog();
        let setting = self.inner.around.setting(&catalog, &cached.place);
        let problems = proposed
            .as_ref()
            .map(|proposed| new_problems(&base, proposed, &setting));
        let (word, error) = how(edit);
        Ok(Some(ProposalShown {
            wanted: edit.asking.given.goal.clone(),
            base: edit.base,
            state: word,
            error,
            notes: edit
                .asking
                .ended
                .as_ref()
                .map(|ended| ended.notes.clone())
                .unwrap_or_default(),
            calls,
            spent: state.ledger.spent.since(edit.spent_before),
            pieces,
            problems: problems.unwrap_or_default(),
            document: proposed.map(|proposed| proposed.to_text()).unwrap_or_default(),
        }))
    }

    /// Takes pieces with all that they need into the draft, as one step that can be undone. Another revision than the one
    /// that the face has seen, or a place in which the draft has moved on, is a conflict and changes nothing.
    pub async fn take_pieces(&self, run: &RunId, revision: u32, ids: &[String]) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        if cached.drafting.revision != revision {
            let message = format!(
                "the plan has changed: it is at revision {}, not {revision}. Nothing was taken.",
                cached.drafting.revision
            );
            return Err(Error::conflict("revised", message));
        }
        let state = self.state(run, END).await?;
        let Some(edit) = state.edit.as_deref() else {
            return Err(Error::invalid(
                "no_proposal",
                "no change of this plan is proposed; nothing was taken",
            ));
        };
        let (base, proposed) = self.plans_of(edit).await?;
        let pieces = proposed
            .map(|proposed| proposal::pieces(&base, &proposed))
            .unwrap_or_default();
        let applied =
            proposal::take(&pieces, ids, &cached.drafting.plan).map_err(|refused| match refused {
                Refused::Moved(_) => Error::conflict("moved_on", refused.to_string()),
                Refused::Unknown(_) | Refused::Incomplete { .. } | Refused::Nothing | Refused::Edit(_) => {
                    Error::invalid("edit", refused.to_string())
                }
            })?;
        match applied {
            Some(applied) => {
                let revision = Revision {
                    label: applied.label,
                    patch: applied.patch,
                    inverse: applied.inverse,
                };
                self.revise(cached, Change::Edit(revision)).await
            }
            None => self.draft_view(&cached).await,
        }
    }

    /// A person does not want these pieces, nor those that need them; without any, nothing of what is left.
    pub async fn drop_pieces(&self, run: &RunId, ids: &[String]) -> Result<(), Error> {
        let state = self.state(run, END).await?;
        let Some(edit) = state.edit.as_deref().filter(|edit| !edit.asking.is_open()) else {
            return Err(Error::invalid(
                "no_proposal",
                "no change of this plan is proposed; nothing was dropped",
            ));
        };
        let (base, proposed) = self.plans_of(edit).await?;
        let pieces = proposed
            .map(|proposed| proposal::pieces(&base, &proposed))
            .unwrap_or_default();
        let dropped = EditDropped {
            pieces: with_dependents(&pieces, ids)?,
        };
        self.append_with(run, Vec::new(), |_| Ok(vec![dropped.clone().into()]))
            .await
    }

    /// Answers of the run's planner while they grow.
    pub fn watch_answer(&self, run: &RunId) -> tokio::sync::watch::Receiver<Grown> {
        self.inner.growing.follow(Voice::of_planner(run))
    }

    /// Words of the model that works on this task, while they come. Never stored; the reply is, whole.
    pub fn watch_words(&self, run: &RunId, task: &str) -> tokio::sync::watch::Receiver<Grown> {
        self.inner.growing.follow(Voice::of_task(run, TaskId::from(task)))
    }

    fn pieces_shown(
        &self,
        edit: &Edit,
        base: &DraftPlan,
        proposed: Option<&DraftPlan>,
        draft: &DraftPlan,
    ) -> Vec<PieceShown> {
        let pieces = proposed
            .map(|proposed| proposal::pieces(base, proposed))
            .unwrap_or_default();
        let standings = proposal::standings(&pieces, draft);
        let all = pieces.into_iter().zip(standings);
        all.map(|(piece, standing)| PieceShown {
            is_dropped: edit.dropped.contains(&piece.id),
            piece,
            standing,
        })
        .collect()
    }

    async fn plans_of(&self, edit: &Edit) -> Result<(DraftPlan, Option<DraftPlan>), Error> {
        let base = self.recorded_plan(&edit.document).await?;
        let proposed = match &edit.proposal {
            Some(proposal) => Some(self.recorded_plan(proposal).await?),
            None => None,
        };
        Ok((base, proposed))
    }

    async fn recorded_plan(&self, value: &ValueRef) -> Result<DraftPlan, Error> {
        let text = crate::run::load(&self.inner.store, value).await?;
        super::drafts::parse(text.as_str().unwrap_or_default())
    }

    /// Those that the goal allowed, and those that the plan has already.
    fn tools_for(&self, plan: &DraftPlan, allowed: Option<&[String]>) -> Vec<String> {
        let catalog = self.catalog();
        let mut names: BTreeSet<String> = tools_of(&catalog, allowed)
            .iter()
            .map(|tool| tool.name.clone())
            .collect();
        let mut open = vec![plan.document()];
        while let Some(value) = open.pop() {
            match value {
                Json::Object(map) => {
                    let named = map.iter().filter(|(key, _)| names_tools(key));
                    let named = named.flat_map(|(_, value)| texts(value));
                    let known = named.filter(|name| catalog.get(name).is_some());
                    names.extend(known.map(str::to_owned));
                    open.extend(map.values());
                }
                Json::Array(items) => open.extend(items),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            }
        }
        names.into_iter().collect()
    }

    /// Appends what follows from the log as it is, anew where it has moved.
    async fn append_with(
        &self,
        run: &RunId,
        payloads: Vec<crate::model::value::NewPayload>,
        bodies: impl Fn(&Loaded) -> Result<Vec<EventBody>, Error>,
    ) -> Result<(), Error> {
        let mut moved = None;
        for _ in 0..TRIES {
            let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
            super::carrying::refuse_imported(run, &loaded.state)?;
            let bodies = bodies(&loaded)?;
            if bodies.is_empty() {
                return Ok(());
            }
            match self.append_to(loaded, bodies, payloads.clone()).await {
                Err(error @ Error::Conflict { code: "moved", .. }) => moved = Some(error),
                other => return other,
            }
        }
        Err(moved.unwrap_or_else(|| {
            Error::conflict("moved", "the plan keeps changing under this request; try again")
        }))
    }

    async fn append_to(
        &self,
        loaded: Loaded,
        bodies: Vec<EventBody>,
        payloads: Vec<crate::model::value::NewPayload>,
    ) -> Result<(), Error> {
        let Loaded {
            record,
            mut state,
            goal,
            ..
        } = loaded;
        let head = state.seq;
        let at_ms = self.now_ms();
        let event = |body| NewEvent {
            at_ms,
            task: None,
            body,
        };
        let events: Vec<NewEvent> = bodies.into_iter().map(event).collect();
        for event in &events {
            let next = state.seq + 1;
            state
                .apply(&event.clone().at(next))
                .map_err(load::LoadError::from)?;
        }
        let title = title::of(state.path.as_deref(), goal.as_deref());
        let mut summary = summary_of(&state, &title, goal.as_deref());
        if let Some(before) = &record.summary {
            // Of a draft the state knows no tasks.
            summary.counts.clone_from(&before.counts);
            summary.cap = before.cap;
        }
        let append = Append {
            run: record.key,
            guard: Guard::Head(head),
            events,
            payloads,
            durability: Durability::Disk,
            summary: Some(summary),
        };
        match self.inner.store.append(append).await {
            Ok(_) => Ok(()),
            Err(error @ crate::store::StoreError::Moved { .. }) => {
                Err(Error::conflict("moved", error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn names_tools(key: &str) -> bool {
    matches!(key, "tool" | "tools" | "fallback")
}

fn texts(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) => vec![text],
        Json::Array(items) => items.iter().filter_map(Json::as_str).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => Vec::new(),
    }
}

fn stopped() -> EventBody {
    EditSettled {
        how: PlanningOutcome::Stopped,
        proposal: None,
        notes: Vec::new(),
    }
    .into()
}

fn how(edit: &Edit) -> (ProposalState, Option<String>) {
    match edit.how() {
        None if edit.asking.is_open() => (ProposalState::Open, None),
        None | Some(PlanningOutcome::Stopped) => (ProposalState::Stopped, None),
        Some(PlanningOutcome::Planned) => (ProposalState::Proposed, None),
        Some(PlanningOutcome::Unmended) => (ProposalState::Unmended, None),
        Some(PlanningOutcome::Failed(error)) => (ProposalState::Failed, Some(error.message.clone())),
    }
}

/// The errors that the base has not.
fn new_problems(base: &DraftPlan, proposed: &DraftPlan, setting: &crate::model::Setting<'_>) -> Vec<Problem> {
    let before = base.problems_in(setting);
    let known: BTreeSet<&str> = before.iter().map(|problem| problem.message.as_str()).collect();
    let mut problems = proposed.problems_in(setting);
    problems.retain(|p| p.severity == Severity::Error && !known.contains(p.message.as_str()));
    problems
}

/// These pieces and all that can't be taken without them.
fn with_dependents(pieces: &[Piece], ids: &[String]) -> Result<Vec<String>, Error> {
    let mut dependents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for piece in pieces {
        for need in &piece.needs {
            dependents.entry(need).or_default().push(&piece.id);
        }
    }
    if let Some(unknown) = ids.iter().find(|id| !pieces.iter().any(|piece| piece.id == **id)) {
        let message = format!("there is no piece {unknown} in what was proposed; nothing was dropped");
        return Err(Error::invalid("edit", message));
    }
    let mut all = BTreeSet::new();
    let mut open: Vec<&str> = ids.iter().map(String::as_str).collect();
    while let Some(id) = open.pop() {
        if all.insert(id.to_owned()) {
            open.extend(dependents.get(id).into_iter().flatten());
        }
    }
    Ok(all.into_iter().collect())
}
