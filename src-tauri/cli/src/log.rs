//! `log`: a run's events, each with its position, time, task and what happened, and what its calls came to. Positions are
//! what `show --at`, `rewind --to` and `fork --at` take.

use planloom_engine::model::ledger::{CostKind, Counted, Reserve, Usage};
use planloom_engine::{Engine, Error, Logged, Lost};
use serde_json::{Value, json};

use crate::args;
use crate::exit::Exit;
use crate::out::{Out, counted, grouped, piece, rfc3339, sentence};

/// Letters of a task's id before the columns behind it move.
const ID: usize = 16;
/// Positions that are named in a sentence.
const NAMED: usize = 4;

pub async fn log(engine: &Engine, args: &args::Log, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(&args.run).await?;
    let (from, to) = (args.from.unwrap_or(1), args.to.unwrap_or(u64::MAX));
    let mut log = engine.log(&run, from, to).await?;
    let mut is_any = false;
    loop {
        let page = log.next().await?;
        if page.is_empty() {
            break;
        }
        for logged in page
            .iter()
            .filter(|logged| is_wanted(logged, args.task.as_deref()))
        {
            is_any = true;
            if out.json {
                out.object(&to_json(logged));
            } else {
                out.give(&line(logged));
            }
        }
    }
    let open = if args.to.is_none() {
        log.left_open()
    } else {
        Vec::new()
    };
    if !open.is_empty() {
        out.note(&sentence(&never_answered(&open)));
    }
    if let (false, Some(task)) = (is_any, &args.task) {
        out.note(&format!("No event is about a task {}.", piece(task)));
    }
    Ok(Exit::Done)
}

/// The task's own, and those of what runs inside it.
fn is_wanted(logged: &Logged, task: Option<&str>) -> bool {
    let Some(wanted) = task else { return true };
    let inside = |task: &str| {
        task.strip_prefix(wanted)
            .map(|rest| rest.is_empty() || rest.starts_with(['[', '/']))
    };
    let is_own = logged.event.task.as_deref().and_then(inside).unwrap_or(false);
    is_own
        || logged.lost.iter().any(|lost| {
            lost.task
                .as_ref()
                .is_some_and(|t| inside(t.as_str()) == Some(true))
        })
}

fn to_json(logged: &Logged) -> Value {
    let event = &logged.event;
    let mut line = json!({
        "seq": event.seq, "at": rfc3339(event.at), "kind": event.kind, "task": event.task, "text": event.text,
    });
    if let Some(usage) = &logged.usage {
        line["usage"] = json!({
            "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "usd": usd(usage),
            "cost": usage.kind, "counted": usage.counted,
        });
    }
    if let Some(most) = &logged.most {
        line["most"] = most_json(most);
    }
    if !logged.lost.is_empty() {
        let one = |lost: &Lost| json!({ "seq": lost.seq, "task": lost.task.as_ref().map(|t| t.as_str()), "most": most_json(&lost.most) });
        line["lost"] = logged.lost.iter().map(one).collect();
    }
    line
}

/// Null where nobody knows.
fn usd(usage: &Usage) -> Option<String> {
    let is_bound = usage.counted == Counted::Lost && !usage.unpriced;
    (usage.kind != CostKind::Unknown || is_bound).then(|| usage.usd.to_string())
}

fn most_json(most: &Reserve) -> Value {
    json!({ "tokens": most.tokens, "usd": (!most.unpriced).then(|| most.usd.to_string()) })
}

fn line(logged: &Logged) -> String {
    let event = &logged.event;
    let task = event.task.as_deref().unwrap_or("-");
    let mut text = sentence(&event.text);
    if let Some(usage) = logged.usage.as_ref().and_then(came_to) {
        text.push_str(&format!(" [{usage}]"));
    }
    if !logged.lost.is_empty() {
        text.push_str(&format!(" [{}]", never_answered(&logged.lost)));
    }
    piece(&format!(
        "{:>6}  {}  {task:<ID$}  {text}",
        event.seq,
        rfc3339(event.at)
    ))
}

/// What a call came to, and whose word that is; nothing for what cost nothing.
fn came_to(usage: &Usage) -> Option<String> {
    let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
    let cost = match usage.kind {
        CostKind::Zero if tokens == 0 => return None,
        CostKind::Zero => "free".to_owned(),
        CostKind::Estimated => format!("${}", usage.usd),
        CostKind::Unknown => "cost unknown".to_owned(),
    };
    let (input, output) = (grouped(usage.input_tokens), grouped(usage.output_tokens));
    Some(match usage.counted {
        Counted::Told => format!("{input} tokens in, {output} out, {cost}"),
        Counted::Guessed => {
            format!("guessed, as no count came: at most {input} tokens in, {output} out, {cost}")
        }
        Counted::Lost if usage.unpriced => {
            format!("no answer came: up to {} tokens, cost unknown", grouped(tokens))
        }
        Counted::Lost => format!("no answer came: up to {} tokens, ${}", grouped(tokens), usage.usd),
    })
}

fn never_answered(lost: &[Lost]) -> String {
    let tokens = lost
        .iter()
        .fold(0_u64, |sum, lost| sum.saturating_add(lost.most.tokens));
    let seqs: Vec<String> = lost.iter().take(NAMED).map(|lost| lost.seq.to_string()).collect();
    let more = if lost.len() > NAMED { ", …" } else { "" };
    let events = if lost.len() == 1 { "event" } else { "events" };
    format!(
        "{} got no answer ({events} {}{more}): up to {} tokens in all",
        counted(lost.len(), "call"),
        seqs.join(", "),
        grouped(tokens)
    )
}

#[cfg(test)]
mod tests {
    use planloom_engine::views::EventView;

    use super::*;

    fn usage(kind: CostKind, counted: Counted) -> Usage {
        Usage {
            input_tokens: 1200,
            output_tokens: 80,
            usd: "0.004".parse().unwrap(),
            kind,
            counted,
            unpriced: false,
        }
    }

    fn logged(task: Option<&str>) -> Logged {
        let event = EventView {
            seq: 7,
            at: 0.0,
            kind: "call_finished".to_owned(),
            task: task.map(str::to_owned),
            text: "a\nb".to_owned(),
        };
        Logged {
            event,
            usage: Some(usage(CostKind::Estimated, Counted::Guessed)),
            most: None,
            lost: Vec::new(),
        }
    }

    #[test]
    fn each_call_says_whose_word_its_count_is() {
        let told = |kind, counted| came_to(&usage(kind, counted)).unwrap();
        assert_eq!(
            told(CostKind::Estimated, Counted::Told),
            "1,200 tokens in, 80 out, $0.004"
        );
        assert!(
            told(CostKind::Estimated, Counted::Guessed).starts_with("guessed, as no count came: at most")
        );
        assert!(
            told(CostKind::Unknown, Counted::Lost).starts_with("no answer came: up to 1,280 tokens, $0.004")
        );
        assert!(told(CostKind::Unknown, Counted::Told).ends_with("cost unknown"));
        let unpriced = Usage {
            unpriced: true,
            ..usage(CostKind::Unknown, Counted::Lost)
        };
        assert_eq!(
            came_to(&unpriced).as_deref(),
            Some("no answer came: up to 1,280 tokens, cost unknown")
        );
        assert_eq!(usd(&unpriced), None);
        let json = to_json(&logged(None));
        assert_eq!(
            (&json["usage"]["counted"], &json["usage"]["usd"]),
            (&json!("guessed"), &json!("0.004"))
        );
        assert_eq!(line(&logged(None)).lines().count(), 1);
    }

    #[test]
    fn a_task_stands_for_all_that_runs_inside_it() {
        for (task, is_in) in [
            (Some("map"), true),
            (Some("map[3]"), true),
            (Some("map/x"), true),
            (Some("mapper"), false),
            (None, false),
        ] {
            assert_eq!(is_wanted(&logged(task), Some("map")), is_in, "{task:?}");
        }
    }
}
