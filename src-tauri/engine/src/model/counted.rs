//! Counted things in plain English. Knows no thing.

use std::fmt::Display;

/// `1 task`, `2 tasks`, `1 entry`, `0 entries`.
pub fn counted<N: Display + PartialEq + From<u8>>(n: N, what: &str) -> String {
    if n == N::from(1) {
        return format!("1 {what}");
    }
    let stem = what
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match stem {
        Some(stem) => format!("{n} {stem}ies"),
        None if what.ends_with(['s', 'x']) || what.ends_with("ch") => format!("{n} {what}es"),
        None => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1_usize, "task"), "1 task");
        assert_eq!(counted(0_u64, "task"), "0 tasks");
        assert_eq!(counted(2_u32, "entry"), "2 entries");
        assert_eq!(counted(2_u32, "key"), "2 keys");
        assert_eq!(counted(3_usize, "process"), "3 processes");
    }
}
