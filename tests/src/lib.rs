//! Shared test rigs: an engine with scripted tools and a clock that tests turn.

pub mod ledger;
pub mod process;
pub mod rig;
pub mod script;
