//! `file.read`: the whole of a text file.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::{Located, Walls};
use crate::model::Json;
use crate::model::foreseen::Foresee;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use crate::tools::blocking::{self, Stop};
use crate::tools::decode::decode;
use crate::tools::{CallContext, Tool, ToolError, arguments, spec};

/// No tool reads a larger file as a whole.
pub(in crate::tools) const LARGEST: u64 = 64 << 20;

pub(in crate::tools) struct FileRead {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
}

impl FileRead {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>) -> Self {
        let spec = Arc::new(ToolSpec {
            name: "file.read".to_owned(),
            description: "Reads a text file (UTF-8 or as `encoding` says, up to 64 MiB).".to_owned(),
            arguments: spec::shown(
                spec::object(
                    json!({
                        "path": spec::path("The file"),
                        "encoding": { "type": "string", "description": "Such as gbk or shift_jis; UTF-8 without it" },
                    }),
                    &["path"],
                ),
                json!({ "path": "notes/may.md" }),
            ),
            result: spec::object(json!({ "text": { "type": "string" } }), &["text"]),
            effect: Effect::Read,
            idempotency: Idempotency::Natural,
            touches: vec![Touch::one("path", Access::Read)],
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        });
        Self { spec, closed }
    }
}

#[async_trait]
impl Tool for FileRead {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn foresee(&self) -> Foresee {
        |known| {
            let folder = arguments::folder(known, "path").into_iter();
            folder.chain(arguments::unknown_encoding(known)).collect()
        }
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let walls = Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        };
        let work = move |stop: &Stop| {
            let located = walls.locate(arguments::text(&arguments, "path")?, Access::Read)?;
            let encoding = arguments.get("encoding").and_then(Json::as_str);
            encoding.map_or(Ok(()), arguments::known_encoding)?;
            Ok(json!({ "text": read_in(&located, encoding, stop)? }))
        };
        blocking::reading(&cx.cancel, work).await
    }
}

/// The file's text as UTF-8, or as UTF-16 where it is marked so, without that mark.
pub(in crate::tools) fn read_text(located: &Located, stop: &Stop) -> Result<String, ToolError> {
    read_in(located, None, stop)
}

/// The whole file, bounded.
pub(in crate::tools) fn read_bytes(located: &Located, stop: &Stop) -> Result<Vec<u8>, ToolError> {
    let (file, meta) = located.open()?;
    let too_large = || {
        let message = format!("`{}` has more than {} MiB", located.asked, LARGEST >> 20);
        ToolError::permanent("too_large", message)
    };
    if meta.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default());
    let mut rest = file.take(LARGEST + 1);
    let mut chunk = vec![0; 256 << 10];
    loop {
        stop.check()?;
        match rest.read(&mut chunk).map_err(|e| located.failed(&e))? {
            0 => break,
            read => bytes.extend_from_slice(&chunk[..read]),
        }
    }
    if bytes.len() as u64 > LARGEST {
        return Err(too_large());
    }
    Ok(bytes)
}

fn read_in(located: &Located, encoding: Option<&str>, stop: &Stop) -> Result<String, ToolError> {
    let bytes = read_bytes(located, stop)?;
    let label = encoding.unwrap_or("utf-8");
    let is_marked = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if is_marked || !label.eq_ignore_ascii_case("utf-8") {
        let decoded = decode(&bytes, Some(label));
        if decoded.is_whole {
            return Ok(decoded.text.into_owned());
        }
        let message = format!("`{}` is no text in {label}", located.asked);
        return Err(ToolError::permanent("not_text", message));
    }
    let mut text = String::from_utf8(bytes).map_err(|e| not_text(&located.asked, &e))?;
    if let Some(at) = text.find('\0') {
        let message = format!(
            "`{}` is no text: byte number {at} is a NUL; if it is text all the same, say in which `encoding`",
            located.asked
        );
        return Err(ToolError::permanent("not_text", message));
    }
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

fn not_text(path: &str, error: &std::string::FromUtf8Error) -> ToolError {
    let at = error.utf8_error().valid_up_to();
    let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
    let message = format!("`{path}` is not UTF-8 text: the first other byte is number {at}, in line {line}");
    ToolError::permanent("not_utf8", message)
}
