//! Replans as faces look at them and answer them: the list, one with its diff, what an answer would come to, and whether it
//! may be given. What a replan may do is decided elsewhere.

use std::collections::{BTreeSet, VecDeque};

use super::drafts::CachedDraft;
use super::{Engine, Error};
use crate::history::drafting::Drafting;
use crate::history::load::{self, Loaded, TakenBack};
use crate::history::replans::{MOST_REPLANS, Replan, replans};
use crate::history::rows;
use crate::model::decision::{Acceptance, ReplanAnswer, may_change_arguments, misfits, read_replan};
use crate::model::diff::{FieldDiff, diff};
use crate::model::events::{Event, EventBody, Failure};
use crate::model::proposal::{self, Piece, PieceKind};
use crate::model::replan::{Kind, Line, as_text, describe};
use crate::model::secret_places::with_secrets;
use crate::model::state::Decision;
use crate::model::status::DecisionKind;
use crate::model::{DecisionId, DraftPlan, Json, RunId, Setting, TaskId, sentence};
use crate::run::{Amendment, Before, END, resolve_shown};
use crate::views::{
    DraftView, EstimateView, MisfitView, ReplanError, ReplanLine, ReplanLineKind, ReplanPiece,
    ReplanPieceKind, ReplanPreview, ReplanState, ReplanView, ReplansView,
};

/// Errors that are shown of one replan, the newest.
const ERRORS: usize = 200;

impl Engine {
    /// All replans of a run, oldest first.
    pub async fn replans(&self, run: &RunId) -> Result<ReplansView, Error> {
        let events = self.inner.store.events(run, 0, END, usize::MAX).await?;
        Ok(ReplansView {
            run: run.to_string(),
            most: MOST_REPLANS,
            attempts: replans(&events).into_iter().map(|replan| replan.row).collect(),
        })
    }

    /// One of them, with what it was made of and what it would do or did.
    pub async fn replan(&self, run: &RunId, attempt: u32) -> Result<ReplanView, Error> {
        let events = self.inner.store.events(run, 0, END, usize::MAX).await?;
        let found = replans(&events)
            .into_iter()
            .rev()
            .find(|replan| replan.row.attempt == attempt);
        let replan = found.ok_or_else(|| Error::NotFound {
            message: format!("run {run} has no replan {attempt}"),
        })?;
        let at = replan.version.as_ref().map_or(replan.asked_at, |(seq, _)| *seq);
        // One that waits is judged by how the run stands now.
        let is_open = replan.row.fate == crate::views::ReplanFate::Waiting;
        let upto = if is_open { END } else { at };
        let loaded = load::load(&self.inner.store, &self.inner.around, run, upto).await?;
        self.replan_view(run, replan, &loaded).await
    }

    async fn replan_view(&self, run: &RunId, replan: Replan, loaded: &Loaded) -> Result<ReplanView, Error> {
        let drafting = Drafting::fold(&self.inner.store, &loaded.events).await?;
        let draft = &drafting.plan;
        let patched = |patch: &Json| draft.patched(patch).unwrap_or_else(|_| draft.clone());
        let original = replan
            .proposed
            .as_ref()
            .map(|(_, proposed)| patched(&proposed.patch));
        let after = replan
            .version
            .as_ref()
            .map_or_else(|| draft.clone(), |(_, version)| patched(&version.patch));
        let catalog = self.catalog();
        let setting = self.inner.around.setting(&catalog, &loaded.place);
        let before = Before {
            state: &loaded.state,
            events: &loaded.events,
            draft,
            setting: self.setting_of(&setting),
        };
        let judged = before.amend(&Acceptance::Whole).ok();
        let lines = judged.map(|amendment| describe(draft, &amendment.replanned, &setting));
        let over = over(loaded);
        let spent = replan
            .proposed
            .as_ref()
            .map(|(_, proposed)| rows::spent(&proposed.spent));
        Ok(ReplanView {
            most: MOST_REPLANS,
            errors: errors_of(loaded, &replan),
            model: replan.model.clone(),
            spent: spent.unwrap_or_else(|| rows::spent(&crate::model::ledger::Spent::default())),
            lines: lines.unwrap_or_default().into_iter().map(line).collect(),
            pieces: original
                .map(|original| proposal::pieces(draft, &original))
                .unwrap_or_default()
                .into_iter()
                .map(piece)
                .collect(),
            diff: diff(draft, &after),
            states: states_of(loaded),
            still_before: self.still(draft, loaded, &over).await,
            still_after: self.still(&after, loaded, &over).await,
            before: self.looked_at(run, draft.clone(), drafting.revision).await?,
            after: self.looked_at(run, after, drafting.revision + 1).await?,
            row: replan.row,
        })
    }

    /// What an answer to a new plan would come to, as the run stands now. Nothing is recorded.
    pub async fn preview_replan(
        &self,
        run: &RunId,
        decision: &DecisionId,
        answer: &Json,
    ) -> Result<ReplanPreview, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        open_replan(&loaded, run, decision)?;
        let wrong =
            |message: String| Error::invalid("bad_answer", format!("{message}. Nothing was recorded."));
        let ReplanAnswer::Accept(how) = read_replan(answer).map_err(wrong)? else {
            return Err(wrong("only what would be accepted can be looked at".to_owned()));
        };
        let drafting = Drafting::fold(&self.inner.store, &loaded.events).await?;
        let catalog = self.catalog();
        let setting = self.inner.around.setting(&catalog, &loaded.place);
        let before = Before {
            state: &loaded.state,
            events: &loaded.events,
            draft: &drafting.plan,
            setting: self.setting_of(&setting),
        };
        match before.amend(&how) {
            Err(refused) => Ok(nothing_of(refused)),
            Ok(amendment) => self.previewed(run, &loaded, &drafting, &before, amendment).await,
        }
    }

    async fn previewed(
        &self,
        run: &RunId,
        loaded: &Loaded,
        drafting: &Drafting,
        before: &Before<'_>,
        amendment: Amendment,
    ) -> Result<ReplanPreview, Error> {
        let Amendment {
            replanned,
            amended,
            beyond,
            digest,
        } = amendment;
        let lines = describe(&drafting.plan, &replanned, &before.setting);
        let asked: Vec<&str> = lines
            .iter()
            .filter(|line| line.kind == Kind::Asked)
            .map(|line| &*line.text)
            .collect();
        // The lines of what is asked for stand first, in its order.
        let is_beyond = replanned.asks.iter().map(|ask| beyond.contains(ask));
        let beyond = asked
            .iter()
            .zip(is_beyond)
            .filter(|(_, is)| *is)
            .map(|(text, _)| (*text).to_owned());
        Ok(ReplanPreview {
            refused: Vec::new(),
            digest: digest.to_string(),
            beyond: beyond.collect(),
            left_out: match amended {
                Some(crate::model::events::Amended::Part { left_out }) => left_out,
                Some(crate::model::events::Amended::Edited) | None => Vec::new(),
            },
            diff: Some(diff(&drafting.plan, &replanned.document)),
            still: self.still(&replanned.document, loaded, &over(loaded)).await,
            after: Some(
                self.looked_at(run, replanned.document.clone(), drafting.revision + 1)
                    .await?,
            ),
            text: as_text(&lines),
            lines: lines.into_iter().map(line).collect(),
        })
    }

    /// A replan can be accepted only as long as it would do what was shown.
    pub(super) async fn check_acceptance(
        &self,
        loaded: &Loaded,
        asked: &Decision,
        how: &Acceptance,
    ) -> Result<(), Error> {
        let drafting = Drafting::fold(&self.inner.store, &loaded.events).await?;
        let catalog = self.catalog();
        let setting = self.inner.around.setting(&catalog, &loaded.place);
        let before = Before {
            state: &loaded.state,
            events: &loaded.events,
            draft: &drafting.plan,
            setting: self.setting_of(&setting),
        };
        before.may_accept(asked, how).map_err(|why| {
            let (code, why) = match how {
                Acceptance::Whole => ("stale", format!("this plan can't be taken any more: {why}")),
                Acceptance::Part { .. } | Acceptance::Edited { .. } => {
                    ("not_taken", format!("the plan can't be taken so: {why}"))
                }
            };
            Error::conflict(code, sentence([why.as_str(), "Nothing was recorded"]))
        })
    }

    /// Other arguments have to fit the tool as those of any call. Whether what they touch is granted is asked of the gate
    /// when the call is made.
    pub(super) async fn check_changed(
        &self,
        loaded: &Loaded,
        asked: &Decision,
        arguments: &Json,
    ) -> Result<(), Error> {
        let wrong = |message: String| {
            Error::invalid(
                "bad_arguments",
                sentence([message.as_str(), "Nothing was recorded"]),
            )
        };
        may_change_arguments(asked).map_err(wrong)?;
        let (Some(ix), Some(provenance)) = (asked.task, &asked.provenance) else {
            return Err(wrong("what is asked about names no call".to_owned()));
        };
        let tools = self.tools_now();
        let tool = tools
            .get(&provenance.tool)
            .ok_or_else(|| wrong(format!("there is no tool {} here", provenance.tool)))?;
        tool.check_arguments(arguments)
            .map_err(|message| wrong(format!("the arguments do not fit {}: {message}", provenance.tool)))?;
        let inputs = resolve_shown(&self.inner.store, &loaded.state, ix).await?;
        let inputs = inputs.map_or(Json::Null, |inputs| Json::Object(inputs.into_iter().collect()));
        with_secrets(&inputs, None, arguments).map(drop).map_err(wrong)
    }

    /// What is wrong with an answer to a question, field by field; empty: it fits. Nothing is recorded.
    pub async fn check_answer(
        &self,
        run: &RunId,
        decision: &DecisionId,
        answer: &Json,
    ) -> Result<Vec<MisfitView>, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let asked = loaded
            .state
            .decision(decision)
            .ok_or_else(|| no_decision(run, decision))?;
        let found =
            misfits(asked.form.as_ref(), answer).map_err(|message| Error::invalid("bad_form", message))?;
        let view = |misfit: crate::model::decision::Misfit| MisfitView {
            at: misfit.at,
            message: misfit.message,
        };
        Ok(found.into_iter().map(view).collect())
    }

    fn setting_of<'s>(&self, setting: &Setting<'s>) -> Setting<'s> {
        Setting {
            catalog: setting.catalog,
            place: setting.place,
            has_models: !self.models().is_empty(),
        }
    }

    async fn looked_at(&self, run: &RunId, plan: DraftPlan, revision: u32) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        let then = CachedDraft {
            drafting: Drafting {
                plan,
                revision,
                undo: VecDeque::new(),
                redo: Vec::new(),
            },
            is_draft: false,
            ..cached
        };
        self.draft_view(&then).await
    }

    /// Nothing where the plan has errors, so that nobody can say.
    async fn still(
        &self,
        draft: &DraftPlan,
        loaded: &Loaded,
        over: &BTreeSet<TaskId>,
    ) -> Option<EstimateView> {
        let plan = self.plan_of(draft, &loaded.place).ok()?;
        let laid = crate::history::laid::Laid::of(&loaded.events);
        self.estimate_rest(&plan, &laid, over).await.ok()
    }
}

fn nothing_of(refused: Vec<String>) -> ReplanPreview {
    ReplanPreview {
        refused,
        digest: String::new(),
        lines: Vec::new(),
        text: String::new(),
        beyond: Vec::new(),
        left_out: Vec::new(),
        after: None,
        diff: None,
        still: None,
    }
}

fn no_decision(run: &RunId, decision: &DecisionId) -> Error {
    Error::NotFound {
        message: format!("run {run} has no decision {decision}"),
    }
}

fn open_replan(loaded: &Loaded, run: &RunId, decision: &DecisionId) -> Result<(), Error> {
    let asked = loaded
        .state
        .decision(decision)
        .ok_or_else(|| no_decision(run, decision))?;
    match (asked.kind, asked.is_open()) {
        (DecisionKind::Replan, true) => Ok(()),
        (DecisionKind::Replan, false) => Err(Error::conflict(
            "answered",
            format!("decision {decision} has been answered, or no longer matters. Nothing was recorded."),
        )),
        (_, _) => Err(Error::invalid(
            "bad_answer",
            format!("decision {decision} is about no new plan. Nothing was recorded."),
        )),
    }
}

/// Tasks that cost nothing more.
fn over(loaded: &Loaded) -> BTreeSet<TaskId> {
    let state = &loaded.state;
    let nodes = state.tree.root().nodes.iter().copied();
    nodes
        .filter(|&ix| state.is_settled(ix))
        .map(|ix| state.tree.address(ix))
        .collect()
}

fn states_of(loaded: &Loaded) -> Vec<ReplanState> {
    let state = &loaded.state;
    let of = |ix| ReplanState {
        task: state.tree.address(ix).to_string(),
        status: state.task(ix).status,
    };
    state.tree.root().nodes.iter().copied().map(of).collect()
}

/// Errors of the tasks that had failed, of each attempt.
#[expect(clippy::wildcard_enum_match_arm, reason = "other kinds tell of no error")]
fn errors_of(loaded: &Loaded, replan: &Replan) -> Vec<ReplanError> {
    let taken_back = TakenBack::of(&loaded.events);
    let failed: BTreeSet<&TaskId> = replan.failed.iter().collect();
    let mut attempts = std::collections::BTreeMap::new();
    let mut errors: Vec<ReplanError> = Vec::new();
    let until = loaded
        .events
        .iter()
        .take_while(|event| event.seq <= replan.asked_at);
    for event in until.filter(|event| !taken_back.has(event.seq)) {
        let Some(task) = event.task.as_ref().filter(|task| failed.contains(task)) else {
            continue;
        };
        match &event.body {
            EventBody::TaskStarted(started) => {
                attempts.insert(task, started.attempt);
            }
            EventBody::TaskRetrying(retrying) => {
                let next = Some(retrying.not_before_ms as f64);
                errors.push(error(
                    loaded,
                    event,
                    (task, attempts.get(task)),
                    &retrying.error,
                    next,
                ));
            }
            EventBody::TaskFailed(gone) => {
                errors.push(error(
                    loaded,
                    event,
                    (task, attempts.get(task)),
                    &gone.error,
                    None,
                ));
            }
            _ => {}
        }
    }
    errors.drain(..errors.len().saturating_sub(ERRORS));
    errors
}

fn error(
    loaded: &Loaded,
    event: &Event,
    (task, attempt): (&TaskId, Option<&u32>),
    failure: &Failure,
    next_at: Option<f64>,
) -> ReplanError {
    let named = loaded.state.find(task.as_str()).map(|ix| loaded.state.name(ix));
    ReplanError {
        task: task.to_string(),
        title: named.unwrap_or_else(|| task.to_string()),
        at: event.at_ms as f64,
        attempt: attempt.copied().unwrap_or(0),
        code: failure.code.clone(),
        message: failure.message.clone(),
        next_at,
    }
}

fn line(line: Line) -> ReplanLine {
    ReplanLine {
        kind: match line.kind {
            Kind::Asked => ReplanLineKind::Asked,
            Kind::Added => ReplanLineKind::Added,
            Kind::Changed => ReplanLineKind::Changed,
            Kind::Pruned => ReplanLineKind::Pruned,
            Kind::Retitled => ReplanLineKind::Retitled,
            Kind::Plan => ReplanLineKind::Plan,
            Kind::Note => ReplanLineKind::Note,
        },
        task: line.task.map(|task| task.to_string()),
        text: line.text,
        touches: line.touches,
    }
}

fn piece(piece: Piece) -> ReplanPiece {
    let field = |change: proposal::FieldChange| FieldDiff {
        pointer: change.field,
        before: change.before.map(|value| value.to_string()),
        after: change.after.map(|value| value.to_string()),
    };
    ReplanPiece {
        id: piece.id,
        kind: match piece.kind {
            PieceKind::Added => ReplanPieceKind::Added,
            PieceKind::Removed => ReplanPieceKind::Removed,
            PieceKind::Changed => ReplanPieceKind::Changed,
            PieceKind::Plan => ReplanPieceKind::Plan,
        },
        name: piece.name,
        title: piece.title,
        fields: piece.fields.into_iter().map(field).collect(),
        gained: piece.gained,
        lost: piece.lost,
        needs: piece.needs,
    }
}
