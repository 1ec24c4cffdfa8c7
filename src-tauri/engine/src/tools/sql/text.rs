//! What a text of SQL is made of: its statements, each with the word that it begins with and its parameters. It reads the
//! tokens alone, so that it can tell of statements whose tables are not there; SQLite itself judges the rest.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::CharIndices;

/// One statement.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Spoken {
    /// Its first words in upper case, at most [`WORDS`] of them.
    pub words: Vec<String>,
    pub parameters: Parameters,
}

/// The parameters of a statement, numbered as SQLite numbers them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// The largest number, which is how many values there must be.
    pub count: usize,
    /// By what they are written as, with their mark: `:name`, `?3`.
    numbers: BTreeMap<String, usize>,
    /// As each number was written first.
    names: BTreeMap<usize, String>,
}

/// So many words tell what a statement is: `CREATE TEMP TRIGGER`.
const WORDS: usize = 3;

impl Spoken {
    /// In which `;` ends single steps and not the whole.
    fn is_trigger(&self) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        matches!(
            words[..],
            ["CREATE", "TRIGGER", ..] | ["CREATE", "TEMP" | "TEMPORARY", "TRIGGER"]
        )
    }
}

impl Parameters {
    /// The names without their marks, each once.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.values().map(|written| &written[1..]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether some have only a place: `?`, and those that a numbered one leaves before it.
    pub(super) fn has_unnamed(&self) -> bool {
        self.names.len() < self.count
    }

    fn add(&mut self, written: &str) {
        let next = self.count + 1;
        let number = match written.strip_prefix('?') {
            Some("") => next,
            // Larger ones than SQLite takes are refused by it.
            Some(digits) => digits.parse().unwrap_or(next),
            None => self.numbers.get(written).copied().unwrap_or(next),
        };
        if written != "?" {
            self.numbers.insert(written.to_owned(), number);
            self.names.entry(number).or_insert_with(|| written.to_owned());
        }
        self.count = self.count.max(number);
    }
}

/// The statements of a text, in order; empty ones are none. Linear in it.
pub(super) fn statements(sql: &str) -> Vec<Spoken> {
    let mut found = Vec::new();
    let mut open: Option<Spoken> = None;
    // Of a trigger: how far the end of its body has come.
    let mut end = End::Not;
    for token in (Tokens {
        sql,
        rest: sql.char_indices().peekable(),
    }) {
        if token == ";" {
            let is_inside = open.as_ref().is_some_and(Spoken::is_trigger) && end != End::Word;
            if is_inside {
                end = End::Step;
            } else {
                found.extend(open.take());
            }
            continue;
        }
        let statement = open.get_or_insert_default();
        end = match (end, token.eq_ignore_ascii_case("end")) {
            (End::Step, true) => End::Word,
            (End::Not | End::Step | End::Word, _) => End::Not,
        };
        let first = token.chars().next().unwrap_or_default();
        if first.is_alphabetic() && statement.words.len() < WORDS {
            statement.words.push(token.to_ascii_uppercase());
        }
        if matches!(first, '?' | ':' | '@' | '$') && (token.len() > 1 || first == '?') {
            statement.parameters.add(token);
        }
    }
    found.extend(open);
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Not,
    /// A step of the body is over.
    Step,
    /// The `END` after it has been read.
    Word,
}

/// Words, parameters and marks; texts, quoted names, blanks and comments are passed over.
struct Tokens<'s> {
    sql: &'s str,
    rest: Peekable<CharIndices<'s>>,
}

impl<'s> Iterator for Tokens<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        loop {
            let (start, c) = self.rest.next()?;
            match c {
                c if c.is_ascii_whitespace() => {}
                '-' if self.follows('-') => self.skip_past('\n'),
                '/' if self.follows('*') => self.skip_comment(),
                // What is quoted is a part of the statement all the same, and none of its words.
                '\'' | '"' | '`' => {
                    self.skip_quoted(c);
                    return Some(&self.sql[start..=start]);
                }
                '[' => {
                    self.skip_past(']');
                    return Some(&self.sql[start..=start]);
                }
                '?' => return Some(self.word(start, |c| c.is_ascii_digit())),
                ':' | '@' | '$' => return Some(self.word(start, is_of_word)),
                c if is_of_word(c) => return Some(self.word(start, is_of_word)),
                c => return Some(&self.sql[start..start + c.len_utf8()]),
            }
        }
    }
}

impl<'s> Tokens<'s> {
    fn follows(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, c)| *c == wanted).is_some()
    }

    fn skip_past(&mut self, last: char) {
        let _ = self.rest.find(|(_, c)| *c == last);
    }

    fn skip_comment(&mut self) {
        while self.rest.find(|(_, c)| *c == '*').is_some() {
            if self.follows('/') {
                return;
            }
        }
    }

    /// A doubled quote stands for one of its kind.
    fn skip_quoted(&mut self, quote: char) {
        loop {
            self.skip_past(quote);
            if !self.follows(quote) {
                return;
            }
        }
    }

    fn word(&mut self, start: usize, belongs: fn(char) -> bool) -> &'s str {
        while self.rest.next_if(|(_, c)| belongs(*c)).is_some() {}
        let end = self.rest.peek().map_or(self.sql.len(), |(at, _)| *at);
        &self.sql[start..end]
    }
}

/// As SQLite has it: letters, digits, `_`, `$` and all beyond ASCII.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sql: &str) -> Vec<(String, usize)> {
        let one = |spoken: Spoken| (spoken.words.join(" "), spoken.parameters.count);
        statements(sql).into_iter().map(one).collect()
    }

    #[test]
    fn statements_are_told_apart() {
        for (sql, expected) in [
            ("", vec![]),
            (" ; -- x;\n /* y; */ ;", vec![]),
            ("VACUUM", vec![("VACUUM", 0)]),
            (
                "insert into t values (';', 'it''s; ?', \";\", [;], `;`); vacuum;",
                vec![("INSERT INTO T", 0), ("VACUUM", 0)],
            ),
            (
                "CREATE TRIGGER a AFTER INSERT ON t BEGIN DELETE FROM u; SELECT CASE WHEN 1 THEN 2 END; END; SELECT 1",
                vec![("CREATE TRIGGER A", 0), ("SELECT", 0)],
            ),
            (
                "create temp trigger a begin select 1; end",
                vec![("CREATE TEMP TRIGGER", 0)],
            ),
            ("SELECT 'never closed", vec![("SELECT", 0)]),
            ("SELECT 1 /* never closed", vec![("SELECT", 0)]),
        ] {
            let expected: Vec<(String, usize)> =
                expected.into_iter().map(|(w, n)| (w.to_owned(), n)).collect();
            assert_eq!(told(sql), expected, "{sql}");
        }
    }

    /// SQLite itself is asked for the same numbers.
    #[test]
    fn parameters_are_numbered_as_sqlite_numbers_them() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for sql in [
            "SELECT 1",
            "SELECT ?, ?",
            "SELECT ?1, ?2, ?1",
            "SELECT ?3",
            "SELECT ?2, ?",
            "SELECT :a, @a, $a, :a",
            "SELECT :a, ?, :b, ?1",
            "SELECT ':no', \"?\", '@x' -- ?\n, ? /* ? */",
            "SELECT '{}' ->> '$.a', json_extract('{}', '$.b'), :größe",
            "SELECT 1 AS a$b, ?",
        ] {
            let statement = connection.prepare(sql).unwrap();
            let spoken = statements(sql).remove(0).parameters;
            assert_eq!(spoken.count, statement.parameter_count(), "{sql}");
            let named = (1..=spoken.count).filter_map(|ix| statement.parameter_name(ix));
            let mut named: Vec<&str> = named.map(|name| &name[1..]).collect();
            assert_eq!(spoken.has_unnamed(), named.len() < spoken.count, "{sql}");
            named.sort_unstable();
            named.dedup();
            assert_eq!(spoken.names(), named, "{sql}");
        }
    }
}
