//! Tokens and money as chat completions tell them. It must not know what they were for.

use crate::llm::Usage;
use crate::model::Json;
use crate::model::money::Usd;

/// `None` where nothing is told.
pub(super) fn usage(said: &Json) -> Option<(Usage, Option<Usd>)> {
    let told = said.get("usage").filter(|usage| usage.is_object())?;
    let count = |path: &str| told.pointer(path).and_then(count);
    let cached = [
        "/prompt_tokens_details/cached_tokens",
        "/prompt_cache_hit_tokens",
        "/cached_tokens",
    ];
    let usage = Usage {
        input: count("/prompt_tokens"),
        output: count("/completion_tokens"),
        cached: cached.into_iter().find_map(count),
        written: None,
    };
    Some((usage, cost(told)))
}

/// Some count in decimals.
fn count(number: &Json) -> Option<u64> {
    let whole = || {
        number
            .as_f64()
            .filter(|count| (0.0..1e15).contains(count))
            .map(|count| count as u64)
    };
    number.as_u64().or_else(whole)
}

/// What the account pays: with a key of one's own at the provider behind, that is paid there.
fn cost(told: &Json) -> Option<Usd> {
    let usd = |path: &str| match told.pointer(path)? {
        Json::Number(number) => number.to_string().parse::<Usd>().ok(),
        Json::String(text) => text.parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    let cost = usd("/cost")?;
    let is_own = told.get("is_byok").and_then(Json::as_bool) == Some(true);
    let behind = usd("/cost_details/upstream_inference_cost").filter(|_| is_own);
    Some(cost.plus(behind.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_costs_are_read_in_every_form() {
        let read = |text: &str| usage(&serde_json::from_str(text).unwrap());
        let of = |input, output, cached| Usage {
            input,
            output,
            cached,
            written: None,
        };
        let told = r#"{"usage":{"prompt_tokens":9,"completion_tokens":4.0,"prompt_tokens_details":{"cached_tokens":3},"cost":0.00014}}"#;
        let usd = |text: &str| Some(text.parse::<Usd>().unwrap());
        assert_eq!(read(told), Some((of(Some(9), Some(4), Some(3)), usd("0.00014"))));
        let own = r#"{"usage":{"cost":1e-7,"is_byok":true,"cost_details":{"upstream_inference_cost":0.5}}}"#;
        assert_eq!(read(own), Some((Usage::default(), usd("0.5000001"))));
        let odd = r#"{"usage":{"prompt_tokens":-1,"completion_tokens":null,"prompt_cache_hit_tokens":7,"cost":-3}}"#;
        assert_eq!(read(odd), Some((of(None, None, Some(7)), None)));
        assert_eq!(read(r#"{"usage":null}"#), None);
        assert_eq!(read("{}"), None);
    }
}
