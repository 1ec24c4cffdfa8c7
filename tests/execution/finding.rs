//! Runs found again by what stands in plans, calls, answers and outputs. The index is a cache: without it, or with a damaged
//! one, the same is found.

use std::time::Duration;

use planloom_engine::model::{Digest, Json, RunId};
use planloom_engine::views::{Found, FoundView, HitView, RunsAsked};
use planloom_engine::{Engine, Files, Replace};
use planloom_tests::models::{call, submit};
use planloom_tests::rig::{Rig, agent, granting, plan, task, with};
use planloom_tests::script::Act;
use proptest::prelude::*;
use serde_json::json;

const AGES: Duration = Duration::from_secs(3_600);

pub fn asked(text: &str) -> RunsAsked {
    RunsAsked {
        text: text.to_owned(),
        limit: 50,
        ..RunsAsked::default()
    }
}

async fn found(engine: &Engine, text: &str) -> FoundView {
    engine.search(&asked(text), AGES).await.unwrap()
}

pub async fn hits(engine: &Engine, text: &str) -> Vec<HitView> {
    let view = found(engine, text).await;
    assert_eq!(view.behind, 0.0);
    view.hits
}

fn places(hits: &[HitView]) -> Vec<(Found, Option<&str>)> {
    hits.iter().map(|hit| (hit.place, hit.task.as_deref())).collect()
}

/// What the marks stand on.
fn marked(hit: &HitView) -> Vec<String> {
    let letters: Vec<char> = hit.snippet.chars().collect();
    let on = |from: u32, to: u32| letters[from as usize..to as usize].iter().collect();
    hit.marks.iter().map(|mark| on(mark.from, mark.to)).collect()
}

pub fn id(shown: &planloom_engine::Shown) -> RunId {
    RunId::from(shown.row.run.as_str())
}

pub fn margins() -> Json {
    let tasks = [
        with(
            task("fetch", "read.do", &[]),
            json!({ "title": "Fetch the prices", "instruction": "Ask the Überseehafen." }),
        ),
        task("sum", "read.do", &["fetch"]),
    ];
    json!({ "goal": "Compare gross margins", "tasks": tasks })
}

pub async fn margins_run(rig: &Rig) -> RunId {
    rig.read.on(
        "fetch",
        [Act::Give(
            json!({ "rows": [{ "name": "Zwieback", "price": 3.5 }] }),
        )],
    );
    rig.read.on(
        "sum",
        [Act::Give(json!("the margin of Zwieback is forty percent"))],
    );
    id(&rig.run(&margins()).await)
}

#[tokio::test(start_paused = true)]
async fn words_are_found_where_they_stand_and_lead_to_their_moment() {
    let rig = Rig::in_memory();
    let run = margins_run(&rig).await;
    let goal = hits(&rig.engine, "margins gross").await;
    assert_eq!(places(&goal), [(Found::Plan, None)]);
    assert_eq!((goal[0].run.as_str(), goal[0].seq), (run.as_str(), None));
    assert_eq!(marked(&goal[0]), ["gross", "margins"]);
    assert_eq!(
        places(&hits(&rig.engine, "uberseehafen").await),
        [(Found::Plan, Some("fetch"))]
    );
    let output = hits(&rig.engine, "\"forty percent\"").await;
    assert_eq!(places(&output), [(Found::Output, Some("sum"))]);
    assert_eq!(marked(&output[0]), ["forty percent"]);
    // At that moment it stood there, and right before it did not.
    let seq = u64::from(output[0].seq.unwrap());
    let then = rig.engine.show(&run, Some(seq)).await.unwrap();
    assert!(then.outputs[1].as_deref().unwrap().contains("forty percent"));
    assert!(rig.engine.show(&run, Some(seq - 1)).await.unwrap().outputs[1].is_none());
    // What a task gives is found once, though the run gives it too.
    assert_eq!(
        places(&hits(&rig.engine, "price").await),
        [(Found::Output, Some("fetch"))]
    );
    assert_eq!(hits(&rig.engine, "Zwie*").await.len(), 2);
    assert!(hits(&rig.engine, "Zwie").await.is_empty());
    assert!(hits(&rig.engine, "\"percent forty\"").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn answers_and_calls_of_agents_are_found() {
    let rig = Rig::with_models();
    rig.model.on(
        "look",
        [
            call(&[("read.do", json!({ "id": "kraken" }))]),
            submit(json!({ "result": "an octopus of legend" })),
        ],
    );
    rig.read
        .on("kraken", [Act::Give(json!("a beast of the northern sea"))]);
    let run = id(&rig
        .run(&granting(&["kraken"], &[agent("look", &["read.do"])]))
        .await);
    let of = |text: &'static str| {
        let engine = rig.engine.clone();
        async move { hits(&engine, text).await }
    };
    let seen = of("beast").await;
    assert_eq!(places(&seen), [(Found::Observation, Some("look"))]);
    let called = of("kraken").await;
    assert!(
        places(&called).contains(&(Found::Call, Some("look"))),
        "{called:?}"
    );
    assert!(
        places(&called).contains(&(Found::Answer, Some("look"))),
        "{called:?}"
    );
    assert!(places(&of("octopus").await).contains(&(Found::Output, Some("look"))));
    assert_eq!(of("octopus").await[0].run, run.as_str());
}

#[tokio::test(start_paused = true)]
async fn scripts_without_blanks_are_found_by_any_piece() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Give(json!("東京都の価格は高い"))]);
    rig.read.on("b", [Act::Give(json!("학교에서 배웠다"))]);
    rig.run(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &[])]))
        .await;
    for (text, task) in [
        ("京都", "a"),
        ("価格", "a"),
        ("高", "a"),
        ("학교", "b"),
        ("東京都の価格", "a"),
    ] {
        let found = hits(&rig.engine, text).await;
        assert_eq!(places(&found), [(Found::Output, Some(task))], "{text}");
        assert_eq!(marked(&found[0]), [text]);
    }
    assert!(hits(&rig.engine, "京価").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_plan_is_found_as_it_is_now() {
    let rig = Rig::in_memory();
    let path = rig.write_plan("draft.plan.json", &margins());
    let draft = rig.engine.open_plan(path).await.unwrap();
    let run = RunId::from(draft.run.as_str());
    assert_eq!(hits(&rig.engine, "prices").await.len(), 1);
    let edit = planloom_engine::model::edit::PlanEdit::SetTask {
        id: "fetch".into(),
        field: "/title".into(),
        value: Some("\"Fetch the tariffs\"".into()),
    };
    rig.engine
        .edit_draft(&run, draft.revision, vec![edit])
        .await
        .unwrap();
    assert!(hits(&rig.engine, "prices").await.is_empty());
    assert_eq!(
        places(&hits(&rig.engine, "tariffs").await),
        [(Found::Plan, Some("fetch"))]
    );
    rig.engine.undo(&run).await.unwrap();
    assert!(hits(&rig.engine, "tariffs").await.is_empty());
    rig.engine
        .name_run(&run, Some("Quartalsbericht".into()))
        .await
        .unwrap();
    assert_eq!(hits(&rig.engine, "quartalsbericht").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn filters_narrow_and_unknown_ones_are_text() {
    let rig = Rig::in_memory();
    let run = margins_run(&rig).await;
    rig.engine.tag_run(&run, &["Food".into()], &[]).await.unwrap();
    rig.read.on("lost", [Act::Say("Zwieback is sold out".into())]);
    let other = id(&rig.run(&plan(&[task("lost", "read.do", &[])])).await);
    // Of the other: how the call failed, and what a person is asked about that.
    assert_eq!(hits(&rig.engine, "zwieback").await.len(), 4);
    let runs = |hits: Vec<HitView>| {
        hits.into_iter()
            .map(|hit| hit.run)
            .collect::<std::collections::BTreeSet<_>>()
    };
    for (text, only) in [
        ("zwieback tag:food", &run),
        ("zwieback state:succeeded", &run),
        ("zwieback state:blocked", &other),
        (&format!("zwieback run:{other}"), &other),
    ] {
        assert_eq!(
            runs(hits(&rig.engine, text).await),
            [only.to_string()].into(),
            "{text}"
        );
    }
    assert!(hits(&rig.engine, "zwieback tag:none").await.is_empty());
    assert!(hits(&rig.engine, "zwieback until:2001-01-01").await.is_empty());
    assert_eq!(hits(&rig.engine, "zwieback since:2001-01-01").await.len(), 4);
    let odd = found(&rig.engine, "state:odd").await;
    assert_eq!((odd.hits.len(), odd.notes.len()), (0, 1));
    // Without a word, the runs themselves.
    assert_eq!(
        runs(hits(&rig.engine, "tag:food").await),
        [run.to_string()].into()
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_deleted_is_found_no_more_and_what_a_fork_shares_is() {
    let rig = Rig::in_memory();
    let run = margins_run(&rig).await;
    let output = hits(&rig.engine, "price").await;
    let at = u64::from(output[0].seq.unwrap());
    let fork = rig
        .engine
        .fork(&run, Some(at), None, Files::Leave)
        .await
        .unwrap()
        .run;
    // The fork shares the text; it is found where it came to be.
    assert_eq!(hits(&rig.engine, "price").await.len(), 1);
    assert_eq!(
        hits(&rig.engine, &format!("price run:{fork}")).await[0].run,
        fork.as_str()
    );
    rig.engine.delete_run(&run).await.unwrap();
    assert!(hits(&rig.engine, "\"forty percent\"").await.is_empty());
    assert_eq!(hits(&rig.engine, "price").await[0].run, fork.as_str());
    rig.engine.delete_run(&fork).await.unwrap();
    assert!(hits(&rig.engine, "price").await.is_empty());
    assert!(hits(&rig.engine, "margins").await.is_empty());
}

async fn everything(engine: &Engine) -> Vec<String> {
    let mut all = Vec::new();
    for text in [
        "zwieback",
        "margins",
        "fetch",
        "ask",
        "price",
        "\"forty percent\"",
    ] {
        let mut lines: Vec<String> = hits(engine, text)
            .await
            .into_iter()
            .map(|hit| {
                format!(
                    "{text} {} {:?} {:?} {:?} {}",
                    hit.run, hit.place, hit.task, hit.seq, hit.snippet
                )
            })
            .collect();
        lines.sort();
        all.extend(lines);
    }
    all
}

fn index_of(rig: &Rig) -> std::path::PathBuf {
    let mut name = rig.db().as_os_str().to_owned();
    name.push(".search");
    name.into()
}

#[tokio::test]
async fn the_index_can_be_lost_damaged_or_somebody_elses() {
    let rig = Rig::on_file();
    margins_run(&rig).await;
    margins_run(&rig).await;
    let whole = everything(&rig.engine).await;
    assert!(whole.len() > 6, "{whole:?}");
    let index = index_of(&rig);
    assert!(index.exists());
    for how in ["gone", "cut", "flipped", "older", "foreign"] {
        for end in ["-wal", "-shm"].iter().filter(|_| how != "older") {
            let mut name = index.as_os_str().to_owned();
            name.push(end);
            let _ = std::fs::remove_file(name);
        }
        let mut bytes = std::fs::read(&index).unwrap_or_default();
        match how {
            "gone" => std::fs::remove_file(&index).unwrap(),
            "cut" => std::fs::write(&index, &bytes[..bytes.len() / 2]).unwrap(),
            "flipped" => {
                for byte in bytes.iter_mut().skip(4096).step_by(97) {
                    *byte ^= 0x55;
                }
                std::fs::write(&index, &bytes).unwrap();
            }
            "older" => {
                let conn = rusqlite::Connection::open(&index).unwrap();
                conn.pragma_update(None, "user_version", 77).unwrap();
            }
            // In its place, not written into what another engine may have open.
            _ => {
                std::fs::remove_file(&index).unwrap();
                std::fs::write(&index, "a letter of my own").unwrap();
            }
        }
        assert_eq!(everything(&rig.another()).await, whole, "{how}");
    }
    let left = std::fs::read_to_string(&index).unwrap_or_default();
    assert!(left == "a letter of my own", "what is not ours is left alone");
}

#[tokio::test]
async fn looking_makes_no_index_and_searching_changes_no_byte_of_the_database() {
    let rig = Rig::on_file();
    margins_run(&rig).await;
    rig.engine.close().await;
    let files = || {
        let mut all: Vec<(String, Digest)> = std::fs::read_dir(rig.folder())
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_file())
            .map(|entry| {
                let bytes = std::fs::read(entry.path()).unwrap();
                (
                    entry.file_name().to_string_lossy().into_owned(),
                    Digest::of(&bytes),
                )
            })
            .collect();
        all.sort();
        all
    };
    let before = files();
    let db = rig.db().to_owned();
    let look = move || Engine::look(planloom_engine::Config::new(Some(db.clone()), "look")).unwrap();
    let looking = look();
    looking.runs().await.unwrap();
    looking.find_runs(&asked("margins")).await.unwrap();
    assert_eq!(files(), before);
    assert_eq!(hits(&look(), "zwieback").await.len(), 2);
    let after: Vec<_> = files()
        .into_iter()
        .filter(|(name, _)| !name.contains(".search"))
        .collect();
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_database_that_was_put_back_is_read_anew_where_it_differs() {
    let rig = Rig::on_file();
    let run = margins_run(&rig).await;
    let copy = rig.folder().join("copy.db");
    rig.engine.backup(&copy, Replace::Never).await.unwrap();
    rig.engine.tag_run(&run, &["later".into()], &[]).await.unwrap();
    rig.engine
        .name_run(&run, Some("Kolophonium".into()))
        .await
        .unwrap();
    assert_eq!(hits(&rig.engine, "kolophonium").await.len(), 1);
    // The older copy with the newer index beside it.
    rig.engine.vacuum().await.unwrap();
    let folder = rig.folder().join("elsewhere");
    std::fs::create_dir(&folder).unwrap();
    let db = folder.join("planloom.db");
    std::fs::copy(&copy, &db).unwrap();
    std::fs::copy(index_of(&rig), folder.join("planloom.db.search")).unwrap();
    let again = rig.engine_on(|config| planloom_engine::Config {
        db: Some(db),
        ..config
    });
    assert!(hits(&again, "kolophonium").await.is_empty());
    again.name_run(&run, Some("Terpentin".into())).await.unwrap();
    again.tag_run(&run, &["other".into()], &[]).await.unwrap();
    assert!(hits(&again, "kolophonium").await.is_empty());
    assert_eq!(hits(&again, "terpentin").await.len(), 1);
    assert_eq!(hits(&again, "\"forty percent\"").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn large_texts_are_found_in_all_their_parts() {
    let rig = Rig::in_memory();
    let text = format!("{} needle {}", "hay ".repeat(60_000), "straw ".repeat(10_000));
    rig.read.on("big", [Act::Give(json!({ "text": text }))]);
    rig.run(&plan(&[task("big", "read.do", &[])])).await;
    let found = hits(&rig.engine, "needle").await;
    assert_eq!(places(&found), [(Found::Output, Some("big"))]);
    assert!(found[0].snippet.chars().count() < 400);
    assert_eq!(marked(&found[0]), ["needle"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_query(text in any_query()) {
        thread_local! {
            static ENGINE: (tokio::runtime::Runtime, Rig) = {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
                let rig = Rig::in_memory();
                runtime.block_on(margins_run(&rig));
                (runtime, rig)
            };
        }
        ENGINE.with(|(runtime, rig)| {
            let found = runtime.block_on(rig.engine.search(&asked(&text), AGES));
            let page = runtime.block_on(rig.engine.find_runs(&asked(&text)));
            for hit in found.unwrap().hits {
                let letters = hit.snippet.chars().count() as u32;
                assert!(hit.marks.iter().all(|mark| mark.from < mark.to && mark.to <= letters));
            }
            page.unwrap();
        });
    }
}

/// Texts made of what means something to SQL, to FTS5 or to the query, and of anything else.
fn any_query() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "\"",
            "*",
            "^",
            "(",
            ")",
            "-",
            "+",
            ":",
            "{",
            "}",
            "NEAR(",
            "AND",
            "OR",
            "NOT",
            "text:",
            "tag:",
            "state:failed",
            "since:",
            "until:9999-12-31",
            "since:99999999999d",
            "run:",
            "'",
            ";",
            "--",
            "\0",
            "margins",
            "Zwie*",
            "\u{200b}",
            "\u{301}",
            "東",
            "ﷺ",
            " ",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// What a call writes to a file is kept with the file, not with the call; the plan says it all the same.
#[tokio::test(start_paused = true)]
async fn what_a_task_is_given_is_found_in_the_plan() {
    let rig = Rig::in_memory();
    let writing = json!({ "id": "w", "instruction": "Write.", "task_type": "tool", "tool": "file.write",
        "inputs": { "path": "run:/a.txt", "text": "Quittenbrot for all" } });
    let code = json!({ "id": "c", "instruction": "Count.", "task_type": "code",
        "source": "const mispel = 1; return mispel;" });
    let run = id(&rig
        .run(&json!({ "goal": "Keep", "tasks": [writing, code] }))
        .await);
    for (word, task) in [("Quittenbrot", "w"), ("mispel", "c")] {
        let hits = hits(&rig.engine, word).await;
        assert!(
            places(&hits).contains(&(Found::Plan, Some(task))),
            "{word}: {hits:?}"
        );
        assert!(hits.iter().all(|hit| hit.run == run.to_string()), "{hits:?}");
    }
}
