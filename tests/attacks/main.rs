//! What an adversary tries, in tables: each row is one attempt, and each must end in a refusal that can be seen.

mod foretold;
mod friction;
mod grants;
mod inert;
mod injection;
mod mcp;
mod own;
mod paths;
mod plans;
mod redaction;
#[cfg(unix)]
mod shell;
mod sql;
mod support;
mod urls;
mod washing;
