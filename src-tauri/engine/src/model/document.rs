//! A plan document as it was written, right or wrong. It is untrusted: nothing runs from here. What it must
//! not know is how a plan runs; the way to a [`Plan`] is [`DraftPlan::to_plan`] alone.

use super::check::{self, Setting};
use super::grants::Place;
use super::plan::Plan;
use super::problem::{Code, Problem, Severity};
use super::read::{self, ReadError, ReadErrorKind};
use super::tool::Catalog;
use super::{Json, digest, edit, write};

/// Any JSON value that a person or a planner gave as a plan. Reading and writing keep everything that stands in
/// it, unknown fields included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftPlan {
    document: Json,
}

/// A plan with what is doubtful about it.
#[derive(Debug)]
pub struct Accepted {
    pub plan: Plan,
    /// Problems that block nothing.
    pub warnings: Vec<Problem>,
}

impl DraftPlan {
    /// Reads a plan's text. What can't be read without loss, or passes a bound, is refused here; everything
    /// else is told by [`DraftPlan::problems`].
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        read::read(text, &read::PLAN).map(Self::of).map_err(unreadable)
    }

    /// The same from bytes, which must be UTF-8.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, Vec<Problem>> {
        read::read_bytes(bytes, &read::PLAN)
            .map(Self::of)
            .map_err(unreadable)
    }

    /// A plan with nothing in it, to be drawn by a person.
    pub fn empty() -> Self {
        Self::of(serde_json::json!({ "version": 1, "tasks": [] }))
    }

    /// Wraps a document whose bounds have been checked.
    pub(super) fn of(document: Json) -> Self {
        Self { document }
    }

    pub fn document(&self) -> &Json {
        &self.document
    }

    /// The goal, where it is given as text.
    pub fn goal(&self) -> Option<&str> {
        self.document.get("goal")?.as_str()
    }

    /// How many tasks it lists, well formed or not.
    pub fn task_count(&self) -> usize {
        self.document()
            .get("tasks")
            .and_then(Json::as_array)
            .map_or(0, Vec::len)
    }

    /// The document as text: known fields in the design's order, unknown ones after them in their own.
    /// Writing what was read from this text gives the same text.
    pub fn to_text(&self) -> String {
        write::write_plan(&self.document)
    }

    /// The document after a JSON Patch (RFC 6902) of the kind that edits make. The order of keys is kept.
    pub fn patched(&self, patch: &Json) -> Result<Self, String> {
        edit::patched(&self.document, patch).map(Self::of)
    }

    /// The same without a copy of the document; one that the patch does not fit is left changed by half.
    pub fn patch(&mut self, patch: &Json) -> Result<(), String> {
        edit::patch_in_place(&mut self.document, patch)
    }

    /// Everything that is wrong or doubtful, errors first. No model is taken to be set up.
    pub fn problems(&self, catalog: &Catalog, place: &Place) -> Vec<Problem> {
        self.problems_in(&Setting {
            catalog,
            place,
            has_models: false,
        })
    }

    pub fn problems_in(&self, setting: &Setting<'_>) -> Vec<Problem> {
        check::problems(&self.document, setting)
    }

    /// The one way to a plan: all errors, or the plan with its warnings.
    pub fn to_plan(&self, catalog: &Catalog, place: &Place) -> Result<Accepted, Vec<Problem>> {
        self.to_plan_in(&Setting {
            catalog,
            place,
            has_models: false,
        })
    }

    pub fn to_plan_in(&self, setting: &Setting<'_>) -> Result<Accepted, Vec<Problem>> {
        let digest = digest::of_plan(self);
        check::plan(&self.document, None, setting, digest).map(|(plan, warnings)| Accepted { plan, warnings })
    }
}

/// Why a text is no plan document, as problems.
pub(super) fn unreadable(errors: Vec<ReadError>) -> Vec<Problem> {
    errors
        .into_iter()
        .map(|error| Problem {
            code: match error.kind {
                ReadErrorKind::TooLarge => Code::TooLarge,
                ReadErrorKind::Syntax | ReadErrorKind::RepeatedKey => Code::Syntax,
            },
            severity: Severity::Error,
            message: format!("{error}."),
            pointer: error.pointer,
            tasks: Vec::new(),
            fix: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rewritten(text: &str) -> String {
        DraftPlan::parse(text).unwrap().to_text()
    }

    #[test]
    fn known_fields_come_in_order_and_unknown_ones_stay_behind_them() {
        let text = rewritten(
            r#"{"zebra":[1.10,{"b":1,"a":2}],"tasks":[{"note":"n","dependencies":[],"plan":{"tasks":[],"goal":"g"},
               "instruction":"i","id":"a","inputs":{"z":1,"a":{"$from":"x"}},"retry":{"max_ms":9007199254740993,"max_attempts":2}}],
               "apple":null,"goal":"é"}"#,
        );
        let expected = r#"{
  "goal": "é",
  "tasks": [
    {
      "id": "a",
      "instruction": "i",
      "dependencies": [],
      "inputs": {
        "z": 1,
        "a": {"$from": "x"}
      },
      "retry": {"max_attempts": 2, "max_ms": 9007199254740993},
      "plan": {
        "goal": "g",
        "tasks": []
      },
      "note": "n"
    }
  ],
  "zebra": [
    1.10,
    {"b": 1, "a": 2}
  ],
  "apple": null
}
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_no_json_is_told_by_line_and_column() {
        let problems = DraftPlan::parse("No tools are needed for this; the answer is 42.").unwrap_err();
        assert_eq!(problems[0].code, Code::Syntax);
        assert_eq!(
            problems[0].message,
            "A JSON value was expected here at line 1, column 1."
        );
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            ".{0,12}".prop_map(Json::from),
        ];
        leaf.prop_recursive(5, 60, 6, |inner| {
            let key = prop_oneof![
                ".{0,4}",
                prop::sample::select(fields_of_all_kinds()).prop_map(str::to_owned)
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
                prop::collection::vec((key, inner), 0..6).prop_map(|entries| entries.into_iter().collect()),
            ]
        })
    }

    fn fields_of_all_kinds() -> Vec<&'static str> {
        super::super::fields::of_tasks()
            .chain(super::super::fields::PLAN)
            .collect()
    }

    proptest! {
        #[test]
        fn writing_is_stable_and_loses_nothing(document in any_json()) {
            let draft = DraftPlan::of(document);
            let text = draft.to_text();
            let again = DraftPlan::parse(&text).unwrap();
            prop_assert_eq!(&again, &draft);
            prop_assert_eq!(again.to_text(), text);
        }
    }
}
