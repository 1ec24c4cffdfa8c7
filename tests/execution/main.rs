//! How runs go: scheduling, retries, doubt, people, failure, pause and stop, at the engine's façade with turned time.

mod again;
mod doubt;
mod failure;
mod nested;
mod pause;
mod people;
mod retries;
mod scheduling;
mod simulation;
mod watching;
