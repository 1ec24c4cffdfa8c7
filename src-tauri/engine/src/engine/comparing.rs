//! Two runs side by side, at rest or on their way, each as it is now. Nothing is recorded.

use super::{Engine, Error};
use crate::history::bill::Bill;
use crate::history::compare::{self, LARGEST, Side, Spaces};
use crate::history::crowd::Crowd;
use crate::history::detail;
use crate::history::load::{self, Loaded};
use crate::history::timeline::Timeline;
use crate::model::diff::{self, PlanDiff};
use crate::model::state::RunState;
use crate::model::value::ValueRef;
use crate::model::{RunId, Seq};
use crate::run::END;
use crate::views::{CompareView, ComparedRun, FamilyView, OutputDiff, SharedView, ValueSide, Verdict};

/// A run with what is told of it.
struct Looked {
    loaded: Loaded,
    bill: Bill,
    timeline: Timeline,
    crowd: Crowd,
    is_driven: bool,
}

impl Looked {
    fn side(&self) -> Side<'_> {
        Side {
            state: &self.loaded.state,
            timeline: &self.timeline,
            crowd: &self.crowd,
            is_driven: self.is_driven,
        }
    }
}

impl Engine {
    /// What differs from run A to run B. The work grows with their events and tasks and with nothing else; of their outputs
    /// none is read.
    pub async fn compare(&self, a: &RunId, b: &RunId) -> Result<CompareView, Error> {
        let shared = self.shared(a, b).await?;
        let (a, b) = (self.looked(a).await?, self.looked(b).await?);
        let (plan, plan_trouble) = match self.plans_of_both(&a, &b).await {
            Ok(plan) => (Some(plan), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let tasks = compare::tasks(&a.side(), &b.side(), plan.as_ref());
        Ok(CompareView {
            shared: shared.map(|(run, seq)| shared_view(&a, run, seq)),
            plan,
            plan_trouble,
            tasks: tasks.differing,
            tasks_left_off: tasks.left_off,
            same: tasks.same,
            same_but_time: tasks.same_but_time,
            answer: compare::verdict(a.loaded.state.output.as_ref(), b.loaded.state.output.as_ref()),
            a: self.compared(&a),
            b: self.compared(&b),
        })
    }

    /// The outputs of one task in both runs, by their lines and values; without a task, the final answers.
    pub async fn compare_outputs(
        &self,
        a: &RunId,
        b: &RunId,
        task: Option<&str>,
        spaces: Spaces,
    ) -> Result<OutputDiff, Error> {
        let (state_a, state_b) = (self.state_of(a).await?, self.state_of(b).await?);
        if let Some(task) = task
            && state_a.find(task).is_none()
            && state_b.find(task).is_none()
        {
            let message =
                format!("neither run has a task {task}; `planloom show {a}` lists those of the first");
            return Err(Error::NotFound { message });
        }
        let (of_a, of_b) = (output(&state_a, task), output(&state_b, task));
        let mut diff = OutputDiff {
            task: task.map(str::to_owned),
            verdict: compare::verdict(of_a, of_b),
            a: compare::side(of_a),
            b: compare::side(of_b),
            is_too_large: false,
            texts: Vec::new(),
            values: Vec::new(),
            values_left_off: 0,
            equal_values: 0,
        };
        let is_large = |value: Option<&ValueRef>| value.is_some_and(|value| value.bytes() > LARGEST);
        diff.is_too_large = diff.verdict != Verdict::Same && (is_large(of_a) || is_large(of_b));
        if diff.is_too_large || matches!(diff.verdict, Verdict::None | Verdict::Same) {
            return Ok(diff);
        }
        let (text_a, text_b) = (
            self.read(of_a, &mut diff.a).await,
            self.read(of_b, &mut diff.b).await,
        );
        match (text_a, text_b) {
            (Some(text_a), Some(text_b)) => in_detail(diff, text_a, text_b, spaces).await,
            // What only one of them has is shown whole by whoever shows that run.
            (Some(_) | None, _) => Ok(diff),
        }
    }

    /// The runs that this one can be compared with, forks of the same log first.
    pub async fn family(&self, run: &RunId) -> Result<FamilyView, Error> {
        let of = self.inner.store.run(run).await?;
        let records = self.inner.store.runs(u32::MAX).await?;
        let mut rows = Vec::with_capacity(records.len().min(1_000));
        let told = compare::family(&of, &records);
        for one in told.rows {
            rows.push(one.with(self.row_of(one.record).await));
        }
        Ok(FamilyView {
            rows,
            left_off: told.left_off,
        })
    }

    /// The run whose log both share, and up to where.
    async fn shared(&self, a: &RunId, b: &RunId) -> Result<Option<(String, Seq)>, Error> {
        let (of_a, of_b) = (
            self.inner.store.lineage(a).await?,
            self.inner.store.lineage(b).await?,
        );
        let same = of_a.iter().zip(&of_b).take_while(|(a, b)| a.0 == b.0);
        Ok(same.last().map(|(a, b)| (a.1.to_string(), a.2.min(b.2))))
    }

    async fn looked(&self, run: &RunId) -> Result<Looked, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await;
        let loaded = loaded.map_err(|error| of_run(run, error.into()))?;
        let bill = Bill::of(&loaded.events, &loaded.state);
        Ok(Looked {
            timeline: Timeline::of(&loaded.events, &loaded.state, bill.by_task()),
            crowd: Crowd::of(&loaded.state, &self.caps()),
            is_driven: self.inner.store.holder(run).is_some(),
            bill,
            loaded,
        })
    }

    async fn plans_of_both(&self, a: &Looked, b: &Looked) -> Result<PlanDiff, Error> {
        let before = a.loaded.drafting(&self.inner.store).await?;
        let after = b.loaded.drafting(&self.inner.store).await?;
        Ok(diff::diff(&before.plan, &after.plan))
    }

    fn compared(&self, looked: &Looked) -> ComparedRun {
        let Loaded { record, state, .. } = &looked.loaded;
        let bill = looked.bill.view();
        let now_ms = looked.is_driven.then(|| self.now_ms());
        let goal = looked.loaded.goal.as_deref();
        ComparedRun {
            row: self.row_at(record, state, goal, looked.is_driven, self.now_ms()),
            head: u32::try_from(state.seq).unwrap_or(u32::MAX),
            has_begun: state.has_begun,
            numbers: compare::numbers(&looked.loaded.events, &looked.timeline, bill.whole, now_ms),
            models: bill.models,
            executors: looked.bill.executors(),
        }
    }

    async fn state_of(&self, run: &RunId) -> Result<RunState, Error> {
        let seen = load::see(&self.inner.store, &self.inner.around, run, END).await;
        Ok(seen.map_err(|error| of_run(run, error.into()))?.state)
    }

    /// The text of a value; where it can't be read, its side says why.
    async fn read(&self, value: Option<&ValueRef>, side: &mut ValueSide) -> Option<String> {
        match detail::text(&self.inner.store, value?).await {
            Ok(text) => Some(text),
            Err(error) => {
                side.trouble = Some(error.to_string());
                None
            }
        }
    }
}

fn output<'s>(state: &'s RunState, task: Option<&str>) -> Option<&'s ValueRef> {
    match task {
        Some(task) => state.task(state.find(task)?).output.as_ref(),
        None => state.output.as_ref(),
    }
}

/// What both have in their logs up to there, as A has it.
fn shared_view(a: &Looked, run: String, seq: Seq) -> SharedView {
    let seq = seq.min(a.loaded.state.seq);
    let upto = a.loaded.events.partition_point(|event| event.seq <= seq);
    let events = &a.loaded.events[..upto];
    let bill = Bill::of(events, &a.loaded.state);
    SharedView {
        run,
        seq: u32::try_from(seq).unwrap_or(u32::MAX),
        ran_ms: compare::ran_ms(events, None) as f64,
        cost: bill.sum(|_| true),
    }
}

/// Off the thread that serves everybody: large values take their time.
async fn in_detail(diff: OutputDiff, a: String, b: String, spaces: Spaces) -> Result<OutputDiff, Error> {
    let compared = tokio::task::spawn_blocking(move || compare::detail(diff, &a, &b, spaces)).await;
    compared.map_err(|broken| Error::Store {
        code: "compare",
        message: format!("the two outputs could not be compared: {broken}. Both are as they were."),
    })
}

/// Which of the two it is that can't be read.
fn of_run(run: &RunId, error: Error) -> Error {
    match error {
        Error::Store { code, message } => Error::Store {
            code,
            message: format!("run {run} can't be read: {message}"),
        },
        other @ (Error::Invalid { .. }
        | Error::Problems { .. }
        | Error::Conflict { .. }
        | Error::NotFound { .. }) => other,
    }
}
