//! What follows from what a person switches off, and from the ways of foreign text that they let go: what is left out, and
//! what is signed. It must not know how a run keeps to it.

use std::collections::{BTreeMap, BTreeSet};

use super::approving::{gather, untrusted};
use super::{Engine, Error};
use crate::model::conditions::{Choices, Conditions};
use crate::model::document::DraftPlan;
use crate::model::grants::{Place, Withheld};
use crate::model::plan::{Plan, Task, TaskIx, TaskKind};
use crate::model::{RunId, TaskId, draft_view};
use crate::views::{ChosenView, FlowView, LeftOutView, NeedView, UntrustedPath};

/// What a plan asks for and lets through, as it was shown.
struct Shown {
    needs: Vec<NeedView>,
    flows: Vec<FlowView>,
    untrusted: Vec<UntrustedPath>,
}

impl Engine {
    /// What these choices would leave out of the run, and why they can't be signed, if so.
    pub async fn weigh(&self, run: &RunId, choices: &Choices) -> Result<ChosenView, Error> {
        let cached = self.cached(run).await?;
        let whole = self.whole(&cached).await?;
        let document = whole.as_ref().unwrap_or(&cached.drafting.plan);
        let plan = self.plan_of(document, &cached.place)?;
        let shown = self.shown_of(&plan, document, &cached.place);
        let left_out = left_out(&plan, &shown.needs, &choices.off)?;
        accepts(&shown, choices)?;
        let out = ids(&left_out);
        Ok(ChosenView {
            refusal: refusal(&plan, left_out.len()),
            estimate: self.estimate_of(&plan, &cached.laid, &out).await?,
            left_out,
        })
    }

    /// The tasks that would not run without these.
    pub(super) fn left_out_of(
        &self,
        plan: &Plan,
        document: &DraftPlan,
        place: &Place,
        off: &[Withheld],
    ) -> Result<BTreeSet<TaskId>, Error> {
        if off.is_empty() {
            return Ok(BTreeSet::new());
        }
        let parts = draft_view::parts(document, &self.catalog(), place);
        left_out(plan, &gather(parts.needs.into_iter()), off).map(|left| ids(&left))
    }

    /// The same, to be signed.
    fn conditions(
        &self,
        plan: &Plan,
        document: &DraftPlan,
        place: &Place,
        choices: &Choices,
    ) -> Result<Conditions, Error> {
        if *choices == Choices::default() {
            return Ok(Conditions::default());
        }
        let shown = self.shown_of(plan, document, place);
        let left_out = left_out(plan, &shown.needs, &choices.off)?;
        if let Some(message) = refusal(plan, left_out.len()) {
            return Err(Error::invalid("choices", message));
        }
        Ok(Conditions {
            off: choices.off.clone(),
            left_out: ids(&left_out),
            accepts: accepts(&shown, choices)?,
        })
    }

    /// By what is chosen; without a choice, as it was signed before.
    pub(super) fn conditions_of(
        &self,
        plan: &Plan,
        document: &DraftPlan,
        place: &Place,
        (choices, before): (Option<&Choices>, Option<&Conditions>),
    ) -> Result<Conditions, Error> {
        match (choices, before) {
            (Some(choices), _) => self.conditions(plan, document, place, choices),
            (None, Some(before)) => self.conditions_again(plan, document, place, before),
            (None, None) => Ok(Conditions::default()),
        }
    }

    /// What was switched off before stays off, as far as the plan still asks for it.
    fn conditions_again(
        &self,
        plan: &Plan,
        document: &DraftPlan,
        place: &Place,
        before: &Conditions,
    ) -> Result<Conditions, Error> {
        let shown = self.shown_of(plan, document, place);
        let choices = Choices {
            off: still_off(&before.off, &shown.needs),
            flows: Vec::new(),
        };
        self.conditions(plan, document, place, &choices)
    }

    fn shown_of(&self, plan: &Plan, document: &DraftPlan, place: &Place) -> Shown {
        let parts = draft_view::parts(document, &self.catalog(), place);
        let flows = self.flows(plan, place);
        Shown {
            needs: gather(parts.needs.into_iter()),
            untrusted: untrusted(&flows),
            flows,
        }
    }
}

fn ids(left_out: &[LeftOutView]) -> BTreeSet<TaskId> {
    left_out
        .iter()
        .map(|left| TaskId::from(left.task.as_str()))
        .collect()
}

fn refusal(plan: &Plan, left_out: usize) -> Option<String> {
    (left_out > 0 && left_out == plan.tasks.len()).then(|| {
        "nothing would be left to run: every task needs something that is switched off. Nothing was signed; switch \
         something on again, or change the plan."
            .to_owned()
    })
}

/// The tasks that need something that is off, and all behind them, in the order of the plan.
fn left_out(plan: &Plan, needs: &[NeedView], off: &[Withheld]) -> Result<Vec<LeftOutView>, Error> {
    let mut lacking: BTreeMap<&str, &Withheld> = BTreeMap::new();
    for row in off {
        let mut tasks = needs.iter().filter(|need| is_row(need, row)).peekable();
        if tasks.peek().is_none() {
            let message = format!(
                "\"{}\" is nothing that this plan asks for; nothing was signed. Look at the plan again.",
                row.resource
            );
            return Err(Error::invalid("choices", message));
        }
        for task in tasks.flat_map(|need| &need.tasks) {
            let def = plan.find(task).map(|ix| plan.task(ix));
            if def.is_some_and(|def| !does_without(def)) {
                lacking.entry(task).or_insert(row);
            }
        }
    }
    let mut is_out = vec![false; plan.tasks.len()];
    let mut found: Vec<(TaskIx, LeftOutView)> = Vec::new();
    for &ix in plan.order() {
        let task = plan.task(ix).id.as_str();
        let before = plan.dependencies(ix).iter().find(|&&d| is_out[d as usize]);
        let need = lacking.get(task).map(|row| (*row).clone());
        if need.is_none() && before.is_none() {
            continue;
        }
        is_out[ix as usize] = true;
        let after = before.map(|&d| plan.task(d).id.to_string());
        let view = LeftOutView {
            task: task.to_owned(),
            after: after.filter(|_| need.is_none()),
            need,
        };
        found.push((ix, view));
    }
    found.sort_by_key(|(ix, _)| *ix);
    Ok(found.into_iter().map(|(_, view)| view).collect())
}

/// Those of the rows that the plan still asks for.
pub(super) fn still_off(off: &[Withheld], needs: &[NeedView]) -> Vec<Withheld> {
    let is_asked = |row: &&Withheld| needs.iter().any(|need| is_row(need, row));
    off.iter().filter(is_asked).cloned().collect()
}

fn is_row(need: &NeedView, row: &Withheld) -> bool {
    need.access == row.access && need.resource == row.resource && need.method == row.method
}

/// An agent is told that the call is refused, and goes on. Recursion is bounded by the depth of the document.
fn does_without(task: &Task) -> bool {
    match &task.kind {
        TaskKind::Agent { .. } => true,
        TaskKind::Map { task, .. } => does_without(task),
        TaskKind::Model
        | TaskKind::Tool { .. }
        | TaskKind::Code { .. }
        | TaskKind::Human { .. }
        | TaskKind::Subplan { .. } => false,
    }
}

/// What a task reads from where may be foreign text: only where every way through there is let go.
fn accepts(shown: &Shown, choices: &Choices) -> Result<BTreeSet<(TaskId, String)>, Error> {
    let is_of = |flow: &UntrustedPath, source: &str, sink: &str| flow.source == source && flow.sink == sink;
    let mut accepted = BTreeSet::new();
    for choice in &choices.flows {
        let mut known = shown.untrusted.iter();
        let flow = known.find(|flow| is_of(flow, &choice.source, &choice.sink));
        let last = flow.and_then(|flow| flow.path.len().checked_sub(2).map(|at| &flow.path[at]));
        let Some(last) = last
            .filter(|_| !choice.ask)
            .or(flow.filter(|_| choice.ask).map(|f| &f.sink))
        else {
            let message = format!(
                "there is no way of outside text from {} to {} that could be allowed; nothing was signed. Look at the \
                 plan again.",
                choice.source, choice.sink
            );
            return Err(Error::invalid("choices", message));
        };
        if !choice.ask {
            accepted.insert((TaskId::from(choice.sink.as_str()), last.clone()));
        }
    }
    let is_let_go = |flow: &FlowView| {
        let mut allowed = choices.flows.iter().filter(|choice| !choice.ask);
        flow.accepted || allowed.any(|choice| choice.source == flow.source && choice.sink == flow.sink)
    };
    accepted.retain(|(sink, from)| {
        let through = |flow: &&FlowView| {
            let before = flow.path.len().checked_sub(2).map(|at| &flow.path[at]);
            flow.concern == crate::model::grants::Concern::Untrusted
                && flow.sink == sink.as_str()
                && before == Some(from)
        };
        shown.flows.iter().filter(through).all(is_let_go)
    });
    Ok(accepted)
}
