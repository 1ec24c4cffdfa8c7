//! Language models that misbehave: each answer hangs on the task that asks and on how often it has asked, never on when.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planloom_engine::llm::{Message, Models, Outcome, Request};
use planloom_tests::models::{Line, ScriptedModel, call, cut, fail, fail_for, refuse, say, submit};
use serde_json::json;

use crate::dice::Dice;

/// The models of one life. They outlive every process, as a provider would.
#[derive(Clone)]
pub struct Minds(ScriptedModel);

impl Minds {
    pub fn new(seed: u64) -> Self {
        let model = ScriptedModel::default();
        let asked: Arc<Mutex<HashMap<String, u64>>> = Arc::default();
        model.otherwise(move |request| {
            let id = asks_for(request)?;
            let number = {
                let mut asked = asked.lock().unwrap();
                let number = asked.entry(id.clone()).or_default();
                *number += 1;
                *number
            };
            let has_result = request.tools.iter().any(|offer| offer.name == "submit_result");
            Some(line(&mut Dice::of(seed ^ 0xA6E7, &id, number), &id, has_result))
        });
        Self(model)
    }

    pub fn models(&self) -> Models {
        self.0.models()
    }
}

/// The task that asks, by the words of its instruction.
fn asks_for(request: &Request) -> Option<String> {
    let opening = request.messages.iter().find_map(|message| match message {
        Message::User(text) => Some(text.as_str()),
        Message::Assistant { .. } | Message::Observation { .. } => None,
    });
    let text = [request.system.as_str(), opening.unwrap_or_default()].join(" ");
    let (_, rest) = text.split_once("Agent of ")?;
    Some(rest.split('.').next()?.to_owned())
}

fn line(dice: &mut Dice, id: &str, has_result: bool) -> Line {
    let end = || {
        if has_result {
            submit(json!({ "result": "done" }))
        } else {
            say("done")
        }
    };
    match dice.below(100) {
        0..35 => end(),
        35..50 => call(&[("read.do", json!({ "id": id }))]),
        50..62 => call(&[("effect.do", json!({ "id": id }))]),
        62..68 => call(&[
            ("read.do", json!({ "id": id })),
            ("effect.do", json!({ "id": id })),
        ]),
        68..72 => call(&[("nothing.do", json!({}))]),
        72..76 => call(&[("read.do", json!({ "id": 7 }))]),
        76..82 => fail(Outcome::Transient),
        82..86 => fail_for(Outcome::Rate, Duration::from_millis(dice.below(3_000))),
        86..88 => cut("half an ans"),
        88..90 => refuse("I would rather not."),
        90..92 => fail(Outcome::Unknown),
        92..95 => Line::Slow(Duration::from_millis(dice.below(4_000)), reply_of(end())),
        95..98 => Line::Hang,
        98 => Line::Deaf,
        _ => Line::Panic,
    }
}

fn reply_of(line: Line) -> planloom_engine::llm::Reply {
    match line {
        Line::Give(reply) | Line::Slow(_, reply) => reply,
        Line::Hang | Line::Deaf | Line::Panic => panic!("an answer is a reply"),
    }
}
