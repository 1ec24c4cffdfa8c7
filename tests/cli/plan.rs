//! `plan`, `run --goal` and estimates: without a model, and with one behind a real server on loopback.

use planloom_tests::model_server::{self, ModelServer};
use planloom_tests::process::Desk;
use serde_json::{Value, json};

pub const GOAL: &str = "Greet Ada";

/// One task that asks a model, in the planner's dialect.
pub fn planned() -> Value {
    json!({
        "questions": [], "assumptions": ["Ada reads English."], "answer": null,
        "grants": { "read": [], "write": [], "hosts": [], "databases": [], "commands": [] },
        "tasks": [{
            "id": "greet", "title": "Greet", "task_type": "model", "instruction": "Greet Ada.", "dependencies": [],
            "tools": [], "inputs": [], "for_each": null, "output_schema": null, "check": null, "when": null,
            "writes": [], "optional": false, "tier": "cheap", "source": null, "form": null,
        }],
    })
}

/// Plans as told, and does whatever else it is asked.
pub fn server(plans: impl Fn(&Value) -> Value + Send + Sync + 'static) -> ModelServer {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    ModelServer::start(&[("/v1/models", list)], move |asked| {
        let wants = &asked.body["response_format"]["json_schema"]["name"];
        if wants == "plan" {
            (200, model_server::say(&plans(&asked.body).to_string()))
        } else {
            (200, model_server::able(&asked.body, "Hello Ada."))
        }
    })
}

pub fn desk_beside(server: &ModelServer) -> Desk {
    let desk = Desk::default();
    desk.choose_models(&json!({ "discover": [server.address()] }));
    desk
}

#[test]
fn a_goal_becomes_a_plan_file_that_runs() {
    let server = server(|_| planned());
    let desk = desk_beside(&server);
    let path = desk.write("x", &json!(null)).with_file_name("greet.plan.json");
    let path = path.to_str().unwrap();
    let said = desk.say(&["plan", GOAL, "--out", path, "--max-tokens", "100000"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let whole = said.last();
    assert_eq!(
        (&whole["ok"], &whole["state"]),
        (&json!(true), &json!("AWAITING_APPROVAL"))
    );
    assert_eq!(whole["plan"]["tasks"][0]["id"], "greet");
    assert_eq!(whole["planning"]["notes"], json!(["Assumed: Ada reads English."]));
    assert_eq!(whole["planning"]["calls"][0]["answer"], planned().to_string());
    assert_eq!(whole["estimate"]["critical_path"], json!(["greet"]));
    assert_eq!(desk.say(&["check", path]).code, 0);
    let ran = desk.say(&["run", path, "--yes"]);
    assert_eq!(
        (ran.code, &ran.last()["output"]["greet"]),
        (0, &json!("Hello Ada."))
    );

    let run = whole["run"].as_str().unwrap();
    assert_eq!(desk.say(&["show", run]).last()["planning"]["state"], "planned");
    let resumed = desk.say(&["resume", run, "--yes"]);
    assert_eq!((resumed.code, &resumed.last()["state"]), (0, &json!("SUCCEEDED")));
}

#[test]
fn run_with_a_goal_plans_shows_and_asks() {
    let server = server(|_| planned());
    let desk = desk_beside(&server);
    let asked = desk.say(&["run", "--goal", GOAL]);
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    assert_eq!(asked.last()["decisions"][0]["kind"], "approval");
    assert!(asked.stderr.contains("estimate:"), "{}", asked.stderr);
    let ran = desk.say(&["run", "--goal", GOAL, "--yes"]);
    assert_eq!(
        (ran.code, &ran.last()["output"]["greet"]),
        (0, &json!("Hello Ada."))
    );
    let kinds: Vec<String> = ran
        .lines()
        .iter()
        .filter_map(|l| l["kind"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(&kinds[..3], ["run_opened", "goal_given", "plan_revised"]);
}

#[test]
fn a_question_waits_for_its_answer_and_a_plan_with_problems_is_wrong() {
    let server = server(|asked| {
        let mut plan = planned();
        let told = asked["messages"].to_string();
        if told.contains("Whom? Ada") {
            return plan;
        }
        if told.contains("in circles") {
            plan["tasks"][0]["dependencies"] = json!(["greet"]);
            return plan;
        }
        plan["tasks"] = json!([]);
        plan["questions"] = json!([{ "question": "Whom?", "options": [] }]);
        plan
    });
    let desk = desk_beside(&server);
    let asked = desk.say(&["plan", "Greet someone"]);
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let (run, decision) = (&asked.last()["run"], &asked.last()["decisions"][0]);
    let (run, id) = (run.as_str().unwrap(), decision["id"].as_str().unwrap());
    assert_eq!(desk.say(&["decide", run, id, r#"{"q1": "Ada"}"#]).code, 0);
    let ran = desk.say(&["resume", run, "--yes"]);
    assert_eq!(
        (ran.code, &ran.last()["state"]),
        (0, &json!("SUCCEEDED")),
        "{}",
        ran.stderr
    );

    let wrong = desk.say(&["plan", "Go in circles"]);
    assert_eq!((wrong.code, &wrong.last()["ok"]), (2, &json!(false)));
    assert_eq!(wrong.last()["problems"][0]["code"], "self_dependency");
    let wrong = desk.say(&["run", "--goal", "Go in circles", "--yes"]);
    assert_eq!(
        (wrong.code, &wrong.last()["state"]),
        (2, &json!("AWAITING_APPROVAL")),
        "{}",
        wrong.stderr
    );
}

#[test]
fn without_a_model_one_sentence_says_what_to_do_and_nothing_is_stored() {
    let desk = Desk::default();
    for args in [
        &["plan", "Prepare the weekly report"][..],
        &["run", "--goal", "Prepare the weekly report", "--yes"],
    ] {
        let said = desk.say(args);
        assert_eq!(said.code, 2, "{}", said.stderr);
        assert_eq!(said.last()["error"]["code"], "no_model");
        assert!(said.stderr.contains("No model is set up"), "{}", said.stderr);
    }
    assert_eq!(desk.say(&["runs"]).last()["runs"], json!([]));
}

#[test]
fn a_file_that_is_there_is_not_replaced_and_wrong_flags_are_named() {
    let desk = Desk::default();
    let path = desk.write("old.plan.json", &json!({ "tasks": [] }));
    let path = path.to_str().unwrap();
    let said = desk.say(&["plan", "Goal", "--out", path]);
    assert_eq!((said.code, &said.last()["error"]["code"]), (2, &json!("exists")));
    for args in [
        &["run"][..],
        &["run", path, "--goal", "both"],
        &["plan"],
        &["plan", "Goal", "--max-usd", "lots"],
        &["plan", "Goal", "--grant", "nothing"],
        &["plan", "Goal", "--grant", "foo=bar"],
    ] {
        assert_eq!(desk.say(args).code, 2, "{args:?}");
    }
}

#[test]
fn a_kind_of_grant_that_there_is_not_is_named_with_those_that_there_are() {
    let said = Desk::default().say(&["plan", "Goal", "--grant", "foo=bar"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("no grant of foo"), "{}", said.stderr);
    assert!(said.stderr.contains("databases"), "{}", said.stderr);
}

/// The plan with a tool in it that was not allowed.
fn beyond() -> Value {
    let mut plan = planned();
    plan["tasks"][0]["tools"] = json!(["wait"]);
    plan["tasks"][0]["task_type"] = json!("agent");
    plan
}

#[test]
fn a_plan_beyond_the_allowed_tools_is_approved_by_no_flag() {
    let server = server(|_| beyond());
    let desk = desk_beside(&server);
    let wrong = desk.say(&["plan", GOAL, "--allow", "echo", "--max-tokens", "900000"]);
    assert_eq!(
        (wrong.code, &wrong.last()["ok"]),
        (2, &json!(false)),
        "{}",
        wrong.stderr
    );
    let whole = wrong.last();
    assert_eq!(whole["problems"][0]["code"], "unknown_tool");
    assert_eq!(whole["plan"]["budget"], json!({ "tokens": 900_000 }));
    let run = whole["run"].as_str().unwrap();
    for args in [
        &["run", "--goal", GOAL, "--allow", "echo", "--yes"][..],
        &["resume", run, "--yes"],
        &["resume", run],
    ] {
        let refused = desk.say(args);
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.stderr);
        assert_eq!(refused.last()["state"], "AWAITING_APPROVAL");
        assert!(
            refused.stderr.contains("`wait`, which the goal does not allow"),
            "{}",
            refused.stderr
        );
    }
    let told = desk.say_plainly(&["show", run]);
    assert!(
        told.stdout.contains("`wait`, which the goal does not allow"),
        "{}",
        told.stdout
    );
}

#[test]
fn a_planning_that_failed_is_told_and_taken_up_again() {
    let is_down = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let down = is_down.clone();
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    let server = ModelServer::start(&[("/v1/models", list)], move |asked| {
        if asked.body["response_format"]["json_schema"]["name"] != "plan" {
            return (200, model_server::able(&asked.body, "Hello Ada."));
        }
        if down.load(std::sync::atomic::Ordering::Relaxed) {
            return (
                401,
                json!({ "error": { "message": "wrong key", "code": "invalid_api_key" } }),
            );
        }
        (200, model_server::say(&planned().to_string()))
    });
    let desk = desk_beside(&server);
    let failed = desk.say_plainly(&["run", "--goal", GOAL, "--yes"]);
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    let run = desk.newest().unwrap();
    assert!(
        failed.stdout.contains(&format!("planloom resume {run}")),
        "{}",
        failed.stderr
    );
    let told = desk.say_plainly(&["show", &run]);
    assert!(told.stdout.contains("planning failed: "), "{}", told.stdout);
    let listed = desk.say_plainly(&["runs"]);
    assert!(
        listed.stdout.contains("planning failed: ") && listed.stdout.contains("wrong key"),
        "{}",
        listed.stdout
    );
    is_down.store(false, std::sync::atomic::Ordering::Relaxed);
    let ran = desk.say(&["resume", &run, "--yes"]);
    assert_eq!(
        (ran.code, &ran.last()["state"]),
        (0, &json!("SUCCEEDED")),
        "{}",
        ran.stderr
    );
}

#[cfg(unix)]
#[test]
fn whoever_leaves_the_planning_has_nothing_approved_and_nothing_run() {
    for args in [&["run", "--goal", GOAL, "--yes"][..], &["run", "--goal", GOAL]] {
        for name in ["INT", "TERM"] {
            let server = server(|_| {
                std::thread::sleep(std::time::Duration::from_secs(4));
                planned()
            });
            let desk = desk_beside(&server);
            let lines = desk.folder.path().join("lines");
            let mut child = desk.start_with(args, &lines, &[]);
            let plans = || {
                server
                    .chats()
                    .iter()
                    .filter(|a| a.body["response_format"]["json_schema"]["name"] == "plan")
                    .count()
            };
            let since = std::time::Instant::now();
            while plans() == 0 {
                assert!(since.elapsed().as_secs() < 20, "no planner was asked");
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            let run = desk.newest().unwrap();
            let paused = desk.say(&["pause", &run]);
            assert_eq!(
                (paused.code, &paused.last()["error"]["code"]),
                (2, &json!("planning"))
            );
            planloom_tests::webdriver::signal(child.id(), name).unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?} {name}");
            assert_eq!(plans(), 1, "nothing is asked after it was left");
            let shown = desk.say(&["show", &run]).last();
            assert_eq!(
                (&shown["state"], &shown["planning"]["state"]),
                (&json!("AWAITING_APPROVAL"), &json!("open"))
            );
        }
    }
}

/// Nobody sits before a program that says nothing and wonders whether it hangs.
#[cfg(unix)]
#[test]
fn a_planner_that_is_silent_is_told_of() {
    let server = server(|_| {
        std::thread::sleep(std::time::Duration::from_secs(12));
        planned()
    });
    let desk = desk_beside(&server);
    let said = desk.say(&["plan", GOAL]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let told = said
        .stderr
        .lines()
        .find(|line| line.starts_with("Waiting for the planner ("));
    let told = told.unwrap_or_else(|| panic!("{}", said.stderr));
    assert!(
        told.contains("no word for 10.0 s") && told.contains("Ctrl+C"),
        "{told}"
    );
}

/// A tool that needs no model costs nothing; how long it takes is known once it has run.
#[test]
fn check_and_run_say_what_a_plan_may_come_to() {
    let desk = Desk::default();
    let plan = json!({ "goal": "Wait", "tasks": [
        { "id": "a", "instruction": "Wait.", "task_type": "tool", "tool": "wait", "inputs": { "ms": 30 } },
        { "id": "b", "instruction": "Wait more.", "task_type": "tool", "tool": "wait", "inputs": { "ms": 30 },
          "dependencies": ["a"] },
    ] });
    let path = desk.write("wait.plan.json", &plan);
    let path = path.to_str().unwrap();
    let checked = desk.say(&["check", path]).last();
    assert_eq!(
        checked["estimate"]["usd"],
        json!({ "low": "0", "likely": "0", "high": "0" })
    );
    assert_eq!(checked["estimate"]["critical_path"], json!(["a", "b"]));
    assert_eq!(checked["estimate"]["seconds"]["high"], Value::Null);

    assert_eq!(desk.say(&["run", path, "--yes"]).code, 0);
    let asked = desk.say(&["run", path]);
    assert_eq!(asked.code, 3);
    let line = asked
        .stderr
        .lines()
        .find(|line| line.contains("estimate:"))
        .unwrap();
    assert!(
        line.contains("$0;") && line.contains("longest way a → b"),
        "{line}"
    );
    assert!(
        !line.contains("or more"),
        "the earlier run tells how long it takes: {line}"
    );
}

/// A run's models are known to its log by a digest alone, so whoever chose some gives them again.
#[test]
fn the_way_on_names_the_models_that_were_chosen() {
    let server = server(|_| planned());
    let desk = desk_beside(&server);
    let list = ["--model", "executor=vllm/m", "--model", "planner=vllm/m"];
    for args in [&["run", "--goal", GOAL][..], &["plan", GOAL]] {
        let said = desk.say_plainly(&[args, &list].concat());
        let line = said.stdout.lines().find(|line| line.starts_with("Go on with: "));
        let line = line.unwrap_or_else(|| panic!("{} {}", said.stdout, said.stderr));
        assert!(
            line.contains(" --model executor=vllm/m --model planner=vllm/m"),
            "{line}"
        );
        // The desk names its database by itself.
        let (before, behind) = line.split_once(" --db ").unwrap();
        let before = before.split_whitespace().skip(4);
        let words: Vec<&str> = before.chain(behind.split_whitespace().skip(1)).collect();
        let ran = desk.say(&[&words, &["--yes"][..]].concat());
        assert_eq!(
            (ran.code, &ran.last()["state"]),
            (0, &json!("SUCCEEDED")),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_planner_that_waits_says_why_and_until_when() {
    let is_first = std::sync::atomic::AtomicBool::new(true);
    let server = {
        let list = json!({ "object": "list", "data": [{ "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 }] });
        ModelServer::start(&[("/v1/models", list)], move |asked| {
            let is_plan = asked.body["response_format"]["json_schema"]["name"] == "plan";
            if is_plan && is_first.swap(false, std::sync::atomic::Ordering::Relaxed) {
                let error = json!({ "message": "Too many requests. Please try again in 3s.", "code": "rate_limit_exceeded" });
                return (429, json!({ "error": error }));
            }
            let said = if is_plan {
                planned().to_string()
            } else {
                String::new()
            };
            (
                200,
                if is_plan {
                    model_server::say(&said)
                } else {
                    model_server::able(&asked.body, "Hello Ada.")
                },
            )
        })
    };
    let desk = desk_beside(&server);
    let since = std::time::Instant::now();
    let said = desk.say(&["plan", GOAL]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(
        since.elapsed().as_secs() >= 3,
        "the provider is not asked sooner than it said"
    );
    let line = said
        .stderr
        .lines()
        .find(|line| line.contains("The planner waits until 20"));
    let line = line.unwrap_or_else(|| panic!("{}", said.stderr));
    assert!(
        line.contains("UTC: ") && line.contains("Too many requests"),
        "{line}"
    );
}

#[test]
fn a_place_that_there_is_not_is_told_before_anything_is_paid() {
    let server = server(|_| planned());
    let desk = desk_beside(&server);
    let missing = desk.folder.path().join("new/deep/x.plan.json");
    let folder = desk.folder.path().to_str().unwrap();
    for (path, words) in [
        (missing.to_str().unwrap(), "there is no folder"),
        (folder, "is a folder"),
    ] {
        for args in [&["plan", GOAL][..], &["run", "--goal", GOAL, "--yes"]] {
            let said = desk.say(&[args, &["--out", path, "--force"]].concat());
            assert_eq!(
                (said.code, &said.last()["error"]["code"]),
                (2, &json!("no_folder"))
            );
            assert!(
                said.stderr.contains(words) && said.stderr.contains("Nothing was asked"),
                "{}",
                said.stderr
            );
        }
    }
    assert!(server.chats().is_empty() && !missing.parent().unwrap().exists());
    assert_eq!(desk.say(&["runs"]).last()["runs"], json!([]));
}

#[test]
fn a_run_of_nothing_says_what_could_be_run() {
    let said = Desk::default().say(&["run"]);
    assert_eq!((said.code, &said.last()["error"]["code"]), (2, &json!("usage")));
    for words in ["planloom run my.plan.json", "--goal", "--help"] {
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
}

#[test]
fn one_task_is_no_tasks() {
    let server = server(|_| planned());
    let said = desk_beside(&server).say_plainly(&["plan", GOAL]);
    assert!(said.stdout.contains(": 1 task, revision"), "{}", said.stdout);
}
