//! Case state-11 in the window: a database that can't be opened is told, left as it is, and there are ways on.

use std::path::Path;
use std::time::{Duration, Instant};

use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::json;

use crate::page::{answer, ask};

/// A database of this version with one run in it, as a newer one would have written it.
async fn a_database_of_the_future(home: &Home) -> Outcome<Vec<u8>> {
    let window = home.open(Setup::default()).await?;
    window.find("[data-testid='samples-of-home']").await?;
    answer(&window, "new_plan", json!({})).await?;
    window.terminate().await?;
    let conn = rusqlite::Connection::open(home.db()).expect("a file");
    conn.execute_batch(
        "CREATE TABLE from_the_future (x); PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE);",
    )
    .expect("SQLite");
    drop(conn);
    Ok(std::fs::read(home.db()).expect("it was just written"))
}

fn a_newer_database(db: &Path) -> Vec<u8> {
    std::fs::create_dir_all(db.parent().expect("a folder")).expect("made");
    let conn = rusqlite::Connection::open(db).expect("a file");
    conn.execute_batch(
        "CREATE TABLE from_the_future (x); PRAGMA application_id = 1347178317; PRAGMA user_version = 99;",
    )
    .expect("SQLite");
    drop(conn);
    std::fs::read(db).expect("it was just written")
}

async fn told(window: &Desktop<'_>) -> Outcome<String> {
    window.find("[data-testid='no-database']").await?;
    let words = "return document.querySelector(\"[data-testid='no-database']\").textContent";
    let text = window.run_script(words, vec![]).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Ends the program that the window has started in its place: of all programs, the one with this argument.
fn end_of(db: &Path) {
    let named = db.to_string_lossy().into_owned();
    for process in std::fs::read_dir("/proc").expect("a process table").flatten() {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let is_it = line.split(|&byte| byte == 0).any(|word| word == named.as_bytes());
        let id = process.file_name().to_string_lossy().parse::<i32>();
        if let (true, Ok(id)) = (is_it, id) {
            let sent = std::process::Command::new("kill").arg(id.to_string()).status();
            assert!(sent.expect("kill").success(), "process {id}");
        }
    }
}

#[tokio::test]
async fn a_newer_database_is_told_left_alone_and_another_folder_can_be_chosen() -> Outcome<()> {
    let home = Home::new()?;
    let before = a_newer_database(&home.db());
    let other = home.folder().join("other place");
    std::fs::create_dir(&other).expect("made");
    let setup = Setup {
        chosen_file: Some(other.clone()),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    let words = told(&window).await?;
    for said in [
        "newer Planloom",
        "format 99",
        "was not touched",
        "Choose another folder",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    window.screenshot("no-database").await?;
    // The window ends with the click, so that nobody is left to say that it was made.
    let click = "setTimeout(() => document.querySelector(\"[data-testid='choose-database']\").click(), 100)";
    let _: serde_json::Value = window.run_script(click, vec![]).await?;
    let (begun, db) = (Instant::now(), other.join("planloom.db"));
    while !db.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "no window came with the other folder"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    end_of(&db);
    assert_eq!(std::fs::read(home.db()).expect("still there"), before);
    Ok(())
}

#[tokio::test]
async fn a_file_of_another_kind_is_told_and_the_window_can_be_left() -> Outcome<()> {
    let home = Home::new()?;
    let note = "This is not a database file, it is a note.\n".repeat(30);
    std::fs::create_dir_all(home.db().parent().expect("a folder")).expect("made");
    std::fs::write(home.db(), &note).expect("written");
    let window = home.open(Setup::default()).await?;
    let words = told(&window).await?;
    assert!(words.contains("is not a Planloom database"), "{words}");
    window.terminate().await?;
    assert_eq!(std::fs::read_to_string(home.db()).expect("still there"), note);
    Ok(())
}

/// What can be read is shown, and nothing is changed, neither by looking nor by a click on what would.
#[tokio::test]
async fn a_newer_database_can_be_looked_at() -> Outcome<()> {
    let home = Home::new()?;
    let before = a_database_of_the_future(&home).await?;
    let window = home.open(Setup::default()).await?;
    let words = told(&window).await?;
    assert!(words.contains("Look at it, changing nothing"), "{words}");
    window.click("[data-testid='look-at']").await?;
    window
        .wait_text("[data-testid='looked-at']", "a newer Planloom")
        .await?;
    window.click("[data-testid='rail-plans']").await?;
    window
        .find("[data-testid='plans'] [data-status='AWAITING_APPROVAL']")
        .await?;
    window.screenshot("looked-at").await?;
    let refused = ask(&window, "new_plan", json!({})).await?;
    assert!(refused.is_err(), "{refused:?}");
    window.terminate().await?;
    assert_eq!(std::fs::read(home.db()).expect("still there"), before);
    Ok(())
}
