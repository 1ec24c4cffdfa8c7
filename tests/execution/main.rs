//! How runs go: scheduling, retries, doubt, people, models, failure, pause and stop, at the façade with turned time.

mod again;
mod agents;
mod agents_cut_short;
mod agents_people;
mod agents_retries;
mod asking;
mod breakers;
mod breakpoints;
mod budgets;
mod doubt;
mod failure;
mod fallback;
mod full;
mod nested;
mod pause;
mod people;
mod pins;
mod replanning;
mod replans_at_rest;
mod restarts;
mod restore;
mod retries;
mod scheduling;
mod simulation;
mod synthesis;
mod watching;
