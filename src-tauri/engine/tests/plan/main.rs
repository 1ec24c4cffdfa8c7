//! Plan documents as a whole: each problem with its place, the cases from the field, sizes, and anything at all.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod articles;
mod cases;
mod codes;
mod edits;
mod foreseen;
mod foreseen_more;
mod inputs;
mod large;
mod random;
mod replan;
mod replan_asks;
mod replan_parts;
mod replan_random;
mod support;
mod task_edits;
mod undo;
mod values;
