//! Messages and outcomes between a program and its worker; whole processes are tried with the real program.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::frames;
use super::job::Job;
use super::outcome::Outcome;
use super::process::{Ask, Asked};
use crate::model::Json;
use crate::tools::{ToolError, code};

fn sent(job: &Job, bytes: &[u8]) -> (Job, Vec<u8>) {
    let frame = frames::framed(&Ask::Job(job), bytes).unwrap();
    let (asked, beside) = frames::read::<Asked>(&mut &*frame).unwrap().unwrap();
    match asked {
        Asked::Job(job) => (job, beside),
        Asked::Stop => panic!("work has become a word to stop"),
    }
}

#[test]
fn every_digit_of_an_input_arrives() {
    let inputs: Json = serde_json::from_str(r#"{"n": 9223372036854775807, "d": 1.10, "e": 1e400}"#).unwrap();
    let job = Job::Code {
        source: "return 1".to_owned(),
        inputs: vec![("given".to_owned(), inputs.clone())],
        limits: code::Limits::default(),
    };
    let (got, beside) = sent(&job, b"\0\xff");
    let Job::Code {
        inputs: arrived,
        limits,
        ..
    } = got
    else {
        panic!("another kind of work has arrived")
    };
    assert_eq!(arrived[0].1.to_string(), inputs.to_string());
    assert_eq!(limits, code::Limits::default());
    assert_eq!(beside, b"\0\xff");
}

#[test]
fn outcomes_keep_their_kind_and_words() {
    let results = [
        Ok(json!({"rows": [1.10]})),
        Err(ToolError::permanent("sql_denied", "no")),
        Err(ToolError::Transient {
            code: "database_busy",
            message: "in use".to_owned(),
            retry_after: Some(Duration::from_secs(2)),
        }),
        Err(ToolError::Cancelled),
    ];
    for result in results {
        let mut frame = Vec::new();
        frames::write(&mut frame, &Outcome::of(result.clone())).unwrap();
        let (outcome, _) = frames::read::<Outcome>(&mut &*frame).unwrap().unwrap();
        assert_eq!(outcome.into_result(), result);
    }
}

#[test]
fn the_end_between_messages_is_an_end_and_one_in_a_message_is_an_error() {
    assert!(frames::read::<Asked>(&mut &b""[..]).unwrap().is_none());
    let frame = frames::framed(&Ask::Stop, b"abc").unwrap();
    for cut in 8..frame.len() {
        assert!(frames::read::<Asked>(&mut &frame[..cut]).is_err(), "cut at {cut}");
    }
    let huge = [0xff; 16];
    assert!(frames::read::<Asked>(&mut &huge[..]).is_err());
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = frames::read::<Asked>(&mut &*bytes);
        let mut framed = u32::try_from(bytes.len()).unwrap().to_le_bytes().to_vec();
        framed.extend([0; 4]);
        framed.extend(&bytes);
        let _ = frames::read::<Asked>(&mut &*framed);
    }
}
