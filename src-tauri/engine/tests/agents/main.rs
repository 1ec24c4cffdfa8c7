//! What a model is asked for a task and how its answers are read: loops, final answers, scope, and any past at all.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod finals;
mod loops;
mod random;
mod scope;
mod support;
mod turns;
