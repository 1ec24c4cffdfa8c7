//! Makes things happen, in order. One driver per live run owns its state and is its only writer; executors do one
//! attempt each and only report. This room must not know faces, and says nothing in SQL.

mod answers;
mod applying;
mod asides;
mod attempt;
mod before;
mod breakers;
mod budget;
mod choice;
mod clock;
mod driver;
mod fence;
mod finish;
mod handle;
mod hold;
mod holds;
mod idle;
mod inputs;
mod intents;
mod judging;
mod launch;
mod nested;
mod outcome;
mod proposals;
mod recent;
mod redact;
mod replanning;
mod situation;
mod slots;
mod start;
mod synthesis;
mod wind_down;

pub use before::keep;
pub use clock::Clock;
pub use driver::summary_of;
pub use handle::{Ended, Handle};
pub use inputs::{END, load, resolve_shown};
pub use judging::may_accept;
pub use launch::{Launch, WhenIdle, drive};
pub use replanning::Replan;
