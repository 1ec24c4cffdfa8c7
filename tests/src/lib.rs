//! Shared test rigs: an engine with scripted tools and a clock that tests turn; the real programs from outside.

pub mod desktop;
pub mod ledger;
pub mod model_server;
pub mod models;
pub mod pointer;
pub mod process;
pub mod rig;
pub mod script;
pub mod servers;
pub mod webdriver;
