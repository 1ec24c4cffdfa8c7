//! Answers that say more than one word: a new plan taken in part or in a person's own version, another try with a note, a
//! call with other arguments. It must not know runs, nor whether what is said can be done.

use crate::model::Json;
use crate::model::status::DecisionKind;

/// The longest note to the replanner, in bytes.
pub const LONGEST_NOTE: usize = 8 * 1024;

/// What a person says to a new plan.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplanAnswer {
    Accept(Acceptance),
    /// Another proposal is wanted; with the person's words, where there are any.
    Again(String),
    Reject,
    Stop,
}

/// How much of a new plan is accepted.
#[derive(Clone, Debug, PartialEq)]
pub enum Acceptance {
    /// All of it, as it was shown.
    Whole,
    /// Only these pieces of it.
    Part {
        pieces: Vec<String>,
        digest: Option<String>,
    },
    /// The plan as the person has changed it.
    Edited {
        document: Json,
        /// Of what was looked at: it also accepts what asks for more than was shown at first.
        digest: Option<String>,
    },
}

/// What may be said to a new plan beside the bare words.
const FORMS: &str = "{\"accept\": [\"change:task\", …]}, {\"edit\": the whole plan} or {\"again\": \"what to do differently\"}";

/// Reads the answer to a new plan. The error says what would be accepted.
pub fn read_replan(answer: &Json) -> Result<ReplanAnswer, String> {
    if let Some(word) = answer.as_str() {
        return match word {
            "accept" => Ok(ReplanAnswer::Accept(Acceptance::Whole)),
            "again" => Ok(ReplanAnswer::Again(String::new())),
            "reject" => Ok(ReplanAnswer::Reject),
            "stop" => Ok(ReplanAnswer::Stop),
            other => Err(format!("`{other}` is none of the choices")),
        };
    }
    let wrong = || format!("the answer must be one of the words, or such as {FORMS}");
    let map = answer.as_object().ok_or_else(wrong)?;
    let mut acts = map.iter().filter(|(name, _)| *name != "digest");
    let (Some((act, said)), None) = (acts.next(), acts.next()) else {
        return Err(wrong());
    };
    let digest = match map.get("digest") {
        None | Some(Json::Null) => None,
        Some(Json::String(digest)) => Some(digest.clone()),
        Some(_) => return Err("`digest` must be the text that the preview gave".to_owned()),
    };
    match act.as_str() {
        "accept" => pieces(said).map(|pieces| ReplanAnswer::Accept(Acceptance::Part { pieces, digest })),
        "edit" if said.is_object() => Ok(ReplanAnswer::Accept(Acceptance::Edited {
            document: said.clone(),
            digest,
        })),
        "edit" => Err("`edit` must be the whole plan, an object with `tasks`".to_owned()),
        "again" => note(said).map(ReplanAnswer::Again),
        _ => Err(wrong()),
    }
}

fn pieces(said: &Json) -> Result<Vec<String>, String> {
    let items = said.as_array().filter(|items| !items.is_empty());
    let items = items.ok_or("`accept` must be a list of at least one piece, such as [\"change:task\"]")?;
    let text = |item: &Json| item.as_str().map(str::to_owned);
    let pieces: Option<Vec<String>> = items.iter().map(text).collect();
    pieces.ok_or_else(|| "`accept` must be a list of the pieces' names, as text".to_owned())
}

fn note(said: &Json) -> Result<String, String> {
    let text = said
        .as_str()
        .ok_or("`again` must be text for the replanner")?
        .trim();
    if text.len() > LONGEST_NOTE {
        return Err(format!(
            "the note to the replanner is {} bytes long, and at most {LONGEST_NOTE} are told",
            text.len()
        ));
    }
    Ok(text.to_owned())
}

/// The arguments that a person puts in the place of those of a call, if the answer says some.
pub fn changed_arguments(answer: &Json) -> Option<&Json> {
    let map = answer.as_object().filter(|map| map.len() == 1)?;
    map.get("allow").filter(|arguments| arguments.is_object())
}

/// The choice that an answer comes to which is more than that word, for those who can't read all of it.
pub fn choice_of(kind: DecisionKind, answer: &Json) -> Option<String> {
    let map = answer.as_object()?;
    let has = |name: &str| map.contains_key(name);
    let word = match kind {
        DecisionKind::Replan if has("accept") || has("edit") => "accept",
        DecisionKind::Replan if has("again") => "again",
        DecisionKind::Effect if has("allow") => "allow",
        DecisionKind::Replan
        | DecisionKind::Effect
        | DecisionKind::Approval
        | DecisionKind::Question
        | DecisionKind::Grant
        | DecisionKind::InDoubt
        | DecisionKind::Budget
        | DecisionKind::Blocked => return None,
    };
    Some(word.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_is_read_and_nothing_else() {
        let part = read_replan(&json!({ "accept": ["add:a", "change:b"] })).unwrap();
        assert_eq!(
            part,
            ReplanAnswer::Accept(Acceptance::Part {
                pieces: vec!["add:a".to_owned(), "change:b".to_owned()],
                digest: None
            })
        );
        assert_eq!(
            read_replan(&json!({ "again": "  Use the feed. " })),
            Ok(ReplanAnswer::Again("Use the feed.".to_owned()))
        );
        assert!(matches!(
            read_replan(&json!({ "edit": { "tasks": [] }, "digest": "x" })),
            Ok(ReplanAnswer::Accept(Acceptance::Edited { digest: Some(_), .. }))
        ));
        for wrong in [
            json!(null),
            json!(1),
            json!("maybe"),
            json!({}),
            json!({ "accept": [] }),
            json!({ "accept": "all" }),
            json!({ "accept": [1] }),
            json!({ "edit": [] }),
            json!({ "again": 1 }),
            json!({ "again": "x".repeat(LONGEST_NOTE + 1) }),
            json!({ "accept": ["a"], "again": "b" }),
            json!({ "digest": "x" }),
            json!({ "accept": ["a"], "digest": 1 }),
        ] {
            assert!(read_replan(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_an_answer_comes_to_is_told_where_it_is_more_than_a_word() {
        let of = |kind, answer: Json| choice_of(kind, &answer);
        assert_eq!(of(DecisionKind::Replan, json!("accept")), None);
        assert_eq!(
            of(DecisionKind::Replan, json!({ "edit": {} })).as_deref(),
            Some("accept")
        );
        assert_eq!(
            of(DecisionKind::Effect, json!({ "allow": {} })).as_deref(),
            Some("allow")
        );
        assert_eq!(of(DecisionKind::Question, json!({ "allow": {} })), None);
    }
}
