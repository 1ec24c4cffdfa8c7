//! A query in the words of FTS5. Every word is quoted, so that nothing that a person types is a part of its language. It must
//! not know how a query is read.

use super::text::spaced;
use crate::model::query::Term;

/// All terms have to be in a text. None of them: nothing to look for.
pub(super) fn of(terms: &[Term]) -> Option<String> {
    let words: Vec<String> = terms.iter().map(quoted).collect();
    // Without `AND`: so one that holds no word to the tokenizer is passed over instead of finding nothing.
    (!words.is_empty()).then(|| words.join(" "))
}

fn quoted(term: &Term) -> String {
    let text = spaced(&term.text.replace('\0', " ")).replace('"', "\"\"");
    let star = if term.is_prefix { " *" } else { "" };
    format!("\"{text}\"{star}")
}
