//! What is too much for a model: results, inputs, the whole talk, and its own answer.

use planloom_engine::agents::executor::READ_ON;
use planloom_engine::llm::{Answer, Fault, Message, Outcome, Reply, Request};
use serde_json::json;

use super::support::{Attempt, case, offered};

fn overflow() -> Reply {
    Reply::of(Outcome::Overflow(Fault::new("context_length", "too long")))
}

/// Four turns that read a lot.
fn talk() -> Attempt {
    let mut attempt = Attempt::agent(20);
    attempt.inputs = vec![("notes".to_owned(), json!("n".repeat(40_000)))];
    for turn in 1..=4 {
        attempt.calls(&[("read", json!({ "q": turn }))]);
        attempt.gives(
            &format!("{turn}.0"),
            json!(format!("begin {turn} {}", "x".repeat(10_000))),
        );
    }
    attempt
}

fn weight(request: &Request) -> u64 {
    request.guessed_input_tokens()
}

/// Every call of an assistant is followed by exactly its observations.
fn assert_paired(request: &Request) {
    let mut open: Vec<&str> = Vec::new();
    for message in &request.messages {
        match message {
            Message::Observation { call, .. } => assert_eq!(open.remove(0), call),
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty());
                open = calls.iter().map(|call| call.id.as_str()).collect();
            }
            Message::User(_) => assert!(open.is_empty()),
        }
    }
    assert!(open.is_empty());
}

#[test]
fn each_overflow_leaves_out_more_of_what_is_old_and_never_the_instruction() {
    let mut attempt = talk();
    let whole = attempt.asked();
    let mut last = whole.clone();
    for round in 1..=3 {
        attempt.replies(overflow());
        let next = attempt.asked();
        assert!(weight(&next) < weight(&last), "round {round}");
        assert_eq!(next.system, whole.system);
        assert!(
            offered(&next).contains(&READ_ON),
            "what is left out can be read on"
        );
        assert_eq!(
            next.messages.len(),
            whole.messages.len(),
            "calls and what they gave stay together"
        );
        assert_paired(&next);
        let newest = next.messages.last().unwrap();
        assert!(matches!(newest, Message::Observation { content, .. } if content.starts_with("begin 4")));
        last = next;
    }
    attempt.replies(overflow());
    assert_eq!(attempt.code(), "overflow", "there is an end to it");
}

#[test]
fn what_is_known_not_to_fit_is_not_sent() {
    let mut attempt = talk();
    let whole = weight(&attempt.asked());
    attempt.bounds.context_tokens = Some(whole - 1000);
    assert!(weight(&attempt.asked()) < whole);
    attempt.bounds.context_tokens = Some(whole + 2000);
    assert_eq!(weight(&attempt.asked()), whole);
}

#[test]
fn a_question_that_can_not_be_made_smaller_is_asked_once() {
    let mut attempt = Attempt::model();
    attempt.asked();
    let said = "the request exceeds the context (14429 tokens sent, room for 8192)";
    attempt.replies(Reply::of(Outcome::Overflow(Fault::new("context_length", said))));
    assert_eq!(attempt.code(), "overflow");
    let told = attempt.failed().error.message;
    assert!(
        told.contains("14429") && told.contains("8192"),
        "both numbers are told: {told}"
    );
}

#[test]
fn an_answer_that_is_cut_off_is_thrown_away_and_asked_for_in_brief() {
    let mut attempt = Attempt::agent(5);
    let cut = || Reply::of(Outcome::Cut(Answer::text("half of the answ")));
    for _ in 0..2 {
        attempt.replies(cut());
        assert!(attempt.told().contains("cut off"), "{}", attempt.told());
        let sent = format!("{:?}", attempt.asked().messages);
        assert!(!sent.contains("half of the answ"), "nothing of it is used");
    }
    attempt.replies(cut());
    assert_eq!(attempt.code(), "cut");
}

#[test]
fn a_long_result_can_be_read_on_without_a_call() {
    let mut attempt = Attempt::agent(9);
    assert!(!offered(&attempt.asked()).contains(&READ_ON));
    let long: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    attempt
        .calls(&[("read", json!({ "q": 1 }))])
        .gives("1.0", json!(long));
    let told = attempt.told();
    assert!(
        told.len() <= attempt.bounds.observation_bytes && told.contains("result \"call_1_0\""),
        "{told}"
    );
    assert!(offered(&attempt.asked()).contains(&READ_ON));
    attempt.calls(&[(READ_ON, json!({ "result": "call_1_0", "from": 100_000 }))]);
    let told = attempt.told();
    let part = told.split_once(":\n").unwrap().1;
    assert_eq!(part, &long[100_000..100_000 + part.len()]);
    attempt.submits(json!({ "result": "read" }));
    assert_eq!(attempt.finished().output, "read");
}

#[test]
fn huge_inputs_are_shown_in_part_and_can_be_read_on() {
    let mut attempt = Attempt::agent(5);
    attempt.inputs = vec![("page".to_owned(), json!("p".repeat(5_000_000)))];
    let asked = attempt.asked();
    assert!(weight(&asked) < 200_000, "{}", weight(&asked));
    let Message::User(opening) = &asked.messages[0] else {
        panic!("no opening")
    };
    assert!(opening.contains("result \"input page\""));
    assert!(offered(&asked).contains(&READ_ON));
    attempt.calls(&[(READ_ON, json!({ "result": "input page", "from": 4_999_990 }))]);
    assert!(attempt.told().ends_with(":\npppppppppp"), "{}", attempt.told());
}

const HUGE: &str = "agent-03-huge-tool-results";

/// The case `agent-03`: a picture is named once, its bytes never reach the model, and nothing is told twice.
#[test]
fn a_picture_is_no_text_and_nothing_is_told_twice() {
    let mut attempt = Attempt::agent(5);
    attempt.calls(&[("read", json!({ "q": 1 }))]);
    attempt.gives("1.0", case(HUGE, "image-twice.json"));
    let told = attempt.told();
    assert!(told.len() < 500 && !told.contains("AAAAAAAAAA"), "{told}");
    assert_eq!(told.matches("screenshot taken").count(), 1, "{told}");
    assert_eq!(told.matches("bytes of base64").count(), 1, "{told}");
}

/// The sizes of the case's script: 30 MB in one line, 200,000 lines, 5 MB of an error.
#[test]
fn outputs_of_many_megabytes_are_shown_in_part() {
    let one_line = "x".repeat(30_000_000);
    let lines: String = (0..200_000).map(|n| format!("{n:06} 你好 ok\n")).collect();
    for text in [one_line, lines] {
        let mut attempt = Attempt::agent(5);
        attempt
            .calls(&[("read", json!({ "q": 1 }))])
            .gives("1.0", json!(text));
        let told = attempt.told();
        assert!(told.len() <= attempt.bounds.observation_bytes);
        assert!(
            told.contains(&format!("of {} bytes are not shown", text.len())),
            "{}",
            &told[..100]
        );
    }
    let mut attempt = Attempt::agent(5);
    attempt.calls(&[("read", json!({ "q": 1 }))]);
    attempt.fails("1.0", "exit_1", &"e".repeat(5_000_000));
    assert!(attempt.told().len() <= attempt.bounds.observation_bytes);
}
