//! Which call an end names, in stretches of a log that were taken back: an attempt that begins anew counts from none, one
//! that goes on counts on, and a rewind brings back the numbers of where it went to. It must not know what follows.

use std::collections::HashMap;

use crate::model::events::{Event, EventBody};
use crate::model::state::RunState;
use crate::model::{Digest, Seq, TaskId};

/// By the position of the end: the key of its call.
#[derive(Default)]
pub struct Numbers(HashMap<Seq, Digest>);

/// A call's beginning; without a key, an attempt that begins anew.
type Steps = Vec<(Seq, Option<Digest>)>;

impl Numbers {
    /// `begun` is the state that the events follow on; none of them goes back to before it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other kinds neither begin nor end a call"
    )]
    pub fn of(events: &[Event], begun: &RunState, is_taken_back: impl Fn(Seq) -> bool) -> Self {
        let mut steps: HashMap<&TaskId, Steps> = HashMap::new();
        let mut keys = HashMap::new();
        for event in events {
            if let EventBody::RunRewound(rewound) = &event.body {
                for steps in steps.values_mut() {
                    let left = steps.partition_point(|&(seq, _)| seq <= rewound.to);
                    steps.truncate(left);
                }
            }
            let Some(task) = &event.task else { continue };
            let step = match &event.body {
                EventBody::TaskStarted(started) if !started.goes_on => None,
                EventBody::CallStarted(started) => Some(started.key),
                EventBody::CallFinished(finished) => {
                    let known = steps.get(task).map_or(&[][..], Vec::as_slice);
                    if is_taken_back(event.seq)
                        && let Some(key) = named(known, begun, task, finished.call)
                    {
                        keys.insert(event.seq, key);
                    }
                    continue;
                }
                _ => continue,
            };
            steps.entry(task).or_default().push((event.seq, step));
        }
        Self(keys)
    }

    pub fn key_at(&self, seq: Seq) -> Option<Digest> {
        self.0.get(&seq).copied()
    }
}

/// The call of that number, or the last one.
fn named(
    steps: &[(Seq, Option<Digest>)],
    begun: &RunState,
    task: &TaskId,
    number: Option<u32>,
) -> Option<Digest> {
    let anew = steps.iter().rposition(|(_, key)| key.is_none());
    let earlier: Vec<Digest> = match anew {
        Some(_) => Vec::new(),
        None => {
            let calls = begun.find(task.as_str()).map(|ix| &begun.task(ix).calls);
            calls.into_iter().flatten().map(|call| call.started.key).collect()
        }
    };
    let own = steps[anew.map_or(0, |at| at + 1)..]
        .iter()
        .filter_map(|(_, key)| *key);
    let mut all = earlier.into_iter().chain(own);
    match number {
        Some(number) => all.nth(number as usize),
        None => all.last(),
    }
}
