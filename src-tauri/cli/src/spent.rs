//! What a run has spent, how well that is known, and until when something waits, in words and as JSON. It adds nothing up.

use planloom_engine::views::{BudgetView, RunRow, WaitView};
use serde_json::{Value, json};

use crate::out::{counted, rfc3339};

/// Until when, where that is known.
pub fn until(wait: &WaitView) -> String {
    let until = wait.until.map(|until| format!(" (until {})", rfc3339(until)));
    until.unwrap_or_default()
}

/// What is known badly of what the run has spent; nothing where all was counted.
pub fn uncounted(row: &RunRow) -> Vec<String> {
    let spent = &row.spent;
    let mut lines = Vec::new();
    if spent.guessed > 0 {
        let calls = counted(spent.guessed as usize, "call");
        lines.push(format!(
            "{calls} came without a count of tokens; the most that they may have come to is counted as estimated."
        ));
    }
    if spent.lost > 0 {
        let calls = counted(spent.lost as usize, "call");
        lines.push(format!(
            "{calls} in flight when the process ended, or cut off: up to ${} and {} tokens, which count against the budget.",
            spent.lost_usd, spent.lost_tokens
        ));
    }
    lines
}

/// Money is decimal text; `calls` says how well their cost is known.
pub fn spent_json(row: &RunRow) -> Value {
    let spent = &row.spent;
    json!({
        "usd": spent.usd, "tokens": (spent.input_tokens + spent.output_tokens) as u64,
        "input_tokens": spent.input_tokens as u64, "output_tokens": spent.output_tokens as u64,
        "seconds": row.ran_ms.unwrap_or(0.0) / 1000.0,
        "calls": {
            "zero": spent.zero, "estimated": spent.estimated, "unknown": spent.unknown,
            "guessed": spent.guessed, "lost": spent.lost,
        },
        "lost": { "usd": spent.lost_usd, "tokens": spent.lost_tokens as u64 },
    })
}

/// Null where there is no cap.
pub fn budget_json(budget: &BudgetView) -> Value {
    let tokens = budget.tokens.map(|tokens| tokens as u64);
    json!({ "usd": budget.usd, "tokens": tokens, "seconds": budget.seconds })
}
