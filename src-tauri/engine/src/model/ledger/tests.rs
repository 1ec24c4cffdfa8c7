//! The ledger's own tests.

use proptest::prelude::*;

use super::*;

fn usd(text: &str) -> Usd {
    text.parse().unwrap()
}

/// So many millionths of a dollar.
fn micro(n: u64) -> Usd {
    usd("1").per_million(n)
}

fn usage(kind: CostKind, tokens: u64, usd: Usd) -> Usage {
    Usage {
        input_tokens: tokens,
        output_tokens: tokens / 2,
        usd,
        kind,
        counted: Counted::Told,
        unpriced: false,
    }
}

#[test]
fn a_cap_is_passed_by_more_than_it_and_time_by_reaching_it() {
    let cap = Cap {
        usd: Some(usd("1")),
        tokens: Some(100),
        ms: Some(2_000),
    };
    let at = |money: &str, tokens, ms| {
        cap.passed_by(Total {
            usd: usd(money),
            tokens,
            ms,
        })
    };
    assert!(at("1.00", 100, 1_999).is_none());
    assert_eq!(at("1.000000000001", 100, 0).usd, Some(usd("1")));
    assert_eq!(at("0", 101, 0).tokens, Some(100));
    assert_eq!(at("0", 0, 2_000).ms, Some(2_000));
}

#[test]
fn kinds_of_cost_are_kept_apart() {
    let mut ledger = Ledger::default();
    ledger.settle(Reserve::default(), None);
    ledger.settle(
        Reserve::default(),
        Some(usage(CostKind::Estimated, 10, usd("0.7"))),
    );
    ledger.settle(Reserve::default(), Some(usage(CostKind::Unknown, 4, usd("9"))));
    let expected = Spent {
        input_tokens: 14,
        output_tokens: 7,
        usd: usd("0.7"),
        zero: 1,
        estimated: 1,
        unknown: 1,
        ..Spent::default()
    };
    assert_eq!(ledger.spent, expected);
}

#[test]
fn what_nobody_counted_still_counts_against_the_caps() {
    let reserve = Reserve {
        tokens: 30,
        usd: usd("0.3"),
        unpriced: false,
    };
    let mut ledger = Ledger::default();
    for _ in 0..3 {
        ledger.reserve(reserve);
    }
    ledger.lose(reserve);
    let lost = Usage {
        counted: Counted::Lost,
        ..usage(CostKind::Unknown, 20, usd("0.3"))
    };
    ledger.settle(reserve, Some(lost));
    let guessed = Usage {
        counted: Counted::Guessed,
        ..usage(CostKind::Estimated, 20, usd("0.3"))
    };
    ledger.settle(reserve, Some(guessed));
    assert_eq!(ledger.reserved, Reserve::default());
    let total = ledger.total_with(Reserve::default(), 0);
    assert_eq!((total.usd, total.tokens), (usd("0.9"), 90));
    let spent = ledger.spent;
    assert_eq!((spent.usd, spent.lost_usd), (usd("0.3"), usd("0.6")));
    assert_eq!(
        (spent.estimated, spent.unknown, spent.guessed, spent.lost),
        (1, 2, 1, 2)
    );
}

#[test]
fn a_lost_call_without_a_price_is_not_told_as_one_that_cost_nothing() {
    let at = |money: &str, unpriced| Reserve {
        tokens: 10,
        usd: usd(money),
        unpriced,
    };
    let mut ledger = Ledger::default();
    let cut = Usage {
        counted: Counted::Lost,
        unpriced: true,
        ..usage(CostKind::Unknown, 0, usd("0"))
    };
    ledger.settle(
        at("0", true),
        Some(Usage {
            input_tokens: 10,
            ..cut
        }),
    );
    let spent = ledger
        .spent
        .with_lost([at("0.2", false), at("0", true)].into_iter());
    assert_eq!((spent.lost, spent.lost_unpriced, spent.lost_tokens), (3, 2, 30));
    assert_eq!(spent.lost_usd, usd("0.2"));
}

#[test]
fn the_word_raise_comes_to_sums_that_can_be_told() {
    let about = json!({ "passed": { "usd": "5" }, "would_come_to": { "usd": "8.339", "tokens": 9 } });
    assert_eq!(Cap::raised_by_word(&about).in_words(), "$16.678");
    let about =
        json!({ "passed": { "tokens": 10, "seconds": 2 }, "would_come_to": { "tokens": 9, "seconds": 3 } });
    assert_eq!(Cap::raised_by_word(&about).in_words(), "20 tokens and 6 s");
    assert!(Cap::raised_by_word(&json!({ "passed": {}, "unpriced": true })).is_none());
}

#[test]
fn amounts_are_read_exactly_or_refused() {
    let read = |text: &str| Cap::read(&serde_json::from_str(text).unwrap());
    assert_eq!(read(r#"{"usd": "1.00"}"#).unwrap().usd, Some(usd("1")));
    assert_eq!(read(r#"{"usd": 0.1}"#).unwrap().usd, Some(usd("0.1")));
    assert_eq!(read(r#"{"seconds": 1.5}"#).unwrap().ms, Some(1_500));
    for wrong in [
        "7",
        "{}",
        r#"{"usd": "-1"}"#,
        r#"{"tokens": 0}"#,
        r#"{"tokens": 1.5}"#,
        r#"{"eur": 1}"#,
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_raise_lifts_what_the_plan_caps_and_nothing_else() {
    let plan = Cap {
        tokens: Some(10),
        ..Cap::default()
    };
    let raised = Cap {
        usd: Some(usd("5")),
        tokens: Some(4),
        ms: None,
    };
    assert_eq!(plan.raised_to(raised), plan, "never lower than the plan");
}

proptest! {
    /// In whatever order calls are reserved and settled, nothing is left reserved and the sum is that of the rows.
    #[test]
    fn sums_are_those_of_the_rows(calls in proptest::collection::vec((0u64..1 << 40, 0u64..1 << 40, 0u8..3), 0..40)) {
        let mut ledger = Ledger::default();
        let kinds = [CostKind::Zero, CostKind::Estimated, CostKind::Unknown];
        for (tokens, cost, _) in &calls {
            ledger.reserve(Reserve { tokens: *tokens, usd: micro(*cost), unpriced: false });
        }
        for (tokens, cost, kind) in calls.iter().rev() {
            let reserve = Reserve { tokens: *tokens, usd: micro(*cost), unpriced: false };
            ledger.settle(reserve, Some(usage(kinds[*kind as usize], *tokens, micro(*cost))));
        }
        prop_assert_eq!(ledger.reserved, Reserve::default());
        let estimated: u64 = calls.iter().filter(|c| c.2 == 1).map(|c| c.1).sum();
        prop_assert_eq!(ledger.spent.usd, micro(estimated));
        let tokens: u64 = calls.iter().map(|c| c.0 + c.0 / 2).sum();
        prop_assert_eq!(ledger.total_with(Reserve::default(), 0).tokens, tokens);
        let counted = ledger.spent.zero + ledger.spent.estimated + ledger.spent.unknown;
        prop_assert_eq!(counted as usize, calls.len());
    }

    /// However a cap was passed, doubling it lets at least the call that asked go.
    #[test]
    fn doubling_gives_room(cap in any::<u32>(), total in any::<u32>()) {
        let total = Total { usd: micro(total.into()), tokens: total.into(), ms: total.into() };
        let cap = Cap { usd: Some(micro(cap.into())), tokens: Some(cap.into()), ms: Some(cap.into()) };
        let passed = cap.passed_by(total);
        let raised = cap.raised_to(Cap::doubled(passed, total));
        prop_assert!(raised.passed_by(total).is_none());
    }
}
