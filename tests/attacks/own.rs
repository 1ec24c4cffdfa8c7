//! Files that would be taken for one's own, or for the run's: by a link, by who put them there, by when they were written.

use planloom_engine::Config;
use planloom_tests::rig::{Rig, output_of, plan};
use planloom_tests::script::Act;
use serde_json::json;

use crate::support::effect_asked;
use crate::washing::{EVIL, from, is_held, page, sink, tool};

#[tokio::test(start_paused = true)]
async fn a_file_of_the_runs_folder_that_somebody_else_put_there_is_foreign() {
    let rig = Rig::in_memory();
    let read = tool("last", "file.read", json!({ "path": "run:/x" }), &[]);
    let run = rig.open(&plan(&[read, sink("last")])).await;
    let folder = rig.engine.folder(&run);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("x"), EVIL).unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(rig.effect.calls().len(), 0);
    is_held(&shown, "a file that was put there");
}

/// What is one's own by name is not one's own behind a link, nor once a run has written it.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn own_work_is_what_nobody_else_wrote() {
    let rig = Rig::in_memory();
    let folder = rig.folder().to_owned();
    for name in ["mine", "downloads"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::write(folder.join(name).join("a.txt"), "text").unwrap();
    }
    std::os::unix::fs::symlink("../downloads/a.txt", folder.join("mine/link.txt")).unwrap();
    let grants = json!({ "read": ["mine/", "downloads/"], "own_work": ["mine/"], "private_to": ["sink"] });
    for (path, calls) in [
        ("mine/a.txt", 1),
        ("downloads/a.txt", 0),
        ("mine/link.txt", 0),
        ("mine/../downloads/a.txt", 0),
    ] {
        let rig_calls = rig.effect.calls().len();
        let read = tool("last", "file.read", json!({ "path": path }), &[]);
        let mut sending = plan(&[read, sink("last")]);
        sending["grants"] = grants.clone();
        let shown = rig.run(&sending).await;
        assert_eq!(
            rig.effect.calls().len() - rig_calls,
            calls,
            "{path}: {:?}",
            shown.tasks
        );
    }
    // Text from outside does not get there unseen.
    let write = tool(
        "write",
        "file.write",
        json!({ "path": "mine/b.txt", "text": from("page") }),
        &["page"],
    );
    let mut storing = plan(&[page(), write]);
    storing["grants"] = grants;
    let shown = rig.run(&storing).await;
    assert!(effect_asked(&shown).question.contains("among your own work"));
    assert!(!folder.join("mine/b.txt").exists());
}

/// The settings' folders count for every plan.
#[tokio::test(start_paused = true)]
async fn the_settings_say_what_is_ones_own_and_private_data_still_asks() {
    let mine = tempfile::tempdir().unwrap();
    std::fs::write(mine.path().join("a.txt"), "text").unwrap();
    let own = mine.path().canonicalize().unwrap().to_string_lossy().into_owned();
    let path = format!("{own}/a.txt");
    let rig = Rig::set_up(|config| Config {
        own_work: vec![own],
        ..config
    });
    let read = tool("last", "file.read", json!({ "path": path }), &[]);
    let shown = rig.run(&plan(&[read, sink("last")])).await;
    assert_eq!(rig.effect.calls().len(), 0);
    let asked = effect_asked(&shown);
    assert!(asked.question.contains("private"), "{}", asked.question);
    assert!(!asked.question.contains("somebody outside"), "{}", asked.question);
}

/// A file that is written while it is being read: whichever comes first, what was read is not taken for clean.
#[tokio::test]
async fn reading_and_writing_at_once_is_no_way_around() {
    for round in 0..8 {
        let rig = Rig::in_memory();
        let first = tool(
            "first",
            "file.write",
            json!({ "path": "run:/x", "text": "clean" }),
            &[],
        );
        let write = tool(
            "write",
            "file.write",
            json!({ "path": "run:/x", "text": from("page") }),
            &["page", "first"],
        );
        let read = tool("last", "file.read", json!({ "path": "run:/x" }), &["first"]);
        rig.outside.on("page", [Act::Give(json!(EVIL))]);
        let shown = rig.run(&plan(&[first, page(), write, read, sink("last")])).await;
        let is_clean = output_of(&shown, "last")["text"] == "clean";
        assert!(
            is_clean || rig.effect.calls().is_empty(),
            "{round}: {:?}",
            shown.tasks
        );
    }
}
