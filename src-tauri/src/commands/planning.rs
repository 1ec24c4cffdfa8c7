//! Commands that lead from a goal to a draft. What a planner may be asked is the engine's to decide.

use planloom_engine::views::SpentView;
use planloom_engine::{Goal, PlannerCall, PlanningShown, spent_view};
use serde::{Deserialize, Serialize};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, State};

use super::{ask, run_id, value};
use crate::choose;
use crate::desk::Desk;
use crate::fault::Fault;
use crate::growing::{self, PlanningMessage};
use crate::plannings::PlanningRest;

/// What a plan is wanted for.
#[derive(Clone, Debug, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoalAsked {
    pub text: String,
    /// Names of the tools that the plan may use; null: all.
    pub tools: Option<Vec<String>>,
    /// As in a plan, as JSON text: name → schema. Null: none.
    pub parameters_json: Option<String>,
    /// As in a plan, as JSON text: granted whatever the planner asks for. Null: nothing.
    pub grants_json: Option<String>,
    /// As in a plan, as JSON text; planning counts too. Null: none.
    pub budget_json: Option<String>,
    /// Whether the planner may ask back.
    pub may_ask: bool,
    /// `provider/model`; null: the planner of the settings.
    pub model: Option<String>,
}

/// How the plan of a run came to be.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PlanningView {
    pub goal: String,
    /// "open", "planned", "unmended", "failed" or "stopped".
    pub state: String,
    /// Whether this window drives it now.
    pub is_going: bool,
    /// Why there is no plan.
    pub error: Option<String>,
    pub notes: Vec<String>,
    /// Every question to the planner, oldest first.
    pub calls: Vec<PlannerCallView>,
    /// What the run has come to, which is all the planner's before it is approved.
    pub spent: SpentView,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PlannerCallView {
    pub model: String,
    /// How it ended, such as "complete" or "cut"; "error", or "open".
    pub outcome: String,
    /// As the planner gave it.
    pub answer: String,
    pub error: Option<String>,
    pub input_tokens: Option<f64>,
    pub output_tokens: Option<f64>,
}

/// Opens the run whose log begins with the goal; nothing is asked yet. Answers its id.
#[tauri::command]
#[specta::specta]
pub async fn open_goal(desk: State<'_, Desk>, goal: GoalAsked) -> Result<String, Fault> {
    let json = |text: &Option<String>, name: &str| match text {
        Some(text) => value(text, name),
        None => Ok(serde_json::Value::Null),
    };
    let goal = Goal {
        tools: goal.tools.clone(),
        parameters: json(&goal.parameters_json, "parameters")?,
        grants: json(&goal.grants_json, "grants")?,
        budget: json(&goal.budget_json, "budget")?,
        may_ask: goal.may_ask,
        model: goal.model.clone(),
        ..Goal::new(goal.text)
    };
    let run = ask(&desk, |engine| async move { engine.open_goal(goal).await }).await?;
    Ok(run.to_string())
}

/// Plans on where the log ends and answers when that rests: nothing that was answered is asked twice, and one that failed is
/// tried anew. A planning that this window drives
/// already is joined.
#[tauri::command]
#[specta::specta]
pub async fn plan_on(desk: State<'_, Desk>, run: String) -> Result<PlanningRest, Fault> {
    desk.plannings.rest(desk.engine()?, run_id(run)).await
}

/// Leaves a planning that this window drives; `plan_on` goes on with it.
#[tauri::command]
#[specta::specta]
pub async fn leave_planning(desk: State<'_, Desk>, run: String) -> Result<(), Fault> {
    desk.plannings.leave(&run_id(run));
    Ok(())
}

/// How the plan came to be; null where the log does not begin with a goal.
#[tauri::command]
#[specta::specta]
pub async fn planning(desk: State<'_, Desk>, run: String) -> Result<Option<PlanningView>, Fault> {
    let run = run_id(run);
    let is_going = desk.plannings.is_going(&run);
    let shown = ask(&desk, |engine| async move { engine.planning(&run).await }).await?;
    Ok(shown.map(|shown| view(shown, is_going)))
}

/// The planner's answers while they grow, and how the planning stands after each; until `unwatch`. Answers the watch's id.
#[tauri::command]
#[specta::specta]
pub async fn watch_planning(
    app: AppHandle,
    desk: State<'_, Desk>,
    run: String,
    channel: Channel<PlanningMessage>,
) -> Result<u32, Fault> {
    let (engine, run) = (desk.engine()?, run_id(run));
    let (id, ended) = desk.watches.open();
    let answers = engine.watch_answer(&run);
    let look = move || {
        let (engine, run) = (engine.clone(), run.clone());
        let is_going = app.state::<Desk>().plannings.is_going(&run);
        async move {
            let shown = engine.planning(&run).await.ok().flatten();
            shown.map(|shown| view(shown, is_going))
        }
    };
    tauri::async_runtime::spawn(growing::forward(answers, channel, ended, look));
    Ok(id)
}

/// Files that the person wants the plan to work on; nothing of them is read here.
#[tauri::command]
#[specta::specta]
pub async fn choose_attachments(app: AppHandle, folder: bool) -> Result<Vec<String>, Fault> {
    choose::attachments(&app, folder).await
}

fn view(shown: PlanningShown, is_going: bool) -> PlanningView {
    PlanningView {
        goal: shown.goal,
        state: shown.state.to_owned(),
        is_going,
        error: shown.error,
        notes: shown.notes,
        calls: shown.calls.into_iter().map(call).collect(),
        spent: spent_view(&shown.spent),
    }
}

pub(super) fn call(call: PlannerCall) -> PlannerCallView {
    PlannerCallView {
        model: call.model,
        outcome: call.outcome.to_owned(),
        answer: call.answer,
        error: call.error,
        input_tokens: call.usage.input.map(|tokens| tokens as f64),
        output_tokens: call.usage.output.map(|tokens| tokens as f64),
    }
}
