//! The file and its bounds: what is written is read, and of anything else the line is named.

use std::io::Cursor;

use super::*;
use crate::model::events::{CallFinished, CallOutcome, EventBody, NewEvent, PauseRequested, RunOpened};
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{Json, RunId, Seq};
use crate::store::{Append, Durability, Guard, Store};
use serde_json::json;

const RUN: &str = "0195f2c4-0000-7000-8000-000000000001";

/// A file of a run with small and large values.
async fn file_of(values: &[Json]) -> String {
    let store = Store::in_memory().unwrap();
    let key = store.create_run(RunId::from(RUN), 5).await.unwrap();
    let event = |body: EventBody| NewEvent {
        at_ms: 6,
        task: None,
        body,
    };
    let opened = RunOpened {
        version: "0".into(),
        face: "test".into(),
        path: None,
        made_from: None,
    };
    let mut events = vec![event(opened.into())];
    let mut payloads: Vec<NewPayload> = Vec::new();
    for value in values {
        let (value, payload) = ValueRef::of(value);
        let outcome = CallOutcome::Result(value);
        let finished = CallFinished {
            labels: crate::model::grants::Labels::default(),
            call: None,
            outcome,
            usage: None,
        };
        events.push(event(finished.into()));
        payloads.extend(payload);
    }
    events.push(event(PauseRequested { by: "x".into() }.into()));
    let append = Append {
        run: key,
        guard: Guard::Head(0),
        events,
        payloads,
        durability: Durability::Process,
        summary: None,
    };
    store.append(append).await.unwrap();
    write(&store).await
}

async fn write(store: &Store) -> String {
    let put = |w: &mut Writing<Vec<u8>>, piece| Ok(w.put(piece)?);
    let writing = store
        .carry_out(&RUN.into(), Writing::new(Vec::new()), put)
        .await
        .unwrap();
    let (bytes, written) = writing.end().unwrap();
    assert_eq!(written.bytes, bytes.len() as u64);
    String::from_utf8(bytes).unwrap()
}

fn read_text(text: &str) -> Result<Came, Refused> {
    read(Cursor::new(text.as_bytes().to_vec()))
}

fn refusal(text: &str) -> String {
    read_text(text)
        .err()
        .map_or_else(|| "nothing".to_owned(), |e| e.to_string())
}

/// The lines with a last line that fits them.
fn sealed(lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let count = |what: &str| lines.iter().filter(|l| l.starts_with(what)).count();
    let end = json!({ "end": {
        "events": count("{\"event\""), "payloads": count("{\"payload\""),
        "blake3": Digest::of(body.as_bytes()),
    } });
    format!("{body}{end}\n")
}

fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.pop();
    lines
}

#[tokio::test]
async fn what_is_written_is_read_and_written_alike() {
    let long = "long \u{1f9f5}\n\"text\" ".repeat(500_000);
    let values = [
        json!(1),
        json!("x".repeat(9000)),
        json!("x".repeat(9000)),
        json!(long),
    ];
    let text = file_of(&values).await;
    assert!(text.lines().count() > 10, "the long payload came in pieces");
    let came = read_text(&text).unwrap();
    assert_eq!((came.events, came.bytes), (6, text.len() as u64));
    assert_eq!(came.lines.len(), 6);
    assert_eq!(write(came.scratch.store()).await, text);
    let events = came
        .scratch
        .store()
        .events(&RUN.into(), 0, Seq::MAX, 99)
        .await
        .unwrap();
    assert_eq!(events.len(), 6);
}

#[tokio::test]
async fn a_file_cut_anywhere_is_refused() {
    let text = file_of(&[json!(1), json!("y".repeat(5000))]).await;
    for end in 0..text.len() {
        let refused = read_text(&text[..end]).err().unwrap();
        match end {
            0 => assert!(matches!(refused, Refused::Empty)),
            _ => assert!(matches!(refused, Refused::Cut { .. }), "{end}: {refused}"),
        }
    }
    assert!(refusal(&format!("{text}\n")).contains("follows the last line"));
    assert!(refusal(&format!("{text}{text}")).contains("follows the last line"));
}

#[tokio::test]
async fn no_byte_can_be_another_one() {
    let text = file_of(&[json!({ "a": [1, "b"] }), json!("z".repeat(4200))]).await;
    read_text(&text).unwrap();
    for at in 0..text.len() {
        // In the long run of equal bytes a few are enough.
        if text[at..].starts_with("zzzz") && at % 97 != 0 {
            continue;
        }
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= flip;
            assert!(
                read(Cursor::new(bytes)).is_err(),
                "byte {at} flipped by {flip:#x}"
            );
        }
    }
}

/// Whoever changes a file can seal it anew; what is in it is looked at all the same.
#[tokio::test]
async fn sealed_anew_it_is_still_checked_line_by_line() {
    let text = file_of(&[json!("y".repeat(5000))]).await;
    let good = lines(&text);
    assert_eq!(sealed(&good), text);
    let payload = good.iter().position(|l| l.starts_with("{\"payload\"")).unwrap();
    let with = |at: usize, from: &str, to: &str| {
        let mut lines = good.clone();
        assert!(lines[at].contains(from), "{} lacks {from}", lines[at]);
        lines[at] = lines[at].replacen(from, to, 1);
        refusal(&sealed(&lines))
    };
    let without = |at: usize| {
        let mut lines = good.clone();
        lines.remove(at);
        refusal(&sealed(&lines))
    };
    let bomb = |deep: usize| format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
    let last = good.len() - 1;
    for (refused, expected) in [
        (
            with(payload, "yyy", "yxy"),
            "line 3: the payload has another hash",
        ),
        (without(payload), "line 3: it names the payload"),
        (without(payload + 1), "line 4: event 3 where event 2 belongs"),
        (without(1), "where event 1 belongs"),
        (
            with(last, "\"kind\":23", "\"kind\":77"),
            "line 5: event kind 77 is unknown",
        ),
        (
            with(last, "\"kind\":23", "\"kind\":1"),
            "line 5: the body of a run_opened event",
        ),
        (
            with(last, "\"seq\":3", "\"seq\":4"),
            "line 5: event 4 where event 3",
        ),
        (
            with(last, "\"at_ms\":6", "\"at_ms\":-6"),
            "line 5: the time is out of range",
        ),
        (
            with(last, "\"at_ms\":6", "\"at_ms\":9223372036854775807"),
            "line 5: the time is out of range",
        ),
        (
            with(last, "\"by\":\"x\"", "\"by\":7"),
            "line 5: the body of a pause_requested event",
        ),
        (with(last, "{\"by\":\"x\"}", &bomb(1_000_000)), "line 5: "),
        (with(last, "{\"event\"", "{\"what\""), "line 5: it can't be read"),
    ] {
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
}

#[tokio::test]
async fn only_a_first_line_of_ours_begins_a_file() {
    let good = lines(&file_of(&[]).await);
    let with = |from: &str, to: &str| {
        let mut lines = good.clone();
        lines[0] = lines[0].replacen(from, to, 1);
        assert_ne!(lines, good);
        refusal(&sealed(&lines))
    };
    for (refused, expected) in [
        (
            with("\"format\":1", "\"format\":2"),
            "written by a newer Planloom (format 2",
        ),
        (
            with(RUN, "../../outside"),
            "line 1: the id of the run is not a UUID",
        ),
        (
            with(RUN, &RUN.to_uppercase()),
            "line 1: the id of the run is not a UUID",
        ),
        (with("planloom_run", "run"), "not an exported run"),
        (refusal(&sealed(&good[..1])), "the file holds no event"),
        (refusal("This is a note.\n"), "not an exported run"),
        (refusal("\n"), "not an exported run"),
        (
            refusal(&format!("{}\n", "[".repeat(500_000))),
            "not an exported run",
        ),
    ] {
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
}

#[tokio::test]
async fn values_are_bounded_in_depth_and_lines_in_length() {
    let text = file_of(&[json!([7])]).await;
    let nest = |deep: usize| {
        let mut lines = lines(&text);
        let bomb = format!("{}7{}", "[".repeat(deep), "]".repeat(deep));
        lines[2] = lines[2].replacen("[7]", &bomb, 1);
        refusal(&sealed(&lines))
    };
    assert_eq!(nest(DEEP), "nothing");
    assert!(nest(DEEP + 1).contains("line 3: a value is nested deeper"));
    assert!(nest(1_000_000).contains("line 3: a value is nested deeper"));

    let long = format!("{}{}", lines(&text)[0], " ".repeat(LONGEST_LINE));
    assert!(refusal(&long).contains("line 1: it is longer than 64 MiB"));
    let mut bytes = text.clone().into_bytes();
    let at = text.find("\"by\"").unwrap() + 6;
    bytes[at] = 0xff;
    let refused = read(Cursor::new(bytes)).err().unwrap().to_string();
    assert!(refused.contains("line 4: it is not UTF-8"), "{refused}");
}

const DEEP: usize = 126;

#[tokio::test]
async fn payloads_come_once_whole_before_they_are_named_and_only_if_they_are() {
    let text = file_of(&[json!("y".repeat(5000))]).await;
    let good = lines(&text);
    let (payload, event) = (good[2].clone(), good[3].clone());
    let of = |middle: &[&str]| {
        let mut lines = good[..2].to_vec();
        lines.extend(middle.iter().map(|&l| l.to_owned()));
        lines.push(good[4].clone());
        refusal(&sealed(&lines))
    };
    let open = payload.replacen("\"}}", "\",\"more\":true}}", 1);
    assert!(open.contains("more"), "{open}");
    assert_eq!(of(&[&payload, &event]), "nothing");
    assert!(of(&[&payload, &payload, &event]).contains("line 4: the payload has come before"));
    assert!(of(&[&open, &event]).contains("line 4: the payload before it has no end"));
    assert!(of(&[&event, &payload]).contains("line 3: it names the payload"));
    let second = event.replacen("\"bytes\":5002", "\"bytes\":9", 1);
    assert!(of(&[&payload, &second]).contains("line 4: it gives the payload"));
    let escaped = event.replacen("\"hash\":\"", "\"hash\":\"\\u00", 1);
    assert!(of(&[&payload, &escaped]).contains("line 4: "));
    let hash = Digest::of(b"7");
    let unnamed = format!("{{\"payload\":{{\"hash\":\"{hash}\",\"text\":\"7\"}}}}");
    assert!(of(&[&unnamed, &payload, &event]).contains("a payload that no event names"));
    let half = format!("{{\"payload\":{{\"hash\":\"{hash}\",\"text\":\"7\",\"more\":true}}}}");
    assert!(of(&[&half, &payload, &event]).contains("line 4: another payload begins"));
    let text = Digest::of(b"nonsense");
    let nonsense = format!("{{\"payload\":{{\"hash\":\"{text}\",\"text\":\"nonsense\"}}}}");
    assert!(of(&[&nonsense, &payload, &event]).contains("line 3: a value is not JSON"));
}
