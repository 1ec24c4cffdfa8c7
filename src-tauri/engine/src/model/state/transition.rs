//! Which transitions of a task and of a run are legal. Nothing else decides that.

use super::super::status::{RunStatus, TaskStatus};

/// Whether a task may go from one state to the other (DESIGN §3).
pub(super) fn task_may(from: TaskStatus, to: TaskStatus) -> bool {
    use TaskStatus::{
        Cancelled, Completed, Failed, InDoubt, Pending, Pruned, Ready, Retrying, Running, Skipped, Waiting,
    };
    match from {
        Pending => matches!(to, Ready | Skipped | Cancelled | Pruned),
        // From ready to retrying: what it would call is down, so that it waits without having begun.
        Ready => matches!(
            to,
            Running | Retrying | Waiting | Skipped | Failed | Cancelled | Pruned
        ),
        // From running to ready: the attempt was cut short and is the same attempt when it starts again.
        Running => matches!(
            to,
            Ready | Retrying | Waiting | InDoubt | Completed | Failed | Cancelled
        ),
        Retrying => matches!(
            to,
            Running | Retrying | Waiting | Skipped | Failed | Cancelled | Pruned
        ),
        Waiting => matches!(to, Ready | Completed | Failed | Skipped | Cancelled | Pruned),
        InDoubt => matches!(to, Ready | Completed | Skipped | Failed | Cancelled),
        // A failure may be mended by a person; an optional one has let its dependents go on and stays.
        Failed => matches!(to, Ready | Skipped | Cancelled | Pruned),
        Completed | Skipped | Cancelled | Pruned => false,
    }
}

/// Whether the run may go from one state to the other (DESIGN §3).
pub(super) fn run_may(from: RunStatus, to: RunStatus) -> bool {
    use RunStatus::{AwaitingApproval, Blocked, Cancelled, Failed, Paused, Running, Succeeded, Waiting};
    match from {
        AwaitingApproval => matches!(to, Running | Cancelled),
        Running => matches!(
            to,
            Running | Paused | Waiting | Blocked | Succeeded | Failed | Cancelled
        ),
        Paused => matches!(to, Running | Paused | Failed | Cancelled),
        Waiting | Blocked => matches!(to, Running | Waiting | Blocked | Paused | Failed | Cancelled),
        // Only by a person who lets tasks of it run again.
        Succeeded | Failed | Cancelled => to == Paused,
    }
}
