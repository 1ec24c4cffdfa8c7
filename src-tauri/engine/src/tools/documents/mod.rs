//! Documents as text and rows: `html.to_markdown`, `pdf.to_text`, `sheet.read`. The readers trust nothing: they are bounded
//! here, and in the programs they run in a worker process. They must not know where a document comes from.

mod html;
mod pdf;
mod sheet;
#[cfg(test)]
mod tests;
mod tool;

pub(super) use html::markdown;
pub(super) use pdf::pages;
pub(super) use sheet::{Sheet, rows};
pub(super) use tool::{HtmlToMarkdown, PdfToText, SheetRead};

use super::ToolError;

/// Characters of a document's text, all pages together.
const MOST_TEXT: usize = 64 << 20;

fn bad(message: impl Into<String>) -> ToolError {
    ToolError::permanent("bad_document", message)
}

fn too_large(message: impl Into<String>) -> ToolError {
    ToolError::permanent("too_large", message)
}
