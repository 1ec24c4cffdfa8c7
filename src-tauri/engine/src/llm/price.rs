//! What a call used and what it cost. Unknown stays unknown. It must not know whose price it is.

use serde::{Deserialize, Serialize};

use crate::model::money::Usd;

/// Tokens as the provider counted them; what it didn't say is not known, which is not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All that was taken in, `cached` included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// All that was given out, thinking included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// The part of `input` that came from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// The part of `input` that was put into the provider's cache, where that costs more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
}

/// What a call cost. The three are kept apart everywhere (rule 10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// It ran on the person's own machine.
    Zero,
    /// From the price list and the counted tokens, or as the provider told.
    Estimated(Usd),
    #[default]
    Unknown,
}

/// What a model's tokens cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Price {
    Free,
    /// Dollars for a million tokens.
    PerMillion {
        input: Usd,
        output: Usd,
        /// For cached input; without it, cached tokens cost like others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cached: Option<Usd>,
    },
    #[default]
    Unknown,
}

impl Price {
    /// The cost of what was used; unknown as soon as a part of it is.
    pub fn of(&self, usage: &Usage) -> Cost {
        match (self, usage.input, usage.output) {
            (Self::Free, _, _) => Cost::Zero,
            (
                Self::PerMillion {
                    input,
                    output,
                    cached,
                },
                Some(taken),
                Some(given),
            ) => {
                let from_cache = usage.cached.unwrap_or(0).min(taken);
                let fresh = taken - from_cache;
                let read = input.per_million(fresh);
                let reread = cached.unwrap_or(*input).per_million(from_cache);
                let kept = share(*input, WRITING).per_million(usage.written.unwrap_or(0).min(fresh));
                let taken = read.plus(kept).plus(reread);
                Cost::Estimated(taken.plus(output.per_million(given)))
            }
            (Self::PerMillion { .. }, _, _) | (Self::Unknown, _, _) => Cost::Unknown,
        }
    }

    /// The most that a call can cost: what is reserved before it is made.
    pub fn at_most(&self, input_tokens: u64, output_tokens: u64) -> Cost {
        self.of(&Usage {
            input: Some(input_tokens),
            output: Some(output_tokens),
            ..Usage::default()
        })
    }

    /// Where the list says nothing of cached input: a tenth, as Anthropic asks for all its models.
    #[must_use]
    pub fn with_usual_cache(self) -> Self {
        match self {
            Self::PerMillion {
                input,
                output,
                cached: None,
            } => Self::PerMillion {
                input,
                output,
                cached: Some(share(input, READING)),
            },
            Self::PerMillion { .. } | Self::Free | Self::Unknown => self,
        }
    }
}

/// Millionths of the price of input that are paid on top for what is put into a cache: a quarter, by Anthropic's list
/// for what is kept five minutes. Others take nothing for it and tell no such count.
const WRITING: u64 = 250_000;
/// Millionths of it for what is read from a cache.
const READING: u64 = 100_000;

fn share(price: Usd, millionths: u64) -> Usd {
    price.per_million(millionths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Usd {
        text.parse().unwrap()
    }

    #[test]
    fn costs_follow_from_tokens_and_unknown_stays_unknown() {
        let price = Price::PerMillion {
            input: usd("3"),
            output: usd("15"),
            cached: Some(usd("0.3")),
        };
        let usage = |input, output, cached| Usage {
            input,
            output,
            cached,
            written: None,
        };
        let estimated = |text| Cost::Estimated(usd(text));
        assert_eq!(
            price.of(&usage(Some(1000), Some(100), Some(900))),
            estimated("0.00207")
        );
        assert_eq!(price.of(&usage(Some(1000), Some(100), None)), estimated("0.0045"));
        assert_eq!(
            price.of(&usage(Some(10), Some(0), Some(99))),
            estimated("0.000003")
        );
        let written = |written| Usage {
            written: Some(written),
            ..usage(Some(1000), Some(0), Some(400))
        };
        // 600 × 3 + 200 × 0.75 + 400 × 0.3, of a million.
        assert_eq!(price.of(&written(200)), estimated("0.00207"));
        assert_eq!(
            price.of(&written(9999)),
            price.of(&written(600)),
            "no more than was fresh"
        );
        assert_eq!(price.of(&usage(None, Some(100), None)), Cost::Unknown);
        assert_eq!(price.of(&usage(Some(1), None, None)), Cost::Unknown);
        assert_eq!(Price::Free.of(&Usage::default()), Cost::Zero);
        assert_eq!(Price::Unknown.at_most(1, 1), Cost::Unknown);
        assert_eq!(price.at_most(1_000_000, 1_000_000), estimated("18"));
        assert_eq!(price.with_usual_cache(), price, "the list's own price holds");
        let bare = Price::PerMillion {
            input: usd("3"),
            output: usd("15"),
            cached: None,
        };
        assert_eq!(bare.with_usual_cache(), price);
        assert_eq!(Price::Unknown.with_usual_cache(), Price::Unknown);
    }
}
