//! The table of marks between which models think aloud, and where they stand in a text. It must not know what is a
//! thought and what only speaks of one.

/// Names of tags, in any case.
const TAGS: [&str; 4] = ["think", "thinking", "thought", "reasoning"];
/// Between brackets, as Magistral writes it; in this case alone, as small letters in brackets are prose.
const BRACKETS: [&str; 2] = ["[THINK]", "[/THINK]"];
/// How many pairs there are.
pub(super) const KINDS: usize = TAGS.len() + 1;
/// Of the attributes that a tag may have.
const MOST_ATTRIBUTES: usize = 100;

/// One mark in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub at: usize,
    /// Behind it.
    pub end: usize,
    /// Which of the pairs.
    pub kind: usize,
    pub is_open: bool,
}

/// What a text begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// `end` counts from this beginning.
    Mark(Mark),
    /// Nothing yet, but what is still to come may make it one.
    Part,
    Other,
}

/// All of them, in order.
pub fn marks(text: &str) -> Vec<Mark> {
    let places = text.match_indices(['<', '[']);
    let found = places.filter_map(|(at, _)| match look(&text[at..]) {
        Look::Mark(mark) => Some(Mark {
            at,
            end: at + mark.end,
            ..mark
        }),
        Look::Part | Look::Other => None,
    });
    found.collect()
}

/// Says which marks close which, in time that grows with their number alone.
pub struct Closing<'m> {
    marks: &'m [Mark],
    /// Kinds of which no more are closed.
    is_over: [bool; KINDS],
}

impl<'m> Closing<'m> {
    pub fn of(marks: &'m [Mark]) -> Self {
        Self {
            marks,
            is_over: [false; KINDS],
        }
    }

    /// The mark that closes this one: inner pairs of the kind stand between. Where there are more that open than close, as
    /// when a thought speaks of its own tag, the last that closes; `None`: it is never closed. To be asked in order, and
    /// on from what was found.
    pub fn of_mark(&mut self, opening: usize) -> Option<&'m Mark> {
        let kind = self.marks.get(opening)?.kind;
        if self.is_over[kind] {
            return None;
        }
        let (mut depth, mut last) = (0_usize, None);
        for mark in self.marks[opening..].iter().filter(|mark| mark.kind == kind) {
            if mark.is_open {
                depth += 1;
                continue;
            }
            last = Some(mark);
            depth = depth.saturating_sub(1);
            if depth == 0 {
                break;
            }
        }
        self.is_over[kind] = last.is_none();
        last
    }
}

pub(super) fn look(text: &str) -> Look {
    match text.as_bytes().first() {
        Some(b'<') => tag(text),
        Some(b'[') => bracket(text),
        Some(_) | None => Look::Other,
    }
}

fn bracket(text: &str) -> Look {
    for (word, is_open) in BRACKETS.into_iter().zip([true, false]) {
        if text.starts_with(word) {
            return found(word.len(), KINDS - 1, is_open);
        }
        if word.starts_with(text) {
            return Look::Part;
        }
    }
    Look::Other
}

fn tag(text: &str) -> Look {
    let inside = text[1..].strip_prefix('/');
    let is_open = inside.is_none();
    let inside = inside.unwrap_or(&text[1..]);
    let length = inside.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, behind) = inside.split_at(length);
    if behind.is_empty() {
        let is_part = TAGS
            .iter()
            .filter_map(|tag| tag.get(..length))
            .any(|part| part.eq_ignore_ascii_case(name));
        return if is_part { Look::Part } else { Look::Other };
    }
    let Some(kind) = TAGS.iter().position(|tag| tag.eq_ignore_ascii_case(name)) else {
        return Look::Other;
    };
    let before = text.len() - behind.len();
    if behind.starts_with('>') {
        return found(before + 1, kind, is_open);
    }
    if !behind.starts_with([' ', '\t', '/', '\n']) {
        return Look::Other;
    }
    let mut attributes = behind.bytes().take(MOST_ATTRIBUTES);
    match attributes.position(|byte| matches!(byte, b'<' | b'>')) {
        // What has words in it and no value is prose.
        Some(at) if behind.as_bytes()[at] == b'>' && is_attributes(&behind[..at]) => {
            found(before + at + 1, kind, is_open)
        }
        None if behind.len() < MOST_ATTRIBUTES => Look::Part,
        Some(_) | None => Look::Other,
    }
}

fn is_attributes(text: &str) -> bool {
    text.trim().is_empty() || text.contains('=')
}

fn found(end: usize, kind: usize, is_open: bool) -> Look {
    Look::Mark(Mark {
        at: 0,
        end,
        kind,
        is_open,
    })
}
