//! The goal that a log begins with: what is wanted, whether it can be, and the run that is opened for it. It asks nobody.

use std::path::PathBuf;

use super::super::drafts::Opening;
use super::super::{Engine, Error};
use crate::llm::Role;
use crate::model::events::{GoalGiven, NewEvent};
use crate::model::problem::{Code, Problem, Severity};
use crate::model::{DraftPlan, Json, RunId, digest};
use crate::run::first_document;

/// The largest goal, in bytes.
const LARGEST_GOAL: usize = 256 * 1024;
/// What a plan is wanted for.
#[derive(Clone, Debug)]
pub struct Goal {
    pub text: String,
    /// Names of the tools that the plan may use; `None`: all.
    pub tools: Option<Vec<String>>,
    /// As in a plan: name → JSON Schema. Null: none.
    pub parameters: Json,
    /// As in a plan; what is granted whatever the planner asks for. Null: nothing.
    pub grants: Json,
    /// As in a plan; planning counts too. Null: none.
    pub budget: Json,
    /// Whether the planner may ask back.
    pub may_ask: bool,
    /// A role or `provider/model`; `None`: the role `planner`.
    pub model: Option<String>,
    /// The plan file that is to be: relative paths of the plan lie in its folder. It is not written here.
    pub path: Option<PathBuf>,
}

impl Goal {
    /// With all tools, asking back where it is unclear.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tools: None,
            parameters: Json::Null,
            grants: Json::Null,
            budget: Json::Null,
            may_ask: true,
            model: None,
            path: None,
        }
    }
}

impl Engine {
    /// Opens the run whose log begins with the goal. Nothing is asked yet, and without a model nothing is opened.
    pub async fn open_goal(&self, goal: Goal) -> Result<RunId, Error> {
        let given = self.given(&goal)?;
        let first = first_document(&given);
        let path = goal.path.map(|path| std::path::absolute(&path).unwrap_or(path));
        let shown = path.map(|path| path.to_string_lossy().into_owned());
        let place = self.inner.around.place(&RunId::from("new"), shown.as_deref());
        let problems = first.problems_in(&self.inner.around.setting(&self.catalog(), &place));
        let wrong: Vec<Problem> = problems.into_iter().filter(is_of_the_person).collect();
        if !wrong.is_empty() {
            return Err(Error::Problems { problems: wrong });
        }
        let mut opening = self
            .begin(first.to_text(), digest::of_document(&first), shown)
            .await?;
        let at_ms = self.now_ms();
        opening.events.insert(
            1,
            NewEvent {
                at_ms,
                task: None,
                body: given.into(),
            },
        );
        self.commit_goal(opening, &first).await
    }

    async fn commit_goal(&self, opening: Opening, first: &DraftPlan) -> Result<RunId, Error> {
        let run = opening.run.clone();
        self.commit_opening(opening, first).await?;
        Ok(run)
    }

    fn given(&self, goal: &Goal) -> Result<GoalGiven, Error> {
        let text = goal.text.trim();
        if text.is_empty() {
            return Err(Error::invalid("no_goal", "a goal needs words; nothing was asked"));
        }
        if text.len() > LARGEST_GOAL {
            let message = format!("the goal is longer than {LARGEST_GOAL} bytes; nothing was asked");
            return Err(Error::invalid("too_large", message));
        }
        let model = goal
            .model
            .clone()
            .unwrap_or_else(|| Role::Planner.word().to_owned());
        if let Err(error) = self.models().find(&model) {
            return Err(Error::invalid("no_model", error.to_string()));
        }
        let catalog = self.catalog();
        let is_known = |name: &&String| catalog.get(name).is_none();
        if let Some(name) = goal.tools.iter().flatten().find(is_known) {
            let known: Vec<&str> = catalog.iter().map(|t| t.name.as_str()).collect();
            let message = format!("there is no tool {name}; there are: {}", known.join(", "));
            return Err(Error::invalid("unknown_tool", message));
        }
        Ok(GoalGiven {
            goal: text.to_owned(),
            by: self.face(),
            tools: goal.tools.clone(),
            may_ask: goal.may_ask,
            model,
            parameters: goal.parameters.clone(),
            grants: goal.grants.clone(),
            budget: goal.budget.clone(),
        })
    }
}

/// What is wrong about what a person gave, and no planner can mend.
fn is_of_the_person(problem: &Problem) -> bool {
    problem.severity == Severity::Error && problem.code != Code::EmptyPlan
}
