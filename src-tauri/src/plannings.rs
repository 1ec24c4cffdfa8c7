//! The plannings that this window drives: each can be waited for by any page of it, and left. Knows no plan.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use planloom_engine::model::RunId;
use planloom_engine::run::PlanRest;
use planloom_engine::{Engine, Error};
use serde::Serialize;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;

/// How planning came to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum PlanningRest {
    /// The plan is there; whether it has problems, the draft says.
    Planned,
    /// A person has to answer first.
    Asks,
    /// No plan came of it; `planning` says why.
    Failed,
    /// A person went on by hand.
    Stopped,
    /// It was left and can be gone on with.
    Left,
}

impl From<PlanRest> for PlanningRest {
    fn from(rest: PlanRest) -> Self {
        match rest {
            PlanRest::Planned => Self::Planned,
            PlanRest::Asks => Self::Asks,
            PlanRest::Failed(_) => Self::Failed,
            PlanRest::Stopped => Self::Stopped,
            PlanRest::Interrupted => Self::Left,
        }
    }
}

type Told = Option<Result<PlanningRest, Fault>>;

struct Going {
    leave: CancellationToken,
    told: watch::Receiver<Told>,
}

impl Going {
    /// What broke off without a word is over too.
    fn is_over(&self) -> bool {
        self.told.borrow().is_some() || self.told.has_changed().is_err()
    }
}

#[derive(Default)]
pub struct Plannings(Mutex<HashMap<RunId, Going>>);

impl Plannings {
    /// Waits until the planning of a run rests; begun here where nobody in this window drives it yet.
    pub async fn rest(&self, engine: Engine, run: RunId) -> Result<PlanningRest, Fault> {
        let asked = run.clone();
        let going = move |leave| async move { Box::pin(engine.plan_again(&asked, &leave, false)).await };
        self.rest_of(&run, going).await
    }

    /// The same of a change that is asked for; one that is left is over.
    pub async fn rest_of_edit(&self, engine: Engine, run: RunId) -> Result<PlanningRest, Fault> {
        let asked = run.clone();
        let going = move |leave| async move { Box::pin(engine.edit_on(&asked, &leave)).await };
        self.rest_of(&run, going).await
    }

    async fn rest_of<F, Fut>(&self, run: &RunId, going: F) -> Result<PlanningRest, Fault>
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = Result<PlanRest, Error>> + Send + 'static,
    {
        let mut told = self.join(run, |leave, tell| {
            tauri::async_runtime::spawn(async move {
                let rest = going(leave).await;
                tell.send_replace(Some(rest.map(PlanningRest::from).map_err(Fault::from)));
            });
        });
        let rest = told.wait_for(Option::is_some).await.map(|rest| rest.clone());
        rest.ok()
            .flatten()
            .unwrap_or_else(|| Err(Fault::internal("the planning broke off")))
    }

    fn join(
        &self,
        run: &RunId,
        begin: impl FnOnce(CancellationToken, watch::Sender<Told>),
    ) -> watch::Receiver<Told> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, going| !going.is_over());
        if let Some(going) = all.get(run) {
            return going.told.clone();
        }
        let (tell, told) = watch::channel(None);
        let leave = CancellationToken::new();
        let going = Going {
            leave: leave.clone(),
            told: told.clone(),
        };
        all.insert(run.clone(), going);
        begin(leave, tell);
        told
    }

    /// Leaves it where it is; it can be gone on with. One that rests is left already.
    pub fn leave(&self, run: &RunId) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(going) = all.get(run) {
            going.leave.cancel();
        }
    }

    pub fn is_going(&self, run: &RunId) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(run).is_some_and(|going| !going.is_over())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_page_joins_what_goes_on_and_a_later_one_begins_anew() {
        let plannings = Plannings::default();
        let run = RunId::from("r1");
        let mut begun = Vec::new();
        let mut first = plannings.join(&run, |leave, tell| begun.push((leave, tell)));
        let second = plannings.join(&run, |_, _| panic!("it goes on already"));
        assert!(plannings.is_going(&run));
        plannings.leave(&run);
        let (leave, tell) = begun.remove(0);
        assert!(leave.is_cancelled());
        tell.send_replace(Some(Ok(PlanningRest::Left)));
        assert!(first.wait_for(Option::is_some).await.is_ok());
        assert_eq!(*second.borrow(), Some(Ok(PlanningRest::Left)));
        assert!(!plannings.is_going(&run));
        plannings.join(&run, |_, tell| drop(tell));
        assert!(!plannings.is_going(&run), "what broke off is over");
    }

    #[tokio::test]
    async fn a_planning_that_breaks_off_is_a_fault_and_no_endless_wait() {
        let plannings = Plannings::default();
        let mut told = plannings.join(&RunId::from("r1"), |_, tell| drop(tell));
        assert!(told.wait_for(Option::is_some).await.is_err());
    }
}
