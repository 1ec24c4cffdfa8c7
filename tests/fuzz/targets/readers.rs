//! Readers of documents, as a worker uses them: whatever the bytes, there is an answer in time and within bounds. A reader
//! that panics costs a worker and is an error to who asked, so that it breaks no promise here. It must not know who makes
//! up the bytes.
//!
//! A workbook is either its bytes, or its parts as they are before they are packed: `--- NAME`, a line break, what is in it.

use std::io::{Cursor, Write as _};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use planloom_engine::tools::ToolError;
use planloom_engine::tools::documents::{self, Kind};
use serde_json::Value as Json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A worker's.
const STACK: usize = 64 << 20;
/// No answer is larger when it is written.
const LARGEST: usize = 512 << 20;
const PART: &[u8] = b"--- ";

pub fn html(bytes: &[u8]) {
    let Some(read) = read(Kind::Html, bytes.to_vec()) else {
        return;
    };
    assert!(read["text"].is_string(), "no text in {read}");
}

/// Each page is a text, and where none has any, that is said.
pub fn pdf(bytes: &[u8]) {
    let Some(read) = read(Kind::Pdf, bytes.to_vec()) else {
        return;
    };
    let pages = read["pages"].as_array().expect("a list of pages");
    assert!(!pages.is_empty(), "a PDF without pages was read");
    let texts = pages.iter().map(|page| page.as_str().expect("a text"));
    let is_bare = texts.clone().all(str::is_empty);
    assert!(texts.into_iter().all(|text| !text.contains('\0')));
    assert!(
        !is_bare || read["note"].is_string(),
        "no text, and it is not said"
    );
}

/// Each row has each column, and a name of its own has each of these.
pub fn sheet(bytes: &[u8]) {
    let bytes = match bytes.starts_with(PART) {
        true => packed(bytes),
        false => bytes.to_vec(),
    };
    let Some(read) = read(Kind::Sheet, bytes) else {
        return;
    };
    let columns = read["columns"].as_array().expect("a list of columns");
    for row in read["rows"].as_array().expect("a list of rows") {
        let row = row.as_object().expect("an object");
        let names = row.keys().map(String::as_str);
        assert!(names.eq(columns.iter().map(|name| name.as_str().expect("a text"))));
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for part in parts(bytes) {
        let end = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
        let name = String::from_utf8_lossy(&part[..end]);
        // A name that stands twice is refused.
        if archive.start_file(&*name, stored).is_ok() {
            let _ = archive.write_all(part.get(end + 1..).unwrap_or_default());
        }
    }
    archive.finish().map(Cursor::into_inner).unwrap_or_default()
}

/// What follows each mark, up to the next.
fn parts(bytes: &[u8]) -> Vec<&[u8]> {
    let mark = [b"\n", PART].concat();
    let mut parts = Vec::new();
    let mut rest = &bytes[PART.len()..];
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        parts.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    parts.push(rest);
    parts
}

/// How many readers are at work: what panics in one is its own affair.
static READING: AtomicUsize = AtomicUsize::new(0);
static QUIET: Once = Once::new();

/// What was read; none where the document was refused with a reason.
fn read(kind: Kind, bytes: Vec<u8>) -> Option<Json> {
    QUIET.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if READING.load(Ordering::SeqCst) == 0 {
                told(panic);
            }
        }));
    });
    READING.fetch_add(1, Ordering::SeqCst);
    let work = move || documents::read(kind, bytes);
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let read = thread.expect("threads can be made").join();
    READING.fetch_sub(1, Ordering::SeqCst);
    match read {
        Ok(Ok(read)) => {
            assert!(read.to_string().len() < LARGEST, "too large to be answered");
            Some(read)
        }
        Ok(Err(ToolError::Permanent { code, message })) => {
            assert!(
                !code.is_empty() && !message.is_empty(),
                "refused without a reason"
            );
            None
        }
        Ok(Err(other)) => panic!("a document is no matter of {other:?}"),
        Err(_) => None,
    }
}
