//! The rule of estimates: by examples, and against a greedy run of any small plan.

use proptest::prelude::*;

use super::*;
use crate::model::grants::Place;
use crate::model::tool::Catalog;
use crate::model::{DraftPlan, Setting};

fn plan(document: &Json) -> Plan {
    let setting = Setting {
        catalog: &Catalog::default(),
        place: &Place {
            folder: None,
            workspace: "/w".into(),
        },
        has_models: true,
    };
    let draft = DraftPlan::parse(&document.to_string()).unwrap();
    draft.to_plan_in(&setting).unwrap().plan
}

fn task(id: &str, after: &[&str]) -> Json {
    json!({ "id": id, "task_type": "model", "instruction": id, "dependencies": after })
}

fn ms(low: u64, high: u64) -> Guess {
    Guess {
        ms: Span::between(low, low.midpoint(high), high),
        ..Guess::nothing()
    }
}

/// With so many tasks at once, and no parameters.
fn estimate(plan: &Plan, at_once: usize, guess: &dyn Fn(&Task) -> Guess) -> Estimate {
    given(plan, at_once, &Map::new(), guess)
}

fn given(plan: &Plan, at_once: usize, given: &Map<String, Json>, guess: &dyn Fn(&Task) -> Guess) -> Estimate {
    super::estimate(
        plan,
        &Around {
            at_once,
            given,
            held: &BTreeSet::new(),
            inside: "",
            left_out: &BTreeSet::new(),
            guess,
        },
    )
}

#[test]
fn what_is_held_costs_nothing_and_takes_no_time_also_inside() {
    let inner = json!({ "tasks": [task("x", &[]), task("y", &["x"])] });
    let nested = json!({ "id": "s", "task_type": "subplan", "plan": inner, "instruction": "s", "dependencies": ["a"] });
    let asked = json!({ "id": "a", "task_type": "human", "instruction": "a" });
    let plan = plan(&json!({ "tasks": [asked, nested] }));
    let whole = |held: &[&str]| {
        let held = held.iter().map(|id| TaskId::from(*id)).collect();
        let around = Around {
            at_once: 4,
            given: &Map::new(),
            held: &held,
            inside: "",
            left_out: &BTreeSet::new(),
            guess: &|_| ms(10, 10).asking(Span::exactly(1)),
        };
        let whole = super::estimate(&plan, &around);
        (whole.ms.high, whole.calls.high, whole.asks.len())
    };
    assert_eq!(whole(&[]), (Some(30), Some(3), 1));
    assert_eq!(whole(&["a"]), (Some(20), Some(2), 0));
    assert_eq!(whole(&["s/y"]), (Some(20), Some(2), 1));
    assert_eq!(whole(&["a", "s"]), (Some(0), Some(0), 0));
    // A task of the same name elsewhere is another task.
    assert_eq!(whole(&["y"]), (Some(30), Some(3), 1));
}

fn guesses_of(whole: &Estimate) -> Vec<Guess> {
    whole.tasks.iter().map(|(_, guess)| *guess).collect()
}

#[test]
fn what_will_not_run_costs_nothing_takes_no_slot_and_is_on_no_path() {
    let asked = json!({ "id": "ask", "task_type": "human", "instruction": "ask", "dependencies": ["slow"] });
    let plan = plan(
        &json!({ "tasks": [task("a", &[]), task("b", &["a"]), task("slow", &[]), asked, task("end", &["ask"])] }),
    );
    let guess = |task: &Task| match task.id.as_str() {
        "slow" => ms(100, 100).asking(Span::exactly(3)),
        _ => ms(10, 10).asking(Span::exactly(1)),
    };
    let whole = |out: &[&str]| {
        let left_out = out.iter().map(|id| TaskId::from(*id)).collect();
        let around = Around {
            at_once: 1,
            given: &Map::new(),
            held: &BTreeSet::new(),
            inside: "",
            left_out: &left_out,
            guess: &guess,
        };
        super::estimate(&plan, &around)
    };
    let all = whole(&[]);
    assert_eq!(ids(&all.critical_path), ["slow", "ask", "end"]);
    assert_eq!(
        (all.ms.likely, all.calls.high, all.asks.len()),
        (Some(140), Some(7), 1)
    );
    let less = whole(&["slow", "ask", "end"]);
    assert_eq!(ids(&less.critical_path), ["a", "b"]);
    assert_eq!(
        (less.ms, less.calls.high, less.asks.len()),
        (Span::exactly(20), Some(2), 0)
    );
    let predicted = schedule::predict(&plan, &guesses_of(&less), &less.is_out, 1);
    assert_eq!(
        (predicted[0].drawn, predicted[1].drawn),
        ((0, 10), (10, 20)),
        "nothing holds them up"
    );
    let none = whole(&["a", "b", "slow", "ask", "end"]);
    assert!(none.critical_path.is_empty() && none.ms == Span::exactly(0));
}

fn ids(path: &[TaskId]) -> Vec<&str> {
    path.iter().map(TaskId::as_str).collect()
}

#[test]
fn the_time_is_that_of_the_longest_way() {
    let plan =
        plan(&json!({ "tasks": [task("a", &[]), task("b", &[]), task("c", &["a", "b"]), task("d", &[])] }));
    let guess = |task: &Task| match task.id.as_str() {
        "a" => ms(10, 20),
        "b" => ms(30, 40),
        "c" => ms(5, 5),
        _ => ms(1, 2),
    };
    let wide = estimate(&plan, 100, &guess);
    assert_eq!(ids(&wide.critical_path), ["b", "c"]);
    assert_eq!((wide.ms.low, wide.ms.high), (35, Some(46)));
    let narrow = estimate(&plan, 1, &guess);
    assert_eq!(
        (narrow.ms.low, narrow.ms.high),
        (46, Some(67)),
        "one after the other"
    );
}

#[test]
fn what_is_unknown_leaves_the_whole_open_upwards() {
    let plan = plan(&json!({ "tasks": [task("a", &[]), task("b", &["a"])] }));
    let usd: Usd = "0.25".parse().unwrap();
    let guess = |task: &Task| match task.id.as_str() {
        "a" => Guess {
            usd: Span::exactly(usd),
            ..ms(10, 10)
        },
        _ => Guess::default(),
    };
    let whole = estimate(&plan, 4, &guess);
    assert_eq!((whole.usd.low, whole.usd.high), (usd, None));
    assert_eq!((whole.ms.low, whole.ms.high), (10, None));
    assert_eq!(ids(&whole.critical_path), ["a", "b"]);
}

#[test]
fn maps_count_their_items_and_nested_plans_their_tasks() {
    let inner = json!({ "instruction": "i", "task_type": "model" });
    let plan = plan(&json!({ "tasks": [
        { "id": "m", "instruction": "m", "task_type": "map", "over": [1, 2, 3], "max_parallel": 2, "task": inner },
        { "id": "s", "instruction": "s", "task_type": "subplan", "plan": { "tasks": [task("x", &[]), task("y", &["x"])] } },
        { "id": "open", "instruction": "o", "task_type": "map", "over": { "$from": "m" }, "dependencies": ["m"], "task": inner },
    ] }));
    let one = Guess {
        tokens: Span::exactly(7),
        ..ms(10, 10)
    };
    let whole = estimate(&plan, 16, &|_| one);
    let of = |id: &str| {
        whole
            .tasks
            .iter()
            .find(|(task, _)| task.as_str() == id)
            .unwrap()
            .1
    };
    assert_eq!(
        (of("m").tokens, of("m").ms),
        (Span::exactly(21), Span::exactly(20))
    );
    assert_eq!(
        (of("s").tokens, of("s").ms),
        (Span::exactly(14), Span::exactly(20))
    );
    assert_eq!(
        (of("open").tokens, of("open").ms),
        (Span::default(), Span::default())
    );
    assert_eq!(
        of("open").usd,
        Span::exactly(Usd::ZERO),
        "what is free is free however often"
    );
}

#[test]
fn a_map_over_a_parameter_counts_what_the_parameter_is_given() {
    let inner = json!({ "instruction": "i", "task_type": "model" });
    let nested = json!({ "parameters": { "list": { "type": "array", "default": [1, 2, 3] } }, "tasks": [
        { "id": "x", "instruction": "x", "task_type": "map", "over": { "$param": "list" }, "task": inner } ] });
    let plan = plan(&json!({
        "parameters": { "items": { "type": "array", "default": [1, 2] } },
        "tasks": [
            { "id": "m", "instruction": "m", "task_type": "map", "over": { "$param": "items" }, "task": inner },
            { "id": "own", "instruction": "o", "task_type": "map", "over": "list", "inputs": { "list": [1] }, "task": inner },
            { "id": "bound", "instruction": "b", "task_type": "subplan", "plan": nested, "inputs": { "list": { "$param": "items" } } },
            { "id": "unbound", "instruction": "u", "task_type": "subplan", "plan": nested, "dependencies": ["m"],
              "inputs": { "list": { "$from": "m" } } },
        ] }));
    let one = Guess {
        tokens: Span::exactly(7),
        ..Guess::nothing()
    };
    let tokens = |given_items: Json| {
        let map = [("items".to_owned(), given_items)].into_iter().collect();
        let whole = given(&plan, 16, &map, &|_| one);
        let of = whole.tasks.into_iter().map(|(_, guess)| guess.tokens);
        of.collect::<Vec<_>>()
    };
    let four = tokens(json!([1, 2, 3, 4]));
    assert_eq!(
        four[..3],
        [Span::exactly(28), Span::exactly(7), Span::exactly(28)]
    );
    assert_eq!(four[3], Span::default(), "what the run finds is not the default");
    let by_default = given(&plan, 16, &Map::new(), &|_| one);
    assert_eq!(by_default.tasks[0].1.tokens, Span::exactly(14));
}

#[test]
fn what_is_likely_lies_between_and_calls_are_counted() {
    let plan = plan(&json!({ "tasks": [task("a", &[]), task("b", &[]), task("c", &["a"])] }));
    assert_eq!(Span::over([9_u64, 1, 4]), Span::between(1, 4, 9));
    assert_eq!(Span::<u64>::over([]), Span::default());
    let usd: Usd = "0.5".parse().unwrap();
    let guess = |task: &Task| match task.id.as_str() {
        "a" => ms(10, 30).asking(Span::between(1, 4, 12)),
        _ => Guess {
            usd: Span::exactly(usd),
            ..ms(10, 10)
        }
        .asking(Span::exactly(1)),
    };
    let whole = estimate(&plan, 1, &guess);
    assert_eq!(whole.calls, Span::between(3, 6, 14));
    assert_eq!(whole.free_calls, Span::between(1, 4, 12));
    assert_eq!(whole.ms.likely, Some(40), "20 and twice 10, one after the other");
}

#[test]
fn equal_work_has_equal_keys() {
    let plan = plan(&json!({ "tasks": [
        { "id": "a", "task_type": "model", "instruction": "Same.", "inputs": { "x": 1 } },
        { "id": "b", "task_type": "model", "instruction": "Same.", "inputs": { "x": 2 } },
        { "id": "c", "task_type": "model", "instruction": "Other." },
        { "id": "d", "task_type": "model", "instruction": "Same.", "model": "planner" },
    ] }));
    let keys: Vec<Digest> = plan.tasks.iter().map(|task| key(task)).collect();
    assert_eq!(keys[0], keys[1]);
    assert!(keys[0] != keys[2] && keys[0] != keys[3]);
}

/// Runs the tasks greedily, the longest way to go first, as the dispatcher does, and gives the moment of the last one.
fn simulated(plan: &Plan, slots: usize, times: &[u64]) -> u64 {
    let (mut done, mut running): (Vec<Option<u64>>, Vec<(u64, u32)>) =
        (vec![None; plan.tasks.len()], Vec::new());
    let (mut now, mut started) = (0, vec![false; plan.tasks.len()]);
    loop {
        let mut ready: Vec<u32> = (0..plan.tasks.len() as u32)
            .filter(|&ix| !started[ix as usize])
            .filter(|&ix| plan.dependencies(ix).iter().all(|&d| done[d as usize].is_some()))
            .collect();
        ready.sort_by_key(|&ix| (std::cmp::Reverse(plan.remaining(ix)), ix));
        for ix in ready {
            if running.len() < slots {
                started[ix as usize] = true;
                running.push((now + times[ix as usize], ix));
            }
        }
        running.sort_unstable();
        if running.is_empty() {
            return now;
        }
        now = running[0].0;
        while running.first().is_some_and(|(at, _)| *at == now) {
            done[running.remove(0).1 as usize] = Some(now);
        }
    }
}

proptest! {
    /// Whatever the plan, a greedy run takes no less than the least and no more than the most.
    #[test]
    fn a_run_stays_within_its_estimate(
        edges in prop::collection::vec((0usize..8, 0usize..8), 0..14),
        times in prop::collection::vec(0u64..50, 8),
        slots in 1usize..5,
    ) {
        let tasks: Vec<Json> = (0..8usize).map(|n| {
            let after: Vec<String> = edges.iter().filter(|(from, to)| *to == n && *from < n).map(|(from, _)| format!("t{from}")).collect();
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            task(&format!("t{n}"), &after)
        }).collect();
        let plan = plan(&json!({ "tasks": tasks }));
        let guess = |task: &Task| {
            let n: usize = task.id.as_str()[1..].parse().unwrap();
            ms(times[n], times[n])
        };
        let whole = estimate(&plan, slots, &guess);
        let ran = simulated(&plan, slots, &times);
        prop_assert_eq!(whole.ms.likely, Some(ran), "what is likely is a run with what is likely of each");
        let predicted = schedule::predict(&plan, &guesses_of(&whole), &whole.is_out, slots);
        for (ix, one) in predicted.iter().enumerate() {
            prop_assert!(one.lane < slots as u32 && one.start.high.is_some() && one.end.likely.is_some());
            for &before in plan.dependencies(ix as TaskIx) {
                prop_assert!(predicted[before as usize].drawn.1 <= one.drawn.0);
            }
            let others = predicted.iter().enumerate().filter(|(other, two)| *other != ix && two.lane == one.lane);
            for (_, two) in others {
                prop_assert!(two.drawn.1 <= one.drawn.0 || one.drawn.1 <= two.drawn.0, "one lane, two at once");
            }
        }
        prop_assert!(whole.ms.low <= ran && ran <= whole.ms.high.unwrap(), "{:?} {}", whole.ms, ran);
    }
}

#[test]
fn what_comes_after_an_unknown_time_begins_nobody_knows_when() {
    let plan = plan(&json!({ "tasks": [
        task("a", &[]), task("b", &["a"]), task("c", &["b"]), task("free", &[]), task("after", &["free"]) ] }));
    let guess = |task: &Task| match task.id.as_str() {
        "b" => Guess::default(),
        _ => ms(10, 20),
    };
    let predicted = |slots: usize| {
        let whole = estimate(&plan, slots, &guess);
        let predicted = schedule::predict(&plan, &guesses_of(&whole), &whole.is_out, slots);
        (predicted, whole.ms.likely)
    };
    let (wide, likely) = predicted(4);
    assert_eq!(likely, None);
    let [a, b, c, _, after] = &wide[..] else { panic!() };
    assert_eq!((a.start, a.end), (Span::exactly(0), Span::between(10, 15, 20)));
    assert_eq!(
        (b.start, b.end),
        (Span::between(10, 15, 20), Span::exactly(10).open())
    );
    assert!(b.is_assumed && b.drawn == (15, 30), "drawn as long as the others");
    assert_eq!(
        (c.start, c.end),
        (Span::exactly(10).open(), Span::exactly(20).open())
    );
    assert_eq!(after.end, Span::between(20, 30, 40));
    let (narrow, _) = predicted(1);
    assert_eq!(
        narrow[4].start.high, None,
        "it waits for a slot that somebody holds who knows how long"
    );
}
