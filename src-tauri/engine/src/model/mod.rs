//! The nouns of Planloom and the pure rules about them. Nothing here waits, reads a clock or touches a disk.

pub mod backoff;
mod check;
pub mod decision;
pub mod digest;
pub mod document;
pub mod draft_view;
pub mod edit;
pub mod events;
pub mod expr;
mod fields;
pub mod grants;
pub mod graph;
pub mod ids;
pub mod json;
pub mod key;
pub mod money;
pub mod named;
mod near;
pub mod plan;
pub mod problem;
pub mod read;
pub mod replan;
pub mod resolve;
pub mod state;
pub mod status;
pub mod taint;
pub mod title;
pub mod tool;
pub mod value;
mod write;

pub use check::Setting;
pub use document::{Accepted, DraftPlan};
pub use ids::{DecisionId, Digest, RunId, Seq, TaskId};
pub use json::Json;
pub use plan::Plan;
pub use problem::{Code, Problem, Severity};
