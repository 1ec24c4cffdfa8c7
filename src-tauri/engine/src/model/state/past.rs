//! What tasks have done outside in stretches that were taken back (set back, tried anew, rewound), by the task that it
//! was done for: another effect of the same task is for a person to decide. It must not know what is asked, nor how.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::events::{CallStarted, Content};
use super::super::grants::Labels;
use super::super::tool::Effect;
use super::super::value::ValueRef;
use super::super::{Digest, TaskId};
use super::RunState;

/// An effect that the log knows of.
#[derive(Clone, Debug)]
pub struct PastEffect {
    pub key: Digest,
    pub task: TaskId,
    pub tool: String,
    pub at_ms: i64,
    /// Logs of older versions don't have them for tasks that are one call.
    pub arguments: Option<ValueRef>,
    /// Of all that the arguments were made of.
    pub labels: Labels,
    /// The list of its map was taken back as well: what was done for one item may come as another one.
    is_for_all: bool,
}

/// By what all items of a map have in common: `each[3]` stands under `each[]`, so that another list, or another order
/// of it, does not make what was done for one item look new for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    families: BTreeMap<String, Family>,
    /// Maps and nested plans of which the beginning itself was taken back by a rewind.
    begun_in_vain: BTreeSet<TaskId>,
}

#[derive(Clone, Debug, Default)]
struct Family {
    /// Of the attempt under way, by address.
    current: BTreeMap<TaskId, Vec<PastEffect>>,
    taken_back: TakenBack,
}

/// Oldest first, each once.
#[derive(Clone, Debug, Default)]
struct TakenBack {
    next: u64,
    by_order: BTreeMap<u64, PastEffect>,
    orders: HashMap<Digest, u64>,
}

impl TakenBack {
    fn push(&mut self, effect: PastEffect) {
        self.remove(effect.key);
        self.orders.insert(effect.key, self.next);
        self.by_order.insert(self.next, effect);
        self.next += 1;
    }

    fn remove(&mut self, key: Digest) -> Option<PastEffect> {
        let order = self.orders.remove(&key)?;
        self.by_order.remove(&order)
    }

    fn extend(&mut self, effects: impl IntoIterator<Item = PastEffect>) {
        effects.into_iter().for_each(|effect| self.push(effect));
    }
}

impl Past {
    /// An effect is about to be made, or was made in a stretch that has been taken back since.
    pub fn note(&mut self, task: &TaskId, at_ms: i64, started: &CallStarted, is_taken_back: bool) {
        if !started.effect.is_effect() || is_restorable(started) {
            return;
        }
        let effect = PastEffect {
            key: started.key,
            task: task.clone(),
            tool: started.tool.clone(),
            at_ms,
            arguments: started.arguments.clone(),
            labels: started.labels,
            is_for_all: is_taken_back && self.begun_in_vain.iter().any(|owner| is_inside(task, owner)),
        };
        let family = self.families.entry(common(task.as_str())).or_default();
        if is_taken_back {
            family.taken_back.push(effect);
            return;
        }
        let own = family.current.entry(task.clone()).or_default();
        own.retain(|known| known.key != effect.key);
        own.push(effect);
    }

    /// The task has come to this very effect again, and what came of it is taken over: it is made once, and now stands.
    pub fn take_over(&mut self, task: &TaskId, key: Digest) {
        if self.families.is_empty() {
            return;
        }
        let family = self.families.get_mut(&common(task.as_str()));
        if let Some(family) = family
            && let Some(effect) = family.taken_back.remove(key)
        {
            let stands = PastEffect {
                is_for_all: false,
                ..effect
            };
            family.current.entry(task.clone()).or_default().push(stands);
        }
    }

    /// A map or a nested plan began in a stretch that was taken back.
    pub fn begin_in_vain(&mut self, owner: &TaskId) {
        self.begun_in_vain.insert(owner.clone());
    }

    /// The task begins from nothing, because somebody wants it tried anew.
    pub fn begin_anew(&mut self, task: &TaskId) {
        if self.families.is_empty() {
            return;
        }
        if let Some(family) = self.families.get_mut(&common(task.as_str())) {
            let own = family.current.remove(task).unwrap_or_default();
            family.taken_back.extend(own);
        }
    }

    /// The task is set back, with all that is inside of it.
    pub fn take_back(&mut self, task: &TaskId) {
        self.begin_anew(task);
        self.take_back_inside(task);
    }

    pub fn take_back_inside(&mut self, task: &TaskId) {
        for from in inside(task) {
            let families = self.families.range_mut(from.clone()..);
            for (_, family) in families.take_while(|(name, _)| name.starts_with(&from)) {
                let (own, others) = std::mem::take(&mut family.current)
                    .into_iter()
                    .partition(|(address, _)| is_inside(address, task));
                family.current = others;
                let own: BTreeMap<TaskId, Vec<PastEffect>> = own;
                let for_all = |effect| PastEffect {
                    is_for_all: true,
                    ..effect
                };
                let own = own.into_values().flatten();
                family.taken_back.extend(own.map(for_all));
            }
        }
    }

    /// A person chose to do its effects again.
    pub fn forget(&mut self, task: &TaskId) {
        self.families.remove(task.as_str());
        for from in inside(task) {
            let names: Vec<String> = self
                .families
                .range(from.clone()..)
                .take_while(|(name, _)| name.starts_with(&from))
                .map(|(name, _)| name.clone())
                .collect();
            for name in names {
                self.families.remove(&name);
            }
        }
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn of(&self, task: &str) -> impl Iterator<Item = &PastEffect> {
        let family = self.families.get(&common(task));
        family
            .into_iter()
            .flat_map(|family| family.taken_back.by_order.values())
    }
}

impl RunState {
    /// What was done by these tools for the task (for any item of its map) in what was taken back, has not been taken over
    /// since, and is not this very effect; oldest first. What surely never happened is none of it.
    pub fn other_effects<'s>(
        &'s self,
        task: &TaskId,
        tools: &'s [&'s str],
        key: Digest,
    ) -> impl Iterator<Item = &'s PastEffect> {
        let past = self.past.of(task.as_str());
        past.filter(move |effect| {
            let is_its = effect.is_for_all || effect.task == *task;
            is_its
                && effect.key != key
                && tools.contains(&effect.tool.as_str())
                && self.made.contains_key(&effect.key)
        })
    }
}

/// What it wrote over is in the log, so that it can be undone.
fn is_restorable(started: &CallStarted) -> bool {
    let is_kept = |content: &Content| match content {
        Content::Absent | Content::Kept(_) | Content::Beginning(_) => true,
        Content::NotKept(_) => false,
    };
    let mut files = started.before.iter();
    started.effect == Effect::Write && !started.before.is_empty() && files.all(|f| is_kept(&f.content))
}

/// The address without the numbers of items.
fn common(address: &str) -> String {
    let mut common = String::with_capacity(address.len());
    let mut is_number = false;
    for c in address.chars() {
        is_number &= c != ']';
        if !is_number {
            common.push(c);
        }
        is_number |= c == '[';
    }
    common
}

/// What the families of all that is inside of a task begin with.
fn inside(task: &TaskId) -> [String; 2] {
    let common = common(task.as_str());
    [format!("{common}["), format!("{common}/")]
}

fn is_inside(address: &TaskId, task: &TaskId) -> bool {
    let rest = address.as_str().strip_prefix(task.as_str());
    rest.is_some_and(|rest| rest.starts_with(['[', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(effect: Effect) -> CallStarted {
        keyed(effect, "one")
    }

    fn keyed(effect: Effect, key: &str) -> CallStarted {
        CallStarted {
            tool: "send".to_owned(),
            effect,
            repeatable: false,
            key: Digest::of(key.as_bytes()),
            arguments: None,
            reserve: None,
            before: Vec::new(),
            model: false,
            call: None,
            labels: Labels::default(),
            touches: Vec::new(),
        }
    }

    fn noted(addresses: &[&str]) -> Past {
        let mut past = Past::default();
        for address in addresses {
            past.note(
                &TaskId::from(*address),
                1,
                &keyed(Effect::WriteExternal, address),
                false,
            );
        }
        past
    }

    fn told(past: &Past, task: &str) -> Vec<String> {
        past.of(task).map(|e| e.task.to_string()).collect()
    }

    #[test]
    fn a_task_is_set_back_with_all_inside_and_nothing_beside_it() {
        let mut past = noted(&["m[0]", "m[1]/x", "m-2[0]", "m2", "m"]);
        assert!(
            told(&past, "m[7]").is_empty(),
            "it is all of the stretch under way"
        );
        past.take_back(&TaskId::from("m"));
        assert_eq!(told(&past, "m[7]"), ["m[0]"]);
        assert_eq!(told(&past, "m[0]/x"), ["m[1]/x"]);
        assert_eq!(told(&past, "m"), ["m"]);
        assert!(told(&past, "m-2[0]").is_empty());
        assert!(told(&past, "m2").is_empty());
    }

    #[test]
    fn one_item_that_begins_anew_is_no_matter_of_the_others() {
        let mut past = noted(&["m[0]", "m[1]"]);
        past.begin_anew(&TaskId::from("m[1]"));
        let whose = |past: &Past| past.of("m[0]").map(|e| e.is_for_all).collect::<Vec<_>>();
        assert_eq!(whose(&past), [false]);
        past.take_back(&TaskId::from("m"));
        assert_eq!(whose(&past), [false, true], "with its list, it is");
        past.begin_in_vain(&TaskId::from("m"));
        past.note(&TaskId::from("m[2]"), 1, &started(Effect::Spend), true);
        assert_eq!(whose(&past), [false, true, true]);
        past.forget(&TaskId::from("m"));
        assert!(told(&past, "m[0]").is_empty());
    }

    #[test]
    fn what_is_taken_over_stands_until_it_is_taken_back_again() {
        let mut past = noted(&["m[0]", "m[1]"]);
        past.take_back(&TaskId::from("m"));
        past.take_over(&TaskId::from("m[0]"), Digest::of(b"m[0]"));
        assert_eq!(told(&past, "m[2]"), ["m[1]"]);
        past.take_over(&TaskId::from("m[0]"), Digest::of(b"nothing"));
        past.take_back(&TaskId::from("m"));
        assert_eq!(told(&past, "m[2]"), ["m[1]", "m[0]"]);
    }

    #[test]
    fn what_only_reads_or_can_be_undone_is_not_told() {
        let mut past = Past::default();
        let task = TaskId::from("t");
        past.note(&task, 1, &started(Effect::ReadExternal), true);
        let file = super::super::super::events::Before {
            path: "run:/a".to_owned(),
            content: Content::Absent,
            after: None,
        };
        let written = CallStarted {
            before: vec![file],
            ..started(Effect::Write)
        };
        past.note(&task, 1, &written, true);
        assert!(told(&past, "t").is_empty());
        past.note(&task, 1, &started(Effect::Write), true);
        assert_eq!(told(&past, "t"), ["t"], "a database is not put back");
    }
}
