//! Proposals taken in part: whatever a person names either comes to a valid plan with all that is done as it was, or is
//! refused with a reason.

use std::collections::HashSet;

use planloom_engine::model::proposal::{Piece, Refused, pieces, take_only};
use planloom_engine::model::replan::Standing;
use planloom_engine::model::{DraftPlan, Json, digest};
use proptest::prelude::*;
use serde_json::json;

use crate::replan::{States, judged};
use crate::replan_random::{by_id, dag, is_fixed, moves, new_tasks, proposal_of, some_states};
use crate::support::*;

/// All that these pieces need, however far.
fn closed(pieces: &[Piece], named: &[bool]) -> Vec<String> {
    let picked = pieces.iter().zip(named).filter(|(_, is_named)| **is_named);
    let mut all: HashSet<String> = picked.map(|(piece, _)| piece.id.clone()).collect();
    loop {
        let needs = pieces.iter().filter(|piece| all.contains(&piece.id));
        let needs: Vec<String> = needs.flat_map(|piece| piece.needs.clone()).collect();
        let before = all.len();
        all.extend(needs);
        if all.len() == before {
            return pieces
                .iter()
                .map(|piece| piece.id.clone())
                .filter(|id| all.contains(id))
                .collect();
        }
    }
}

fn same_work(before: &Json, after: &Json) -> bool {
    let one = |task: &Json| DraftPlan::parse(&plan(vec![task.clone()]).to_string()).unwrap();
    digest::differences(&one(before), &one(after)).is_empty()
}

fn check(current: &Json, states: &States, proposal: &Json, named: &[bool]) -> Result<(), TestCaseError> {
    let Ok(whole) = judged(current, states, proposal) else {
        return Ok(());
    };
    let old = draft(current);
    let all = pieces(&old, &whole.document);
    let ids = closed(&all, named);
    if ids.is_empty() {
        let is_nothing = matches!(take_only(&all, &ids, &old), Err(Refused::Nothing));
        prop_assert!(is_nothing);
        return Ok(());
    }
    let part = take_only(&all, &ids, &old);
    prop_assert!(part.is_ok(), "{:?}", part.err().map(|e| e.to_string()));
    let Ok(part) = part else { return Ok(()) };
    match judged(current, states, part.document()) {
        Err(refusals) => prop_assert!(!refusals.is_empty() && refusals.iter().all(|r| !r.message.is_empty())),
        Ok(taken) => {
            prop_assert!(taken.document.to_plan(&catalog(), &place()).is_ok());
            // Exactly what was named, and nothing beside it.
            prop_assert!(digest::differences(&part, &taken.document).is_empty());
            let (before, after) = (by_id(&old), by_id(&taken.document));
            for (id, task) in before.iter().filter(|(id, _)| is_fixed(states, id)) {
                prop_assert!(
                    after.get(id).is_some_and(|now| same_work(task, now)),
                    "{} has changed",
                    id
                );
            }
            for (id, task) in &after {
                for need in task["dependencies"].as_array().into_iter().flatten() {
                    prop_assert!(after.contains_key(need.as_str().unwrap()), "{} -> {}", id, need);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_closed_part_of_a_proposal_is_a_valid_plan_or_refused_with_a_reason(
        current in dag(), states in some_states(), moves in moves(), new in new_tasks(), is_whole in any::<bool>(),
        named in prop::collection::vec(any::<bool>(), 40),
    ) {
        check(&current, &states, &proposal_of(&current, &moves, &new, is_whole), &named)?;
    }

    #[test]
    fn a_piece_without_what_it_needs_is_never_taken(
        current in dag(), states in some_states(), moves in moves(), new in new_tasks(),
        named in prop::collection::vec(any::<bool>(), 40),
    ) {
        let Ok(whole) = judged(&current, &states, &proposal_of(&current, &moves, &new, true)) else { return Ok(()) };
        let old = draft(&current);
        let all = pieces(&old, &whole.document);
        let ids: Vec<String> = all.iter().zip(&named).filter(|(_, is)| **is).map(|(piece, _)| piece.id.clone()).collect();
        let lacks = all.iter().filter(|piece| ids.contains(&piece.id)).any(|piece| piece.needs.iter().any(|need| !ids.contains(need)));
        if lacks {
            let is_refused = matches!(take_only(&all, &ids, &old), Err(Refused::Incomplete { .. }));
            prop_assert!(is_refused);
        }
    }
}

#[test]
fn all_pieces_are_the_proposal_itself_and_an_unknown_one_is_refused() {
    let current = plan(vec![task("a", &[]), task("b", &["a"]), task("c", &["b"])]);
    let states: States = [("a", Standing::Settled), ("b", Standing::Failed)]
        .into_iter()
        .map(|(id, standing)| (id.into(), standing))
        .collect();
    let proposal = json!({ "drop": ["b"], "add": [task("n", &["a"]), task("c", &["n"])] });
    let whole = judged(&current, &states, &proposal).unwrap();
    let old = draft(&current);
    let all = pieces(&old, &whole.document);
    let ids: Vec<String> = all.iter().map(|piece| piece.id.clone()).collect();
    let taken = take_only(&all, &ids, &old).unwrap();
    assert_eq!(digest::of_document(&taken), digest::of_document(&whole.document));
    let unknown = take_only(&all, &["add:nowhere".to_owned()], &old);
    assert!(matches!(unknown, Err(Refused::Unknown(_))), "{unknown:?}");
}
