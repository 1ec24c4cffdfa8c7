//! The commands, a few lines each: take what the window says, ask the engine once, hand back what it answers.
//! They know no rule about plans or runs.

pub mod approval;
pub mod compare;
pub mod drafts;
pub mod exporting;
pub mod finding;
pub mod home;
pub mod models;
pub mod planning;
pub mod proposals;
pub mod replans;
pub mod review;
pub mod revisions;
pub mod runs;
pub mod servers;
pub mod storage;
pub mod window;

use std::future::Future;

use planloom_engine::model::{Json, RunId};
use planloom_engine::{Engine, Error};

use crate::desk::Desk;
use crate::fault::Fault;

/// The largest value that one command takes from the window, in bytes of JSON text.
const MAX_VALUE: usize = 4 << 20;

/// Asks the engine on a task of its own, so that a panic there becomes a fault and never a window that waits for ever.
async fn ask<T, F, Fut>(desk: &Desk, call: F) -> Result<T, Fault>
where
    F: FnOnce(Engine) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, Error>> + Send + 'static,
    T: Send + 'static,
{
    let engine = desk.engine()?;
    match tauri::async_runtime::spawn(async move { call(engine).await }).await {
        Ok(answer) => answer.map_err(Fault::from),
        Err(broken) => Err(Fault::internal(&broken.to_string())),
    }
}

/// Reads a value that came as JSON text, digits untouched.
fn value(text: &str, name: &str) -> Result<Json, Fault> {
    if text.len() > MAX_VALUE {
        return Err(Fault::new(
            "too_large",
            format!("`{name}` is larger than 4 MiB. Nothing was changed."),
        ));
    }
    serde_json::from_str(text).map_err(|e| {
        Fault::new(
            "syntax",
            format!("`{name}` is not JSON ({e}). Nothing was changed."),
        )
    })
}

/// Reads an answer: JSON, or a bare word that is then a JSON string.
fn answer(text: &str) -> Result<Json, Fault> {
    match value(text, "answer") {
        Err(fault) if fault.code == "syntax" => Ok(Json::String(text.to_owned())),
        read => read,
    }
}

fn run_id(text: String) -> RunId {
    RunId::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_digits() {
        let text = r#"{"a":12345678901234567890123,"b":1.10}"#;
        assert_eq!(value(text, "answer").expect("JSON").to_string(), text);
    }

    #[test]
    fn values_that_are_not_json_or_too_large_are_faults() {
        assert_eq!(value("{", "answer").expect_err("cut").code, "syntax");
        let large = format!("\"{}\"", "x".repeat(MAX_VALUE));
        assert_eq!(value(&large, "answer").expect_err("large").code, "too_large");
        assert_eq!(answer("accept").expect("a word"), Json::from("accept"));
        assert_eq!(answer("\"accept\"").expect("JSON"), Json::from("accept"));
        assert_eq!(answer(&large).expect_err("large").code, "too_large");
        let deep = "[".repeat(100_000);
        assert_eq!(value(&deep, "answer").expect_err("deep").code, "syntax");
    }
}
