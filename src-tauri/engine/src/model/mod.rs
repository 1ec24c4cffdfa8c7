//! The nouns of Planloom and the pure rules about them. Nothing here waits, reads a clock or touches a disk.

pub mod edit;
pub mod events;
pub mod grants;
pub mod ids;
pub mod json;
pub mod plan;
pub mod problem;
pub mod status;
pub mod tool;
pub mod value;

pub use ids::{DecisionId, Digest, RunId, Seq, TaskId};
pub use json::Json;
