//! Any past at all: the same step each time, well-formed questions, only offered calls, and always an end.

use std::collections::HashSet;

use planloom_engine::agents::executor::{Happened, Kind, Step};
use planloom_engine::llm::{Answer, Fault, Message, Outcome, Reply, Request, ToolCall};
use planloom_engine::model::Json;
use proptest::prelude::*;
use serde_json::json;

use super::support::{Attempt, call};

/// What the model does when it is asked, and what the world then answers.
#[derive(Clone, Debug)]
struct Move {
    outcome: Outcome,
    results: Vec<Result<Json, String>>,
    /// Whether the results come back in the other order.
    is_reversed: bool,
}

fn any_call() -> impl Strategy<Value = ToolCall> {
    let name = prop::sample::select(vec!["read", "write", "submit_result", "nope", ""]);
    let arguments = prop_oneof![
        (0..3).prop_map(|q| format!(r#"{{"q": {q}}}"#)),
        (0..9).prop_map(|n| format!(r#"{{"result": {n}}}"#)),
        (0..9).prop_map(|n| format!(r#"{{"total": {n}}}"#)),
        ".{0,12}",
    ];
    (name, arguments).prop_map(|(name, arguments)| call(name, &arguments))
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let text = prop_oneof![
        Just(String::new()),
        ".{0,20}",
        (0..9).prop_map(|n| format!(r#"{{"total": {n}}}"#)),
        Just("```json\n{\"total\": \"x\"}\n```".to_owned()),
    ];
    let answer = (text, prop::collection::vec(any_call(), 0..4));
    answer.prop_map(|(text, calls)| Answer {
        text,
        calls,
        thoughts: Vec::new(),
        stop: None,
    })
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        12 => any_answer().prop_map(Outcome::Complete),
        1 => any_answer().prop_map(Outcome::Cut),
        1 => Just(Outcome::Rate(Fault::new("slow_down", "wait"))),
        1 => Just(Outcome::Unknown(Fault::new("odd", "?"))),
    ]
}

fn any_move() -> impl Strategy<Value = Move> {
    let result = prop_oneof![
        (0..3).prop_map(|n| Ok(json!(n))),
        ".{0,20}".prop_map(|text| Ok(json!(text))),
        ".{0,20}".prop_map(Err),
    ];
    (any_outcome(), prop::collection::vec(result, 4), any::<bool>()).prop_map(
        |(outcome, results, is_reversed)| Move {
            outcome,
            results,
            is_reversed,
        },
    )
}

fn any_attempt() -> impl Strategy<Value = Attempt> {
    let schema =
        json!({"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}});
    (0u32..8, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        move |(steps, is_model, has_tools, has_schema)| {
            let mut attempt = if is_model {
                Attempt::model()
            } else {
                Attempt::agent(steps)
            };
            if !has_tools {
                attempt.tools.clear();
            }
            attempt.schema = has_schema.then(|| schema.clone());
            attempt
        },
    )
}

/// Every call has exactly one observation, at once, and every id is used once.
fn assert_well_formed(request: &Request) {
    let mut ids = HashSet::new();
    let mut open: Vec<&str> = Vec::new();
    assert!(matches!(request.messages.first(), Some(Message::User(_))));
    for message in &request.messages {
        match message {
            Message::Observation { call, .. } => {
                assert_eq!(open.first(), Some(&call.as_str()));
                open.remove(0);
            }
            Message::User(_) => assert!(open.is_empty()),
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty());
                open = calls.iter().map(|call| call.id.as_str()).collect();
                assert!(calls.iter().all(|call| ids.insert(call.id.clone())));
            }
        }
    }
    assert!(open.is_empty());
    assert!(!matches!(
        request.messages.last(),
        Some(Message::Assistant { .. })
    ));
    assert!(request.output.is_none() || request.tools.is_empty());
}

fn replies(past: &[Happened]) -> usize {
    let complete = past.iter().filter(|happened| match happened {
        Happened::Replied(reply) => reply.outcome.answer().is_some(),
        Happened::Called { .. } => false,
    });
    complete.count()
}

/// Drives an attempt as a run does, one step after the other, until it ends or the moves are used up.
fn drive(attempt: &mut Attempt, moves: &[Move]) -> Option<Step> {
    let system = match attempt.next() {
        Step::Ask(request) => request.system,
        other => return Some(other),
    };
    for this in moves {
        match attempt.next() {
            Step::Ask(request) => {
                assert_well_formed(&request);
                assert_eq!(request.system, system);
                if let Kind::Agent { max_steps } = attempt.kind {
                    assert!(replies(&attempt.past) < max_steps as usize);
                }
            }
            end => return Some(end),
        }
        attempt.replies(Reply::of(this.outcome.clone()));
        if let Step::Call(mut wanted) = attempt.next() {
            if this.is_reversed {
                wanted.reverse();
            }
            for (wanted, result) in wanted.iter().zip(&this.results) {
                assert!(["read", "write"].contains(&wanted.tool.as_str()) && wanted.arguments.is_object());
                match result {
                    Ok(value) => attempt.gives(&wanted.call.to_string(), value.clone()),
                    Err(message) => attempt.fails(&wanted.call.to_string(), "failed", message),
                };
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_past_gives_one_step_and_comes_to_an_end(
        mut attempt in any_attempt(),
        moves in prop::collection::vec(any_move(), 0..20),
    ) {
        let end = drive(&mut attempt, &moves);
        prop_assert_eq!(attempt.next(), attempt.next());
        if let Some(end) = &end {
            prop_assert_eq!(end, &attempt.next());
        }
        if let Some(Step::Finish(finished)) = end {
            prop_assert!(finished.accepted_after_rejections <= 3);
            prop_assert!(finished.accepted_after_rejections > 0 || finished.flags.is_empty());
            prop_assert!(attempt.schema.is_none() || finished.output["total"].is_i64());
        }
    }

    /// The order in which parallel calls finish makes no difference to what is asked next.
    #[test]
    fn the_order_of_finishing_makes_no_difference(
        first in any_attempt(),
        moves in prop::collection::vec(any_move(), 0..12),
    ) {
        let fresh = || Attempt {
            kind: first.kind,
            tools: first.tools.clone(),
            schema: first.schema.clone(),
            ..Attempt::agent(0)
        };
        let (mut one, mut two) = (fresh(), fresh());
        drive(&mut one, &moves);
        two.past = one.past.clone();
        two.past.sort_by_key(|happened| match happened {
            // Stable: replies stay in order, the results of all turns come after all replies.
            Happened::Replied(_) => 0,
            Happened::Called { .. } => 1,
        });
        two.past[replies_in(&one.past)..].reverse();
        prop_assert_eq!(one.next(), two.next());
    }
}

fn replies_in(past: &[Happened]) -> usize {
    let replied = past
        .iter()
        .filter(|happened| matches!(happened, Happened::Replied(_)));
    replied.count()
}
