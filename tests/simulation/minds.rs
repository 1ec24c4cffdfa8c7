//! Language models that misbehave: each answer hangs on the task that asks and on how often it has asked, never on when.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planloom_engine::llm::{Answer, Entry, Message, Models, Outcome, Price, Reply, Request, Role, ToolCall};
use planloom_tests::models::{
    Line, NAME, SPARE, ScriptedModel, call, cut, fail, fail_for, refuse, say, submit, using,
};
use serde_json::json;

use crate::dice::Dice;
use crate::ways;

/// The models of one life. They outlive every process, as a provider would.
#[derive(Clone)]
pub struct Minds {
    model: ScriptedModel,
    price: Price,
}

impl Minds {
    pub fn new(seed: u64) -> Self {
        let model = ScriptedModel::default();
        let asked: Arc<Mutex<HashMap<String, u64>>> = Arc::default();
        model.otherwise(move |request| {
            let id = asks_for(request);
            let number = {
                let mut asked = asked.lock().unwrap();
                let number = asked.entry(id.clone()).or_default();
                *number += 1;
                *number
            };
            let has_result = request.tools.iter().any(|offer| offer.name == "submit_result");
            let dice = &mut Dice::of(seed ^ 0xA6E7, &id, number);
            let answer = if id == REPLAN {
                ways::other(dice, request, number)
            } else {
                line(dice, &id, has_result)
            };
            Some(using(answer, 100 + dice.below(400), 20 + dice.below(200)))
        });
        let per_million = || {
            let usd = |text: &str| serde_json::from_value(json!(text)).unwrap();
            Price::PerMillion {
                input: usd("0.5"),
                output: usd("2"),
                cached: None,
            }
        };
        let price = *Dice::of(seed, "price", 0).pick(&[Price::Free, per_million(), Price::Unknown]);
        Self { model, price }
    }

    /// Some cost nothing, some have a price, some an unknown one.
    pub fn models(&self) -> Models {
        let entry = |name: &str| Entry {
            price: self.price,
            ..Entry::new(name, Arc::new(self.model.clone()))
        };
        let models = Models::none().with(entry(NAME)).with(entry(SPARE));
        Role::ALL
            .into_iter()
            .fold(models, |models, role| models.with_role(role, &[NAME]))
    }
}

/// Who asks when a plan is to go another way.
const REPLAN: &str = "replan";

/// The task that asks, by the words of its instruction.
fn asks_for(request: &Request) -> String {
    let opening = request.messages.iter().find_map(|message| match message {
        Message::User(text) => Some(text.as_str()),
        Message::Assistant { .. } | Message::Observation { .. } => None,
    });
    let opening = opening.unwrap_or_default();
    if opening.contains("Where each task stands") {
        return REPLAN.to_owned();
    }
    let text = [request.system.as_str(), opening].join(" ");
    let id = text
        .split_once("Agent of ")
        .and_then(|(_, rest)| rest.split('.').next());
    id.unwrap_or("somebody").to_owned()
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
        0..32 => end(),
        // The same call twice, under one id.
        32..35 => twice(id),
        35..50 => call(&[("read.do", json!({ "id": id }))]),
        50..58 => call(&[("effect.do", json!({ "id": id }))]),
        // Other words than the last time, as models choose them.
        58..62 => call(&[("effect.do", json!({ "id": id, "words": dice.below(3) }))]),
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

fn twice(id: &str) -> Line {
    let call = ToolCall {
        id: "same".to_owned(),
        name: "effect.do".to_owned(),
        arguments: json!({ "id": id }).to_string(),
        sealed: None,
    };
    Line::Give(Reply::complete(Answer::calls(vec![call.clone(), call])))
}

fn reply_of(line: Line) -> Reply {
    match line {
        Line::Give(reply) | Line::Slow(_, reply) => reply,
        Line::Hang | Line::Deaf | Line::Panic => panic!("an answer is a reply"),
    }
}
