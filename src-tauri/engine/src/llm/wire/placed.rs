//! What only a provider can read, kept with the place where it stood in an answer, so that it goes back there. It must
//! not know what it is.

use serde_json::json;

use crate::llm::{Sealed, Thought};
use crate::model::Json;

/// `at` counts the texts and calls that stood before it.
pub fn seal(wire: &str, at: usize, value: &Json) -> Sealed {
    Sealed {
        wire: wire.to_owned(),
        text: json!({ "at": at, "value": value }).to_string(),
    }
}

/// The place and the value, if it is of this wire.
pub fn open(wire: &str, sealed: Option<&Sealed>) -> Option<(usize, Json)> {
    let sealed = sealed.filter(|sealed| sealed.wire == wire)?;
    let mut whole: Json = serde_json::from_str(&sealed.text).ok()?;
    let at = whole.get("at")?.as_u64()?;
    let value = whole.get_mut("value")?.take();
    Some((usize::try_from(at).ok()?, value))
}

/// What was said, with the thoughts of this wire where they stood. `thought` puts one into words, if it can.
pub fn interleave(
    wire: &str,
    said: Vec<Json>,
    thoughts: &[Thought],
    thought: impl Fn(&Thought, Json) -> Option<Json>,
) -> Vec<Json> {
    let mut placed = thoughts
        .iter()
        .filter_map(|one| {
            let (at, value) = open(wire, one.sealed.as_ref())?;
            Some((at, thought(one, value)?))
        })
        .peekable();
    let mut all = Vec::new();
    for (before, one) in said.into_iter().enumerate() {
        while let Some((_, thought)) = placed.next_if(|(at, _)| *at <= before) {
            all.push(thought);
        }
        all.push(one);
    }
    all.extend(placed.map(|(_, thought)| thought));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_stand_where_they_stood_and_only_in_their_own_wire() {
        let thought = |wire: &str, at: usize, value: &str| Thought {
            text: String::new(),
            sealed: Some(seal(wire, at, &json!(value))),
        };
        let thoughts = [
            thought("w", 0, "a"),
            thought("w", 0, "b"),
            thought("other", 0, "x"),
            Thought::default(),
            thought("w", 1, "c"),
            thought("w", 9, "d"),
        ];
        let said = vec![json!(1), json!(2)];
        let all = interleave("w", said, &thoughts, |_, value| Some(value));
        assert_eq!(Json::Array(all).to_string(), r#"["a","b",1,"c",2,"d"]"#);
        let broken = Sealed {
            wire: "w".to_owned(),
            text: "{".to_owned(),
        };
        assert_eq!(open("w", Some(&broken)), None);
    }
}
