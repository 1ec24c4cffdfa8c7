//! A report as Markdown. Every text of others is escaped so that it stays text: no heading, link, image or HTML comes of it.

use std::fmt::Write as _;

use super::{Block, Report, Span};
use crate::model::picture::plain;

/// Writes the report.
pub fn markdown(report: &Report) -> String {
    let mut text = format!("# {}\n", escaped(&report.title));
    for block in &report.blocks {
        write_block(&mut text, block, "");
    }
    text
}

// Writing into a text does not fail.
fn write_block(text: &mut String, block: &Block, indent: &str) {
    let mut own = String::new();
    match block {
        Block::Heading(level, words) => {
            let marks = "#".repeat(usize::from(*level));
            let _ = writeln!(own, "{marks} {}", escaped(words));
        }
        Block::Paragraph(spans) => {
            let _ = writeln!(own, "{}", line(spans));
        }
        Block::Facts(facts) => {
            for (name, spans) in facts {
                let _ = writeln!(own, "- **{}:** {}", escaped(name), line(spans));
            }
        }
        Block::Table(head, rows) => table(&mut own, head, rows),
        Block::List(is_numbered, items) => {
            for (nth, item) in items.iter().enumerate() {
                let mark = if *is_numbered {
                    format!("{}. ", nth + 1)
                } else {
                    "- ".to_owned()
                };
                list_item(&mut own, &mark, item);
            }
        }
        Block::Verbatim(words) => verbatim(&mut own, words),
        Block::Quote(blocks) => {
            let mut inner = String::new();
            for block in blocks {
                write_block(&mut inner, block, "");
            }
            for line in inner.trim().lines() {
                let _ = writeln!(own, "> {line}");
            }
        }
        Block::Rule => own.push_str("---\n"),
        // It stands beside, as an export of its own.
        Block::Picture => return,
    }
    text.push_str(indent.trim_end());
    text.push('\n');
    for line in own.lines() {
        text.push_str(if line.is_empty() { "" } else { indent });
        text.push_str(line);
        text.push('\n');
    }
}

fn list_item(text: &mut String, mark: &str, blocks: &[Block]) {
    let mut inner = String::new();
    for block in blocks {
        write_block(&mut inner, block, "");
    }
    let indent = " ".repeat(mark.len());
    for (nth, line) in inner.trim_matches('\n').lines().enumerate() {
        let lead = if nth == 0 { mark } else { &indent };
        let _ = writeln!(text, "{}", format!("{lead}{line}").trim_end());
    }
}

fn table(text: &mut String, head: &[String], rows: &[Vec<Vec<Span>>]) {
    let names: Vec<String> = head.iter().map(|name| escaped(name)).collect();
    let _ = writeln!(text, "| {} |", names.join(" | "));
    let _ = writeln!(text, "|{}", " --- |".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| line(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// A fence that is longer than any in the text.
fn verbatim(text: &mut String, words: &str) {
    let longest = words.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(text, "{fence}text");
    for line in words.lines() {
        let _ = writeln!(text, "{}", plain_line(line));
    }
    let _ = writeln!(text, "{fence}");
}

/// As it stands, but for what steers.
fn plain_line(line: &str) -> String {
    let blanks: String = line.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    // Blanks inside count too, so word by word.
    let words = line.trim_start().split(' ').map(plain);
    format!("{blanks}{}", words.collect::<Vec<_>>().join(" "))
}

fn line(spans: &[Span]) -> String {
    let parts = spans.iter().map(|span| match span {
        Span::Text(text) => escaped(text),
        Span::Strong(text) if text.trim().is_empty() => escaped(text),
        Span::Strong(text) => {
            let (lead, trail) = (lead(text), trail(text));
            format!("{lead}**{}**{trail}", escaped(text.trim()))
        }
        Span::Code(text) => code(text),
        Span::State(_, label) => format!("**{label}**"),
        Span::Break => "<br>".to_owned(),
    });
    let line = parts.collect::<String>();
    line.trim().to_owned()
}

fn lead(text: &str) -> &'static str {
    if text.starts_with(char::is_whitespace) {
        " "
    } else {
        ""
    }
}

fn trail(text: &str) -> &'static str {
    if text.ends_with(char::is_whitespace) {
        " "
    } else {
        ""
    }
}

/// In a span of code nothing is escaped, so that its fence must be longer; a pipe would still end a table's cell.
fn code(text: &str) -> String {
    let text = plain(text);
    if text.is_empty() {
        return String::new();
    }
    if text.contains(['|', '`', '\\']) {
        return escaped(&text);
    }
    format!("`{text}`")
}

/// In one line; everything that Markdown or HTML would take for a sign there is written as a letter.
pub(super) fn escaped(text: &str) -> String {
    let (lead, trail) = (lead(text), trail(text));
    let text = plain(text);
    let mut own = String::with_capacity(text.len() + 8);
    own.push_str(lead);
    for (at, c) in text.char_indices() {
        match c {
            '<' => own.push_str("&lt;"),
            '>' => own.push_str("&gt;"),
            '&' => own.push_str("&amp;"),
            // Addresses would become links by themselves on many pages.
            '@' => own.push_str("&#64;"),
            ':' if text[at + 1..].starts_with('/') => own.push_str("&#58;"),
            '.' if is_www(&text[..at]) => own.push_str("&#46;"),
            '\\' | '*' | '_' | '`' | '[' | ']' | '|' | '~' | '$' => {
                own.push('\\');
                own.push(c);
            }
            // Only what begins a line makes a heading, a list or a rule.
            '#' | '-' | '+' | '=' if at == 0 => {
                own.push('\\');
                own.push(c);
            }
            '.' | ')' if at > 0 && text[..at].bytes().all(|b| b.is_ascii_digit()) => {
                own.push('\\');
                own.push(c);
            }
            c => own.push(c),
        }
    }
    if !text.is_empty() {
        own.push_str(trail);
    }
    own
}

fn is_www(before: &str) -> bool {
    before.len() >= 3
        && before.is_char_boundary(before.len() - 3)
        && before[before.len() - 3..].eq_ignore_ascii_case("www")
}
