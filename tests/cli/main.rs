//! The command line as other programs use it: JSON shapes, exit codes, and hostile input.

mod absent;
mod at_once;
mod compare;
mod exits;
mod gate;
mod goal;
mod hints;
mod holds;
mod hostile;
mod keeping;
mod locked;
mod log;
mod looking;
mod models;
mod pages;
mod plan;
mod sample;
mod servers;
mod settings;
mod shipped;
mod short;
mod unseen;
mod verbs;
mod way_on;
mod worker;
