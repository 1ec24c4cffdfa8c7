//! What models are asked for a task, and how their answers are read, as pure functions: no clock, no chance, no I/O.
//! The same past gives the same next step, so a run goes on in the middle of an agent's loop. This room must not
//! know the store, the run or any face.

pub mod executor;
pub mod planner;
pub mod replanner;
pub mod synthesizer;

mod answers;
mod candidates;
mod data;
mod faults;
mod output;
mod repeats;
mod suspicion;

pub use answers::{MOST_SENT_BACK, SentBack};
pub use faults::Failed;
