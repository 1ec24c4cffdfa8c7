//! `decide`: what a run asks, and the answer, which is recorded and starts nothing.

use planloom_engine::model::DecisionId;
use planloom_engine::{Engine, Error};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::look::{decision_json, decision_line};
use crate::out::Out;

pub async fn decide(
    engine: &Engine,
    run: &str,
    decision: Option<&str>,
    answer: Option<&str>,
    out: &Out,
) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let (Some(decision), Some(answer)) = (decision, answer) else {
        return list(engine, &run, decision, out).await;
    };
    let id = DecisionId::from(decision);
    // A bare word is itself; anything that reads as JSON is JSON.
    let value: Value = serde_json::from_str(answer).unwrap_or_else(|_| Value::String(answer.to_owned()));
    engine.decide(&run, &id, value.clone()).await?;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "decision": decision, "answer": value }));
    } else {
        out.say(&format!("Recorded. Go on with: planloom resume {run}"));
    }
    Ok(Exit::Done)
}

async fn list(
    engine: &Engine,
    run: &planloom_engine::model::RunId,
    only: Option<&str>,
    out: &Out,
) -> Result<Exit, Error> {
    let shown = engine.show(run, None).await?;
    let mut decisions = shown.decisions;
    decisions.retain(|d| only.is_none_or(|id| id == d.id));
    if out.json {
        let list: Vec<Value> = decisions.iter().map(decision_json).collect();
        out.object(&json!({ "decisions": list }));
        return Ok(Exit::Done);
    }
    if decisions.is_empty() {
        out.say("Nothing waits for you here.");
    }
    for decision in &decisions {
        out.say(&decision_line(decision));
        if let Some(form) = &decision.form {
            out.say(&format!("     form: {form}"));
        }
    }
    Ok(Exit::Done)
}
