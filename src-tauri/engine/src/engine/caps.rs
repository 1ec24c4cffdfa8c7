//! Caps of a plan that lie below what it will come to at least: the run would only stop at them. It stops nothing.

use serde_json::Map;

use super::{Engine, Error};
use crate::history::laid::Laid;
use crate::model::document::DraftPlan;
use crate::model::estimate::Estimate;
use crate::model::grants::Place;
use crate::model::money::Usd;
use crate::model::plan::Budget;
use crate::model::{Code, Problem, Severity, counted};

impl Engine {
    /// Of a plan without errors; of another nobody can say.
    pub(super) async fn caps_too_low(&self, draft: &DraftPlan, place: &Place) -> Result<Vec<Problem>, Error> {
        if draft.document().get("budget").is_none() {
            return Ok(Vec::new());
        }
        let Ok(plan) = self.plan_of(draft, place) else {
            return Ok(Vec::new());
        };
        // What a person holds on it may make it less; that is not known of a file.
        let laid = Laid::default();
        Ok(too_low(
            &plan.budget,
            &self.estimated(&plan, &laid, &Map::new()).await?,
        ))
    }
}

fn too_low(budget: &Budget, estimate: &Estimate) -> Vec<Problem> {
    let usd = budget.usd.as_deref().and_then(|text| text.parse::<Usd>().ok());
    let usd = usd.filter(|cap| *cap < estimate.usd.low);
    let tokens = budget.tokens.filter(|cap| *cap < estimate.tokens.low);
    let least = estimate.ms.low as f64 / 1000.0;
    let seconds = budget.seconds.filter(|cap| *cap < least);
    let told = [
        usd.map(|cap| ("usd", format!("${cap}"), format!("${}", estimate.usd.low))),
        tokens.map(|cap| ("tokens", counted(cap, "token"), estimate.tokens.low.to_string())),
        seconds.map(|cap| ("seconds", format!("{cap} s"), format!("{least} s"))),
    ];
    told.into_iter()
        .flatten()
        .map(|(field, cap, least)| warning(field, &cap, &least))
        .collect()
}

fn warning(field: &str, cap: &str, least: &str) -> Problem {
    Problem {
        code: Code::BudgetTooLow,
        severity: Severity::Warning,
        message: format!(
            "The cap of {cap} lies below the {least} that the plan is expected to come to at least, so the run would stop at it \
             and ask."
        ),
        pointer: format!("/budget/{field}"),
        tasks: Vec::new(),
        fix: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::estimate::Span;

    #[test]
    fn a_cap_below_the_least_is_told() {
        let estimate = Estimate {
            usd: Span {
                low: "0.05".parse().unwrap(),
                likely: None,
                high: None,
            },
            tokens: Span::exactly(1000),
            ms: Span::exactly(2500),
            ..Estimate::default()
        };
        let told = |usd: &str, tokens, seconds| {
            let budget = Budget {
                usd: Some(usd.to_owned()),
                tokens: Some(tokens),
                seconds: Some(seconds),
            };
            too_low(&budget, &estimate)
                .into_iter()
                .map(|p| format!("{} {}", p.pointer, p.message))
                .collect::<Vec<_>>()
        };
        assert_eq!(told("0.05", 1000, 2.5), Vec::<String>::new());
        let all = told("0.04", 999, 2.4);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(
            all[0].starts_with("/budget/usd The cap of $0.04 lies below the $0.05 "),
            "{}",
            all[0]
        );
        assert!(
            all[1].contains("999 tokens") && all[2].contains("2.4 s lies below the 2.5 s"),
            "{all:?}"
        );
        assert_eq!(too_low(&Budget::default(), &estimate), []);
    }
}
