//! The case `agent-02`: an answer that does not fit is sent back with everything that is wrong, at most three times.

use planloom_engine::agents::executor::Flag;
use planloom_engine::llm::{Answer, Fault, Outcome, Reply};
use planloom_engine::model::Json;
use planloom_engine::model::events::FailureClass;
use serde_json::json;

use super::support::{Attempt, case, offered};

const CASE: &str = "agent-02-output-schema-not-met";

fn attempts() -> Vec<Json> {
    case(CASE, "attempts.json").as_array().unwrap().clone()
}

fn fresh() -> [Attempt; 2] {
    let schema = case(CASE, "schema.json");
    [
        Attempt::model().with_schema(schema.clone()),
        Attempt::agent(12).with_schema(schema),
    ]
}

/// The answer as it comes: as text to a model, by call from an agent while it has tools.
fn give(attempt: &mut Attempt, text: &str) {
    let request = attempt.asked();
    if request.tools.is_empty() {
        assert_eq!(request.output.unwrap().schema, case(CASE, "schema.json"));
        attempt.says(text);
    } else {
        let call = super::support::call("submit_result", text);
        attempt.replies(Reply::complete(Answer::calls(vec![call])));
    }
}

#[test]
fn each_answer_is_judged_with_all_that_is_missing_wrong_or_extra() {
    for given in attempts() {
        for mut attempt in fresh() {
            if let Some(words) = given["refusal"].as_str() {
                attempt.replies(Reply::of(Outcome::Permanent(Fault::refusal(words))));
                let error = attempt.failed().error;
                assert_eq!(error.code, given["as"].as_str().unwrap());
                assert_eq!(error.class, FailureClass::Permanent);
                assert!(error.message.contains(words));
                continue;
            }
            let text = given["text"].as_str().unwrap();
            if text.starts_with("```") {
                attempt.says(text);
            } else {
                give(&mut attempt, text);
            }
            if given["valid"] == true {
                let finished = attempt.finished();
                assert_eq!(finished.accepted_after_rejections, 0);
                assert!(finished.flags.is_empty());
                assert_eq!(finished.output["score"], json!(3));
                continue;
            }
            let told = attempt.told();
            assert!(offered(&attempt.asked()).is_empty(), "no tools while asked again");
            for kind in ["missing", "wrong", "extra"] {
                for field in given[kind].as_array().into_iter().flatten() {
                    let named = format!("- {kind}: /{}", field.as_str().unwrap());
                    assert!(told.contains(&named), "{told}");
                }
            }
        }
    }
}

#[test]
fn several_faults_are_named_at_once() {
    for mut attempt in fresh() {
        give(
            &mut attempt,
            r#"{"findings": [{"title": "a"}], "score": 10, "more": 1, "other": 2}"#,
        );
        let told = attempt.told();
        for named in [
            "- missing: /findings/0/detail, /summary",
            "- wrong: /score (",
            "- extra: /more, /other",
        ] {
            let (kind, places) = named.split_once(": ").unwrap();
            let line = told.lines().find(|line| line.starts_with(kind)).unwrap();
            assert!(places.split(", ").all(|place| line.contains(place)), "{told}");
        }
    }
}

#[test]
fn the_fourth_answer_that_does_not_fit_fails_the_attempt() {
    let given = attempts();
    for mut attempt in fresh() {
        for bad in &given[..4] {
            give(&mut attempt, bad["text"].as_str().unwrap());
        }
        let error = attempt.failed().error;
        assert_eq!(error.code, "output_schema");
        assert!(error.message.contains("/confidence"), "{}", error.message);
    }
    for mut attempt in fresh() {
        for _ in 0..4 {
            give(&mut attempt, given[0]["text"].as_str().unwrap());
        }
        assert_eq!(attempt.code(), "output_schema");
    }
}

#[test]
fn an_answer_that_got_through_at_last_carries_its_history() {
    let given = attempts();
    let text = |ix: usize| given[ix]["text"].as_str().unwrap().to_owned();
    for mut attempt in fresh() {
        for ix in [0, 2, 3, 4] {
            give(&mut attempt, &text(ix));
        }
        let finished = attempt.finished();
        assert_eq!(finished.accepted_after_rejections, 3);
        assert_eq!(finished.flags, [Flag::Collapsed, Flag::Placeholder]);
    }
    for mut attempt in fresh() {
        give(&mut attempt, &text(0));
        give(&mut attempt, &text(5));
        let finished = attempt.finished();
        assert_eq!(finished.accepted_after_rejections, 1);
        assert_eq!(finished.flags, []);
    }
}

#[test]
fn a_check_that_does_not_hold_is_told_and_asked_again() {
    let mut attempt = Attempt::agent(9).with_schema(json!({"type": "object", "required": ["total"]}));
    attempt.inputs = vec![("least".to_owned(), json!(40))];
    attempt.check = Some("output.total >= least");
    attempt.submits(json!({"total": 39}));
    assert!(attempt.told().contains("output.total >= least"));
    attempt.says(r#"{"total": 41}"#);
    let finished = attempt.finished();
    assert_eq!(
        (finished.output, finished.accepted_after_rejections),
        (json!({"total": 41}), 1)
    );
    attempt.check = Some("output.nothing.deeper > 1");
    assert_eq!(attempt.code(), "bad_expression");
}

#[test]
fn digits_of_an_answer_survive() {
    let mut attempt = Attempt::model().with_schema(json!({"type": "object"}));
    attempt.says(r#"{"id": 9007199254740993, "price": 1.10, "big": 123456789012345678901234567890}"#);
    assert_eq!(
        attempt.finished().output.to_string(),
        r#"{"id":9007199254740993,"price":1.10,"big":123456789012345678901234567890}"#
    );
}

#[test]
fn results_without_a_schema_or_of_another_kind_than_objects() {
    let mut attempt = Attempt::model();
    attempt.says("  41, all told\n");
    assert_eq!(attempt.finished().output, json!("  41, all told\n"));
    let mut attempt = Attempt::agent(3).with_schema(json!({"type": "array", "items": {"type": "integer"}}));
    attempt.submits(json!({"result": [1, "2"]}));
    assert!(attempt.told().contains("- wrong: /1"));
    attempt.says("[1, 2]");
    assert_eq!(attempt.finished().output, json!([1, 2]));
    let mut attempt = Attempt::agent(3);
    attempt.submits(json!({"answer": 41}));
    assert!(attempt.told().contains("- missing: /result"));
}

#[test]
fn a_schema_that_is_none_asks_nothing() {
    for schema in [
        json!({"type": "strin"}),
        json!({"$ref": "https://example.com/x.json"}),
    ] {
        assert_eq!(Attempt::model().with_schema(schema).code(), "bad_schema");
    }
}
