//! Shared test rigs.
