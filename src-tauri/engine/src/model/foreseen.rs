//! What can be told of a call or of code before the run: arguments that speak a language of their own (a template, SQL, a
//! pattern) are read by whoever will read them then. It must not know those languages.

use super::Json;
use super::problem::Code;

/// The arguments of a call as far as a plan says them. Where only the run will know a value there is a hole.
#[derive(Clone, Copy)]
pub struct Foreseen<'a> {
    pub arguments: &'a Json,
    /// JSON Pointers of the holes, in which `arguments` has null.
    pub holes: &'a [String],
}

impl<'a> Foreseen<'a> {
    /// An argument that is given, and known with all in it.
    pub fn known(&self, name: &str) -> Option<&'a Json> {
        let value = self.arguments.get(name).filter(|value| !value.is_null())?;
        let is_open = self.holes.iter().any(|hole| top(hole) == name);
        (!is_open).then_some(value)
    }

    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.known(name)?.as_str()
    }

    /// The names in an object, whatever their values will be. None where the object itself is only known in the run.
    pub fn names_in(&self, name: &str) -> Option<Vec<&'a str>> {
        match self.arguments.get(name) {
            None => Some(Vec::new()),
            Some(Json::Object(map)) => Some(map.keys().map(String::as_str).collect()),
            Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => None,
        }
    }

    /// The same arguments with something in each hole. An argument with a hole for itself is left out.
    pub fn filled(&self, stand_in: &Json) -> Json {
        let mut whole = self.arguments.clone();
        for hole in self.holes {
            match whole.pointer_mut(hole) {
                Some(place) if hole.rfind('/') != Some(0) => *place = stand_in.clone(),
                Some(_) | None => {
                    if let Some(map) = whole.as_object_mut() {
                        map.remove(&top(hole));
                    }
                }
            }
        }
        whole
    }
}

/// The argument in which a pointer leads.
fn top(pointer: &str) -> String {
    let step = pointer.split('/').nth(1).unwrap_or_default();
    step.replace("~1", "/").replace("~0", "~")
}

/// What is certainly wrong with an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The argument, by its name.
    pub argument: String,
    pub code: Code,
    /// What is wrong, without a capital and without a full stop.
    pub message: String,
}

impl Fault {
    /// Of a text that can't be read in its language.
    pub fn unreadable(argument: &str, message: impl Into<String>) -> Self {
        Self {
            argument: argument.to_owned(),
            code: Code::BadExpression,
            message: message.into(),
        }
    }

    pub fn argument(argument: &str, message: impl Into<String>) -> Self {
        Self {
            argument: argument.to_owned(),
            code: Code::BadArguments,
            message: message.into(),
        }
    }
}

/// What a tool finds wrong with its arguments beyond their schema. Must end soon, whatever they hold.
pub type Foresee = fn(&Foreseen<'_>) -> Vec<Fault>;

/// What reading a task's code came to. Nothing of it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeVerdict {
    Fine,
    /// Line and column count from 1 in the source.
    Wrong {
        line: Option<u32>,
        column: Option<u32>,
        message: String,
    },
    /// It was not to be read in the time that there is. What is wrong with it, if anything, shows in the run.
    Unread,
}

/// Reads the sources of one plan. All of them together take a bounded time, whatever they hold.
pub trait ReadCode {
    /// `names` are the variables that the code is given.
    fn read(&mut self, source: &str, names: &[&str]) -> CodeVerdict;
}

/// Starts reading the sources of a plan.
pub type StartReading = fn() -> Box<dyn ReadCode>;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn holes_are_no_values() {
        let arguments =
            json!({"sql": "SELECT", "params": [1, null], "with": {"a": null, "b": 2}, "url": null});
        let holes = ["/params/1", "/with/a", "/url"].map(str::to_owned);
        let foreseen = Foreseen {
            arguments: &arguments,
            holes: &holes,
        };
        assert_eq!(foreseen.text("sql"), Some("SELECT"));
        assert_eq!((foreseen.known("params"), foreseen.known("url")), (None, None));
        assert_eq!(foreseen.names_in("with"), Some(vec!["a", "b"]));
        assert_eq!(foreseen.names_in("url"), None);
        assert_eq!(foreseen.names_in("nothing"), Some(vec![]));
        let filled = json!({"sql": "SELECT", "params": [1, "x"], "with": {"a": "x", "b": 2}});
        assert_eq!(foreseen.filled(&json!("x")), filled);
    }
}
