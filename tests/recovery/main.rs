//! The real binary, killed, stopped and starved at random and at exact moments, and files that were damaged: nothing
//! that was said is lost, nothing that was done is done again.

mod books;
mod damage;
mod deaths;
mod dice;
mod keeping;
mod kills;
mod owners;
mod power;
mod power_runs;
mod rights;
mod space;
mod takeover;
mod truth;
mod twice;
