//! Stalls, cold loads and sleep, played over real connections with a second made a few milliseconds.

use std::time::{Duration, Instant};

use planloom_engine::llm::Reply;
use planloom_engine::llm::wire::{CallLimits, Provider};
use serde_json::Value as Json;

use crate::ask::{ask, code, compatible, model};
use crate::server::{ANSWER, Act, Server, chunk, json, last_chunk, stream_head};

/// A second of the case is this long.
const SECOND: Duration = Duration::from_millis(8);
/// What a busy machine adds; less than what lies between any two limits.
const LATE: Duration = Duration::from_millis(800);

fn limits(endpoint: &str) -> CallLimits {
    let limits = if endpoint == "local" {
        CallLimits::LOCAL
    } else {
        CallLimits::CLOUD
    };
    let shrunk = |limit: Duration| SECOND.mul_f64(limit.as_secs_f64());
    CallLimits {
        connect: limits.connect,
        first_byte: shrunk(limits.first_byte),
        first_content: shrunk(limits.first_content),
        idle: shrunk(limits.idle),
        whole: shrunk(limits.whole),
    }
}

fn data(words: &str) -> Act {
    let delta = match words {
        "reasoning" => r#"{"reasoning_content":"hm"}"#.to_owned(),
        words => format!(r#"{{"content":"{words}"}}"#),
    };
    chunk(format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n").as_bytes())
}

fn done() -> Vec<Act> {
    let stop = chunk(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    vec![stop, last_chunk()]
}

/// What happens on the line, without its times.
fn acts(event: &str) -> Vec<Act> {
    match event.split_once(' ') {
        Some(("data", words)) => vec![data(words)],
        Some((":", _)) => vec![chunk(format!("{event}\n\n").as_bytes())],
        _ if event == "DONE" => done(),
        _ if event == "RST" => vec![Act::Reset],
        _ => Vec::new(),
    }
}

fn opens(event: &str) -> bool {
    ["data", ":", "headers"]
        .iter()
        .any(|start| event.starts_with(start))
}

fn script(events: &[Json]) -> Vec<Act> {
    let mut script = Vec::new();
    let (mut now, mut is_open) = (0.0, false);
    for event in events {
        let what = event[1].as_str().unwrap();
        let pause = match event[0].as_f64() {
            Some(at) => at - std::mem::replace(&mut now, at),
            None => 1.0,
        };
        script.push(Act::Wait(SECOND.mul_f64(pause)));
        if opens(what) && !std::mem::replace(&mut is_open, true) {
            script.push(stream_head());
        }
        if event[0] == "every 10 s" {
            script.extend((0..200).flat_map(|_| [acts(what), vec![Act::Wait(SECOND * 10)]].concat()));
        }
        script.extend(acts(what));
    }
    let is_over = events.last().is_some_and(|event| {
        let what = event[1].as_str().unwrap();
        ["DONE", "RST"].contains(&what) || what.starts_with("FIN")
    });
    if !is_over {
        script.push(Act::Hang);
    }
    script
}

async fn played(timeline: &Json) -> (Reply, Duration) {
    let events = timeline["events"].as_array().unwrap();
    let server = Server::playing(vec![script(events)]).await;
    let provider = Provider {
        limits: limits(timeline["endpoint"].as_str().unwrap()),
        ..server.base()
    };
    let model = model(compatible(), provider);
    let started = Instant::now();
    let reply = ask(model.as_ref()).await;
    (reply, started.elapsed())
}

/// Its own way of telling of time: one response after the other.
async fn loads(timeline: &Json) {
    let events = timeline["events"].as_array().unwrap();
    let body = events[0][1].as_str().unwrap().split_once(' ').unwrap().1;
    let scripts = vec![
        json(503, body),
        json(503, body),
        json(503, body),
        json(200, ANSWER),
    ];
    let server = Server::playing(scripts).await;
    let model = model(compatible(), server.base());
    for _ in 0..3 {
        assert_eq!(code(&ask(model.as_ref()).await), ("transient", "loading"));
    }
    assert_eq!(ask(model.as_ref()).await.outcome.word(), "complete");
}

async fn holds(timeline: Json) {
    let name = timeline["name"].as_str().unwrap();
    let (reply, took) = match name {
        "llamacpp-loading" => return loads(&timeline).await,
        _ => played(&timeline).await,
    };
    let outcome = timeline["outcome"].as_str().unwrap();
    let expected = match outcome {
        "complete" => ("complete", ""),
        "transient timeout: first byte" => ("transient", "timeout_first_byte"),
        "transient timeout: idle" => ("transient", "timeout_idle"),
        "transient timeout: first content" => ("transient", "timeout_first_content"),
        other => {
            assert!(other.starts_with("transient"), "{other}");
            // What had begun was cut off; what had not, found nobody.
            let has_begun = name == "sleep";
            ("transient", if has_begun { "truncated" } else { "connection" })
        }
    };
    assert_eq!(code(&reply), expected, "{name}: {reply:?}");
    if let Some(by) = timeline["by_s"].as_f64() {
        assert!(took < SECOND.mul_f64(by) + LATE, "{name} took {took:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_error_06_stalls_cold_loads_and_sleep() {
    let timelines = crate::ask::json("cases/error-06-stalls-cold-loads-and-sleep/timelines.json");
    let playing: Vec<_> = timelines
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .map(|one| tokio::spawn(holds(one)))
        .collect();
    assert_eq!(playing.len(), 9);
    for one in playing {
        one.await.unwrap();
    }
}

/// The real limits keep to what people have met.
#[test]
fn case_error_06_the_limits_themselves() {
    let (cloud, local) = (CallLimits::CLOUD, CallLimits::LOCAL);
    assert!(cloud.first_byte <= Duration::from_secs(120) && cloud.idle > Duration::from_secs(85));
    assert!(cloud.idle <= Duration::from_secs(300) && cloud.first_content <= Duration::from_secs(900));
    assert!(local.first_byte > Duration::from_secs(75) && local.first_byte > cloud.first_byte);
}
