//! Makes things happen, in order. One driver per live run owns its state and is its only writer; executors do one
//! attempt each and only report. This room must not know faces, and says nothing in SQL.

mod agent;
mod answers;
mod applying;
mod asides;
mod attempt;
mod before;
mod billing;
mod breakers;
mod budget;
mod chain;
mod choice;
mod clock;
mod driver;
mod fence;
mod finish;
mod flights;
mod handle;
mod hold;
mod holds;
mod idle;
mod inputs;
mod intents;
mod judging;
mod launch;
mod midcall;
mod nested;
mod origins;
mod other_effects;
mod outcome;
mod planning;
mod proposals;
mod recent;
mod redact;
mod replanning;
mod replies;
mod secrets;
mod situation;
mod slots;
mod spawning;
mod stand_ins;
mod start;
mod strands;
mod synthesis;
mod talk;
mod told;
mod wanted;
mod wind_down;
mod worth;

pub use before::keep;
pub use chain::{chain_of, models_of};
pub use clock::Clock;
pub use driver::summary_of;
pub use handle::{Ended, Handle};
pub use inputs::{END, load, resolve_shown};
pub use judging::may_accept;
pub use launch::{Launch, WhenIdle, drive};
pub use planning::{
    Doors, Growing, Grown, PlanLaunch, PlanRest, PlanningError, first_document, plan, tools_of,
};
pub use redact::secrets_of;
pub use replanning::Replan;
pub use secrets::{SHORTEST, SecretError, Secrets};
pub use told::{CleanStderr, clean_panics, told};
