//! `decide`: what a run asks, and the answer, which is recorded and starts nothing.

use planloom_engine::model::{DecisionId, RunId, misread};
use planloom_engine::{Engine, Error};
use serde_json::{Value, json};

use crate::args::Decide;
use crate::exit::Exit;
use crate::out::{Out, piece};
use crate::{asked, decide_words};
use planloom_engine::views::DecisionKind;

/// How much of what a decision is about stands in a line, in characters; `--json` has all of it.
const ABOUT: usize = 2_000;

pub async fn decide(engine: &Engine, args: Decide, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(&args.run).await?;
    let (Some(decision), Some(answer)) = (args.decision.as_deref(), args.answer.as_deref()) else {
        decide_words::refuse_without_answer(&args)?;
        return list(engine, &run, args.decision.as_deref(), out).await;
    };
    let id = DecisionId::from(decision);
    let value = read_answer(engine, &run, decision, answer).await?;
    let value = decide_words::with_flags(value, &args)?;
    if args.look {
        return look(engine, &run, &id, &value, out).await;
    }
    engine.decide(&run, &id, value.clone()).await?;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "decision": decision, "answer": value }));
    } else {
        out.say(&format!("Recorded. Go on with: {}", out.resuming(&run)));
    }
    Ok(Exit::Done)
}

/// What accepting a new plan so would come to. Exits with 2 where it can't be taken so.
async fn look(
    engine: &Engine,
    run: &RunId,
    decision: &DecisionId,
    answer: &Value,
    out: &Out,
) -> Result<Exit, Error> {
    let preview = engine.preview_replan(run, decision, answer).await?;
    let is_taken = preview.refused.is_empty();
    if out.json {
        out.object(&json!({
            "run": run.as_str(), "decision": decision.as_str(), "ok": is_taken, "refused": preview.refused,
            "digest": preview.digest, "changes": preview.lines, "beyond": preview.beyond,
            "left_out": preview.left_out,
        }));
    } else if is_taken {
        out.say(&decide_words::preview_lines(&preview));
    } else {
        out.say("It can't be taken so:");
        preview
            .refused
            .iter()
            .for_each(|why| out.say(&format!("  {}", piece(why))));
    }
    Ok(if is_taken { Exit::Done } else { Exit::Wrong })
}

/// JSON, or a bare word that is one of the options. Anything else is refused: an answer can't be taken back.
async fn read_answer(engine: &Engine, run: &RunId, decision: &str, answer: &str) -> Result<Value, Error> {
    let wrong = match serde_json::from_str(answer) {
        Ok(value) => return Ok(value),
        Err(wrong) => wrong,
    };
    let decisions = engine.show(run, None).await?.decisions;
    let asked = decisions.iter().find(|d| d.id == decision);
    let options = asked.map_or_else(Vec::new, |d| {
        d.options.iter().map(|o| o.answer.as_str()).collect()
    });
    let is_option = asked.is_some_and(|d| d.options.iter().any(|o| o.answer == answer));
    // A decision that is unknown or answered is told by the engine.
    if is_option || asked.is_none() {
        return Ok(Value::String(answer.to_owned()));
    }
    if !options.is_empty() {
        let message = format!(
            "`{}` is none of the answers: {}. Nothing was recorded.",
            piece(answer),
            options.join(", ")
        );
        return Err(Error::Invalid {
            code: "bad_answer",
            message,
        });
    }
    Err(Error::Invalid {
        code: "bad_answer",
        message: format!(
            "the answer is no JSON: {}. Nothing was recorded.",
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
