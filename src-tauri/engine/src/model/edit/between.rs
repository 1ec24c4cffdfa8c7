//! From one document to another as one edit: the smallest patch that is cheap to find, and the one that takes it back.
//! It must not know why the other document is wanted.

use std::collections::{HashMap, HashSet};

use super::names::{id_of, pointer};
use super::patch::{NoPlace, Work};
use crate::model::json::push_step;
use crate::model::{DraftPlan, Json};

/// Beyond this many tasks that come or go, the list is replaced as a whole: each of them moves all behind it.
const ONE_BY_ONE: usize = 64;

/// The patch from `from` to `to`, and the one that takes it back; empty lists where they are equal.
pub fn between(from: &DraftPlan, to: &DraftPlan) -> (Json, Json) {
    let (old, new) = (from.document(), to.document());
    let mut work = Work::new(old.clone());
    if merge_document(&mut work, old, new).is_err() || work.document != *new {
        work = Work::new(old.clone());
        let whole = work.set("", new.clone());
        debug_assert!(whole.is_ok(), "the whole document can always be replaced");
    }
    let (_, patch, inverse) = work.finish();
    (patch, inverse)
}

fn merge_document(work: &mut Work, old: &Json, new: &Json) -> Result<(), NoPlace> {
    let (Some(was), Some(is)) = (old.as_object(), new.as_object()) else {
        return work.set("", new.clone());
    };
    let gone = was.keys().filter(|key| !is.contains_key(*key));
    for key in is.keys().chain(gone) {
        let place = step("", key);
        match (was.get(key), is.get(key)) {
            (Some(was), Some(is)) if key == "tasks" => merge_tasks(work, was, is)?,
            (Some(was), Some(is)) => merge(work, &place, was, is)?,
            (_, Some(is)) => work.set(&place, is.clone())?,
            (_, None) => work.remove(&place)?,
        }
    }
    Ok(())
}

/// Objects key by key, anything else as a whole.
fn merge(work: &mut Work, place: &str, old: &Json, new: &Json) -> Result<(), NoPlace> {
    if old == new {
        return Ok(());
    }
    let (Some(was), Some(is)) = (old.as_object(), new.as_object()) else {
        return work.set(place, new.clone());
    };
    for key in was.keys().filter(|key| !is.contains_key(*key)) {
        work.remove(&step(place, key))?;
    }
    for (key, is) in is {
        match was.get(key) {
            Some(was) => merge(work, &step(place, key), was, is)?,
            None => work.set(&step(place, key), is.clone())?,
        }
    }
    Ok(())
}

/// Tasks by id, where every task has one of its own and those that both have stand in the same order.
fn merge_tasks(work: &mut Work, old: &Json, new: &Json) -> Result<(), NoPlace> {
    let (Some(was), Some(is)) = (by_id(old), by_id(new)) else {
        return merge(work, "/tasks", old, new);
    };
    let stays: HashSet<&str> = was.keys().copied().filter(|id| is.contains_key(id)).collect();
    let (old, new) = (list(old), list(new));
    let is_staying = |task: &&Json| id_of(task).is_some_and(|id| stays.contains(id));
    let order = |tasks: &[Json]| -> Vec<String> {
        let ids = tasks.iter().filter(is_staying).filter_map(id_of);
        ids.map(str::to_owned).collect()
    };
    let turnover = was.len() + is.len() - 2 * stays.len();
    if turnover > ONE_BY_ONE || order(old) != order(new) {
        return work.set("/tasks", Json::Array(new.to_vec()));
    }
    for (ix, _) in old.iter().enumerate().rev().filter(|(_, task)| !is_staying(task)) {
        work.remove(&pointer(ix))?;
    }
    for (ix, task) in new.iter().enumerate() {
        match id_of(task).and_then(|id| was.get(id)) {
            Some(before) => merge(work, &pointer(ix), before, task)?,
            None => work.add(&pointer(ix), task.clone())?,
        }
    }
    Ok(())
}

fn list(tasks: &Json) -> &[Json] {
    tasks.as_array().map_or(&[], Vec::as_slice)
}

/// The tasks by their ids; nothing where one has none, or another's.
fn by_id(tasks: &Json) -> Option<HashMap<&str, &Json>> {
    let tasks = tasks.as_array()?;
    let ids: HashMap<&str, &Json> = tasks
        .iter()
        .map(|task| Some((id_of(task)?, task)))
        .collect::<Option<_>>()?;
    (ids.len() == tasks.len()).then_some(ids)
}

fn step(place: &str, key: &str) -> String {
    let mut place = place.to_owned();
    push_step(&mut place, key);
    place
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn there_and_back(from: &Json, to: &Json) -> usize {
        let (from, to) = (DraftPlan::of(from.clone()), DraftPlan::of(to.clone()));
        let (patch, inverse) = between(&from, &to);
        let there = from.patched(&patch).unwrap();
        assert_eq!(there, to);
        assert_eq!(there.patched(&inverse).unwrap().to_text(), from.to_text());
        patch.as_array().unwrap().len()
    }

    #[test]
    fn only_what_differs_is_in_the_patch() {
        let from = json!({"goal": "g", "tasks": [{"id": "a", "instruction": "i", "x": 1}, {"id": "b"}, {"id": "c"}]});
        let to = json!({"goal": "g", "tasks": [{"id": "a", "instruction": "j", "x": 1}, {"id": "n"}, {"id": "c"}]});
        assert_eq!(there_and_back(&from, &to), 3);
        assert_eq!(there_and_back(&from, &from), 0);
    }

    #[test]
    fn any_documents_do() {
        let odd = [
            json!(null),
            json!({}),
            json!({"tasks": 3}),
            json!({"tasks": [{"id": "a"}, {"id": "a"}, 4]}),
            json!({"tasks": [{"id": "b"}, {"id": "a"}], "layout": {"positions": {"a": {"x": 1}}}}),
            json!({"tasks": [{"id": "a", "u": {"~/": 1}}, {"id": "b"}], "zebra": [1]}),
        ];
        for from in &odd {
            for to in &odd {
                there_and_back(from, to);
            }
        }
    }

    fn a_plan() -> impl Strategy<Value = Json> {
        let id = prop::sample::select(vec!["a", "b", "c", "d", "e"]);
        let task = (id, 0..3_i64, any::<bool>()).prop_map(|(id, n, has)| {
            let mut task = json!({"id": id, "inputs": {"n": n}});
            if has {
                task["title"] = json!(id);
            }
            task
        });
        (prop::collection::vec(task, 0..6), any::<bool>()).prop_map(|(tasks, has_goal)| {
            if has_goal {
                json!({"goal": "g", "tasks": tasks})
            } else {
                json!({"tasks": tasks})
            }
        })
    }

    proptest! {
        #[test]
        fn there_and_back_again(from in a_plan(), to in a_plan()) {
            there_and_back(&from, &to);
        }
    }
}
