//! What single events say, each asked for by what it tells. It must not know the log around them.

use super::{Approved, DecisionOpened, EventBody, PlanRevised, RunOpened, RunTagged, TaskCompleted};
use crate::model::DecisionId;

impl EventBody {
    /// The plan file that the run was opened from, if this is how the log begins.
    pub fn opened_path(&self) -> Option<&str> {
        if let Self::RunOpened(opened) = self {
            opened.path.as_deref()
        } else {
            None
        }
    }
    /// How the log begins, if it is that.
    pub fn into_opened(self) -> Option<RunOpened> {
        if let Self::RunOpened(opened) = self {
            Some(opened)
        } else {
            None
        }
    }
    pub fn as_approval(&self) -> Option<&Approved> {
        if let Self::Approved(approved) = self {
            Some(approved)
        } else {
            None
        }
    }
    /// Whether the plan is nobody's draft any more after this; `None` where it says nothing of that.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else signs or unsigns")]
    pub fn settles_draft(&self) -> Option<bool> {
        match self {
            Self::Approved(_) | Self::RunRejected(_) | Self::RunFinished(_) | Self::RunImported(_) => {
                Some(true)
            }
            Self::RunForked(_) => Some(false),
            Self::RunRewound(rewound) => rewound.unsigned.then_some(false),
            Self::RunReopened(reopened) => reopened.unsigned.then_some(false),
            _ => None,
        }
    }
    pub fn as_opened_decision(&self) -> Option<&DecisionOpened> {
        if let Self::DecisionOpened(opened) = self {
            Some(opened)
        } else {
            None
        }
    }
    /// What the run is called from here on, if it says that.
    pub fn names_run(&self) -> Option<Option<&str>> {
        if let Self::RunNamed(named) = self {
            Some(named.name.as_deref())
        } else {
            None
        }
    }
    /// The goal that a plan is wanted for, if it says that.
    pub fn gives_goal(&self) -> Option<&str> {
        if let Self::GoalGiven(given) = self {
            Some(&given.goal)
        } else {
            None
        }
    }
    /// The words that are laid on the run and taken off here, if it says that.
    pub fn tags_run(&self) -> Option<&RunTagged> {
        if let Self::RunTagged(tagged) = self {
            Some(tagged)
        } else {
            None
        }
    }
    pub fn as_revision(&self) -> Option<&PlanRevised> {
        if let Self::PlanRevised(revised) = self {
            Some(revised)
        } else {
            None
        }
    }
    pub fn as_completed(&self) -> Option<&TaskCompleted> {
        if let Self::TaskCompleted(completed) = self {
            Some(completed)
        } else {
            None
        }
    }
    /// Whether what came before was not recorded on this machine.
    pub fn is_from_elsewhere(&self) -> bool {
        if let Self::RunForked(forked) = self {
            return forked.imported;
        }
        matches!(self, Self::RunImported(_))
    }
    /// The decision that it answers or closes.
    pub fn settled_decision(&self) -> Option<&DecisionId> {
        if let Self::DecisionAnswered(answered) = self {
            return Some(&answered.decision);
        }
        if let Self::DecisionClosed(closed) = self {
            Some(&closed.decision)
        } else {
            None
        }
    }
}
