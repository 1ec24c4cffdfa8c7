//! `mine`: where programs and servers of earlier runs could write, and a person's word that what lies there is theirs. It
//! must not know runs.

use std::path::{Path, PathBuf};

use planloom_engine::tools::Hands;
use planloom_engine::{Error, rfc3339};
use serde_json::json;

use crate::exit::Exit;
use crate::out::{Out, piece};

pub fn mine(db: &Path, paths: &[PathBuf], out: &Out) -> Result<Exit, Error> {
    let hands = Hands::beside(db);
    if paths.is_empty() {
        return list(&hands, out);
    }
    for path in paths {
        if !path.exists() {
            return Err(Error::Invalid {
                code: "not_found",
                message: format!("there is nothing at `{}`; nothing was noted", path.display()),
            });
        }
    }
    for path in paths {
        // Anywhere is written as nothing.
        let path = if path.parent().is_none() {
            Path::new("")
        } else {
            path
        };
        hands.looked_at(path).map_err(unusable)?;
    }
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if out.json {
        out.object(&json!({ "mine": shown }));
    } else {
        for path in shown {
            out.say(&piece(&format!("What lies in {path} now counts as yours.")));
        }
    }
    Ok(Exit::Done)
}

fn list(hands: &Hands, out: &Out) -> Result<Exit, Error> {
    let places = hands.places().map_err(unusable)?;
    if out.json {
        let view = |(place, since): &(String, u64)| json!({ "place": named(place), "since": at(*since) });
        out.object(&json!({ "foreign": places.iter().map(view).collect::<Vec<_>>() }));
        return Ok(Exit::Done);
    }
    if places.is_empty() {
        out.say("No program and no server could write anywhere but in folders of its own.");
    }
    for (place, since) in places {
        let line = format!(
            "{}  (what was changed since {} counts as foreign)",
            named(&place),
            at(since)
        );
        out.say(&piece(&line));
    }
    Ok(Exit::Done)
}

fn named(place: &str) -> &str {
    if place.is_empty() { "/" } else { place }
}

fn at(ms: u64) -> String {
    rfc3339(i64::try_from(ms).unwrap_or(i64::MAX))
}

fn unusable(error: std::io::Error) -> Error {
    Error::Store {
        code: "hands",
        message: format!("the list of what programs could write can't be used ({error}); nothing was noted"),
    }
}
