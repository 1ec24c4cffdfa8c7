//! The loop guard: whether an agent still gets anywhere (rule 3). It counts turns that bring nothing new, successful
//! ones too, whatever their period: A-A-A, A-B-A-B and reordered parallel calls alike. It must not know what calls mean.

use std::collections::HashSet;

use crate::model::json::canonical_digest;
use crate::model::{Digest, Json};

/// Turns in a row without anything new before the agent is told; after that, before it is stopped.
const BEFORE_WARNING: u32 = 3;
const AFTER_WARNING: u32 = 2;

/// One call as the guard sees it: equal prints are equal calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Print(Digest);

impl Print {
    /// A call that was asked for. Arguments are compared without regard to the order of keys.
    pub fn of_call(tool: &str, arguments: &Json) -> Self {
        Self::of(&[tool.as_bytes(), canonical_digest(arguments).as_bytes()])
    }

    /// One that could not be made: its raw text counts.
    pub fn of_refused(tool: &str, arguments: &str) -> Self {
        Self::of(&[b"refused", tool.as_bytes(), arguments.as_bytes()])
    }

    /// The call together with what it gave: reading the same place again is progress if something else comes back.
    pub fn with_result(self, result: &str) -> Self {
        Self::of(&[self.0.as_bytes(), result.as_bytes()])
    }

    fn of(parts: &[&[u8]]) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        Self(Digest::of(&bytes))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// The first intervention: tell the agent.
    Warn,
    /// The second: it was told and does the same.
    Stop,
}

#[derive(Debug, Default)]
pub(super) struct Repeats {
    seen: HashSet<Print>,
    /// Turns in a row in which every call was known.
    stale: u32,
    has_warned: bool,
}

impl Repeats {
    /// Takes in the calls of one turn, all of them made.
    pub fn take(&mut self, prints: &[Print]) -> Verdict {
        if prints.is_empty() {
            return Verdict::Fine;
        }
        let mut is_new = false;
        for print in prints {
            is_new |= self.seen.insert(*print);
        }
        self.stale = if is_new { 0 } else { self.stale + 1 };
        if self.stale < self.patience() {
            return Verdict::Fine;
        }
        if self.has_warned {
            return Verdict::Stop;
        }
        self.has_warned = true;
        self.stale = 0;
        Verdict::Warn
    }

    /// Whether a turn of these calls would be stopped, known before any of them is made.
    pub fn would_stop(&self, prints: &[Print]) -> bool {
        let are_known = !prints.is_empty() && prints.iter().all(|print| self.seen.contains(print));
        are_known && self.has_warned && self.stale + 1 >= self.patience()
    }

    fn patience(&self) -> u32 {
        if self.has_warned {
            AFTER_WARNING
        } else {
            BEFORE_WARNING
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdicts(turns: &[&[&str]]) -> Vec<Verdict> {
        let mut repeats = Repeats::default();
        let prints = |turn: &&[&str]| -> Vec<Print> {
            turn.iter().map(|name| Print::of_call(name, &json!({}))).collect()
        };
        turns.iter().map(|turn| repeats.take(&prints(turn))).collect()
    }

    #[test]
    fn any_period_and_any_order_is_a_repetition() {
        use Verdict::{Fine, Stop, Warn};
        assert_eq!(
            verdicts(&[&["a"], &["a"], &["a"], &["a"], &["a"], &["a"]]),
            [Fine, Fine, Fine, Warn, Fine, Stop]
        );
        assert_eq!(
            verdicts(&[&["a"], &["b"], &["a"], &["b"], &["a"]]),
            [Fine, Fine, Fine, Fine, Warn]
        );
        assert_eq!(verdicts(&[&["a", "b"], &["b", "a"], &["a"], &["b"]])[3], Warn);
        assert_eq!(
            verdicts(&[&["a"], &["a"], &["a"], &["b"], &["a"], &["c"]]),
            [Fine; 6]
        );
    }

    #[test]
    fn a_warned_agent_that_finds_its_way_is_left_alone() {
        use Verdict::{Fine, Stop, Warn};
        assert_eq!(
            verdicts(&[&["a"], &["a"], &["a"], &["a"], &["b"], &["c"], &["c"], &["c"]]),
            [Fine, Fine, Fine, Warn, Fine, Fine, Fine, Stop]
        );
    }
}
