//! What a question may come to, and what it came to: reserved before it is asked, settled after. It must not know who asks.

use crate::llm::{Answer, Cost, Entry, Outcome, Reply, Request};
use crate::model::ledger::{Cap, CostKind, Counted, Reserve, Usage};
use crate::model::money::Usd;

/// The most that the question may come to.
pub(super) fn reserve_of(entry: &Entry, request: &Request) -> Reserve {
    let output = u64::from(most_output(entry, request));
    reserve_for(entry, request.guessed_input_tokens(), output)
}

/// How long the answer may be. Where nobody says, this much is reserved for it.
fn most_output(entry: &Entry, request: &Request) -> u32 {
    const ANSWER: u32 = 8192;
    let known = request.max_output_tokens.or(entry.limits.max_output_tokens);
    known.unwrap_or_else(|| {
        let half = entry.limits.context_tokens.map(|context| context / 2);
        let half = half.and_then(|half| u32::try_from(half).ok());
        half.unwrap_or(ANSWER).clamp(1, ANSWER)
    })
}

/// A run with a cap bounds each answer, so that no call can come to more than was reserved for it: by all that the model
/// can give, or by as much less of it as may still be spent.
pub(super) fn bound(entry: &Entry, request: &mut Request, cap: Cap, may_spend: impl Fn(Reserve) -> bool) {
    const LESS: [u32; 2] = [32_768, 8192];
    request.max_output_tokens = request.max_output_tokens.or(entry.limits.max_output_tokens);
    if cap.usd.is_none() && cap.tokens.is_none() {
        return;
    }
    let (most, input) = (most_output(entry, request), request.guessed_input_tokens());
    let less = LESS.into_iter().filter(|less| *less < most);
    let mut bound = most;
    for output in std::iter::once(most).chain(less) {
        bound = output;
        if may_spend(reserve_for(entry, input, output.into())) {
            break;
        }
    }
    request.max_output_tokens = Some(bound);
}

/// With the cost of what was used where the wire doesn't know it; of an answer that nobody counted, of what stands in it.
pub(super) fn priced(entry: &Entry, request: &Request, mut reply: Reply) -> Reply {
    if reply.cost == Cost::Unknown {
        reply.cost = entry.price.of(&reply.usage);
    }
    let is_uncounted = reply.usage.input.is_none() && reply.usage.output.is_none();
    if let (Cost::Unknown, true, Outcome::Complete(answer) | Outcome::Cut(answer)) =
        (reply.cost, is_uncounted, &reply.outcome)
    {
        let (input, output) = (request.guessed_input_tokens(), answer.guessed_tokens());
        reply.cost = entry.price.at_most(input, output);
    }
    reply
}

/// By the model's price, so many tokens of input and of output.
pub(super) fn reserve_for(entry: &Entry, input: u64, output: u64) -> Reserve {
    let (usd, unpriced) = match entry.price.at_most(input, output) {
        Cost::Estimated(usd) => (usd, false),
        Cost::Zero => (Usd::ZERO, false),
        Cost::Unknown => (Usd::ZERO, true),
    };
    Reserve {
        tokens: input.saturating_add(output),
        usd,
        unpriced,
    }
}

/// The row of the ledger. Where the provider counted nothing, the most that the call may have come to stands for it, so
/// that a cap can still stop the run.
pub(super) fn usage_of(reply: &Reply, reserve: Reserve) -> Usage {
    let (kind, usd) = match reply.cost {
        Cost::Zero => (CostKind::Zero, Usd::ZERO),
        Cost::Estimated(usd) => (CostKind::Estimated, usd),
        Cost::Unknown => (CostKind::Unknown, Usd::ZERO),
    };
    let told = Usage {
        input_tokens: reply.usage.input.unwrap_or(0),
        output_tokens: reply.usage.output.unwrap_or(0),
        usd,
        kind,
        counted: Counted::Told,
        unpriced: false,
    };
    if reply.usage.input.is_some() || reply.usage.output.is_some() {
        return told;
    }
    match &reply.outcome {
        Outcome::Complete(answer) | Outcome::Cut(answer) => guessed(told, answer, reserve),
        Outcome::Transient(_) | Outcome::Unknown(_) => lost(reserve),
        // Refused before anything was done.
        Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_)
        | Outcome::Permanent(_) => told,
    }
}

fn guessed(told: Usage, answer: &Answer, reserve: Reserve) -> Usage {
    let output = answer.guessed_tokens();
    let is_priced = told.kind != CostKind::Zero && !reserve.unpriced && reserve != Reserve::default();
    let reserved = if is_priced { reserve.usd } else { Usd::ZERO };
    Usage {
        input_tokens: reserve.tokens.saturating_sub(output),
        output_tokens: output,
        // Whoever writes beyond its bound is paid for that too.
        usd: told.usd.max(reserved),
        kind: if is_priced { CostKind::Estimated } else { told.kind },
        counted: Counted::Guessed,
        unpriced: false,
    }
}

/// Of a call without a reply: it may have cost as much as was reserved for it.
pub(super) fn lost(reserve: Reserve) -> Usage {
    Usage {
        input_tokens: reserve.tokens,
        output_tokens: 0,
        usd: reserve.usd,
        kind: CostKind::Unknown,
        counted: Counted::Lost,
        unpriced: reserve.unpriced,
    }
}
