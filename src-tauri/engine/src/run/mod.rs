//! Makes things happen, in order. One driver per live run owns its state and is its only writer; executors do one
//! attempt each and only report. This room must not know faces, and says nothing in SQL.

mod answers;
mod attempt;
mod breakers;
mod budget;
mod choice;
mod clock;
mod driver;
mod fence;
mod finish;
mod handle;
mod hold;
mod idle;
mod inputs;
mod intents;
mod launch;
mod nested;
mod outcome;
mod recent;
mod redact;
mod slots;
mod start;
mod wind_down;

pub use clock::Clock;
pub use driver::summary_of;
pub use handle::{Ended, Handle};
pub use inputs::{END, load, resolve_shown};
pub use launch::{Launch, WhenIdle, drive};
