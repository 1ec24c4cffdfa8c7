//! The table itself: which signal means what. The first row that fits counts. It must not know how a signal is read.

use super::Dialect::{self, Anthropic, Gemini, LlamaCpp, Ollama, OpenRouter};
use super::signal::Signal;

/// The outcomes of rule 13 that a failure can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Rate,
    Quota,
    Overflow,
    Auth,
    Transient,
    Permanent,
    Unknown,
}

pub(super) struct Row {
    /// Empty: everybody.
    who: &'static [Dialect],
    /// From and to; none: any, also none at all.
    status: Option<(u16, u16)>,
    says: Says,
    /// Only where a time to wait is named.
    needs_wait: bool,
    pub class: Class,
    pub code: &'static str,
}

enum Says {
    Anything,
    /// One of these codes, types or reasons; `*` stands for any beginning.
    Word(&'static [&'static str]),
    /// One of these stands in what is said; `…` stands for anything between.
    Text(&'static [&'static str]),
    /// A proxy says it.
    Proxy,
}

impl Row {
    pub fn fits(&self, signal: &Signal) -> bool {
        let is_status = match (self.status, signal.status) {
            (None, _) => true,
            (Some((from, to)), Some(status)) => (from..=to).contains(&status),
            (Some(_), None) => false,
        };
        let is_said = || match self.says {
            Says::Anything => true,
            Says::Word(words) => words.iter().any(|word| signal.says_word(word)),
            Says::Text(texts) => texts.iter().any(|text| signal.says_text(text)),
            Says::Proxy => signal.is_proxy,
        };
        let is_by = self.who.is_empty() || self.who.contains(&signal.dialect);
        is_by && is_status && (!self.needs_wait || signal.is_wait_named) && is_said()
    }

    const fn by(mut self, who: &'static [Dialect]) -> Self {
        self.who = who;
        self
    }

    const fn at(mut self, from: u16, to: u16) -> Self {
        self.status = Some((from, to));
        self
    }

    const fn with_wait(mut self) -> Self {
        self.needs_wait = true;
        self
    }
}

const fn row(says: Says, class: Class, code: &'static str) -> Row {
    Row {
        who: &[],
        status: None,
        says,
        needs_wait: false,
        class,
        code,
    }
}

const fn word(words: &'static [&'static str], class: Class, code: &'static str) -> Row {
    row(Says::Word(words), class, code)
}

const fn text(texts: &'static [&'static str], class: Class, code: &'static str) -> Row {
    row(Says::Text(texts), class, code)
}

const fn any(class: Class, code: &'static str) -> Row {
    row(Says::Anything, class, code)
}

/// The model's context, in the many ways in which servers put it.
const TOO_LONG: &[&str] = &[
    "maximum context length",
    "maximum prompt length",
    "maximum model length",
    "prompt is too long",
    "input is too long",
    "prompt too long",
    "prompt exceeds max length",
    "exceed context limit",
    "exceeds context limit",
    "exceed…context size",
    "exceed…context window",
    "exceed…context length",
    "exceed…maximum number of tokens",
    "larger than the max context size",
    "greater than the context length",
    "longer than the context",
    "context the overflows",
    "context overflow",
    "too large for model with…maximum context",
    "reduce the length of the messages",
    "input or output tokens must be reduced",
    "too many tokens…context",
];

const OVERFLOW_WORDS: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size_error",
    "model_context_window_exceeded",
    "context_window_exceeded",
    "input_too_long",
    "prompt_too_long",
];

const QUOTA_WORDS: &[&str] = &[
    "insufficient_quota",
    "credit_balance_exhausted",
    "*_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "enforced_spend_limit_reached",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_credits",
    "insufficient_balance",
    "payment_required",
    "quota_exceeded",
];

/// Gemini says the first of these for a limit of a minute too.
const QUOTA_TEXTS: &[&str] = &[
    "exceeded your current quota",
    "credit balance is too low",
    "spend limit",
    "spending limit",
    "usage limits…regain access",
    "insufficient balance",
    "insufficient credits",
    "requires more credits",
    "out of credits",
];

const POLICY_WORDS: &[&str] = &[
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "bio_policy",
    "cyber_policy",
    "safety",
    "recitation",
    "prohibited_content",
    "moderation_blocked",
    "flagged_input",
];

use Class::{Auth, Overflow, Permanent, Quota, Rate, Transient, Unknown};

pub(super) static ROWS: &[Row] = &[
    row(Says::Proxy, Permanent, "proxy").at(403, 407),
    row(Says::Proxy, Transient, "proxy").at(502, 504),
    // More than fits. A limit of tokens a minute that one request passes is of that kind too: waiting doesn't help.
    word(OVERFLOW_WORDS, Overflow, "context_length"),
    text(&["input or output tokens must be reduced"], Overflow, "too_large"),
    text(TOO_LONG, Overflow, "context_length").at(400, 428),
    text(TOO_LONG, Overflow, "context_length").at(500, 500),
    text(&["no user query found in messages"], Overflow, "context_length"),
    word(&["request_too_large"], Overflow, "too_large"),
    any(Overflow, "too_large").at(413, 413),
    // Money, whatever the status.
    word(QUOTA_WORDS, Quota, "quota"),
    any(Rate, "rate_limit").by(&[OpenRouter]).at(402, 402).with_wait(),
    any(Quota, "quota").at(402, 402),
    text(QUOTA_TEXTS, Quota, "quota").by(&[Anthropic]).at(400, 429),
    text(&["perday"], Quota, "quota").by(&[Gemini]).at(429, 429),
    word(&["failed_precondition"], Quota, "billing").by(&[Gemini]),
    word(&["resource_exhausted"], Rate, "rate_limit").by(&[Gemini]),
    any(Rate, "rate_limit").by(&[Gemini]).at(429, 429),
    text(QUOTA_TEXTS, Quota, "quota").at(400, 429),
    // Keys and rights.
    word(
        &[
            "api_key_invalid",
            "invalid_api_key",
            "authentication_error",
            "unauthenticated",
        ],
        Auth,
        "auth",
    ),
    any(Auth, "auth").at(401, 401),
    word(POLICY_WORDS, Permanent, "content_filter"),
    text(&["moderation", "flagged"], Permanent, "content_filter").at(403, 403),
    word(&["invalid_prompt"], Permanent, "invalid_prompt"),
    word(&["unsupported_country_region_territory"], Permanent, "region"),
    word(&["permission_error", "permission_denied"], Auth, "permission"),
    any(Auth, "permission").at(403, 403),
    any(Permanent, "proxy_auth").at(407, 407),
    // Too much at once.
    word(&["slow_down"], Rate, "slow_down"),
    text(&["maximum pending requests exceeded"], Rate, "queue_full"),
    any(Rate, "queue_full").by(&[Ollama]).at(503, 503),
    word(
        &[
            "rate_limit_exceeded",
            "rate_limit_error",
            "too_many_requests",
            "rate_limited",
        ],
        Rate,
        "rate_limit",
    ),
    any(Rate, "rate_limit").at(429, 429),
    // What passes by itself.
    text(&["loading model", "model is loading"], Transient, "loading"),
    word(
        &[
            "overloaded_error",
            "server_is_overloaded",
            "overloaded",
            "engine_overloaded",
        ],
        Transient,
        "overloaded",
    ),
    any(Transient, "overloaded").at(529, 529),
    text(
        &[
            "no available model provider that meets",
            "no endpoints found",
            "no allowed providers",
        ],
        Permanent,
        "no_provider",
    )
    .by(&[OpenRouter]),
    word(&["timeout_error"], Transient, "server_timeout"),
    // Its own word for what stays wrong.
    text(
        &["failed to parse messages", "is not supported"],
        Permanent,
        "bad_request",
    )
    .by(&[LlamaCpp])
    .at(500, 500),
    any(Transient, "server_timeout").at(408, 408),
    any(Transient, "server_timeout").at(504, 504),
    any(Transient, "server_timeout").at(524, 524),
    any(Transient, "conflict").at(409, 409),
    any(Transient, "too_early").at(425, 425),
    any(Transient, "unavailable").at(503, 503),
    any(Permanent, "not_implemented").at(501, 501),
    any(Permanent, "not_implemented").at(505, 505),
    any(Transient, "server_error").at(500, 599),
    // What stays as it is.
    text(
        &["grammar…too large", "grammar…too complex"],
        Permanent,
        "grammar_too_large",
    ),
    word(
        &["not_found_error", "model_not_found", "not_found"],
        Permanent,
        "not_found",
    ),
    any(Permanent, "not_found").at(404, 404),
    any(Permanent, "not_found").at(410, 410),
    word(
        &["invalid_request_error", "invalid_argument", "bad_request"],
        Permanent,
        "bad_request",
    ),
    any(Permanent, "bad_request").at(400, 499),
    any(Permanent, "redirect").at(300, 399),
    // No status, as in a stream: words alone.
    text(TOO_LONG, Overflow, "context_length"),
    text(&["model…not found"], Permanent, "not_found").by(&[Ollama]),
    word(
        &[
            "server_error",
            "api_error",
            "internal_error",
            "internal_server_error",
            "internal",
            "unavailable",
            "unavailable_error",
            "provider_unavailable",
            "bad_gateway",
            "upstream_error",
            "deadline_exceeded",
            "network_error",
            "timeout",
        ],
        Transient,
        "server_error",
    ),
    text(
        &[
            "timed out",
            "timeout",
            "overloaded",
            "connection reset",
            "connection closed",
            "upstream",
            "unavailable",
            "internal server error",
            "try again",
            "unexpectedly stopped",
            "model runner",
        ],
        Transient,
        "server_error",
    ),
    any(Unknown, "unknown"),
];
