//! What is said of large runs stays short, and `--json` has all of it; where a run's files lie is said.

use planloom_tests::process::Desk;
use serde_json::json;

#[test]
fn a_fork_of_a_large_map_is_told_in_a_few_lines_and_whole_as_json() {
    const ITEMS: usize = 60;
    let desk = Desk::default();
    let items: Vec<usize> = (0..ITEMS).collect();
    let path = json!({ "$template": "out/{{ n }}.txt", "with": { "n": { "$index": true } } });
    let write = |id: &str, path: serde_json::Value| {
        json!({ "id": id, "instruction": "Write.", "task_type": "tool", "tool": "file.write",
                "inputs": { "path": path, "text": "x" } })
    };
    let plan = json!({ "grants": { "write": ["out/*.txt"] }, "tasks": [
        { "id": "m", "instruction": "Write each.", "task_type": "map", "over": "items", "inputs": { "items": items },
          "task": write("w", path) },
        write("own", json!("run:/own.txt")) ] });
    let plan = desk.write("map.plan.json", &plan);
    let ran = desk.say(&["run", plan.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    let folder = ran.last()["folder"].as_str().unwrap().to_owned();
    for args in [&["show", &run][..], &["resume", &run]] {
        let shown = desk.say_plainly(args).stdout;
        assert!(
            shown.contains(&format!("(run:/) lie in {folder}")),
            "{args:?}: {shown}"
        );
    }
    assert_eq!(desk.say(&["show", &run]).last()["folder"], folder);

    let whole = desk.say(&["fork", &run, "--at", "6"]);
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    let files = whole.last()["files"].as_array().unwrap().len();
    assert_eq!(files, ITEMS + 1);
    for args in [
        &["fork", &run, "--at", "6"][..],
        &["rerun", &run],
        &["rewind", &run, "--to", "6"],
    ] {
        let told = desk.say_plainly(args);
        assert_eq!(told.code, 0, "{args:?}: {}", told.stderr);
        let lines: Vec<&str> = told
            .stderr
            .lines()
            .filter(|line| !line.contains("is done") && !line.contains(" started"))
            .collect();
        assert!(lines.len() < 40, "{args:?} says {} lines", lines.len());
        let is_cut = (ITEMS - 8..ITEMS).any(|more| told.stderr.contains(&format!("and {more} more")));
        assert!(
            is_cut || told.stderr.lines().count() < 8,
            "{args:?}: {}",
            told.stderr
        );
        let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
        assert!(longest < 400, "{args:?} has a line of {longest} characters");
    }
}
