//! Reads a text once for its faults, and then again in parts: the tasks of a plan, one at a time. It must not know what
//! the parts are for.

use super::{Bounds, Json, ReadError, Reader};

/// As [`super::read`], but of the list of tasks only the places in the text where they begin: it is empty in the value.
pub(in crate::model) fn read_around_tasks(
    text: &str,
    bounds: &Bounds,
) -> Result<(Json, Vec<u32>), Vec<ReadError>> {
    let mut reader = Reader::new(text, bounds);
    reader.task_starts = Some(Vec::new());
    reader.whole()
}

/// The value that begins at this place of a text that has been read before.
pub(in crate::model) fn read_again(text: &str, start: u32, bounds: &Bounds) -> Json {
    let mut reader = Reader::new(text, bounds);
    reader.at = start as usize;
    reader.value().unwrap_or_default()
}

/// One field, if the value that begins at this place is an object and has it; what comes after it is not looked at.
pub(in crate::model) fn read_field_again(
    text: &str,
    start: u32,
    name: &str,
    bounds: &Bounds,
) -> Option<Json> {
    let mut reader = Reader::new(text, bounds);
    reader.at = start as usize;
    if !reader.eat(b'{') {
        return None;
    }
    loop {
        reader.blank();
        if reader.peek() != Some(b'"') {
            return None;
        }
        let key = reader.string().ok()?;
        reader.blank();
        reader.eat(b':');
        reader.blank();
        let value = reader.value().ok()?;
        if key == name {
            return Some(value);
        }
        reader.blank();
        reader.eat(b',');
    }
}
