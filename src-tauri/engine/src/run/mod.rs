//! Makes things happen, in order. One driver per live run owns its state and is its only writer; executors do one
//! attempt each and only report. This room must not know faces, and says nothing in SQL.

mod answers;
mod attempt;
mod clock;
mod driver;
mod fence;
mod finish;
mod handle;
mod hold;
mod idle;
mod inputs;
mod intents;
mod nested;
mod outcome;
mod recent;
mod redact;
mod start;
mod wind_down;

pub use clock::Clock;
pub use driver::{Launch, WhenIdle, drive, summary_of};
pub use handle::{Ended, Handle};
pub use inputs::{END, load, resolve_shown};
