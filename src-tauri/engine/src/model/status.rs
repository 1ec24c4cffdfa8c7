//! The words for states, waits and decisions, as stored and as shown. This file must not know the rules between them.

use serde::{Deserialize, Serialize};

/// The state of a task (DESIGN §3), as stored and as shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskStatus {
    Pending,
    Ready,
    Running,
    Retrying,
    Waiting,
    InDoubt,
    Completed,
    Failed,
    Skipped,
    Cancelled,
    Pruned,
}

/// The state of a run (DESIGN §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunStatus {
    AwaitingApproval,
    Running,
    Paused,
    Waiting,
    Blocked,
    Succeeded,
    Failed,
    Cancelled,
}

impl TaskStatus {
    pub const ALL: [Self; 11] = [
        Self::Pending,
        Self::Ready,
        Self::Running,
        Self::Retrying,
        Self::Waiting,
        Self::InDoubt,
        Self::Completed,
        Self::Failed,
        Self::Skipped,
        Self::Cancelled,
        Self::Pruned,
    ];
    pub fn index(self) -> usize {
        self as usize
    }
}

impl RunStatus {
    /// Nothing more will happen to the run.
    pub fn is_over(self) -> bool {
        match self {
            Self::Succeeded | Self::Failed | Self::Cancelled => true,
            Self::AwaitingApproval | Self::Running | Self::Paused | Self::Waiting | Self::Blocked => false,
        }
    }
}

/// Why something is not going on (rule 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    Dependency,
    FailedDependency,
    Slot,
    RateLimit,
    Backoff,
    Breaker,
    Approval,
    Question,
    Grant,
    Effect,
    InDoubt,
    Blocked,
    Budget,
    Paused,
    // A server of tools that is still starting.
    Server,
}

/// What a person is asked to decide (rule 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    Approval,
    Question,
    Grant,
    Effect,
    InDoubt,
    Budget,
    Replan,
    Blocked,
}

impl std::fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pending => "PENDING",
            Self::Ready => "READY",
            Self::Running => "RUNNING",
            Self::Retrying => "RETRYING",
            Self::Waiting => "WAITING",
            Self::InDoubt => "IN_DOUBT",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Skipped => "SKIPPED",
            Self::Cancelled => "CANCELLED",
            Self::Pruned => "PRUNED",
        })
    }
}

impl std::fmt::Display for RunStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::AwaitingApproval => "AWAITING_APPROVAL",
            Self::Running => "RUNNING",
            Self::Paused => "PAUSED",
            Self::Waiting => "WAITING",
            Self::Blocked => "BLOCKED",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        })
    }
}
