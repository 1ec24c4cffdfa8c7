//! `export`: a run as a file to be imported again, as a report, a picture or a trace; or its trace to an endpoint.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use planloom_engine::history::otlp::Contents;
use planloom_engine::model::picture::Theme;
use planloom_engine::model::{RunId, counted};
use planloom_engine::{Endpoint, Engine, Error, Form, Replace, Wanted};
use serde_json::json;

use crate::args;
use crate::exit::Exit;
use crate::keep::{shown, size};
use crate::out::{Out, piece};

/// Where headers for a receiver of traces are by custom, `name=value,name=value`, percent-encoded.
const HEADERS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"];

pub async fn export(engine: &Engine, args: args::Export, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(&args.run).await?;
    let contents = if args.with_content {
        Contents::Included
    } else {
        Contents::LeftOut
    };
    if let Some(url) = &args.otlp {
        return send(engine, &run, url, contents, out).await;
    }
    let to = args.to.clone().unwrap_or_default();
    let wanted = Wanted {
        form: args.form.unwrap_or_else(|| Form::of_file(&to)),
        theme: match args.theme {
            args::Theme::Light => Theme::Light,
            args::Theme::Dark => Theme::Dark,
        },
        contents,
    };
    if to == Path::new("-") {
        return to_stdout(engine, &run, wanted, args.form, out).await;
    }
    if wanted.form == Form::Run {
        return whole(engine, &run, &to, args.force, out).await;
    }
    let done = engine.export_as(&run, wanted, &to, replace(args.force)).await?;
    let file = shown(&done.file);
    if out.json {
        out.object(&json!({
            "run": run.as_str(), "file": file, "bytes": done.bytes, "as": wanted.form.word(), "notes": done.notes,
        }));
    } else {
        let notes: String = done.notes.iter().map(|note| format!(" {note}")).collect();
        out.say(&format!(
            "Run {run} as {} in {file} ({}).{notes}",
            wanted.form.word(),
            size(done.bytes)
        ));
    }
    Ok(Exit::Done)
}

async fn whole(engine: &Engine, run: &RunId, to: &Path, force: bool, out: &Out) -> Result<Exit, Error> {
    let done = engine.export_run(run, to, replace(force)).await?;
    let file = shown(&done.file);
    if out.json {
        out.object(&json!({ "run": run.as_str(), "file": file, "events": done.events, "bytes": done.bytes }));
    } else {
        out.say(&format!(
            "Run {run}: {} in {file} ({}). The files of its own folder are not in it.",
            counted(done.events, "event"),
            size(done.bytes)
        ));
    }
    Ok(Exit::Done)
}

/// The text itself and nothing else. What is no text would only steer the terminal.
async fn to_stdout(
    engine: &Engine,
    run: &RunId,
    wanted: Wanted,
    form: Option<Form>,
    out: &Out,
) -> Result<Exit, Error> {
    let is_said = form.is_some();
    if !is_said || !wanted.form.is_text() {
        let what = if is_said {
            "this form is no text; name a file"
        } else {
            "stdout has no ending that says a form; add --as markdown, html, svg, mermaid or otlp"
        };
        return Err(Error::Invalid {
            code: "usage",
            message: format!("nothing was written: {what}"),
        });
    }
    let rendered = engine.render(run, wanted).await?;
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(&rendered.bytes).and_then(|()| stdout.flush());
    for note in &rendered.notes {
        out.note(note);
    }
    match written {
        // Whoever read has gone.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Ok(Exit::Machine),
        Ok(()) | Err(_) => Ok(Exit::Done),
    }
}

async fn send(engine: &Engine, run: &RunId, url: &str, contents: Contents, out: &Out) -> Result<Exit, Error> {
    let endpoint = Endpoint::parse(url, &headers()?)?;
    let what = match contents {
        Contents::Included => "with what was said, given and returned",
        Contents::LeftOut => "without what was said, given and returned",
    };
    out.note(&format!(
        "The trace of run {run} goes to {}, {what}.",
        piece(&endpoint.shown())
    ));
    if endpoint.is_open() {
        out.note("It is not encrypted: whoever is on the way can read it.");
    }
    let sent = engine.send_trace(run, contents, &endpoint).await?;
    if out.json {
        out.object(&json!({
            "run": run.as_str(), "to": sent.to, "spans": sent.spans, "trace": sent.trace, "rejected": sent.rejected,
            "message": sent.said,
        }));
    } else {
        out.say(&format!(
            "{} sent, as trace {}.",
            counted(sent.spans as u64, "span"),
            sent.trace
        ));
    }
    if sent.rejected > 0 {
        let said = sent
            .said
            .map_or(String::new(), |said| format!(": {}", piece(&said)));
        out.note(&format!(
            "The receiver did not take {} of them{said}",
            sent.rejected
        ));
        return Ok(Exit::Machine);
    }
    Ok(Exit::Done)
}

fn headers() -> Result<HashMap<String, String>, Error> {
    let text = HEADERS
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .unwrap_or_default();
    let mut headers = HashMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Error::Invalid {
                code: "usage",
                message:
                    "OTEL_EXPORTER_OTLP_HEADERS is not of the form name=value,name=value; nothing was sent"
                        .to_owned(),
            });
        };
        headers.insert(name.trim().to_owned(), decoded(value.trim()));
    }
    Ok(headers)
}

/// Percent-encoded bytes as text; what is none stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        plain.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

fn replace(force: bool) -> Replace {
    if force { Replace::Allowed } else { Replace::Never }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn headers_are_percent_decoded() {
        assert_eq!(decoded("Basic%20dXNlcg%3D%3D"), "Basic dXNlcg==");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%é"), "%zz%é");
    }
}
