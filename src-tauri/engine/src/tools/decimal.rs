//! Numbers by the worth of their digits, however they are written and however long they are.

use std::cmp::Ordering;

/// Sign, digits without zeros around them, and where the point stands: equal for equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    is_negative: bool,
    /// Empty for zero.
    digits: String,
    /// The number is 0.`digits` times ten to this power.
    magnitude: i64,
}

impl Decimal {
    /// Reads the text of a JSON number.
    pub(super) fn of(text: &str) -> Self {
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let is_tiny = power.starts_with('-');
        let beyond = if is_tiny { i64::MIN / 4 } else { i64::MAX / 4 };
        let power: i64 = power
            .trim_start_matches('+')
            .parse()
            .unwrap_or(beyond)
            .clamp(i64::MIN / 4, i64::MAX / 4);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('-').trim_start_matches('0');
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let leading = all.len() - digits.len();
        let digits = digits.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Self {
                is_negative: false,
                digits,
                magnitude: 0,
            };
        }
        let point = i64::try_from(whole.len()).unwrap_or(0) - i64::try_from(leading).unwrap_or(0);
        Self {
            is_negative: mantissa.starts_with('-'),
            digits,
            magnitude: power + point,
        }
    }

    fn size(&self) -> (bool, i64, &str) {
        (!self.digits.is_empty(), self.magnitude, &self.digits)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.size().cmp(&other.size()),
            (true, true) => other.size().cmp(&self.size()),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The double that is this very number, up to the shortest form in which a double is written; `None` where digits would be lost.
pub(super) fn exact_double(text: &str) -> Option<f64> {
    let double: f64 = text.parse().ok()?;
    (double.is_finite() && Decimal::of(text) == Decimal::of(&format!("{double:e}"))).then_some(double)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_however_written() {
        for (a, b) in [
            ("1", "1.0"),
            ("1e2", "100"),
            ("0.10", "1E-1"),
            ("-0", "0.000"),
            ("12.5e-1", "1.25"),
            ("0e9999999999999999999", "0"),
        ] {
            assert_eq!(Decimal::of(a), Decimal::of(b), "{a} {b}");
        }
    }

    #[test]
    fn ordered_by_worth() {
        let rising = [
            "-1e99999999999999999999",
            "-9007199254740993",
            "-9007199254740992",
            "-10",
            "-9.99",
            "-1e-5",
            "0",
            "1e-99999999999999999999",
            "0.001",
            "0.01",
            "0.1",
            "0.11",
            "0.2",
            "1",
            "1.5",
            "9",
            "10",
            "99",
            "100",
            "9007199254740992",
            "9007199254740993",
            "1e300",
        ];
        for (i, a) in rising.iter().enumerate() {
            for (j, b) in rising.iter().enumerate() {
                assert_eq!(Decimal::of(a).cmp(&Decimal::of(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn doubles_that_lose_nothing() {
        assert_eq!(exact_double("0.1"), Some(0.1));
        assert_eq!(exact_double("9007199254740992"), Some(9_007_199_254_740_992.0));
        for text in ["9007199254740993", "0.1234567890123456789", "1e999", "1e-400"] {
            assert_eq!(exact_double(text), None, "{text}");
        }
    }
}
