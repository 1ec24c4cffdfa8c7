//! The command line as other programs use it: JSON shapes, exit codes, and hostile input.

mod absent;
mod exits;
mod gate;
mod goal;
mod hints;
mod holds;
mod hostile;
mod keeping;
mod models;
mod pages;
mod plan;
mod sample;
mod servers;
mod settings;
mod shipped;
mod unseen;
mod verbs;
mod worker;
