//! The text of a PDF, page by page. What can't be read is an error that says what is wrong with the file, never a page that
//! looks empty; pictures have no text, which is told beside it.

use lopdf::xref::XrefRecovery;
use lopdf::{Document, Error, Object, ObjectId};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{MOST_TEXT, bad, encrypted, too_large};
use crate::model::Json;
use crate::tools::ToolError;

const MOST_PAGES: usize = 5000;
/// Where readers of PDFs look for its end, and how it reads.
const TAIL: usize = 2048;
const END: &[u8] = b"%%EOF";
const HEAD: &[u8] = b"%PDF-";

pub(in crate::tools) fn pages(bytes: &[u8], cancel: &CancellationToken) -> Result<Json, ToolError> {
    let file = File::open(bytes)?;
    let ids = file.pages()?;
    let mut bare = Bare {
        lost: file.promised().unwrap_or(0).saturating_sub(ids.len()),
        ..Bare::default()
    };
    let (mut pages, mut size) = (Vec::with_capacity(ids.len()), 0);
    for (number, id) in ids {
        if cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let text = file.text_of(number, id, &mut bare)?;
        size += text.len();
        if size > MOST_TEXT {
            return Err(too_large(format!(
                "the PDF holds more than {} MiB of text",
                MOST_TEXT >> 20
            )));
        }
        pages.push(Json::String(text));
    }
    let count = pages.len();
    let mut told = json!({ "pages": pages });
    if let Some(note) = bare.note(count)? {
        told["note"] = note.into();
    }
    Ok(told)
}

struct File {
    document: Document,
    /// Whether its parts had to be searched for, or its end is missing.
    is_damaged: bool,
}

impl File {
    fn open(bytes: &[u8]) -> Result<Self, ToolError> {
        if bytes.is_empty() {
            return Err(bad("the file is empty"));
        }
        if !holds(bytes, HEAD) {
            return Err(bad("this is no PDF: it has no `%PDF-` at its beginning"));
        }
        let has_end = holds(&bytes[bytes.len().saturating_sub(TAIL)..], END);
        let document = Document::load_mem(bytes).map_err(|error| {
            if matches!(error, Error::InvalidPassword | Error::Decryption(_)) {
                return encrypted("PDF");
            }
            let how = if has_end {
                "broken"
            } else {
                "cut off, its end is missing"
            };
            bad(format!("the PDF is {how}: {error}"))
        })?;
        // One that opens without a password has been decrypted.
        if document.is_encrypted() {
            return Err(encrypted("PDF"));
        }
        let is_damaged = !has_end || document.xref_recovery == Some(XrefRecovery::Reconstructed);
        Ok(Self { document, is_damaged })
    }

    /// By number from 1.
    fn pages(&self) -> Result<Vec<(u32, ObjectId)>, ToolError> {
        let pages: Vec<(u32, ObjectId)> = self.document.get_pages().into_iter().collect();
        let found = pages.len();
        if found > MOST_PAGES {
            return Err(too_large(format!("the PDF has more than {MOST_PAGES} pages")));
        }
        let promised = self.promised().unwrap_or(0);
        if self.is_damaged && promised > found {
            let message =
                format!("the PDF is cut off or broken: only {found} of its {promised} pages can be found");
            return Err(bad(message));
        }
        if found == 0 {
            return Err(bad(if self.is_damaged {
                "the PDF is cut off or broken: no pages can be found in it"
            } else {
                "the PDF has no pages"
            }));
        }
        Ok(pages)
    }

    /// As many pages as the file says that it has.
    fn promised(&self) -> Option<usize> {
        let root = self
            .document
            .catalog()
            .ok()?
            .get(b"Pages")
            .ok()?
            .as_reference()
            .ok()?;
        let count = self.document.get_dictionary(root).ok()?.get(b"Count").ok()?;
        usize::try_from(count.as_i64().ok()?).ok()
    }

    /// What can be read of the page: a font that is not understood costs its pieces alone.
    fn text_of(&self, number: u32, id: ObjectId, bare: &mut Bare) -> Result<String, ToolError> {
        let mut text = String::new();
        let mut why = None;
        for piece in self.document.extract_text_chunks(&[number]) {
            match piece {
                Ok(piece) => text.push_str(&piece),
                Err(error) => why = why.or(Some(error.to_string())),
            }
        }
        let text = text.replace('\0', "").trim_end().to_owned();
        if self.is_damaged || text.is_empty() {
            self.check_content(id)
                .map_err(|why| bad(format!("the PDF is cut off or broken: page {number} {why}")))?;
        }
        if text.is_empty() {
            match why {
                Some(why) => bare.unread.push((number, why)),
                None if self.has_picture(id) => bare.pictures += 1,
                None => bare.empty += 1,
            }
        }
        Ok(text)
    }

    /// Whether all that the page shows is there.
    fn check_content(&self, page: ObjectId) -> Result<(), String> {
        for id in self.document.get_page_contents(page) {
            let Ok(Object::Stream(stream)) = self.document.get_object(id) else {
                return Err("has lost its content".to_owned());
            };
            let is_packed = stream.filters().is_ok_and(|filters| !filters.is_empty());
            if is_packed && let Err(error) = stream.decompressed_content_with_limit(MOST_TEXT) {
                return Err(format!("can't be unpacked: {error}"));
            }
        }
        Ok(())
    }

    fn has_picture(&self, page: ObjectId) -> bool {
        let drawn = self.document.get_page_images(page);
        let is_inline = || {
            let content = self.document.get_page_content_with_limit(page, MOST_TEXT);
            content.is_ok_and(|content| holds(&content, b"BI") && holds(&content, b"ID"))
        };
        drawn.is_ok_and(|pictures| !pictures.is_empty()) || is_inline()
    }
}

/// Pages without text.
#[derive(Default)]
struct Bare {
    /// As many more as the file says that it has. Some are wrong about it.
    lost: usize,
    pictures: usize,
    empty: usize,
    /// They have some, and why it can't be told.
    unread: Vec<(u32, String)>,
}

impl Bare {
    /// What is to be known beside the text; an error where there is text and none of it can be read.
    fn note(&self, pages: usize) -> Result<Option<String>, ToolError> {
        let bare = self.pictures + self.empty + self.unread.len();
        if let (true, Some((number, why))) = (bare == pages, self.unread.first()) {
            let message = format!("none of the PDF's text can be read; on page {number}: {why}");
            return Err(bad(message));
        }
        let mut said = Vec::new();
        if bare == pages {
            said.push("no text".to_owned());
        }
        if self.lost > 0 {
            let promised = pages + self.lost;
            said.push(format!(
                "the PDF says that it has {promised} pages, {pages} can be found"
            ));
        }
        if self.pictures > 0 {
            said.push(format!(
                "{} of {pages} pages hold pictures and no text",
                self.pictures
            ));
        }
        if self.empty > 0 {
            said.push(format!("{} of {pages} pages are empty", self.empty));
        }
        if !self.unread.is_empty() {
            let numbers: Vec<String> = self.unread.iter().map(|(number, _)| number.to_string()).collect();
            said.push(format!(
                "the text of these pages can't be read: {}",
                numbers.join(", ")
            ));
        }
        Ok((!said.is_empty()).then(|| said.join("; ")))
    }
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
