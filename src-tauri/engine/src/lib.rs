//! The engine of Planloom: plans, durable runs and tools, without a window.
//!
//! The map, each room using only those above it:
//!
//! - [`model`]: the nouns and their pure rules. No clock, no I/O, no async.
//! - [`llm`]: the seam to language models. Knows no tool.
//! - [`tools`]: what touches the world for a task. Knows no store.
//! - [`store`]: the only SQL. Knows no tools.
//! - [`agents`]: what a model is asked for a task, and how its answer is read. Pure; knows no store.
//! - [`views`]: what a face is shown, as plain values.
//! - [`history`]: runs at rest: lists, review, where they came from.
//! - [`run`]: makes things happen, in order; the only writer of a live run.
//! - [`Engine`]: the façade, the one thing that a face holds.

pub mod agents;
mod engine;
pub mod history;
pub mod llm;
pub mod model;
pub mod run;
pub mod store;
pub mod tools;
pub mod views;

pub use history::compare::Spaces;

pub use engine::{
    Again, BackedUp, Config, Consent, Deleted, Effects, Endpoint, Engine, Error, EstimateShown, Exported,
    Files, Forked, Form, Freed, Goal, Ids, Imported, Log, Logged, Lost, MAX_PARALLEL, Parameters, PieceShown,
    PlannerCall, PlanningShown, ProposalShown, ProposalState, Rendered, Replace, RunEnd, Saved, Sent, Shown,
    TaskDetails, Wanted, Watch, default_db, models_from, rfc3339, spent_view,
};
