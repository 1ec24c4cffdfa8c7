//! The text of a PDF, page by page. Pictures of text have none.

use lopdf::Document;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{MOST_TEXT, bad, too_large};
use crate::model::Json;
use crate::tools::ToolError;

const MOST_PAGES: usize = 5000;

pub(in crate::tools) fn pages(bytes: &[u8], cancel: &CancellationToken) -> Result<Json, ToolError> {
    let document =
        Document::load_mem(bytes).map_err(|e| bad(format!("this is no PDF that can be read: {e}")))?;
    if document.is_encrypted() {
        let message = "the PDF is encrypted; save a copy without a password";
        return Err(ToolError::permanent("encrypted", message));
    }
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    if numbers.len() > MOST_PAGES {
        return Err(too_large(format!("the PDF has more than {MOST_PAGES} pages")));
    }
    let mut pages = Vec::with_capacity(numbers.len());
    let mut size = 0;
    for number in numbers {
        if cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let text = text_of(&document, number);
        size += text.len();
        if size > MOST_TEXT {
            return Err(too_large(format!(
                "the PDF holds more than {} MiB of text",
                MOST_TEXT >> 20
            )));
        }
        pages.push(Json::String(text));
    }
    Ok(json!({ "pages": pages }))
}

/// What can be read of the page: a font that is not understood costs its pieces alone.
fn text_of(document: &Document, page: u32) -> String {
    let pieces = document.extract_text_chunks(&[page]).into_iter();
    let text: String = pieces.filter_map(Result::ok).collect();
    text.replace('\0', "").trim_end().to_owned()
}
