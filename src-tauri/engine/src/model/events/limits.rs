//! Facts about what holds a run back besides its plan: endpoints that are down, and budgets.
//! This file must not know how they are stored or shown.

use serde::{Deserialize, Serialize};

use super::EventBody;
use crate::model::ledger::{Cap, ms_of};
use crate::model::money::Usd;
use crate::model::status::DecisionKind;

impl EventBody {
    /// The endpoint whose breaker it opens or closes.
    pub fn endpoint(&self) -> Option<&str> {
        if let Self::BreakerOpened(opened) = self {
            return Some(&opened.endpoint);
        }
        if let Self::BreakerClosed(closed) = self {
            Some(&closed.endpoint)
        } else {
            None
        }
    }

    /// It asks whether a budget may be passed, or lets the run pass it.
    pub fn is_about_budget(&self) -> bool {
        let asks = self
            .as_opened_decision()
            .is_some_and(|opened| opened.kind == DecisionKind::Budget);
        asks || matches!(self, Self::BudgetRaised(_))
    }
}

/// Calls to an endpoint kept failing: until then none goes out, then one that probes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BreakerOpened {
    /// A tool, a tool at a host, or a provider of models.
    pub endpoint: String,
    /// UTC milliseconds.
    pub until_ms: i64,
}

/// The endpoint has answered again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BreakerClosed {
    pub endpoint: String,
}

/// A person lets the run go beyond what was budgeted. Each is the new cap, not the difference.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BudgetRaised {
    /// Decimal dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Calls may be made whose cost is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
}

impl BudgetRaised {
    /// Those that were raised.
    pub fn cap(&self) -> Cap {
        Cap {
            usd: self.usd,
            tokens: self.tokens,
            ms: self.seconds.map(ms_of),
        }
    }
}
