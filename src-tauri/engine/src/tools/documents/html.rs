//! HTML as Markdown. What is nested beyond all reason is refused before a parser sees it.

use serde_json::json;

use super::{MOST_TEXT, bad, too_large};
use crate::model::Json;
use crate::tools::ToolError;
use crate::tools::decode::decode;

const LARGEST: usize = 16 << 20;
const DEEPEST: usize = 1000;
/// Enough for what [`DEEPEST`] lets through, on any thread.
const STACK: usize = 32 << 20;
/// What is no part of the text.
const SKIPPED: [&str; 5] = ["script", "style", "noscript", "template", "iframe"];
/// Elements without an end, or whose end the next one implies.
const OPEN_ENDED: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "optgroup",
    "option", "p", "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// Bytes in the encoding that they name, else UTF-8.
pub(in crate::tools) fn markdown(bytes: &[u8]) -> Result<Json, ToolError> {
    if bytes.len() > LARGEST {
        return Err(too_large(format!("the page has more than {} MiB", LARGEST >> 20)));
    }
    let html = decode(bytes, charset(bytes).as_deref()).text;
    if depth(&html) > DEEPEST {
        let message = format!("the page nests its elements more than {DEEPEST} deep");
        return Err(ToolError::permanent("too_deep", message));
    }
    let text = std::thread::scope(|scope| {
        let work = || converted(&html);
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        thread
            .map_err(|e| e.to_string())?
            .join()
            .map_err(|_| "the reader broke down".to_owned())?
    });
    let text = text.map_err(|e| bad(format!("the page can't be read: {e}")))?;
    // What is nested is indented, each line of it.
    if text.len() > MOST_TEXT {
        let most = MOST_TEXT >> 20;
        return Err(too_large(format!(
            "the page becomes more than {most} MiB of text"
        )));
    }
    Ok(json!({ "text": text }))
}

fn converted(html: &str) -> Result<String, String> {
    htmd::HtmlToMarkdown::builder()
        .skip_tags(SKIPPED.to_vec())
        .build()
        .convert(html)
        .map_err(|e| e.to_string())
}

/// As the page's head says it.
fn charset(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]).to_ascii_lowercase();
    let (_, rest) = head.split_once("charset=")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let name: String = rest
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| is_part(*c))
        .collect();
    (!name.is_empty()).then_some(name)
}

/// At least how deep elements are nested, told from the tags alone. Linear.
fn depth(html: &str) -> usize {
    let (mut now, mut most) = (0usize, 0usize);
    for tag in html.split('<').skip(1) {
        let is_end = tag.starts_with('/');
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .take(12)
            .collect::<String>()
            .to_ascii_lowercase();
        if name.is_empty() || OPEN_ENDED.contains(&name.as_str()) {
            continue;
        }
        now = if is_end { now.saturating_sub(1) } else { now + 1 };
        most = most.max(now);
    }
    most
}
