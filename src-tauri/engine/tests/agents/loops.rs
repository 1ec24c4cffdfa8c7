//! The case `agent-01`: loops are stopped, polling is not, and a spent budget of steps is never an answer.

use planloom_engine::agents::executor::{Kind, Step};
use planloom_engine::model::Json;
use planloom_engine::model::tool::Effect;
use serde_json::json;

use super::support::{Attempt, case, offered, tool};

const CASE: &str = "agent-01-loops-and-budgets";
const WARNED: &str = "were all made before";

/// What the tools of the case do: those that change something are known by name.
fn effect_of(name: &str) -> Effect {
    match name {
        "write_file" | "edit" | "undo" => Effect::Write,
        _ => Effect::Read,
    }
}

/// Plays a transcript. The steps after which the agent was warned and stopped.
fn play(steps: &[Json]) -> (Option<u64>, Option<u64>) {
    let mut attempt = Attempt::agent(1000);
    attempt.tools = [
        "write_file",
        "search",
        "edit",
        "undo",
        "job_status",
        "list",
        "sql",
    ]
    .map(|name| tool(name, effect_of(name), json!({"type": "object"})))
    .into();
    let mut warned = None;
    for step in steps {
        let number = step["step"].as_u64().unwrap();
        attempt.calls(&[(step["tool"].as_str().unwrap(), step["args"].clone())]);
        if let Step::Fail(failed) = attempt.next() {
            assert_eq!(failed.error.code, "no_progress");
            return (warned, Some(number));
        }
        assert_eq!(attempt.wanted().len(), 1);
        let (id, result) = (format!("{number}.0"), step["result"].clone());
        if step["ok"] == true {
            attempt.gives(&id, result);
        } else {
            attempt.fails(&id, "failed", result.as_str().unwrap());
        }
        match attempt.next() {
            Step::Ask(_) if attempt.told().contains(WARNED) => {
                assert_eq!(warned, None, "told twice");
                warned = Some(number);
            }
            Step::Ask(_) => {}
            Step::Fail(failed) => {
                assert_eq!(failed.error.code, "no_progress");
                return (warned, Some(number));
            }
            other => panic!("{other:?}"),
        }
    }
    (warned, None)
}

#[test]
fn loops_are_met_in_time_and_nothing_else_is() {
    let transcripts = case(CASE, "transcripts.json");
    let mut seen = Vec::new();
    for transcript in transcripts.as_array().unwrap() {
        let name = transcript["name"].as_str().unwrap();
        let (warned, stopped) = play(transcript["steps"].as_array().unwrap());
        match transcript["stop_at"].as_u64() {
            Some(latest) => assert!(warned.is_some_and(|step| step <= latest), "{name}: {warned:?}"),
            None => assert_eq!((warned, stopped), (None, None), "{name}"),
        }
        seen.push(format!("{name}: warned {warned:?}, stopped {stopped:?}"));
    }
    assert_eq!(
        seen,
        [
            "identical-success: warned Some(4), stopped Some(6)",
            "key-order: warned Some(4), stopped None",
            "ping-pong: warned Some(5), stopped Some(7)",
            "polling: warned None, stopped None",
            "paging: warned None, stopped None",
            "repair-after-error: warned None, stopped None",
        ]
    );
}

/// Parallel calls in another order are the same calls, and a write is the same whatever its receiver answers.
#[test]
fn neither_order_nor_receipts_hide_a_loop() {
    let mut attempt = Attempt::agent(100);
    for turn in 1..=4 {
        let mut calls = [("read", json!({"q": 1, "p": 2})), ("write", json!({"to": "a"}))];
        if turn % 2 == 0 {
            calls.reverse();
        }
        attempt.calls(&calls);
        let wanted = attempt.wanted();
        for wanted in wanted {
            let result = if wanted.tool == "write" {
                json!({"receipt": turn})
            } else {
                json!("same")
            };
            attempt.gives(&wanted.call.to_string(), result);
        }
    }
    assert!(attempt.told().contains(WARNED));
}

/// After the warning, an effect that would only repeat itself is not made once more.
#[test]
fn a_stopped_write_is_not_made_again() {
    let mut attempt = Attempt::agent(100);
    for turn in 1..=5 {
        attempt.calls(&[("write", json!({}))]);
        attempt.gives(&format!("{turn}.0"), json!("ok"));
    }
    attempt.asked();
    attempt.calls(&[("write", json!({}))]);
    assert_eq!(attempt.code(), "no_progress");
}

/// Calls that can't be made repeat themselves, too.
#[test]
fn refused_calls_are_a_loop_as_well() {
    let mut attempt = Attempt::agent(100);
    for _ in 0..4 {
        attempt.calls(&[("read", json!({}))]);
    }
    assert!(attempt.told().contains(WARNED));
    attempt.calls(&[("read", json!({}))]);
    attempt.calls(&[("read", json!({}))]);
    assert_eq!(attempt.code(), "no_progress");
}

fn worked(attempt: &mut Attempt, steps: u64) {
    for turn in 1..=steps {
        attempt
            .calls(&[("read", json!({"q": turn}))])
            .gives(&format!("{turn}.0"), json!(turn));
    }
}

#[test]
fn spent_steps_are_a_failure_and_the_last_words_only_notes() {
    for budget in case(CASE, "budget.json").as_array().unwrap() {
        let most = u32::try_from(budget["max_steps"].as_u64().unwrap()).unwrap();
        let mut attempt = Attempt::agent(most);
        let Some(used) = budget["used"].as_u64() else {
            // A resumed attempt counts on: eight are used, two are left.
            worked(&mut attempt, budget["used_before_crash"].as_u64().unwrap());
            let left = budget["left"].as_u64().unwrap();
            for more in 0..left {
                attempt.asked();
                attempt.says(&format!("Thinking, {more}"));
            }
            assert_eq!(attempt.code(), "max_steps");
            continue;
        };
        worked(&mut attempt, used - 1);
        assert_eq!(offered(&attempt.asked()), ["submit_result"]);
        let message = budget["last_message"].as_str().unwrap();
        if budget["node"] == "completed" {
            attempt.submits(json!({"result": message}));
            assert_eq!(attempt.finished().output, json!(message));
        } else {
            attempt.says(message);
            let failed = attempt.failed().error;
            assert_eq!(failed.code, "max_steps");
            assert!(failed.message.contains(message), "{}", failed.message);
            assert!(failed.message.contains("no result"), "{}", failed.message);
        }
    }
}

/// In every mode and place, a framework's words for a spent budget are no result.
#[test]
fn needing_more_steps_is_no_result_anywhere() {
    let words = "Sorry, need more steps to process this request.";
    for mut attempt in [Attempt::agent(4), Attempt::model()] {
        for _ in 0..4 {
            attempt.asked();
            attempt.says(words);
        }
        assert!(["max_steps", "output_schema"].contains(&attempt.code().as_str()));
    }
    let mut attempt = Attempt::agent(1);
    attempt.submits(json!({"result": words}));
    assert_eq!(attempt.code(), "max_steps");
}

#[test]
fn text_and_refused_calls_are_steps() {
    let mut attempt = Attempt::agent(3);
    attempt.says("Let me think.");
    attempt.calls(&[("no_such_tool", json!({}))]);
    attempt.calls(&[("read", json!({}))]);
    assert_eq!(attempt.code(), "max_steps");
    attempt.kind = Kind::Agent { max_steps: 4 };
    attempt.asked();
}

/// In the last step nobody would see what a call gives, so none is made.
#[test]
fn the_last_step_makes_no_call() {
    let mut attempt = Attempt::agent(1);
    attempt.calls(&[("write", json!({}))]);
    assert_eq!(attempt.code(), "max_steps");
    let mut attempt = Attempt::agent(1);
    attempt.calls(&[("write", json!({})), ("submit_result", json!({"result": 41}))]);
    assert_eq!(attempt.finished().output, json!(41));
}
