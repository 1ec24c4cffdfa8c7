//! The nouns of Planloom and the pure rules about them. Nothing here waits, reads a clock or touches a disk.

pub mod edit;
pub mod expr;
mod fields;
pub mod grants;
pub mod graph;
pub mod ids;
pub mod json;
mod near;
pub mod read;
pub mod plan;
pub mod problem;
pub mod tool;

pub use ids::{DecisionId, Digest, RunId, Seq, TaskId};
pub use json::Json;
