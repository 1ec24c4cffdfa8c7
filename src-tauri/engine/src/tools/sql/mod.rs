//! SQL on SQLite files, and on CSV files as tables. What is not a plain question or change is refused.

mod errors;
mod execute;
mod foresee;
mod guard;
mod query;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub(super) use execute::{Change, SqlExecute, change};
pub(super) use guard::LONGEST;
pub(super) use query::{Question, SqlQuery, ask};
