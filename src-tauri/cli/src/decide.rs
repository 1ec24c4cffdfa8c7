//! `decide`: what a run asks, and the answer, which is recorded and starts nothing.

use planloom_engine::model::{DecisionId, RunId, misread};
use planloom_engine::{Engine, Error};
use serde_json::{Value, json};

use crate::asked;
use crate::exit::Exit;
use crate::out::{Out, piece};
use planloom_engine::views::DecisionKind;

/// How much of what a decision is about stands in a line, in characters; `--json` has all of it.
const ABOUT: usize = 2_000;

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
    let value = read_answer(engine, &run, decision, answer).await?;
    engine.decide(&run, &id, value.clone()).await?;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "decision": decision, "answer": value }));
    } else {
        out.say(&format!("Recorded. Go on with: {}", out.resuming(&run)));
    }
    Ok(Exit::Done)
}

/// JSON, or a bare word that is one of the options. Anything else is refused: an answer can't be taken back.
async fn read_answer(engine: &Engine, run: &RunId, decision: &str, answer: &str) -> Result<Value, Error> {
    let wrong = match serde_json::from_str(answer) {
        Ok(value) => return Ok(value),
        Err(wrong) => wrong,
    };
    let decisions = engine.show(run, None).await?.decisions;
    let asked = decisions.iter().find(|d| d.id == decision);
    let is_option = asked.is_some_and(|d| d.options.iter().any(|o| o.answer == answer));
    // A decision that is unknown or answered is told by the engine.
    if is_option || asked.is_none() {
        return Ok(Value::String(answer.to_owned()));
    }
    Err(Error::Invalid {
        code: "bad_answer",
        message: format!(
            "the answer is neither one of the options nor JSON: {}. Nothing was recorded.",
            misread(&wrong)
        ),
    })
}

async fn list(engine: &Engine, run: &RunId, only: Option<&str>, out: &Out) -> Result<Exit, Error> {
    let shown = engine.show(run, None).await?;
    let mut decisions = shown.decisions;
    decisions.retain(|d| only.is_none_or(|id| id == d.id));
    if let (Some(id), true) = (only, decisions.is_empty()) {
        return Err(Error::NotFound {
            message: format!("run {run} has no open decision {id}"),
        });
    }
    if out.json {
        let list: Vec<Value> = decisions.iter().map(asked::to_json).collect();
        out.object(&json!({ "decisions": list }));
        return Ok(Exit::Done);
    }
    if decisions.is_empty() {
        out.say("Nothing waits for you here.");
    }
    for decision in &decisions {
        out.say(&asked::lines(decision, out));
        for option in &decision.options {
            out.say(&format!(
                "       {} – {}",
                option.answer,
                piece(&option.consequence)
            ));
        }
        if let Some(about) = decision
            .about
            .as_deref()
            .filter(|_| decision.kind != DecisionKind::Replan)
        {
            let short: String = about.chars().take(ABOUT).collect();
            let more = if short.len() < about.len() { "…" } else { "" };
            out.say(&format!("     with: {}{more}", piece(&short)));
        }
        for line in decision.provenance.iter().flat_map(asked::provenance_lines) {
            out.say(&format!("     {line}"));
        }
        if let Some(form) = &decision.form {
            out.say(&format!("     form: {form}"));
        }
    }
    Ok(Exit::Done)
}
