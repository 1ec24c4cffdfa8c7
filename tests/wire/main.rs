//! What providers send, as real bytes over real HTTP: cut anywhere, late, broken, too long, or something else altogether.

mod answers;
mod ask;
mod calls;
mod faults;
mod histories;
mod lengths;
mod limits;
mod local;
mod own;
mod recorded;
mod refusals;
mod secrets;
mod server;
mod timelines;
