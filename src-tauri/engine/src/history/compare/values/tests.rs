//! What is found between two values, as lines; and that it can be applied, and mirrored.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn told(a: &Json, b: &Json) -> String {
    let found = compare(a, b, Spaces::Count);
    let side = |at: &Option<String>, value: &Option<ShownValue>| match (at, value) {
        (Some(at), Some(value)) => format!("{at} {}", value.json),
        _ => "–".to_owned(),
    };
    let line = |value: &ValueDiff| {
        format!(
            "{} → {}",
            side(&value.at.a, &value.a),
            side(&value.at.b, &value.b)
        )
    };
    found.values.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_place_that_differs_is_named_and_no_other() {
    let a = json!({ "sku": "A1", "price": 1.50, "tags": ["x", "y"], "old": null, "deep": { "n": 1, "same": [1, 2] } });
    let b = json!({ "sku": "A1", "price": 1.5, "tags": ["w", "x", "y"], "new": true, "deep": { "n": 2, "same": [1, 2] } });
    insta::assert_snapshot!(told(&a, &b), @r#"
    – → /tags/0 "w"
    – → /new true
    /deep/n 1 → /deep/n 2
    /old null → –
    "#);
}

#[test]
fn digits_are_not_lost() {
    let parse = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    let a = parse(r#"{"n": 12345678901234567890123, "x": 1.0}"#);
    let b = parse(r#"{"n": 12345678901234567890124, "x": 1}"#);
    insta::assert_snapshot!(told(&a, &b), @r"
    /n 12345678901234567890123 → /n 12345678901234567890124
    /x 1.0 → /x 1
    ");
}

#[test]
fn entries_that_moved_have_two_places_and_changed_ones_are_gone_into() {
    let a = json!([{ "id": 1, "n": 1 }, { "id": 2, "n": 2 }, { "id": 3, "n": 3 }]);
    let b = json!([{ "id": 0, "n": 0 }, { "id": 1, "n": 1 }, { "id": 2, "n": 5 }, { "id": 3, "n": 3 }]);
    insta::assert_snapshot!(told(&a, &b), @r#"
    – → /0 {"id":0,"n":0}
    /1/n 2 → /2/n 5
    "#);
}

#[test]
fn texts_of_several_lines_are_told_by_lines() {
    let a = json!({ "text": "one\ntwo\nthree", "title": "A" });
    let b = json!({ "text": "one\n2\nthree", "title": "B" });
    let found = compare(&a, &b, Spaces::Count);
    assert_eq!(found.values.len(), 1);
    let text = &found.texts[0];
    assert_eq!(
        (text.at.a.as_deref(), text.changes, text.equal_lines),
        (Some("/text"), 1, 2)
    );
}

#[test]
fn a_large_value_is_cut_and_very_many_places_are_counted() {
    let found = compare(&json!("é".repeat(3_000)), &json!(1), Spaces::Count);
    let shown = found.values[0].a.as_ref().unwrap();
    assert_eq!(shown.json.len() + shown.left_out as usize, 6_002);
    assert!(shown.json.len() <= LONGEST_VALUE);

    let many = |by: u64| {
        (0..5_000u64)
            .map(|n| (format!("k{n}"), Json::from(n * 2 + by)))
            .collect::<Json>()
    };
    let found = compare(&many(0), &many(1), Spaces::Count);
    assert_eq!((found.values.len(), found.values_left_off), (1_000, 4_000));
}

/// B, put together from A and what was found. Entries of lists go from the end to the beginning, so that places stay.
fn applied(a: &Json, found: &Found) -> Json {
    let mut made = a.clone();
    let parse = |value: &ShownValue| serde_json::from_str::<Json>(&value.json).unwrap();
    for value in &found.values {
        if let (Some(at), Some(new), true) = (&value.at.a, &value.b, value.a.is_some()) {
            *made.pointer_mut(at).unwrap() = parse(new);
        }
    }
    let mut gone: Vec<&String> = found
        .values
        .iter()
        .filter(|v| v.b.is_none())
        .filter_map(|v| v.at.a.as_ref())
        .collect();
    gone.sort_by_key(|at| index_of(at));
    for at in gone.into_iter().rev() {
        let (holder, key) = at.rsplit_once('/').unwrap();
        match made.pointer_mut(holder).unwrap() {
            Json::Object(map) => drop(map.shift_remove(key)),
            Json::Array(items) => drop(items.remove(key.parse().unwrap())),
            plain @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => panic!("{plain}"),
        }
    }
    let mut new: Vec<(&String, Json)> = found
        .values
        .iter()
        .filter(|v| v.a.is_none())
        .map(|v| (v.at.b.as_ref().unwrap(), parse(v.b.as_ref().unwrap())))
        .collect();
    new.sort_by_key(|(at, _)| index_of(at));
    for (at, value) in new {
        let (holder, key) = at.rsplit_once('/').unwrap();
        match made.pointer_mut(holder).unwrap() {
            Json::Object(map) => drop(map.insert(key.to_owned(), value)),
            Json::Array(items) => items.insert(key.parse().unwrap(), value),
            plain @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => panic!("{plain}"),
        }
    }
    made
}

fn index_of(pointer: &str) -> usize {
    pointer
        .rsplit('/')
        .next()
        .and_then(|last| last.parse().ok())
        .unwrap_or_default()
}

fn flat() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (0..4i64).prop_map(Json::from),
        "[ab]{0,2}".prop_map(Json::from)
    ]
}

/// Lists of plain values in one object: deep enough for each rule, and flat enough that places are told apart.
fn value() -> impl Strategy<Value = Json> {
    let list = prop::collection::vec(flat(), 0..8).prop_map(Json::from);
    let entry = prop_oneof![flat(), list];
    prop::collection::btree_map("[a-d]", entry, 0..5).prop_map(|map| map.into_iter().collect())
}

proptest! {
    #[test]
    fn b_follows_from_a(a in value(), b in value()) {
        let found = compare(&a, &b, Spaces::Count);
        prop_assert_eq!(canonical_digest(&applied(&a, &found)), canonical_digest(&b), "{:?}", found);
    }

    #[test]
    fn the_other_way_round_is_the_mirror_image(a in value(), b in value()) {
        prop_assert_eq!(compare(&b, &a, Spaces::Count), mirrored(compare(&a, &b, Spaces::Count)));
    }

    #[test]
    fn equal_values_give_nothing(a in value()) {
        let found = compare(&a, &a, Spaces::Count);
        prop_assert!(found.values.is_empty() && found.texts.is_empty() && found.equal == 1);
    }

    #[test]
    fn texts_are_mirrored_too(a in "[ab\n]{0,40}", b in "[ab\n]{0,40}") {
        let (a, b) = (json!({ "text": a }), json!({ "text": b }));
        prop_assert_eq!(compare(&b, &a, Spaces::Count), mirrored(compare(&a, &b, Spaces::Count)));
    }
}
