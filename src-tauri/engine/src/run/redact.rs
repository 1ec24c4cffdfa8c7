//! Takes secrets out of whatever comes back, before anything is stored: those that the plan names, and those that a
//! call has been given, as they are and in the forms in which they travel.

use crate::llm::Models;
use crate::model::Json;
use crate::model::plan::{Input, Plan, Task};
use crate::model::redactor;

#[derive(Clone, Default)]
pub struct Redactor(redactor::Redactor);

impl Redactor {
    /// Every secret that the plan names and that is set now; a later call may add one that was set since.
    pub fn of_plan(plan: &Plan) -> Self {
        let mut redactor = Self::default();
        redactor.add_plan(plan);
        redactor
    }

    /// The same of another version of the plan, beside those that are known.
    pub fn add_plan(&mut self, plan: &Plan) {
        let mut names = Vec::new();
        plan.visit(&mut |task, _| names.extend(secrets_of(task)));
        for name in names {
            self.add_all(&std::env::var(name).into_iter().collect::<Vec<_>>());
        }
    }

    /// The keys of the providers that are set up: a tool may come across one of them too.
    pub fn add_keys(&mut self, models: &Models) {
        let keys = models.keys().map(|key| key.expose().to_owned());
        self.add_all(&keys.collect::<Vec<_>>());
    }

    pub fn add_all(&mut self, secrets: &[String]) {
        self.0.add(secrets.iter().map(String::as_str));
    }

    /// Whether a secret stands somewhere in these bytes.
    pub fn finds_in(&self, bytes: &[u8]) -> bool {
        !self.0.is_empty() && self.0.finds_in(&String::from_utf8_lossy(bytes))
    }

    pub fn text(&self, text: &str) -> String {
        self.0.clean(text)
    }

    pub fn value(&self, value: Json) -> Json {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Json::String(text) => Json::String(self.text(&text)),
            Json::Array(items) => Json::Array(items.into_iter().map(|v| self.value(v)).collect()),
            Json::Object(map) => Json::Object(
                map.into_iter()
                    .map(|(k, v)| (self.text(&k), self.value(v)))
                    .collect(),
            ),
            Json::Number(number) => {
                let text = number.to_string();
                let clean = self.text(&text);
                if clean == text {
                    Json::Number(number)
                } else {
                    Json::String(clean)
                }
            }
            other @ (Json::Null | Json::Bool(_)) => other,
        }
    }
}

/// Names of the secrets that a task's arguments take.
pub fn secrets_of(task: &Task) -> Vec<String> {
    let mut names = Vec::new();
    let mut open: Vec<&Input> = task.inputs.iter().map(|(_, i)| i).collect();
    while let Some(input) = open.pop() {
        match input {
            Input::Secret(name) => names.push(name.to_string()),
            Input::Template { with, .. } => open.extend(with.iter().flatten().map(|(_, input)| input)),
            Input::Object(entries) => open.extend(entries.iter().map(|(_, input)| input)),
            Input::Array(items) => open.extend(items),
            Input::From { .. } | Input::Literal(_) | Input::Param(_) | Input::Item { .. } | Input::Index => {}
        }
    }
    names.reverse();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_of_a_secret_is_taken_out_everywhere() {
        let mut redactor = Redactor::default();
        redactor.add_all(&["s3cret/key".to_owned(), "20261129".to_owned(), String::new()]);
        let value = json!({ "s3cret/key": ["a s3cret/key b", 202_611_290, "czNjcmV0L2tleQ==", "s3cret%2Fkey", "7333637265742f6b6579", "fine", 7] });
        let clean = redactor.value(value);
        assert_eq!(
            clean,
            json!({ "•••": ["a ••• b", "•••0", "•••==", "•••", "•••", "fine", 7] })
        );
    }
}
