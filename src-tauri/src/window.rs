//! x
pub const LABEL: &str = "main";
