//! Chance that can be run again: a seed from `PLANLOOM_SEED`, printed by whoever uses it, and sizes of campaigns.

/// A small generator of our own, so that a failing seed replays on every machine.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed ^ 0x9e37_79b9_7f4a_7c15);
        dice.below(2);
        dice
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n.max(1)
    }
}

pub fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

pub fn seed() -> u64 {
    number("PLANLOOM_SEED").unwrap_or(20_261_129)
}
