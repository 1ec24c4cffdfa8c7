//! What a person types to find runs again: words, "phrases", beginnings*, and filters such as `tag:prices`. Every text is a
//! query: what is no filter is looked for as it stands. It must not know how anything is found.

use serde::Serialize;

use super::status::RunStatus;
use super::tags;

/// Words of one query; what lies beyond is left out and told.
const MOST_TERMS: usize = 24;
/// Letters of one query.
const LONGEST: usize = 1_000;

const MINUTE_MS: i64 = 60 * 1000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Where something was found. The larger number is the stronger name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Title, goal, or the title and instruction of a task.
    Plan,
    /// What a tool was called with.
    Call,
    /// What a person was asked.
    Question,
    /// What a tool gave, or how a call failed.
    Observation,
    /// What a model said.
    Answer,
    /// What a task or the run gave in the end.
    Output,
}

impl Found {
    const ALL: [Self; 6] = [
        Self::Plan,
        Self::Call,
        Self::Question,
        Self::Observation,
        Self::Answer,
        Self::Output,
    ];

    pub fn number(self) -> i64 {
        self as i64
    }

    pub fn of_number(number: i64) -> Self {
        let known = Self::ALL.into_iter().find(|place| place.number() == number);
        known.unwrap_or(Self::Observation)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Call => "call",
            Self::Question => "question",
            Self::Observation => "observation",
            Self::Answer => "answer",
            Self::Output => "output",
        }
    }
}

/// A word or phrase that has to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub text: String,
    /// Its last word may go on.
    pub is_prefix: bool,
}

/// A query, read. What is empty does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// All of them.
    pub terms: Vec<Term>,
    /// All of them.
    pub tags: Vec<String>,
    /// Any of them.
    pub states: Vec<RunStatus>,
    /// UTC milliseconds; of a run's newest event.
    pub since_ms: Option<i64>,
    /// UTC milliseconds, without this one; of a run's newest event.
    pub until_ms: Option<i64>,
    /// An id or its beginning.
    pub run: Option<String>,
    /// What was read otherwise than it may have been meant, in sentences.
    pub notes: Vec<String>,
}

impl Query {
    /// Reads any text; `now_ms` is what `since:7d` counts back from.
    pub fn read(text: &str, now_ms: i64) -> Self {
        let mut query = Self::default();
        let mut rest: String = text.chars().take(LONGEST).collect();
        if rest.len() < text.len() {
            query.note(format!(
                "Only the first {LONGEST} letters of the query were looked for."
            ));
        }
        rest = rest.replace(char::is_control, " ");
        let mut rest = rest.as_str();
        while let Some((piece, left)) = next_piece(rest) {
            rest = left;
            query.take(&piece, now_ms);
        }
        query
    }

    /// Whether there is nothing to look for in texts.
    pub fn is_wordless(&self) -> bool {
        self.terms.is_empty()
    }

    fn take(&mut self, piece: &Piece<'_>, now_ms: i64) {
        let is_taken = match piece.filter {
            Some((name, value)) => self.filter(name, value, now_ms),
            None => false,
        };
        if is_taken {
            return;
        }
        let text = piece.text.trim();
        // A text without a letter or digit says nothing that could be found.
        if !text.chars().any(char::is_alphanumeric) {
            return;
        }
        if self.terms.len() == MOST_TERMS {
            self.note(format!(
                "Only the first {MOST_TERMS} words of the query were looked for."
            ));
            return;
        }
        self.terms.push(Term {
            text: text.to_owned(),
            is_prefix: piece.is_prefix,
        });
    }

    /// False: it is none, and is looked for as text.
    fn filter(&mut self, name: &str, value: &str, now_ms: i64) -> bool {
        match name {
            "tag" => match tags::read(value) {
                Ok(tag) => self.tags.push(tag),
                Err(bad) => return self.refuse(&format!("{bad}, so it was looked for as text.")),
            },
            "state" => match states(value) {
                Some(states) => self.states.extend(states),
                None => {
                    return self.refuse(&format!(
                        "There is no state `{value}`, so it was looked for as text. States are draft, running, paused, \
                         waiting, blocked, succeeded, failed and cancelled."
                    ));
                }
            },
            "since" | "until" => match moment(value, now_ms) {
                Some((begin, _)) if name == "since" => self.since_ms = Some(begin),
                Some((_, end)) => self.until_ms = Some(end),
                None => {
                    return self.refuse(&format!(
                        "`{value}` is no time, so it was looked for as text. Times are such as 2026-03-31 (UTC), 7d, 12h or 30m."
                    ));
                }
            },
            "run" if !value.is_empty() => self.run = Some(value.to_owned()),
            _ => return false,
        }
        true
    }

    fn refuse(&mut self, why: &str) -> bool {
        self.note(why.to_owned());
        false
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// What stands between two blanks, or in quotes.
struct Piece<'a> {
    text: &'a str,
    is_prefix: bool,
    filter: Option<(&'a str, &'a str)>,
}

fn next_piece(text: &str) -> Option<(Piece<'_>, &str)> {
    let text = text.trim_start();
    if text.is_empty() {
        return None;
    }
    if let Some(inside) = text.strip_prefix('"') {
        let (phrase, rest) = quoted(inside);
        let (is_prefix, rest) = starred(rest);
        return Some((plain(phrase, is_prefix), rest));
    }
    let end = text
        .find(|c: char| c.is_whitespace() || c == '"')
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let filter = word.split_once(':');
    // `tag:"two"` is a filter as `tag:two` is.
    if let Some((name, "")) = filter
        && let Some(inside) = rest.strip_prefix('"')
    {
        let (value, rest) = quoted(inside);
        let piece = Piece {
            filter: Some((name, value)),
            ..plain(value, false)
        };
        return Some((piece, rest));
    }
    let (is_prefix, shown) = match word.strip_suffix('*') {
        Some(begin) => (true, begin),
        None => (false, word),
    };
    let piece = Piece {
        filter,
        ..plain(shown, is_prefix)
    };
    Some((piece, rest))
}

fn plain(text: &str, is_prefix: bool) -> Piece<'_> {
    Piece {
        text,
        is_prefix,
        filter: None,
    }
}

/// Up to the next quote; one that is never closed ends with the text.
fn quoted(inside: &str) -> (&str, &str) {
    inside.split_once('"').unwrap_or((inside, ""))
}

fn starred(rest: &str) -> (bool, &str) {
    rest.strip_prefix('*').map_or((false, rest), |rest| (true, rest))
}

/// The states that a word means: `failed`, or `over` for several.
pub fn states(word: &str) -> Option<Vec<RunStatus>> {
    let word = word.to_lowercase().replace('-', "_");
    Some(match word.as_str() {
        "draft" | "awaiting_approval" => vec![RunStatus::AwaitingApproval],
        "running" => vec![RunStatus::Running],
        "paused" => vec![RunStatus::Paused],
        "waiting" => vec![RunStatus::Waiting],
        "blocked" => vec![RunStatus::Blocked],
        "succeeded" | "done" => vec![RunStatus::Succeeded],
        "failed" => vec![RunStatus::Failed],
        "cancelled" | "canceled" => vec![RunStatus::Cancelled],
        "over" => vec![RunStatus::Succeeded, RunStatus::Failed, RunStatus::Cancelled],
        _ => return None,
    })
}

/// From when to when a word means, the end not included: a day in UTC, a moment (RFC 3339), or so long ago.
fn moment(word: &str, now_ms: i64) -> Option<(i64, i64)> {
    if let Ok(at) = word.parse::<jiff::Timestamp>() {
        let at = at.as_millisecond();
        return Some((at, at.saturating_add(1)));
    }
    if let Ok(day) = format!("{word}T00:00:00Z").parse::<jiff::Timestamp>() {
        let begin = day.as_millisecond();
        return Some((begin, begin.saturating_add(DAY_MS)));
    }
    let unit = word.chars().last()?;
    let number: i64 = word.strip_suffix(unit)?.parse().ok().filter(|n| *n >= 0)?;
    let each = match unit {
        'm' => MINUTE_MS,
        'h' => HOUR_MS,
        'd' => DAY_MS,
        'w' => 7 * DAY_MS,
        _ => return None,
    };
    let at = now_ms.saturating_sub(number.saturating_mul(each));
    Some((at, at.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn terms(text: &str) -> Vec<(String, bool)> {
        let read = Query::read(text, NOW);
        read.terms
            .into_iter()
            .map(|term| (term.text, term.is_prefix))
            .collect()
    }

    fn of(words: &[(&str, bool)]) -> Vec<(String, bool)> {
        words
            .iter()
            .map(|&(word, is_prefix)| (word.to_owned(), is_prefix))
            .collect()
    }

    #[test]
    fn words_phrases_and_beginnings_are_read() {
        assert_eq!(
            terms("margin  report"),
            of(&[("margin", false), ("report", false)])
        );
        assert_eq!(
            terms("\"gross margin\" rep*"),
            of(&[("gross margin", false), ("rep", true)])
        );
        assert_eq!(
            terms("\"gross mar\"* x"),
            of(&[("gross mar", true), ("x", false)])
        );
        assert_eq!(terms("say\"cheese\""), of(&[("say", false), ("cheese", false)]));
        assert_eq!(terms("\"never closed"), of(&[("never closed", false)]));
        assert_eq!(
            terms("AND OR NOT NEAR(a b) col:x ^y"),
            of(&[
                ("AND", false),
                ("OR", false),
                ("NOT", false),
                ("NEAR(a", false),
                ("b)", false),
                ("col:x", false),
                ("^y", false)
            ])
        );
        assert_eq!(terms("\"\" !!! * ()"), of(&[]));
    }

    #[test]
    fn filters_are_read_and_what_is_none_is_text() {
        let read = Query::read("tag:Prices state:failed tag:\"q3\" run:0192 word", NOW);
        assert_eq!(read.tags, ["prices", "q3"]);
        assert_eq!(read.states, [RunStatus::Failed]);
        assert_eq!(read.run.as_deref(), Some("0192"));
        assert_eq!(read.terms.len(), 1);
        assert!(read.notes.is_empty());
        let odd = Query::read("state:odd since:someday http://x.test tag:-", NOW);
        assert_eq!(odd.terms.len(), 4, "{odd:?}");
        assert_eq!(odd.notes.len(), 3, "{odd:?}");
    }

    #[test]
    fn times_are_days_moments_or_so_long_ago() {
        let read = Query::read("since:2026-03-31 until:2026-03-31", NOW);
        assert_eq!(read.until_ms.unwrap() - read.since_ms.unwrap(), DAY_MS);
        assert_eq!(Query::read("since:7d", NOW).since_ms, Some(NOW - 7 * DAY_MS));
        let at = Query::read("since:2026-03-31T10:00:00Z", NOW).since_ms;
        assert_eq!(at, Some(1_774_951_200_000));
        assert_eq!(Query::read("since:9223372036854775807d", NOW).notes.len(), 0);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_said() {
        let many = "word ".repeat(100);
        let read = Query::read(&many, NOW);
        assert_eq!((read.terms.len(), read.notes.len()), (MOST_TERMS, 1));
        let long = Query::read(&"ä".repeat(100_000), NOW);
        assert_eq!((long.terms.len(), long.notes.len()), (1, 1));
    }
}
