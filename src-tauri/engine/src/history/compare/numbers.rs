//! What a whole log comes to in numbers. One that goes on as a fork counts what it shares, so that two runs are measured
//! with one measure. It must not know prices.

use crate::history::timeline::Timeline;
use crate::model::events::{Clock, Event, EventBody};
use crate::views::{CostView, RunNumbers, SpanKind};

/// `now_ms` is where the clock stands, if somebody is at work on the run.
pub fn numbers(events: &[Event], timeline: &Timeline, cost: CostView, now_ms: Option<i64>) -> RunNumbers {
    let mut numbers = RunNumbers {
        ran_ms: ran_ms(events, now_ms) as f64,
        waited_ms: waited_ms(timeline),
        cost,
        ..RunNumbers::default()
    };
    for event in events {
        count(&mut numbers, &event.body);
    }
    numbers
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other kinds are not counted")]
fn count(numbers: &mut RunNumbers, body: &EventBody) {
    match body {
        EventBody::CallStarted(call) if !call.model => numbers.tool_calls += 1,
        // Only held back: nothing was tried.
        EventBody::TaskRetrying(retrying) if retrying.breaker.is_none() => numbers.retries += 1,
        EventBody::ReplanAsked(_) => numbers.replans += 1,
        EventBody::DecisionAnswered(_) => numbers.decisions += 1,
        _ => {}
    }
}

/// How long the run was going on. Where its owner died, until the last event before somebody took it over.
pub fn ran_ms(events: &[Event], now_ms: Option<i64>) -> i64 {
    let (mut ran, mut since, mut last) = (0, None, 0);
    for event in events {
        let until = match Clock::of(&event.body) {
            Clock::GoesOn => {
                last = event.at_ms;
                continue;
            }
            Clock::Starts | Clock::Stops => event.at_ms,
            Clock::WasLeft | Clock::WasTakenUp => last,
        };
        ran += since.map_or(0, |since: i64| (until - since).max(0));
        since = match Clock::of(&event.body) {
            Clock::Starts | Clock::WasTakenUp => Some(event.at_ms),
            Clock::GoesOn | Clock::Stops | Clock::WasLeft => None,
        };
        last = event.at_ms;
    }
    let until = now_ms.unwrap_or(last);
    ran + since.map_or(0, |since| (until - since).max(0))
}

/// How long a person was waited for; what overlaps counts once.
fn waited_ms(timeline: &Timeline) -> f64 {
    let at = |seq: u32| {
        timeline
            .at
            .get((seq as usize).wrapping_sub(1))
            .copied()
            .unwrap_or_default()
    };
    let asks = timeline.spans.iter().filter(|span| {
        span.track.is_some() && matches!(span.kind, SpanKind::Person | SpanKind::Doubt) && !span.is_set_aside
    });
    // They come in the order in which they began.
    let (mut sum, mut end) = (0.0, 0.0_f64);
    for span in asks {
        let (from, to) = (at(span.from).max(end), at(span.to));
        sum += (to - from).max(0.0);
        end = end.max(to);
    }
    sum
}
