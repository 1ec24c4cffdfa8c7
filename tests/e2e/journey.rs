//! What a person does from the first screen to the finished report, in the real window: drawing, signing, running,
//! losing power, going on. Each part asks for a window of its own.

mod asking;
mod clipboard;
mod crash;
mod editing;
mod exporting;
mod finding;
mod gestures;
pub mod goal;
mod granting;
mod halting;
mod hand;
mod keeping;
mod keys;
mod list;
mod problems;
mod replanning;
mod reviewing;
mod running;
pub mod steps;
