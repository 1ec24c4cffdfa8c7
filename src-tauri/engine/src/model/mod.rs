//! The nouns of Planloom and the pure rules about them. Nothing here waits, reads a clock or touches a disk.

pub mod decision;
pub mod edit;
pub mod events;
pub mod grants;
pub mod backoff;
pub mod ids;
pub mod json;
pub mod key;
pub mod plan;
pub mod problem;
pub mod state;
pub mod status;
pub mod tool;
pub mod value;

pub use ids::{DecisionId, Digest, RunId, Seq, TaskId};
pub use json::Json;
