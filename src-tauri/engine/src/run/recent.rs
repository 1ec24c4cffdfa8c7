//! Large values that this driver has just made: those whose commit is still to come, and a few more, so that a
//! dependent that starts at once need not read them back.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::Digest;
use crate::model::value::NewPayload;

/// How much is kept, in bytes of JSON text. What is not committed yet is kept in any case.
const MOST: usize = 16 * 1024 * 1024;

#[derive(Default)]
pub struct Recent {
    kept: VecDeque<(Digest, Arc<String>)>,
    bytes: usize,
}

impl Recent {
    pub fn add(&mut self, payload: &NewPayload) {
        self.bytes += payload.text.len();
        self.kept.push_back((payload.hash, payload.text.clone()));
    }

    pub fn find(&self, hash: Digest) -> Option<&Arc<String>> {
        self.kept
            .iter()
            .rev()
            .find(|(kept, _)| *kept == hash)
            .map(|(_, text)| text)
    }

    /// Everything so far is in the store; the oldest may go.
    pub fn committed(&mut self) {
        while self.bytes > MOST || self.kept.len() > 64 {
            let Some((_, text)) = self.kept.pop_front() else {
                break;
            };
            self.bytes -= text.len();
        }
    }
}
