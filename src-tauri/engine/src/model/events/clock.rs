//! What each event means to the clock of its run. It must not know what is counted with it.

use super::EventBody;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    GoesOn,
    Starts,
    Stops,
    /// It had stopped with the event before.
    WasLeft,
    /// The same, and goes on from here.
    WasTakenUp,
}

impl Clock {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other kinds leave the clock as it is"
    )]
    pub fn of(body: &EventBody) -> Self {
        match body {
            EventBody::Approved(_) | EventBody::RunWentOn(_) => Self::Starts,
            EventBody::RunClaimed(_) => Self::WasTakenUp,
            EventBody::RunPaused(_)
            | EventBody::RunWaiting(_)
            | EventBody::RunBlocked(_)
            | EventBody::RunFinished(_)
            | EventBody::RunRejected(_)
            | EventBody::RunReopened(_) => Self::Stops,
            EventBody::RunRewound(_) | EventBody::RunForked(_) | EventBody::RunImported(_) => Self::WasLeft,
            _ => Self::GoesOn,
        }
    }
}
