//! Single turns: wrong calls, parallel ones, plain text, and every way in which a model can fail to answer.

use planloom_engine::agents::executor::{Kind, Step};
use planloom_engine::llm::{Answer, Fault, Message, Outcome, Reply};
use planloom_engine::model::events::FailureClass;
use serde_json::json;

use super::support::{Attempt, call, offered};

#[test]
fn a_task_goes_from_question_to_calls_to_result() {
    let mut attempt = Attempt::agent(5);
    assert_eq!(offered(&attempt.asked()), ["read", "submit_result", "write"]);
    attempt.calls(&[("read", json!({"q": 1})), ("read", json!({"q": 2}))]);
    let ids = |attempt: &Attempt| -> Vec<String> {
        attempt
            .wanted()
            .iter()
            .map(|wanted| wanted.call.to_string())
            .collect()
    };
    assert_eq!(ids(&attempt), ["1.0", "1.1"]);
    // The second one came back first; the first is still open.
    attempt.gives("1.1", json!({"n": 9_007_199_254_740_993_u64}));
    assert_eq!(ids(&attempt), ["1.0"]);
    attempt.gives("1.0", json!("forty"));
    let messages = attempt.asked().messages;
    let [_, Message::Assistant { calls, .. }, first, second] = &messages[..] else {
        panic!("{messages:?}")
    };
    // The ids that the model gave were equal; ours are not.
    assert_ne!(calls[0].id, calls[1].id);
    let observation = |id: &str, content: &str| Message::Observation {
        call: id.to_owned(),
        content: content.to_owned(),
        is_error: false,
    };
    assert_eq!(*first, observation(&calls[0].id, "forty"));
    assert_eq!(*second, observation(&calls[1].id, r#"{"n":9007199254740993}"#));
    attempt.submits(json!({"result": {"total": 41}}));
    assert_eq!(attempt.finished().output, json!({"total": 41}));
}

/// What can't be called becomes an observation; what can is called beside it.
#[test]
fn wrong_calls_are_told_and_right_ones_made() {
    let mut attempt = Attempt::agent(5);
    let calls = vec![
        call("reed", "{}"),
        call("read", r#"{"q": 1"#),
        call("read", r#"{"p": 1}"#),
        call("read", r#"{"q": 1, "q": 2}"#),
        call("submit_result", r#"{"result": 1}"#),
        call("write", ""),
    ];
    attempt.replies(Reply::complete(Answer::calls(calls)));
    let wanted = attempt.wanted();
    assert_eq!(wanted.len(), 1);
    assert_eq!(
        (wanted[0].call.to_string(), &wanted[0].arguments),
        ("1.5".to_owned(), &json!({}))
    );
    attempt.fails("1.5", "not_granted", "denied by a person");
    let told: Vec<String> = attempt.asked().messages[2..]
        .iter()
        .map(|message| match message {
            Message::Observation {
                content, is_error, ..
            } => {
                assert!(is_error);
                content.clone()
            }
            other => panic!("{other:?}"),
        })
        .collect();
    for (told, words) in told.iter().zip([
        "You may call: read, write, submit_result.",
        "not JSON",
        "\"q\" is a required property",
        "not JSON",
        "alone",
        "not_granted): denied by a person",
    ]) {
        assert!(told.contains(words), "{told} / {words}");
    }
    assert_eq!(told.len(), 6);
}

#[test]
fn only_so_many_calls_are_made_at_once() {
    let mut attempt = Attempt::agent(5);
    attempt.bounds.calls_at_once = 2;
    let calls: Vec<_> = (0..5).map(|q| ("read", json!({"q": q}))).collect();
    attempt.calls(&calls);
    assert_eq!(attempt.wanted().len(), 2);
    attempt.gives("1.0", json!(0)).gives("1.1", json!(1));
    assert!(attempt.told().contains("at most 2"));
}

#[test]
fn long_observations_are_cut_and_say_so() {
    let mut attempt = Attempt::agent(5);
    attempt.bounds.observation_bytes = 300;
    attempt.calls(&[("read", json!({"q": 1}))]);
    attempt.gives("1.0", json!(format!("begin {} end", "é".repeat(5000))));
    let told = attempt.told();
    assert!(
        told.len() < 450 && told.starts_with("begin") && told.ends_with(" end"),
        "{told}"
    );
    assert!(
        told.contains("bytes are not shown here; read on with read_result, result \"call_1_0\""),
        "{told}"
    );
}

#[test]
fn plain_text_is_asked_about_before_it_counts() {
    let mut attempt = Attempt::agent(9);
    attempt.says("The total is 41.");
    assert!(attempt.told().contains("text alone"));
    assert_eq!(offered(&attempt.asked()).len(), 3);
    attempt.says("As I said, 41.");
    assert!(attempt.told().contains("final result now"));
    assert!(offered(&attempt.asked()).is_empty());
    attempt.says("41");
    assert_eq!(attempt.finished().output, json!("41"));

    let mut attempt = Attempt::agent(9);
    attempt
        .says("Hm.")
        .says("Hm.")
        .says("UNABLE: the table is missing");
    let error = attempt.failed().error;
    assert_eq!(error.code, "unable");
    assert!(error.message.contains("the table is missing"));
}

/// The smallest task of all: an instruction and nothing else.
#[test]
fn an_agent_without_tools_just_answers() {
    let mut attempt = Attempt::agent(12);
    attempt.tools.clear();
    let request = attempt.asked();
    assert!(request.tools.is_empty() && !request.system.contains("submit_result"));
    attempt.says("41");
    assert_eq!(attempt.finished().output, json!("41"));
}

#[test]
fn no_answer_has_a_class_of_its_own() {
    let fault = || Fault {
        retry_after_ms: Some(3000),
        ..Fault::new("some_code", "words")
    };
    let empty = || Outcome::Complete(Answer::text(" \n"));
    use FailureClass::{Permanent, Transient};
    for (outcome, class, code) in [
        (empty(), Transient, "empty_answer"),
        (Outcome::Rate(fault()), Transient, "rate_limited"),
        (Outcome::Quota(fault()), Permanent, "quota"),
        (Outcome::Overflow(fault()), Permanent, "overflow"),
        (Outcome::Auth(fault()), Permanent, "auth"),
        (Outcome::Transient(fault()), Transient, "some_code"),
        (Outcome::Permanent(fault()), Permanent, "some_code"),
        (
            Outcome::Permanent(Fault::refusal("I can't.")),
            Permanent,
            "refusal",
        ),
        (Outcome::Unknown(fault()), Permanent, "some_code"),
    ] {
        let mut attempt = Attempt::agent(5);
        attempt.calls(&[("read", json!({"q": 1}))]).gives("1.0", json!(1));
        let before = attempt.asked();
        attempt.replies(Reply::of(outcome));
        let error = attempt.failed().error;
        assert_eq!((error.class, error.code.as_str()), (class, code));
        if class == Transient && code != "empty_answer" {
            assert_eq!(attempt.failed().retry_after_ms, Some(3000));
        }
        // Asked again, the attempt goes on as if the failed call had not been.
        attempt.calls(&[("read", json!({"q": 2}))]);
        let id = if code == "empty_answer" { "3.0" } else { "2.0" };
        assert_eq!(attempt.wanted()[0].call.to_string(), id);
        attempt.gives(id, json!(2));
        assert_eq!(
            attempt.asked().messages[..before.messages.len()],
            before.messages[..]
        );
    }
}

/// A log with holes, or with results of calls that nobody asked for, is no reason to fall over.
#[test]
fn a_past_with_holes_still_gives_a_step() {
    let mut attempt = Attempt::agent(5);
    attempt
        .gives("1.0", json!(1))
        .gives("0.0", json!(1))
        .gives("4294967295.7", json!(1));
    attempt.calls(&[("read", json!({"q": 1}))]);
    attempt.calls(&[("read", json!({"q": 2}))]);
    assert_eq!(attempt.wanted()[0].call.to_string(), "2.0");
    attempt.gives("2.0", json!(2));
    let said = format!("{:?}", attempt.asked().messages);
    assert!(said.contains("was not recorded"), "{said}");
    attempt.kind = Kind::Agent { max_steps: 0 };
    assert!(matches!(attempt.next(), Step::Fail(_)));
}
