//! What a run has spent, how well that is known, and until when something waits, in words and as JSON. It adds nothing up.

use planloom_engine::views::{BudgetView, RunRow, WaitView};
use serde_json::{Value, json};

use crate::out::{counted, grouped, rfc3339};

/// Until when, where that is known.
pub fn until(wait: &WaitView) -> String {
    let until = wait.until.map(|until| format!(" (until {})", rfc3339(until)));
    until.unwrap_or_default()
}

/// What the run has come to so far, beside what it may come to; then what is known badly of that.
pub fn spent_lines(row: &RunRow) -> Vec<String> {
    let Some(ms) = row.ran_ms.or((calls(row) > 0).then_some(0.0)) else {
        return Vec::new();
    };
    let spent = &row.spent;
    let mut parts = vec![money(row)];
    if spent.input_tokens + spent.output_tokens > 0.0 {
        let (input, output) = (spent.input_tokens as u64, spent.output_tokens as u64);
        parts.push(format!("{} tokens in, {} out", grouped(input), grouped(output)));
    }
    parts.push(seconds(ms / 1000.0));
    let caps = caps(&row.budget);
    let of = if caps.is_empty() {
        caps
    } else {
        format!(" (at most {caps})")
    };
    let mut lines = vec![format!("Spent: {}{of}", parts.join(", "))];
    lines.extend(uncounted(row));
    lines
}

/// What is known of it; what is not stands beside that, and what was lost in a line of its own.
fn money(row: &RunRow) -> String {
    let spent = &row.spent;
    let unknown = spent.unknown.saturating_sub(spent.lost);
    let known = if spent.estimated > 0 {
        format!("${}", spent.usd)
    } else {
        "no money".to_owned()
    };
    match (unknown, spent.estimated) {
        (0, _) => known,
        (n, 0) => format!("{} of unknown cost", counted(n as usize, "call")),
        (n, _) => format!("{known} and {} of unknown cost", counted(n as usize, "call")),
    }
}

fn calls(row: &RunRow) -> u32 {
    row.spent.zero + row.spent.estimated + row.spent.unknown
}

fn caps(budget: &BudgetView) -> String {
    let usd = budget.usd.as_ref().map(|usd| format!("${usd}"));
    let tokens = budget.tokens.map(|n| format!("{} tokens", grouped(n as u64)));
    let time = budget.seconds.map(seconds);
    [usd, tokens, time]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

pub fn seconds(s: f64) -> String {
    match s as u64 {
        0..60 => format!("{s:.1} s"),
        60..3600 => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
        whole => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// What is known badly of what the run has spent; nothing where all was counted.
fn uncounted(row: &RunRow) -> Vec<String> {
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
        let tokens = grouped(spent.lost_tokens as u64);
        lines.push(format!(
            "{calls} in flight when the process ended, or cut off: up to {}{tokens} tokens, which count against the budget.",
            lost_money(row)
        ));
    }
    lines
}

/// What is not known is not zero.
fn lost_money(row: &RunRow) -> String {
    let spent = &row.spent;
    match spent.lost_unpriced {
        0 => format!("${} and ", spent.lost_usd),
        all if all == spent.lost => "an unknown price and ".to_owned(),
        some => format!("${}, an unknown price for {some} of them, and ", spent.lost_usd),
    }
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
        // The money is null where nobody knows it of any of them.
        "lost": {
            "usd": (spent.lost == 0 || spent.lost_unpriced < spent.lost).then_some(&spent.lost_usd),
            "unpriced": spent.lost_unpriced, "tokens": spent.lost_tokens as u64,
        },
    })
}

/// Null where there is no cap.
pub fn budget_json(budget: &BudgetView) -> Value {
    let tokens = budget.tokens.map(|tokens| tokens as u64);
    json!({ "usd": budget.usd, "tokens": tokens, "seconds": budget.seconds })
}
