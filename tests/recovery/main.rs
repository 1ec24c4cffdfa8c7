//! The real binary, killed at random moments: nothing that was said is lost, nothing that was done is done again.

mod keeping;
mod kills;
mod owners;
