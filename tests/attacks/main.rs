//! What an adversary tries, in tables: each row is one attempt, and each must end in a refusal that can be seen.

mod grants;
#[cfg(unix)]
mod shell;
