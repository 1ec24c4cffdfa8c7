//! Pieces of a proposed change: what they are, what they need, and that any of them can be taken in any order.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::DraftPlan;

fn plan(document: &Json) -> DraftPlan {
    DraftPlan::parse(&document.to_string()).unwrap()
}

fn task(id: &str, after: &[&str]) -> Json {
    json!({ "id": id, "instruction": format!("Do {id}."), "dependencies": after })
}

fn of(tasks: &[Json]) -> DraftPlan {
    plan(&json!({ "goal": "g", "tasks": tasks }))
}

fn ids(pieces: &[Piece]) -> Vec<&str> {
    pieces.iter().map(|piece| piece.id.as_str()).collect()
}

fn needs<'p>(pieces: &'p [Piece], id: &str) -> &'p [String] {
    &pieces.iter().find(|piece| piece.id == id).unwrap().needs
}

/// Tasks and their fields, whatever order they stand in.
fn sorted(draft: &DraftPlan) -> Json {
    let mut document = draft.document().clone();
    let tasks = document["tasks"].as_array_mut().unwrap();
    for task in tasks.iter_mut() {
        if let Some(list) = task["dependencies"].as_array_mut() {
            list.sort_by_key(ToString::to_string);
        }
    }
    tasks.sort_by_key(|task| task["id"].to_string());
    document
}

fn take_one(pieces: &[Piece], id: &str, draft: &DraftPlan) -> DraftPlan {
    let applied = take(pieces, &[id.to_owned()], draft).unwrap().unwrap();
    assert_eq!(draft.patched(&applied.patch).unwrap(), applied.plan);
    assert_eq!(
        applied.plan.patched(&applied.inverse).unwrap().to_text(),
        draft.to_text()
    );
    applied.plan
}

#[test]
fn a_task_with_its_edges_is_a_piece_and_needs_what_it_comes_after() {
    let base = of(&[task("a", &[]), task("b", &["a"]), task("c", &["b"])]);
    let proposed = of(&[task("a", &[]), task("c", &["n"]), task("n", &["a"])]);
    let pieces = pieces(&base, &proposed);
    assert_eq!(ids(&pieces), ["remove:b", "change:c", "add:n"]);
    assert_eq!(needs(&pieces, "remove:b"), ["change:c"]);
    assert_eq!(needs(&pieces, "change:c"), ["add:n"]);
    assert_eq!(
        (&pieces[1].gained[..], &pieces[1].lost[..]),
        (&["n".to_owned()][..], &["b".to_owned()][..])
    );
    assert_eq!(sorted(&take_one(&pieces, "remove:b", &base)), sorted(&proposed));
    let added = take_one(&pieces, "add:n", &base);
    assert_eq!(
        standings(&pieces, &added),
        [Standing::Open, Standing::Open, Standing::Taken]
    );
}

#[test]
fn an_edge_that_turns_round_waits_for_the_one_that_goes() {
    let base = of(&[task("a", &[]), task("b", &["a"])]);
    let proposed = of(&[task("a", &["b"]), task("b", &[])]);
    let pieces = pieces(&base, &proposed);
    assert_eq!(needs(&pieces, "change:a"), ["change:b"]);
    assert!(needs(&pieces, "change:b").is_empty());
    assert_eq!(take_one(&pieces, "change:a", &base), proposed);
}

#[test]
fn what_moved_on_is_refused_with_its_place_and_what_did_not_is_taken() {
    let base = of(&[task("a", &[]), task("b", &["a"])]);
    let mut a = task("a", &[]);
    a["instruction"] = json!("Do a well.");
    let proposed = of(&[a, task("b", &["a"]), task("n", &[])]);
    let pieces = pieces(&base, &proposed);
    let mut mine = task("a", &[]);
    mine["instruction"] = json!("My own.");
    mine["title"] = json!("Mine");
    let draft = of(&[mine, task("b", &["a"]), task("n", &["b"])]);
    let error = take(&pieces, &["change:a".to_owned()], &draft)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("`instruction` of a has been changed meanwhile. Nothing was changed."),
        "{error}"
    );
    let error = take(&pieces, &["add:n".to_owned()], &draft)
        .unwrap_err()
        .to_string();
    assert!(error.contains("has a task n of its own"), "{error}");
    assert!(take(&pieces, &["add:x".to_owned()], &draft).is_err());
    // Another field of the same task is nobody's conflict, and neither is an edge of a person's.
    let mut titled = task("a", &[]);
    titled["title"] = json!("Mine");
    let draft = of(&[titled, task("b", &["a"]), task("c", &["a", "b"])]);
    let taken = take_one(&pieces, "change:a", &draft);
    assert_eq!(taken.document()["tasks"][0]["title"], "Mine");
    assert_eq!(taken.document()["tasks"][0]["instruction"], "Do a well.");
}

#[test]
fn fields_of_the_plan_are_pieces_and_places_of_cards_are_not() {
    let base = plan(&json!({ "goal": "g", "tasks": [], "grants": { "hosts": ["a"] }, "layout": { "x": 1 } }));
    let proposed = plan(&json!({ "goal": "g", "tasks": [], "synthesis": { "template": "t" } }));
    let pieces = pieces(&base, &proposed);
    assert_eq!(ids(&pieces), ["plan:synthesis", "plan:grants"]);
    let all = ["plan:synthesis".to_owned(), "plan:grants".to_owned()];
    let taken = take(&pieces, &all, &base).unwrap().unwrap();
    assert_eq!(taken.plan.document().get("grants"), None);
    assert_eq!(taken.label, "Take 2 changes of the proposal");
    assert!(
        take(&pieces, &all, &taken.plan).unwrap().is_none(),
        "it has them already"
    );
}

/// A plan without loops: each task comes after some of those with smaller numbers in a shuffled order.
fn any_plan() -> impl Strategy<Value = Vec<Json>> {
    let edges = proptest::collection::vec(any::<u8>(), 8);
    let order = Just((0..8usize).collect::<Vec<_>>()).prop_shuffle();
    (edges, order, 0u8..=255).prop_map(|(edges, order, there)| {
        let is_there = |n: &usize| there & (1 << n) != 0;
        let mut tasks = Vec::new();
        for (at, n) in order.iter().enumerate().filter(|(_, n)| is_there(n)) {
            let earlier = order[..at]
                .iter()
                .filter(|m| is_there(m) && edges[*n] & (1 << **m) != 0);
            let after: Vec<String> = earlier.map(|m| format!("t{m}")).collect();
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            let mut task = task(&format!("t{n}"), &after);
            task["title"] = json!(format!("{}", edges[*n] % 3));
            tasks.push(task);
        }
        tasks
    })
}

proptest! {
    /// One by one in any order, without a loop on the way; in the end the draft is what was proposed.
    #[test]
    fn pieces_in_any_order_come_to_the_whole(before in any_plan(), after in any_plan(), seed in any::<u64>()) {
        let (base, proposed) = (of(&before), of(&after));
        let pieces = pieces(&base, &proposed);
        let mut draft = base.clone();
        let mut left: Vec<&Piece> = pieces.iter().collect();
        let mut random = seed;
        while !left.is_empty() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = usize::try_from(random >> 33).unwrap() % left.len();
            let piece = left.remove(at);
            if let Some(applied) = take(&pieces, std::slice::from_ref(&piece.id), &draft).unwrap() {
                prop_assert_eq!(&draft.patched(&applied.patch).unwrap(), &applied.plan);
                let back = applied.plan.patched(&applied.inverse).unwrap();
                prop_assert_eq!(back.to_text(), draft.to_text());
                draft = applied.plan;
            }
        }
        prop_assert_eq!(sorted(&draft), sorted(&proposed));
        let is_taken = |standing: &Standing| *standing == Standing::Taken;
        prop_assert!(standings(&pieces, &draft).iter().all(is_taken));
    }
}
