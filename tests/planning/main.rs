//! Plans at large: real ones by the thousand, the samples as they are, and those that a planner makes.

mod asynchow;
mod changes;
mod ending;
mod estimates;
mod mending;
mod planner;
mod replies;
mod resting;
mod samples;
mod support;
mod undoing;
mod versions;
