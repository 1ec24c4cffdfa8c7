//! Documents as text and rows: `html.to_markdown`, `pdf.to_text`, `sheet.read`. The readers trust nothing: they are bounded
//! here, and in the programs they run in a worker process. They must not know where a document comes from.

mod html;
mod ods;
mod pdf;
mod sheet;
#[cfg(test)]
mod tests;
mod tool;
mod workbook;
mod xls;

pub(super) use html::markdown;
pub(super) use pdf::pages;
pub(super) use sheet::{Sheet, rows};
pub(super) use tool::{HtmlToMarkdown, PdfToText, SheetRead};

use tokio_util::sync::CancellationToken;

use super::ToolError;
use crate::model::Json;

/// Characters of a document's text, all pages together.
const MOST_TEXT: usize = 64 << 20;

/// The kinds of documents, for [`read`].
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Html,
    Pdf,
    Sheet,
}

/// What a worker does with a document, on the thread that calls: for those who try bytes that were made to break it.
pub fn read(kind: Kind, bytes: Vec<u8>) -> Result<Json, ToolError> {
    let never = CancellationToken::new();
    let first = Sheet {
        name: None,
        has_header: true,
    };
    match kind {
        Kind::Html => markdown(&bytes),
        Kind::Pdf => pages(&bytes, &never),
        Kind::Sheet => rows(&first, bytes, &never),
    }
}

fn bad(message: impl Into<String>) -> ToolError {
    ToolError::permanent("bad_document", message)
}

fn too_large(message: impl Into<String>) -> ToolError {
    ToolError::permanent("too_large", message)
}

fn encrypted(what: &str) -> ToolError {
    let message = format!("the {what} is encrypted; save a copy without a password");
    ToolError::permanent("encrypted", message)
}
