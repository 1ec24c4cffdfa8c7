//! The flags of `decide` as parts of one answer, and what an answer would come to in lines. It judges no answer.

use planloom_engine::Error;
use planloom_engine::views::ReplanPreview;
use serde_json::{Value, json};

use crate::args::Decide;
use crate::out::piece;

fn wrong(message: &str) -> Error {
    Error::Invalid {
        code: "bad_answer",
        message: format!("{message}. Nothing was recorded."),
    }
}

/// The flags say something about an answer, and there is none.
pub fn refuse_without_answer(args: &Decide) -> Result<(), Error> {
    let has_flags = args.look
        || args.note.is_some()
        || args.plan.is_some()
        || !args.only.is_empty()
        || args.digest.is_some();
    if has_flags {
        return Err(wrong(
            "`--only`, `--plan`, `--note`, `--digest` and `--look` go with a decision and an answer",
        ));
    }
    Ok(())
}

/// The answer with what the flags add to it.
pub fn with_flags(answer: Value, args: &Decide) -> Result<Value, Error> {
    let mut whole = match (answer.as_str(), &args.plan, &args.note) {
        (Some("accept"), Some(file), None) => json!({ "edit": read(file)? }),
        (Some("accept"), None, None) if !args.only.is_empty() => json!({ "accept": args.only }),
        (Some("again"), None, Some(note)) => json!({ "again": note }),
        (_, None, None) if args.only.is_empty() => answer,
        (_, None, Some(_)) => return Err(wrong("`--note` goes with the answer `again`")),
        (_, _, _) => return Err(wrong("`--only` and `--plan` go with the answer `accept`")),
    };
    if let Some(digest) = &args.digest {
        let map = whole
            .as_object_mut()
            .ok_or_else(|| wrong("`--digest` goes with `accept` and `--only` or `--plan`"))?;
        map.insert("digest".to_owned(), json!(digest));
    }
    Ok(whole)
}

fn read(file: &std::path::Path) -> Result<Value, Error> {
    let shown = file.display();
    let text =
        std::fs::read_to_string(file).map_err(|error| wrong(&format!("{shown} can't be read: {error}")))?;
    serde_json::from_str(&text).map_err(|error| {
        let why = planloom_engine::model::misread(&error);
        wrong(&format!("{shown} is no plan: {why}"))
    })
}

/// What would be signed, what is left out, and how to say that all of it is meant.
pub fn preview_lines(preview: &ReplanPreview) -> String {
    let mut lines: Vec<String> = preview.text.lines().map(piece).collect();
    if !preview.left_out.is_empty() {
        lines.push(piece(&format!("left out: {}", preview.left_out.join(", "))));
    }
    if !preview.beyond.is_empty() {
        lines.push("It asks for more than was shown before:".to_owned());
        lines.extend(preview.beyond.iter().map(|what| format!("  {}", piece(what))));
        lines.push(format!("To accept that, too, add: --digest {}", preview.digest));
    }
    lines.push("Nothing was recorded.".to_owned());
    lines.join("\n")
}
