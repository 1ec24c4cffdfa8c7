//! Runs at rest: reading a log back into a state, and telling it to people.
//! This room reads the store and folds; it never appends and never calls anything.

pub mod bill;
pub mod catalogs;
pub mod compare;
pub mod crowd;
pub mod detail;
pub mod drafting;
pub mod folds;
pub mod laid;
pub mod load;
mod numbers;
pub mod otlp;
pub mod past;
pub mod pixels;
pub mod plans;
pub mod portable;
pub mod replans;
pub mod report;
pub mod revisions;
pub mod rows;
pub mod sentences;
pub mod tasks;
pub mod timeline;
pub mod told;
pub mod written;
