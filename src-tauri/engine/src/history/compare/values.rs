//! Two JSON values side by side: every place at which they differ, numbers as written. Entries of lists are lined up, so
//! that one that was put in moves the others and changes none. It must not know tasks.

use super::sequence;
use super::text::{self, Spaces, narrow};
use crate::model::Json;
use crate::model::json::{canonical_digest, push_step};
use crate::views::{Pointers, ShownValue, TextDiff, ValueDiff};

/// Places that are told, and texts that are told line by line.
const MOST_VALUES: usize = 1_000;
const MOST_TEXTS: usize = 20;
/// Bytes of one value that are shown.
const LONGEST_VALUE: usize = 2_000;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub texts: Vec<TextDiff>,
    pub values: Vec<ValueDiff>,
    pub values_left_off: u32,
    /// Values, each as large as can be, that both have.
    pub equal: u32,
}

/// What differs from `a` to `b`. The other way round it is the mirror image, to the last place.
pub fn compare(a: &Json, b: &Json, spaces: Spaces) -> Found {
    // Of several shortest ways from one to the other, the same one is found from both sides.
    let (text_a, text_b) = (a.to_string(), b.to_string());
    let is_in_order = text_a <= text_b;
    let mut walk = Walk {
        spaces,
        found: Found::default(),
    };
    let root = || Place {
        a: String::new(),
        b: String::new(),
    };
    if is_in_order {
        walk.go_into(root(), a, b);
        return walk.found;
    }
    walk.go_into(root(), b, a);
    mirrored(walk.found)
}

/// A and B change places.
fn mirrored(found: Found) -> Found {
    let turned = |at: Pointers| Pointers { a: at.b, b: at.a };
    let values = found.values.into_iter().map(|value| ValueDiff {
        at: turned(value.at),
        a: value.b,
        b: value.a,
    });
    let texts = found.texts.into_iter().map(|text| text::mirrored(text, turned));
    Found {
        values: values.collect(),
        texts: texts.collect(),
        ..found
    }
}

struct Walk {
    spaces: Spaces,
    found: Found,
}

/// The same value in both, by JSON Pointers.
#[derive(Clone)]
struct Place {
    a: String,
    b: String,
}

impl Place {
    fn at(&self, step_a: &str, step_b: &str) -> Self {
        let mut inner = self.clone();
        push_step(&mut inner.a, step_a);
        push_step(&mut inner.b, step_b);
        inner
    }
}

impl Walk {
    fn go_into(&mut self, place: Place, a: &Json, b: &Json) {
        if a == b {
            self.found.equal = self.found.equal.saturating_add(1);
            return;
        }
        match (a, b) {
            (Json::Object(old), Json::Object(new)) => {
                let added = new.keys().filter(|key| !old.contains_key(*key));
                for key in old.keys().chain(added) {
                    let inner = place.at(key, key);
                    match (old.get(key), new.get(key)) {
                        (Some(old), Some(new)) => self.go_into(inner, old, new),
                        (old, new) => self.tell(inner, old, new),
                    }
                }
            }
            (Json::Array(old), Json::Array(new)) => self.line_up(&place, old, new),
            (Json::String(old), Json::String(new))
                if is_text(old, new) && self.found.texts.len() < MOST_TEXTS =>
            {
                let at = pointers(place, true, true);
                self.found.texts.push(text::compare(old, new, at, self.spaces));
            }
            _ => self.tell(place, Some(a), Some(b)),
        }
    }

    /// Entries that are equal hold on to each other; those between are gone into one by one.
    fn line_up(&mut self, place: &Place, old: &[Json], new: &[Json]) {
        let (a, b) = sequence::numbered(old.iter().map(canonical_digest), new.iter().map(canonical_digest));
        for stretch in sequence::compare(&a, &b).stretches {
            if stretch.is_same {
                self.found.equal = self.found.equal.saturating_add(narrow(stretch.a.len()));
                continue;
            }
            for ix in 0..stretch.a.len().max(stretch.b.len()) {
                let (in_a, in_b) = (stretch.a.start + ix, stretch.b.start + ix);
                let inner = place.at(&in_a.to_string(), &in_b.to_string());
                let old = old.get(in_a).filter(|_| in_a < stretch.a.end);
                let new = new.get(in_b).filter(|_| in_b < stretch.b.end);
                match (old, new) {
                    (Some(old), Some(new)) => self.go_into(inner, old, new),
                    (old, new) => self.tell(inner, old, new),
                }
            }
        }
    }

    fn tell(&mut self, place: Place, a: Option<&Json>, b: Option<&Json>) {
        if self.found.values.len() >= MOST_VALUES {
            self.found.values_left_off = self.found.values_left_off.saturating_add(1);
            return;
        }
        self.found.values.push(ValueDiff {
            at: pointers(place, a.is_some(), b.is_some()),
            a: a.map(shown),
            b: b.map(shown),
        });
    }
}

fn pointers(place: Place, has_a: bool, has_b: bool) -> Pointers {
    Pointers {
        a: has_a.then_some(place.a),
        b: has_b.then_some(place.b),
    }
}

fn is_text(a: &str, b: &str) -> bool {
    a.contains('\n') || b.contains('\n')
}

fn shown(value: &Json) -> ShownValue {
    let mut json = value.to_string();
    if json.len() <= LONGEST_VALUE {
        return ShownValue { json, left_out: 0 };
    }
    let mut end = LONGEST_VALUE;
    while !json.is_char_boundary(end) {
        end -= 1;
    }
    let left_out = narrow(json.len() - end);
    json.truncate(end);
    ShownValue { json, left_out }
}

#[cfg(test)]
mod tests;
