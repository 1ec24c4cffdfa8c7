//! What a model is asked for a task and how its answers are read: loops, final answers, scope, and any past at all.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail loudly, on whatever else there is"
)]

mod finals;
mod loops;
mod names;
mod random;
mod scope;
mod sizes;
mod support;
mod turns;
