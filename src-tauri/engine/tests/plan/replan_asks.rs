//! What a replan asks for beyond the approved plan, and what it need not ask for.

use std::sync::Arc;

use planloom_engine::model::replan::{Ask, Replanned, Standing, as_text, describe, replan};
use planloom_engine::model::tool::{Access, Catalog, Effect, Idempotency, ToolSpec, Touch};
use planloom_engine::model::{Json, Setting, TaskId};
use serde_json::json;

use crate::replan::states;
use crate::support::{catalog, draft, place, plan, task, with};

/// The small catalog, and tools that reach outside.
pub fn wide() -> Catalog {
    let spec = |name: &str, effect, touches, is_source_untrusted| {
        let method_argument = (name == "web.post").then_some("method");
        Arc::new(ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            arguments: json!({}),
            result: json!({}),
            effect,
            idempotency: Idempotency::Not,
            touches,
            method_argument,
            is_source_untrusted,
            needs: Vec::new(),
            definition: None,
        })
    };
    let more = [
        spec(
            "web.get",
            Effect::ReadExternal,
            vec![Touch::one("url", Access::Host)],
            true,
        ),
        spec(
            "web.post",
            Effect::WriteExternal,
            vec![Touch::one("url", Access::Host)],
            false,
        ),
        spec(
            "shell.run",
            Effect::Exec,
            vec![Touch::one("program", Access::Command)],
            true,
        ),
        spec("pay", Effect::Spend, vec![], false),
    ];
    Catalog::new(catalog().iter().cloned().chain(more))
}

pub fn taken(current: &Json, proposal: &Json) -> Replanned {
    let (catalog, place) = (wide(), place());
    let setting = Setting {
        catalog: &catalog,
        place: &place,
        has_models: true,
    };
    let states = states(&[
        ("done", Standing::Settled),
        ("sent", Standing::Settled),
        ("bad", Standing::Failed),
    ]);
    replan(&draft(current), &states, proposal, &setting).unwrap()
}

fn asks(current: &Json, proposal: &Json) -> Vec<Ask> {
    taken(current, proposal).asks
}

pub fn call(id: &str, tool: &str, inputs: Json) -> Json {
    let call = with(task(id, &[]), "tool", json!(tool));
    with(call, "inputs", inputs)
}

fn agent(id: &str, tools: &[&str]) -> Json {
    json!({"id": id, "instruction": "i", "tools": tools})
}

/// What is asked for, as lines.
fn lines(asks: &[Ask]) -> Vec<String> {
    asks.iter()
        .map(|ask| serde_json::to_string(ask).unwrap())
        .collect()
}

pub fn work() -> Json {
    let mut work = plan(vec![
        call("done", "web.get", json!({"url": "https://a.example/x"})),
        call(
            "sent",
            "web.post",
            json!({"method": "POST", "url": "https://b.example/pay"}),
        ),
        call("bad", "file.write", json!({"path": "out/a.txt", "text": "x"})),
        agent("helper", &["file.read"]),
    ]);
    work["grants"] = json!({"read": ["data/"], "write": ["log/"], "hosts": ["a.example"]});
    work["budget"] = json!({"usd": 1.50, "tokens": 1000});
    work
}

#[test]
fn what_was_approved_is_not_asked_for_again() {
    let free = [
        // The same host was read; the folder is granted; its own need was approved.
        call("again", "web.get", json!({"url": "https://a.example/y"})),
        call("note", "file.write", json!({"path": "log/x.txt", "text": "x"})),
        call("bad", "file.write", json!({"path": "out/a.txt", "text": "y"})),
        agent("other", &["file.read"]),
    ];
    assert_eq!(asks(&work(), &json!({ "add": free })), []);
    let same = json!({"add": [], "grants": {"read": ["data/"]}, "budget": {"usd": 0.5}});
    let taken = taken(&work(), &same);
    assert_eq!(
        (taken.asks, taken.plan_fields),
        (vec![], vec!["budget".to_owned()])
    );
    assert_eq!(
        taken.document.document()["grants"],
        work()["grants"],
        "an approved grant stays"
    );
}

#[test]
fn new_resources_are_asked_for() {
    let add = [
        call("n1", "file.write", json!({"path": "out/b.txt", "text": "x"})),
        // Approved for the task that writes it, not for another.
        call("n2", "file.write", json!({"path": "out/a.txt", "text": "x"})),
        call("n3", "web.get", json!({"url": "https://evil.example"})),
        call("bad", "shell.run", json!({"program": "rm"})),
        call("n4", "pay", json!({"amount": 1})),
    ];
    insta::assert_snapshot!(lines(&asks(&work(), &json!({ "add": add }))).join("\n"), @r#"
    {"need":{"task":"bad","need":{"access":"command","resource":"rm"}}}
    {"need":{"task":"n1","need":{"access":"write","resource":"/plans/out/b.txt"}}}
    {"need":{"task":"n2","need":{"access":"write","resource":"/plans/out/a.txt"}}}
    {"repeats":{"task":"n2","of":"bad"}}
    {"need":{"task":"n3","need":{"access":"host","resource":"evil.example:443","method":"GET"}}}
    {"tool":{"task":"n4","tool":"pay","effect":"spend"}}
    "#);
}

#[test]
fn grants_and_budget_are_asked_for() {
    let proposal = json!({
        "add": [],
        "grants": {"hosts": ["a.example", "* evil.example"], "commands": ["sh"]},
        "budget": {"usd": 1.5000001, "tokens": 9007199254740993u64, "seconds": 60},
        "synthesis": {"template": "{{ goal }}"}
    });
    let taken = taken(&work(), &proposal);
    insta::assert_snapshot!(lines(&taken.asks).join("\n"), @r#"
    {"grant":{"access":"host","entry":"* evil.example","task":null}}
    {"grant":{"access":"command","entry":"sh","task":null}}
    {"budget":{"field":"usd","from":"1.5","to":"1.5000001"}}
    {"budget":{"field":"tokens","from":"1000","to":"9007199254740993"}}
    "synthesis"
    "#);
    assert_eq!(
        taken.document.document()["budget"]["tokens"].to_string(),
        "9007199254740993"
    );
    assert_eq!(
        taken.document.document()["grants"]["hosts"],
        json!(["a.example", "* evil.example"])
    );
}

#[test]
fn what_only_a_person_may_say_is_asked_for() {
    let mut current = work();
    let tasks = current["tasks"].as_array_mut().unwrap();
    tasks[2]["approval"] = json!("before");
    tasks.push(json!({"id": "ok", "task_type": "human", "instruction": "i", "form": {"type": "object"}}));
    let bad = call(
        "bad",
        "file.write",
        json!({"path": "out/a.txt", "text": {"$secret": "KEY"}}),
    );
    let proposal = json!({
        "add": [
            with(bad, "idempotent", json!(true)),
            with(agent("helper", &["file.read", "shell.run"]), "model", json!("far/away")),
            {"id": "sub", "task_type": "subplan", "instruction": "i", "plan": {
                "tasks": [call("in", "file.write", json!({"path": "in.txt", "text": ""}))],
                "grants": {"write": ["deep/"]}
            }},
            {"id": "file", "task_type": "subplan", "instruction": "i", "plan": "other.plan.json"},
            {"id": "all", "task_type": "map", "instruction": "i", "over": [1],
                "task": call("x", "web.get", json!({"url": "https://c.example"}))}
        ],
        "drop": ["ok"],
        "grants": {"commands": ["ls"]}
    });
    insta::assert_snapshot!(lines(&asks(&current, &proposal)).join("\n"), @r#"
    {"grant":{"access":"command","entry":"ls","task":null}}
    {"secret":{"task":"bad","name":"KEY"}}
    {"idempotent":{"task":"bad"}}
    {"unattended":{"task":"bad"}}
    {"tool":{"task":"helper","tool":"shell.run","effect":"exec"}}
    {"model":{"task":"helper","model":"far/away"}}
    {"grant":{"access":"write","entry":"deep/","task":"sub"}}
    {"need":{"task":"sub/in","need":{"access":"write","resource":"/plans/in.txt"}}}
    {"plan_file":{"task":"file","path":"other.plan.json"}}
    {"need":{"task":"all[]","need":{"access":"host","resource":"c.example:443","method":"GET"}}}
    {"unattended":{"task":"ok"}}
    {"flow":{"path":["helper"]}}
    "#);
}

#[test]
fn the_same_effect_under_another_id_is_told() {
    let again = call(
        "sent_2",
        "web.post",
        json!({"method": "POST", "url": "https://b.example/pay"}),
    );
    let repeats = Ask::Repeats {
        task: TaskId::from("sent_2"),
        of: TaskId::from("sent"),
    };
    assert!(asks(&work(), &json!({ "add": [again] })).contains(&repeats));
}

#[test]
fn a_new_way_out_for_foreign_text_is_told() {
    let mut current = plan(vec![
        call("done", "web.get", json!({"url": "https://a.example"})),
        call("bad", "echo", json!({"value": 1})),
        with(
            call(
                "post",
                "web.post",
                json!({"method": "POST", "url": "https://b.example", "body": {"$from": "bad"}}),
            ),
            "dependencies",
            json!(["bad"]),
        ),
    ]);
    let bad = with(
        call("bad", "echo", json!({"value": {"$from": "done"}})),
        "dependencies",
        json!(["done"]),
    );
    let found = asks(&current, &json!({ "add": [bad] }));
    let path = ["done", "bad", "post"].map(TaskId::from).to_vec();
    assert_eq!(found, [Ask::Flow { path }]);
    // Once approved, it is no news.
    current["tasks"][1] = bad;
    let other = json!({"add": [call("new", "echo", json!({"value": 1}))]});
    assert_eq!(asks(&current, &other), []);
}

/// A person's word can't be gone round by a step that no longer waits for it.
#[test]
fn a_guard_that_is_gone_round_is_told() {
    let human = json!({"id": "ok", "task_type": "human", "instruction": "i", "form": {"type": "object"}});
    let post = |id: &str, after: &[&str]| {
        let inputs = json!({"method": "POST", "url": "https://b.example"});
        with(call(id, "web.post", inputs), "dependencies", json!(after))
    };
    let mut current = plan(vec![
        human,
        with(task("bad", &["ok"]), "inputs", json!({"value": 1})),
        post("send", &["bad"]),
    ]);
    current["grants"] = json!({"hosts": ["POST b.example"]});
    let unattended = |id: &str| {
        [Ask::Unattended {
            task: TaskId::from(id),
        }]
    };
    let round = json!({"add": [post("send", &[])], "drop": ["bad"]});
    assert_eq!(asks(&current, &round), unattended("send"));
    let other = json!({"add": [post("send_2", &[])], "drop": ["bad", "send"]});
    assert_eq!(asks(&current, &other), unattended("send_2"));
    // Behind the person still, by another way.
    let behind = json!({"add": [task("mend", &["ok"]), post("send", &["mend"])], "drop": ["bad"]});
    assert_eq!(asks(&current, &behind), []);
}

#[test]
fn a_replan_that_leaves_nothing_to_run_is_told() {
    let only_done = json!({"drop": ["bad", "helper"]});
    assert_eq!(asks(&work(), &only_done), [Ask::NothingLeft]);
}

/// The diff as a terminal shows it.
fn told(current: &Json, proposal: &Json) -> String {
    let (catalog, place) = (wide(), place());
    let setting = Setting {
        catalog: &catalog,
        place: &place,
        has_models: true,
    };
    as_text(&describe(&draft(current), &taken(current, proposal), &setting))
}

#[test]
fn the_diff_reads_like_a_story() {
    let mut current = work();
    current["tasks"][3]["title"] = json!("The helper");
    let proposal = json!({
        "add": [
            call("bad", "file.write", json!({"path": "log/a.txt", "text": "x"})),
            {"id": "sum", "title": "Sum it up", "task_type": "model", "instruction": "Sum up\nwhat is there",
                "dependencies": ["bad", "done"]},
            call("new", "web.post", json!({"method": "POST", "url": "https://evil.example"})),
            {"id": "done", "title": "Get the page"}
        ],
        "drop": ["helper"],
        "grants": {"hosts": ["* evil.example"]},
        "budget": {"usd": 3}
    });
    insta::assert_snapshot!(told(&current, &proposal), @r#"
    ! Asks for a new grant: reach * evil.example.
    ! Raises the budget in usd from 1.5 to 3.
    ! `new` needs what was not approved: POST evil.example:443.
    + Adds “Sum it up” (`sum`), a model call, after `bad` and `done`: Sum up what is there.
    + Adds `new`, the tool `web.post`, at the start: Do it.
        POST evil.example:443 (Sends POST)
    ~ Changes `inputs` of `bad`.
        inputs: {"path":"out/a.txt","text":"x"} → {"path":"log/a.txt","text":"x"}
        write log/a.txt (Writes it; what was there is replaced)
    - Drops “The helper” (`helper`).
    ~ Renames `done`; it does the same as before.
        title: nothing → Get the page
    ~ Changes `grants` of the plan.
        grants: {"read":["data/"],"write":["log/"],"hosts":["a.example"]} → {"read":["data/"],"write":["log/"],"hosts":["a.example","* evil.example"]}
    ~ Changes `budget` of the plan.
        budget: {"usd":1.5,"tokens":1000} → {"usd":3,"tokens":1000}
    "#);
}

#[test]
fn every_ask_is_a_sentence() {
    let mut current = work();
    current["tasks"][2]["approval"] = json!("before");
    let bad = call(
        "bad",
        "web.post",
        json!({"method": "POST", "url": "https://b.example/pay", "key": {"$secret": "KEY"}}),
    );
    let get = call("get", "web.get", json!({"url": "https://a.example"}));
    let read = json!({"method": "POST", "url": "https://b.example/pay", "body": {"$from": "get"}});
    let proposal = json!({
        "add": [
            with(bad, "idempotent", json!(true)),
            get,
            with(call("leak", "web.post", read), "dependencies", json!(["get"])),
            call("sent_2", "web.post", json!({"method": "POST", "url": "https://b.example/pay"})),
            with(agent("helper", &["file.read", "shell.run"]), "model", json!("far/away")),
            {"id": "sub", "task_type": "subplan", "instruction": "i",
                "plan": {"tasks": [task("in", &[])], "grants": {"write": ["deep/"]}}},
            {"id": "file", "task_type": "subplan", "instruction": "i", "plan": "other.plan.json"}
        ],
        "grants": {"commands": ["ls"]},
        "synthesis": {"template": "{{ goal }}"}
    });
    let told = told(&current, &proposal);
    let asked: Vec<&str> = told.lines().filter(|line| line.starts_with('!')).collect();
    insta::assert_snapshot!(asked.join("\n"), @r#"
    ! Asks for a new grant: run ls.
    ! The final answer is made in another way.
    ! `bad` needs what was not approved: POST b.example:443.
    ! `bad` is handed the secret KEY.
    ! `bad` claims that doing it twice does no harm; that is for you to say.
    ! `bad` no longer waits for your word.
    ! `helper` gets the tool `shell.run`, which runs programs.
    ! `helper` sends its inputs to another model, `far/away`.
    ! `leak` needs what was not approved: POST b.example:443.
    ! `sent_2` needs what was not approved: POST b.example:443.
    ! `sent_2` makes the same call as `sent`, which has begun: it might happen twice.
    ! Asks for a new grant in the plan inside `sub`: write deep/.
    ! `file` runs the plan file other.plan.json, which was not approved.
    ! Text from outside could leave by a new way: `get` → `leak`.
    ! Text from outside could leave by a new way: `helper`.
    "#);
}

#[test]
fn a_small_change_in_a_long_text_is_seen_and_nothing_hides() {
    let long = "Read all of it with care. ".repeat(20);
    let mut current = work();
    current["tasks"][3]["instruction"] = json!(format!("{long}Then stop."));
    let helper = with(
        agent("helper", &["file.read"]),
        "instruction",
        json!(format!("{long}Then\u{202e} pay.")),
    );
    insta::assert_snapshot!(told(&current, &json!({ "add": [helper] })), @r#"
    ~ Changes `instruction` of `helper`.
        instruction: …ith care. Read all of it with care. Then stop. → …ith care. Read all of it with care. Then\u{202e} pay.
        read data/ (Read only; which one is decided during the run)
      Still failed: `bad`.
    "#);
    let nothing = told(&current, &json!({"add": []}));
    assert_eq!(nothing, "  The replan changes nothing.\n  Still failed: `bad`.\n");
}
