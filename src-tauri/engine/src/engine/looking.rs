//! Looking at things: lists, one run at any position, one task, what waits for a person.

use std::collections::HashMap;

use super::pasted::named_secrets;
use super::seen::{is_left_in_midst, summary_seen};
use super::{Engine, Error};
use crate::history::crowd::Crowd;
use crate::history::{detail, load, rows, tasks};
use crate::model::document::DraftPlan;
use crate::model::events::Stop;
use crate::model::grants::Labels;
use crate::model::redactor::Redactor;
use crate::model::state::RunState;
use crate::model::{RunId, Seq};
use crate::run::END;
use crate::store::{RunKey, RunRecord, StoreError};
use crate::views::{DecisionView, HomeView, RunRow, TaskView, ToolView};

/// How many runs lists show.
const LISTED: u32 = 500;

/// One run at one position of its log.
#[derive(Debug)]
pub struct Shown {
    pub row: RunRow,
    pub seq: Seq,
    /// The breakpoint that it is paused at.
    pub paused_at: Option<Stop>,
    pub tasks: Vec<TaskView>,
    /// Outputs as JSON text, by the position in `tasks`.
    pub outputs: Vec<Option<String>>,
    pub output: Option<String>,
    /// Of the output: whether text from outside has gone into it.
    pub output_labels: Labels,
    /// For each task, what its newest attempt has touched, as the gate was told.
    pub touched: Vec<Vec<String>>,
    pub decisions: Vec<DecisionView>,
}

/// Letters of an id that may stand for it.
const SHORTEST: usize = 4;

impl Engine {
    /// A run by its id, or by a beginning of it that only one run has.
    pub async fn find_run(&self, text: &str) -> Result<RunId, Error> {
        let id = RunId::from(text);
        match self.inner.store.run(&id).await {
            Ok(_) => return Ok(id),
            Err(error @ StoreError::Deleted { .. }) => return Err(error.into()),
            Err(_) => {}
        }
        let records = self.inner.store.runs(u32::MAX).await?;
        let mut found = records
            .iter()
            .filter(|r| text.len() >= SHORTEST && r.id.as_str().starts_with(text));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one.id.clone()),
            (Some(_), Some(_)) => Err(Error::invalid(
                "ambiguous",
                format!("several runs begin with `{text}`; give more of the id"),
            )),
            (None, _) if text.len() < SHORTEST => Err(Error::NotFound {
                message: format!(
                    "`{text}` names no run: give its id, or the first {SHORTEST} letters of it or more"
                ),
            }),
            (None, _) => Err(Error::NotFound {
                message: format!("there is no run {text}; `planloom runs` lists those that there are"),
            }),
        }
    }

    pub async fn home(&self) -> Result<HomeView, Error> {
        let runs = self.runs().await?;
        let open_decisions = runs.iter().map(|r| r.open_decisions).sum();
        Ok(HomeView {
            samples: self.samples().await,
            runs,
            open_decisions,
        })
    }

    /// Newest first, drafts included.
    pub async fn runs(&self) -> Result<Vec<RunRow>, Error> {
        let records = self.inner.store.runs(LISTED).await?;
        Ok(self.rows_of(&records).await)
    }

    /// The rows of these runs, in their order, each with its parent where that is among them.
    pub(super) async fn rows_of(&self, records: &[RunRecord]) -> Vec<RunRow> {
        let ids: HashMap<RunKey, &RunId> = records.iter().map(|record| (record.key, &record.id)).collect();
        let mut found = Vec::with_capacity(records.len());
        for record in records {
            let parent = record.parent.and_then(|(key, _)| ids.get(&key));
            found.push(RunRow {
                parent: parent.map(ToString::to_string),
                ..self.row_of(record).await
            });
        }
        found
    }

    /// From the cached summary; from the log where the cache is missing, or where somebody was at work and is gone.
    pub(super) async fn row_of(&self, record: &RunRecord) -> RunRow {
        let may_be_driven = record
            .summary
            .as_ref()
            .and_then(|s| s.status)
            .is_none_or(|s| !s.is_over());
        let owner = if may_be_driven {
            self.inner.store.holder(&record.id)
        } else {
            None
        };
        let owner = owner.map(|o| o.to_string());
        let now = self.now_ms();
        let trouble = self.trouble(&record.id);
        let cached = record.summary.as_ref();
        if let Some(summary) = cached.filter(|s| owner.is_some() || !is_left_in_midst(s)) {
            return rows::row(record, summary, owner, now, trouble);
        }
        match load::see(&self.inner.store, &self.inner.around, &record.id, END).await {
            Ok(loaded) => {
                let summary = summary_seen(&loaded.state, loaded.goal.as_deref(), owner.is_some());
                rows::row(record, &summary, owner, now, trouble)
            }
            Err(error) => {
                let summary = cached.cloned().unwrap_or_default();
                rows::row(record, &summary, owner, now, Some(error.to_string()))
            }
        }
    }

    pub fn tools(&self) -> Vec<ToolView> {
        let catalog = self.catalog();
        catalog
            .iter()
            .map(|spec| ToolView {
                name: spec.name.clone(),
                description: spec.description.clone(),
                effect: spec.effect,
                idempotency: spec.idempotency,
                arguments: spec.arguments.to_string(),
                result: spec.result.to_string(),
                off: catalog.why_off(&spec.name).map(str::to_owned),
            })
            .collect()
    }

    /// The problems of a plan file, or of what can't be read as one. Nothing is stored.
    pub async fn check(&self, path: std::path::PathBuf) -> Vec<crate::model::problem::Problem> {
        let path = std::path::absolute(&path).unwrap_or(path);
        let text = match super::nested_files::read_whole(path.clone()).await {
            Ok(text) => text,
            Err(Error::Problems { problems }) => return self.with_own(path, problems).await,
            Err(_) => return Vec::new(),
        };
        let shown = path.to_string_lossy();
        let place = self.inner.around.place(&RunId::from("new"), Some(&*shown));
        match super::drafts::parse(&text) {
            Ok(draft) => {
                let mut problems = draft.problems_in(&self.inner.around.setting(&self.catalog(), &place));
                self.inner.secrets.load(self.inner.secrets.names()).await;
                problems.extend(self.pasted(&draft));
                // What it may come to is worth a word, and no reason to say nothing of the rest.
                problems.extend(self.caps_too_low(&draft, &place).await.unwrap_or_default());
                problems
            }
            Err(Error::Problems { problems }) => problems,
            Err(_) => Vec::new(),
        }
    }

    /// The problems of the plan itself beside those of the plan files that it names.
    async fn with_own(
        &self,
        path: std::path::PathBuf,
        mut problems: Vec<crate::model::problem::Problem>,
    ) -> Vec<crate::model::problem::Problem> {
        let place = self
            .inner
            .around
            .place(&RunId::from("new"), Some(&*path.to_string_lossy()));
        let text = super::plan_files::read_plan_file(path).await;
        // A file that can't be read has just been told.
        if let Ok(draft) = text.and_then(|text| super::drafts::parse(&text)) {
            let catalog = self.catalog();
            problems.extend(draft.problems_in(&self.inner.around.setting(&catalog, &place)));
        }
        problems
    }

    /// Known secrets that stand in the document: keys of models, what the keychain has given, what the plan names.
    pub(super) fn pasted(&self, draft: &DraftPlan) -> Vec<crate::model::problem::Problem> {
        let secrets = &self.inner.secrets;
        let mut redactor = Redactor::of(self.models().keys().map(|key| key.expose()));
        let mut names = secrets.names();
        names.extend(named_secrets(draft.document()));
        for name in names {
            redactor.add(secrets.get(&name).as_deref());
        }
        let mut found = super::pasted::warnings(draft, &redactor);
        found.extend(super::pasted::too_short(draft.document(), |name| {
            secrets.get(name)
        }));
        found.extend(super::pasted::unknown(draft, |name| secrets.is_known(name)));
        found
    }

    /// Lets go of the folds that are kept in memory; the next looks at the past take longer, and are the same.
    pub fn forget_folds(&self) {
        self.inner.around.folds.forget();
    }

    /// The run as it was right after event `at`; the whole log without one.
    pub async fn show(&self, run: &RunId, at: Option<Seq>) -> Result<Shown, Error> {
        let loaded = load::see(&self.inner.store, &self.inner.around, run, at.unwrap_or(END)).await?;
        let state = &loaded.state;
        if at.is_some_and(|at| at == 0 || at > state.seq) {
            return Err(Error::no_event(run, loaded.record.head));
        }
        // The past was driven by somebody; only the present can be left alone.
        let is_driven =
            at.is_some_and(|at| at < loaded.record.head) || self.inner.store.holder(run).is_some();
        let mut outputs = Vec::with_capacity(state.tasks.len());
        for ix in state.nodes() {
            outputs.push(match &state.task(ix).output {
                Some(value) => Some(detail::text(&self.inner.store, value).await?),
                None => None,
            });
        }
        let output = match &state.output {
            Some(value) => Some(detail::text(&self.inner.store, value).await?),
            None => None,
        };
        let goal = loaded.goal.as_deref();
        let summary = summary_seen(state, goal, is_driven);
        let crowd = Crowd::of(state, &self.caps());
        let owner = is_driven.then(|| state.owner.as_deref().unwrap_or("").to_owned());
        Ok(Shown {
            row: rows::row(&loaded.record, &summary, owner, self.now_ms(), self.trouble(run)),
            seq: state.seq,
            paused_at: state.paused_at.clone(),
            tasks: state
                .nodes()
                .map(|ix| self.with_server(state, ix, tasks::view(state, ix, is_driven, &crowd)))
                .collect(),
            outputs,
            output,
            output_labels: state.output_labels,
            touched: state.nodes().map(|ix| state.task(ix).touched()).collect(),
            decisions: self.decisions_of(state, run).await?,
        })
    }

    pub(super) async fn decisions_of(
        &self,
        state: &RunState,
        run: &RunId,
    ) -> Result<Vec<DecisionView>, Error> {
        let mut views = Vec::new();
        for decision in state.open_decisions() {
            let about = match &decision.about {
                Some(value) => Some(detail::text(&self.inner.store, value).await?),
                None => None,
            };
            views.push(tasks::decision(state, decision, run.as_str(), about));
        }
        Ok(views)
    }

    /// Everything that waits for a person, newest run first.
    pub async fn inbox(&self) -> Result<Vec<DecisionView>, Error> {
        let mut found = Vec::new();
        // However old the run is: what waits for a person is not left off any list.
        for record in self.inner.store.runs(u32::MAX).await? {
            if record.summary.as_ref().is_some_and(|s| s.open_decisions == 0) {
                continue;
            }
            // A run that can't be read shows its trouble in the list of runs.
            let Ok(state) = self.state(&record.id, END).await else {
                continue;
            };
            found.extend(self.decisions_of(&state, &record.id).await?);
        }
        Ok(found)
    }
}
