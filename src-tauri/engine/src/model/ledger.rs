//! The money, tokens and time of a run (rule 10): what is spent, what calls under way may still cost, and the caps.
//! Pure: a call is reserved before it is made and settled after it; sums are integers, never fractions of them.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::money::Usd;
use super::plan::Budget;
use super::{DecisionId, Json};

/// How well the cost of a call is known. The three are never added up as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostKind {
    /// It cost nothing, as tools do.
    Zero,
    /// Tokens times a price list.
    Estimated,
    /// Nobody knows what it costs; `usd` says nothing.
    Unknown,
}

/// What one call came to, as its end is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    #[serde(default)]
    pub usd: Usd,
    pub kind: CostKind,
    #[serde(default, skip_serializing_if = "Counted::is_told")]
    pub counted: Counted,
    /// Of a lost call whose price is not known: `usd` says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
}

/// Whose word the numbers of a call are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// The provider's.
    #[default]
    Told,
    /// Nobody's: there is an answer and no count, so that the most that it may have come to stands for it.
    Guessed,
    /// Nobody's: no answer came, and the call may have cost that much or nothing.
    Lost,
}

impl Counted {
    pub fn is_told(&self) -> bool {
        *self == Self::Told
    }
}

/// The most that a call may come to, as its intent is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserve {
    pub tokens: u64,
    pub usd: Usd,
    /// What it costs is not known; `usd` says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
}

/// What settled calls came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Of the calls whose cost is estimated.
    pub usd: Usd,
    /// Calls by how well their cost is known.
    pub zero: u32,
    pub estimated: u32,
    pub unknown: u32,
    /// Those among them whose provider counted nothing: the most that they may have come to is in the sums.
    #[serde(default, skip_serializing_if = "is_none")]
    pub guessed: u32,
    /// Those of `unknown` that may have cost something though no answer came: cut off, or in flight when the process
    /// ended. What they may have come to stands here alone, and counts against the caps.
    #[serde(default, skip_serializing_if = "is_none")]
    pub lost: u32,
    #[serde(default, skip_serializing_if = "is_no_tokens")]
    pub lost_tokens: u64,
    #[serde(default, skip_serializing_if = "is_no_money")]
    pub lost_usd: Usd,
    /// Those of `lost` whose price is not known, so that nothing of them is in `lost_usd`.
    #[serde(default, skip_serializing_if = "is_none")]
    pub lost_unpriced: u32,
}

fn is_none(calls: &u32) -> bool {
    *calls == 0
}

fn is_no_money(usd: &Usd) -> bool {
    usd.is_zero()
}

fn is_no_tokens(tokens: &u64) -> bool {
    *tokens == 0
}

/// Upper bounds, where there are any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cap {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Of time in which the run goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// What a run comes to in all, in the measures of a [`Cap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    pub usd: Usd,
    pub tokens: u64,
    pub ms: u64,
}

/// The running sums of a run, folded from its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    pub spent: Spent,
    /// Of calls under way, and of calls whose outcome was lost: these may have cost as much.
    pub reserved: Reserve,
    /// The caps that a person has raised, as they are now.
    pub raised: Cap,
    /// The open question whether a cap may be passed. While there is one, no call begins.
    pub asked: Option<DecisionId>,
    /// A person lets calls be made whose cost is not known, although there is a cap of money.
    pub may_be_unpriced: bool,
}

impl Spent {
    /// What came since then.
    #[must_use]
    pub fn since(self, then: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(then.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(then.output_tokens),
            usd: self.usd.minus(then.usd),
            zero: self.zero.saturating_sub(then.zero),
            estimated: self.estimated.saturating_sub(then.estimated),
            unknown: self.unknown.saturating_sub(then.unknown),
            guessed: self.guessed.saturating_sub(then.guessed),
            lost: self.lost.saturating_sub(then.lost),
            lost_tokens: self.lost_tokens.saturating_sub(then.lost_tokens),
            lost_usd: self.lost_usd.minus(then.lost_usd),
            lost_unpriced: self.lost_unpriced.saturating_sub(then.lost_unpriced),
        }
    }

    /// With calls that nobody will answer any more, each with the most that it may have come to.
    #[must_use]
    pub fn with_lost(mut self, calls: impl Iterator<Item = Reserve>) -> Self {
        calls.for_each(|most| self.lose(most));
        self
    }

    fn lose(&mut self, most: Reserve) {
        self.unknown = self.unknown.saturating_add(1);
        self.lost = self.lost.saturating_add(1);
        self.lost_tokens = self.lost_tokens.saturating_add(most.tokens);
        if most.unpriced {
            self.lost_unpriced = self.lost_unpriced.saturating_add(1);
        } else {
            self.lost_usd = self.lost_usd.plus(most.usd);
        }
    }
}

impl Ledger {
    pub fn reserve(&mut self, reserve: Reserve) {
        let held = &mut self.reserved;
        held.tokens = held.tokens.saturating_add(reserve.tokens);
        held.usd = held.usd.plus(reserve.usd);
    }

    /// The call has ended: what it came to takes the place of what was reserved. Without usage it cost nothing.
    pub fn settle(&mut self, reserve: Reserve, usage: Option<Usage>) {
        self.release(reserve);
        let spent = &mut self.spent;
        let Some(usage) = usage else {
            spent.zero = spent.zero.saturating_add(1);
            return;
        };
        match usage.counted {
            Counted::Told => {}
            Counted::Guessed => spent.guessed = spent.guessed.saturating_add(1),
            Counted::Lost => {
                return spent.lose(Reserve {
                    tokens: usage.input_tokens.saturating_add(usage.output_tokens),
                    usd: usage.usd,
                    unpriced: usage.unpriced,
                });
            }
        }
        spent.input_tokens = spent.input_tokens.saturating_add(usage.input_tokens);
        spent.output_tokens = spent.output_tokens.saturating_add(usage.output_tokens);
        match usage.kind {
            CostKind::Zero => spent.zero = spent.zero.saturating_add(1),
            CostKind::Estimated => {
                spent.usd = spent.usd.plus(usage.usd);
                spent.estimated = spent.estimated.saturating_add(1);
            }
            CostKind::Unknown => spent.unknown = spent.unknown.saturating_add(1),
        }
    }

    /// The call ended with its process, or was given up: nobody will ever say what it came to.
    pub fn lose(&mut self, reserve: Reserve) {
        self.release(reserve);
        self.spent.lose(reserve);
    }

    fn release(&mut self, reserve: Reserve) {
        let held = &mut self.reserved;
        held.tokens = held.tokens.saturating_sub(reserve.tokens);
        held.usd = held.usd.minus(reserve.usd);
    }

    /// The caps as they are now.
    pub fn cap(&self, budget: &Budget) -> Cap {
        Cap::of(budget).raised_to(self.raised)
    }

    /// The call can't be held against the cap of money, and nobody has said that it may be made all the same.
    pub fn is_blind(&self, next: Reserve, cap: Cap) -> bool {
        next.unpriced && cap.usd.is_some() && !self.may_be_unpriced
    }

    /// What the run comes to once a call of this size has been made.
    pub fn total_with(&self, next: Reserve, ran_ms: u64) -> Total {
        let tokens = [
            self.spent.input_tokens,
            self.spent.output_tokens,
            self.spent.lost_tokens,
            self.reserved.tokens,
            next.tokens,
        ];
        Total {
            usd: self
                .spent
                .usd
                .plus(self.spent.lost_usd)
                .plus(self.reserved.usd)
                .plus(next.usd),
            tokens: tokens.into_iter().fold(0, u64::saturating_add),
            ms: ran_ms,
        }
    }
}

impl Cap {
    /// As a plan has them.
    pub fn of(budget: &Budget) -> Self {
        Self {
            usd: budget.usd.as_deref().and_then(usd_of),
            tokens: budget.tokens,
            ms: budget.seconds.map(ms_of),
        }
    }

    /// Each cap as it is, or as it was raised to; what has no cap any more has none.
    fn raised_to(self, raised: Self) -> Self {
        Self {
            usd: self.usd.map(|cap| raised.usd.map_or(cap, |r| r.max(cap))),
            tokens: self.tokens.map(|cap| raised.tokens.map_or(cap, |r| r.max(cap))),
            ms: self.ms.map(|cap| raised.ms.map_or(cap, |r| r.max(cap))),
        }
    }

    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// The caps that would be passed; time counts as passed when it is reached.
    pub fn passed_by(self, total: Total) -> Self {
        let over = |cap: Option<u64>, total: u64| cap.filter(|&cap| total > cap);
        Self {
            usd: self.usd.filter(|&cap| total.usd > cap),
            tokens: over(self.tokens, total.tokens),
            ms: self.ms.filter(|&cap| total.ms >= cap),
        }
    }

    /// Twice what was passed, or twice what passed it where that is more: each cap that stood in the way gives room.
    pub fn doubled(passed: Self, total: Total) -> Self {
        let double = |cap: Option<u64>, total: u64| cap.map(|cap| cap.max(total).max(1).saturating_mul(2));
        Self {
            usd: passed
                .usd
                .map(|cap| cap.max(total.usd))
                .map(|most| most.plus(most)),
            tokens: double(passed.tokens, total.tokens),
            ms: double(passed.ms, total.ms),
        }
    }

    /// What the bare word `raise` makes of the caps that a decision of the kind `budget` is about (`passed`,
    /// `would_come_to`). None where no cap stood in the way.
    pub fn raised_by_word(about: &Json) -> Self {
        let amounts = |name: &str| about.get(name).map(Self::of_json).unwrap_or_default();
        let total = amounts("would_come_to");
        let total = Total {
            usd: total.usd.unwrap_or_default(),
            tokens: total.tokens.unwrap_or(0),
            ms: total.ms.unwrap_or(0),
        };
        Self::doubled(amounts("passed"), total)
    }

    /// `$1.20, 5000 tokens and 60 s`, those that there are.
    pub fn in_words(self) -> String {
        let usd = self.usd.map(|usd| format!("${usd}"));
        let tokens = self.tokens.map(|tokens| format!("{tokens} tokens"));
        let time = self.ms.map(|ms| format!("{} s", seconds_of(ms)));
        let mut parts: Vec<String> = [usd, tokens, time].into_iter().flatten().collect();
        match parts.pop() {
            Some(last) if parts.is_empty() => last,
            Some(last) => format!("{} and {last}", parts.join(", ")),
            None => String::new(),
        }
    }

    /// The caps that there are, each higher by that much. What has no cap gets none.
    pub fn plus(self, more: Self) -> Self {
        let add = |cap: Option<u64>, more: Option<u64>| Some(cap?.saturating_add(more?));
        Self {
            usd: self.usd.and_then(|cap| Some(cap.plus(more.usd?))),
            tokens: add(self.tokens, more.tokens),
            ms: add(self.ms, more.ms),
        }
    }

    /// As a plan writes them: `{"usd", "tokens", "seconds"}`, those that there are.
    pub fn to_json(self) -> Json {
        let mut map = serde_json::Map::new();
        if let Some(usd) = self.usd {
            map.insert("usd".to_owned(), json!(usd));
        }
        if let Some(tokens) = self.tokens {
            map.insert("tokens".to_owned(), json!(tokens));
        }
        if let Some(ms) = self.ms {
            map.insert("seconds".to_owned(), json!(seconds_of(ms)));
        }
        Json::Object(map)
    }

    /// What [`Cap::to_json`] wrote; money may be a number too.
    pub fn of_json(amounts: &Json) -> Self {
        let usd = |value: &Json| match value {
            Json::String(text) => usd_of(text),
            Json::Number(number) => usd_of(&number.to_string()),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
        };
        Self {
            usd: amounts.get("usd").and_then(usd),
            tokens: amounts.get("tokens").and_then(Json::as_u64),
            ms: amounts.get("seconds").and_then(Json::as_f64).map(ms_of),
        }
    }

    /// Amounts as a person gives them, in the same shape. Each must be more than nothing.
    pub fn read(amounts: &Json) -> Result<Self, String> {
        let map = amounts
            .as_object()
            .ok_or("an amount is an object with usd, tokens or seconds")?;
        if map.is_empty() {
            return Err("an amount names at least one of usd, tokens and seconds".to_owned());
        }
        let read = Self::of_json(amounts);
        for (name, value) in map {
            let is_some = match name.as_str() {
                "usd" => read.usd.is_some_and(|usd| !usd.is_zero()),
                "tokens" => read.tokens.is_some_and(|tokens| tokens > 0),
                "seconds" => read.ms.is_some_and(|ms| ms > 0),
                other => {
                    return Err(format!(
                        "there is no budget of {other}; there are usd, tokens and seconds"
                    ));
                }
            };
            if !is_some {
                return Err(format!("{name}: {value} is no amount above 0"));
            }
        }
        Ok(read)
    }
}

fn usd_of(text: &str) -> Option<Usd> {
    text.parse().ok()
}

impl Total {
    pub fn to_json(self) -> Json {
        Cap {
            usd: Some(self.usd),
            tokens: Some(self.tokens),
            ms: Some(self.ms),
        }
        .to_json()
    }
}

/// Seconds as milliseconds; what is no time counts as none.
pub fn ms_of(seconds: f64) -> u64 {
    // The cast saturates, and NaN is 0.
    (seconds * 1000.0).round() as u64
}

pub fn seconds_of(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

#[cfg(test)]
mod tests;
