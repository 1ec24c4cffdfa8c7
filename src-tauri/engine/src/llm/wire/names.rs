//! Names of tools in letters that every provider takes. Ours have dots and slashes, which most of them refuse together
//! with the whole request. It must not know any wire.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::Delta;
use crate::llm::{Message, Offer, Outcome, Request, ToolCall};

/// Some providers take no longer names.
const LONGEST: usize = 64;
/// Hexadecimal digits that tell names apart that would be the same.
const MARK: usize = 6;

/// The offered tool that a model means by this name, be it ours or the one that it was sent.
pub(in crate::llm) fn meant<'o>(offers: &'o [Offer], name: &str) -> Option<&'o str> {
    let all: BTreeSet<&'o str> = offers.iter().map(|offer| offer.name.as_str()).collect();
    if let Some(own) = all.get(name) {
        return Some(own);
    }
    let names = Names::of_all(&all);
    names
        .meant
        .get(name)
        .and_then(|own| all.get(own.as_str()).copied())
}

/// The names of one request, there and back.
#[derive(Debug, Default)]
pub(super) struct Names {
    sent: HashMap<String, String>,
    meant: HashMap<String, String>,
}

impl Names {
    pub fn of(request: &Request) -> Self {
        Self::of_all(&names_in(request).collect())
    }

    fn of_all(all: &BTreeSet<&str>) -> Self {
        let mut names = Self::default();
        for name in all.iter().filter(|name| !is_plain(name)) {
            let plain = plain(name);
            let is_taken =
                name_is_long(name) || all.contains(plain.as_str()) || names.meant.contains_key(&plain);
            let sent = if is_taken { marked(&plain, name) } else { plain };
            names.meant.insert(sent.clone(), (*name).to_owned());
            names.sent.insert((*name).to_owned(), sent);
        }
        names
    }

    /// The request in the names that are sent.
    pub fn request<'r>(&self, request: &'r Request) -> Cow<'r, Request> {
        if self.sent.is_empty() {
            return Cow::Borrowed(request);
        }
        let mut request = request.clone();
        for offer in &mut request.tools {
            swap(&self.sent, &mut offer.name);
        }
        for message in &mut request.messages {
            if let Message::Assistant { calls, .. } = message {
                rename(&self.sent, calls);
            }
        }
        Cow::Owned(request)
    }

    /// The outcome in the names that are meant. A name that was not sent stays as the model wrote it.
    pub fn outcome(&self, outcome: &mut Outcome) {
        if let Outcome::Complete(answer) | Outcome::Cut(answer) = outcome {
            rename(&self.meant, &mut answer.calls);
        }
    }

    pub fn delta(&self, mut delta: Delta) -> Delta {
        if let Delta::Call(name) = &mut delta {
            swap(&self.meant, name);
        }
        delta
    }
}

fn names_in(request: &Request) -> impl Iterator<Item = &str> {
    let called = request.messages.iter().flat_map(|message| match message {
        Message::Assistant { calls, .. } => calls.as_slice(),
        Message::User(_) | Message::Observation { .. } => &[],
    });
    let offered = request.tools.iter().map(|offer| offer.name.as_str());
    offered.chain(called.map(|call| call.name.as_str()))
}

fn rename(names: &HashMap<String, String>, calls: &mut [ToolCall]) {
    for call in calls {
        swap(names, &mut call.name);
    }
}

fn swap(names: &HashMap<String, String>, name: &mut String) {
    if let Some(other) = names.get(name) {
        name.clone_from(other);
    }
}

fn is_plain(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    begins && !name_is_long(name) && name.chars().all(is_letter)
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

fn name_is_long(name: &str) -> bool {
    name.len() > LONGEST
}

/// The nearest name: it still says what the tool does.
fn plain(name: &str) -> String {
    let letters = name
        .chars()
        .map(|letter| if is_letter(letter) { letter } else { '_' });
    let plain: String = letters.take(LONGEST).collect();
    if is_plain(&plain) {
        return plain;
    }
    format!("_{plain}").chars().take(LONGEST).collect()
}

/// Made apart by a mark that hangs on nothing but the name, so that it is the same in each request.
fn marked(plain: &str, name: &str) -> String {
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let mark = &hash.as_str()[..MARK];
    let kept: String = plain.chars().take(LONGEST - MARK - 1).collect();
    format!("{kept}_{mark}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::llm::wire::trial::talk;
    use crate::llm::{Answer, Offer};

    fn offering(names: &[&str]) -> Request {
        let offer = |name: &&str| Offer {
            name: (*name).to_owned(),
            description: String::new(),
            arguments: serde_json::json!({}),
        };
        Request {
            tools: names.iter().map(offer).collect(),
            ..talk()
        }
    }

    fn sent(request: &Request) -> Vec<String> {
        let request = Names::of(request).request(request).into_owned();
        request.tools.into_iter().map(|offer| offer.name).collect()
    }

    #[test]
    fn names_are_sent_in_plain_letters_and_come_back() {
        let mut request = offering(&["http.get", "notes/search", "9lives", "read_file", "größe"]);
        if let Message::Assistant { calls, .. } = &mut request.messages[1] {
            calls[0].name = "sql.query".to_owned();
        }
        assert_eq!(
            sent(&request),
            ["http_get", "notes_search", "_9lives", "read_file", "gr__e"]
        );
        let names = Names::of(&request);
        let posted = serde_json::to_string(&*names.request(&request)).unwrap();
        assert!(posted.contains("sql_query") && !posted.contains("sql.query"));
        let call = |name: &str| ToolCall {
            id: String::new(),
            name: name.to_owned(),
            arguments: String::new(),
            sealed: None,
        };
        let called = ["http_get", "http.get", "sql_query", "made_up"].map(call);
        let mut outcome = Outcome::Complete(Answer::calls(called.to_vec()));
        names.outcome(&mut outcome);
        let called: Vec<&str> = outcome
            .answer()
            .unwrap()
            .calls
            .iter()
            .map(|call| call.name.as_str())
            .collect();
        assert_eq!(called, ["http.get", "http.get", "sql.query", "made_up"]);
        assert_eq!(
            names.delta(Delta::Call("notes_search".to_owned())),
            Delta::Call("notes/search".to_owned())
        );
    }

    #[test]
    fn a_request_in_plain_names_is_sent_as_it_is() {
        let request = offering(&["read_file", "submit_result"]);
        assert!(matches!(Names::of(&request).request(&request), Cow::Borrowed(_)));
    }

    proptest! {
        /// Different tools stay different, whatever they are called, and each is found again.
        #[test]
        fn no_two_tools_become_one(names in prop::collection::btree_set("[a-c._/-]{0,4}|\\PC{0,90}", 0..12)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let request = offering(&names);
            let sent = sent(&request);
            prop_assert!(sent.iter().all(|name| is_plain(name)), "{sent:?}");
            prop_assert_eq!(sent.iter().collect::<BTreeSet<_>>().len(), names.len());
            let known = Names::of(&request);
            for (name, sent) in names.iter().zip(sent) {
                prop_assert_eq!(known.delta(Delta::Call(sent)), Delta::Call((*name).to_owned()));
            }
        }
    }
}
