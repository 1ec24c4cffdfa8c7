//! Amounts of US dollars, exact to a trillionth. It must not know what was bought.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Decimal places that are kept: a token costs down to some 10⁻⁸ dollars, a part of one never less than 10⁻¹².
const PLACES: u32 = 12;
const ONE: u128 = 10u128.pow(PLACES);
/// Longer texts are no amounts.
const LONGEST: usize = 60;
/// No amount is larger, so that sums of very many still fit.
const MOST: u128 = 1_000_000_000_000 * ONE;

/// An amount, never negative. Stored and shown as decimal text, such as `"0.0375"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(u128);

/// Why a text is no amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    #[error("an amount is a decimal number that is not negative, such as 0.25")]
    Shape,
    #[error("the amount is too large")]
    TooLarge,
}

impl Usd {
    pub const ZERO: Self = Self(0);

    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum; at a trillion dollars it stays there.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0).min(MOST))
    }

    /// What is left of `self`; never below zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The price of `count` where a million costs `self`, rounded up.
    #[must_use]
    pub fn per_million(self, count: u64) -> Self {
        let whole = self.0.saturating_mul(u128::from(count));
        Self(whole.div_ceil(1_000_000).min(MOST))
    }
}

impl FromStr for Usd {
    type Err = MoneyError;

    /// Reads `12`, `0.25`, `.5` and `1.5e-6`. What lies beyond the twelfth decimal place is rounded up.
    fn from_str(text: &str) -> Result<Self, MoneyError> {
        if text.len() > LONGEST {
            return Err(MoneyError::Shape);
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| MoneyError::Shape)?),
            None => (text, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{part}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(MoneyError::Shape);
        }
        let places = i32::try_from(part.len()).map_err(|_| MoneyError::Shape)?;
        let shift = exponent
            .saturating_sub(places)
            .saturating_add(PLACES.cast_signed());
        shifted(digits.trim_start_matches('0'), shift)
    }
}

/// The digits as a number, times ten to the power of `shift`, rounded up.
fn shifted(digits: &str, shift: i32) -> Result<Usd, MoneyError> {
    if digits.is_empty() {
        return Ok(Usd::ZERO);
    }
    let dropped = usize::try_from(shift.saturating_neg()).unwrap_or(0);
    let (kept, rest) = digits.split_at(digits.len().saturating_sub(dropped));
    let kept: u128 = if kept.is_empty() {
        0
    } else {
        kept.parse().map_err(|_| MoneyError::TooLarge)?
    };
    let grown = match u32::try_from(shift) {
        Ok(shift) => 10u128
            .checked_pow(shift)
            .and_then(|ten| kept.checked_mul(ten))
            .ok_or(MoneyError::TooLarge)?,
        Err(_) => kept + u128::from(rest.bytes().any(|b| b != b'0')),
    };
    if grown > MOST {
        return Err(MoneyError::TooLarge);
    }
    Ok(Usd(grown))
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / ONE, self.0 % ONE);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let part = format!("{part:012}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

impl Serialize for Usd {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usd(text: &str) -> Usd {
        text.parse().unwrap()
    }

    #[test]
    fn amounts_are_read_and_shown_exactly() {
        for (text, shown) in [
            ("0", "0"),
            ("12", "12"),
            ("0.10", "0.1"),
            (".5", "0.5"),
            ("1.5e-6", "0.0000015"),
            ("2E3", "2000"),
            ("0.000000000001", "0.000000000001"),
            ("0.0000000000001", "0.000000000001"),
            ("0e999999999", "0"),
            ("1e-999999999", "0.000000000001"),
        ] {
            assert_eq!(usd(text).to_string(), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in [
            "", ".", "-1", "+1", "1,5", "NaN", "inf", "1e", "e5", "0x10", " 1", "1 ", "١",
        ] {
            assert_eq!(text.parse::<Usd>(), Err(MoneyError::Shape), "{text}");
        }
        for text in ["1e13", "1e999999999", "99999999999999999999999999999999999999999"] {
            assert_eq!(text.parse::<Usd>(), Err(MoneyError::TooLarge), "{text}");
        }
    }

    #[test]
    fn tokens_are_priced_by_the_million() {
        assert_eq!(usd("0.0375").per_million(1).to_string(), "0.0000000375");
        assert_eq!(usd("15").per_million(2_000_000).to_string(), "30");
        assert_eq!(usd("0.000001").per_million(1).to_string(), "0.000000000001");
        assert_eq!(usd("1e12").per_million(u64::MAX), usd("1e12"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9.eE+-]{0,20}|.{0,70}") {
            if let Ok(amount) = text.parse::<Usd>() {
                prop_assert_eq!(amount.to_string().parse::<Usd>(), Ok(amount));
            }
        }
    }
}
