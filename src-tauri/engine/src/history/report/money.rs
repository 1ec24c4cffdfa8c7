//! Numbers as people read them: money, tokens, times, sizes. Pure.

use crate::model::counted;
use crate::views::CostView;

/// `2960` as `2,960`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `0:07`, `12:40`, `3:05:09`; below a second in milliseconds.
pub fn took(ms: i64) -> String {
    let ms = ms.max(0);
    if ms < 1000 {
        return format!("{ms} ms");
    }
    let seconds = ms / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => counted(bytes, "byte"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// What calls came to, with the word for what nobody knows.
pub fn cost(cost: &CostView) -> String {
    if cost.calls == 0 {
        return "free".to_owned();
    }
    if cost.unknown == cost.calls {
        return "unknown".to_owned();
    }
    let known = match cost.usd.trim_matches(['0', '.']) {
        "" => "free".to_owned(),
        _ => format!("${}", cost.usd),
    };
    match cost.unknown {
        0 => known,
        unknown => format!("{known} and {} of unknown cost", counted(unknown, "call")),
    }
}

pub fn tokens(cost: &CostView) -> String {
    let about = if cost.guessed > 0 { "at most " } else { "" };
    let (input, output) = (cost.input_tokens as u64, cost.output_tokens as u64);
    format!("{about}{} in, {} out", grouped(input), grouped(output))
}
