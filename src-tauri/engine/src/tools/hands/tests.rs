//! Whose hand a file counts as, in this process and in the next: by when it was changed, and by what is in it.

use super::*;

/// Until what was changed before is surely told from what is changed after.
fn past_the_slack() {
    std::thread::sleep(std::time::Duration::from_millis(SLACK_MS + 50));
}

#[test]
fn what_was_changed_since_somebody_could_is_theirs_in_the_next_process_too() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("planloom.db");
    let (out, old) = (folder.path().join("out"), folder.path().join("out/old"));
    std::fs::create_dir(&out).unwrap();
    std::fs::write(&old, "mine").unwrap();
    std::fs::write(folder.path().join("elsewhere"), "mine").unwrap();
    let hands = Hands::beside(&db);
    assert!(!hands.is_foreign(&old));
    past_the_slack();
    hands.may_write([out.as_path()]).unwrap();
    std::fs::write(out.join("new"), "theirs").unwrap();
    // Back-dated, as a program could: that is not the time that is looked at.
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    File::options()
        .write(true)
        .open(out.join("new"))
        .unwrap()
        .set_modified(long_ago)
        .unwrap();

    let later = Hands::beside(&db);
    assert!(later.is_foreign(&out.join("new")));
    assert!(later.is_foreign(&out), "a folder is what lies in it");
    assert!(later.is_foreign(folder.path()));
    assert!(later.is_foreign(&out.join("not/yet")));
    assert!(!later.is_foreign(&old), "it has not been changed since");
    assert!(!later.is_foreign(&folder.path().join("elsewhere")));
    // By another name.
    std::fs::hard_link(out.join("new"), folder.path().join("linked")).unwrap();
    assert!(later.is_foreign(&folder.path().join("linked")));
    std::fs::remove_file(folder.path().join("linked")).unwrap();
    // A database is its journal too.
    std::fs::write(out.join("old-wal"), "theirs").unwrap();
    assert!(later.is_foreign(&old));
}

#[test]
fn what_a_clean_call_wrote_is_known_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let hands = Hands::beside(&folder.path().join("planloom.db"));
    let file = folder.path().join("out/report");
    hands.may_write([folder.path()]).unwrap();
    hands.is_to_hold(&file, b"clean").unwrap();
    std::fs::create_dir(folder.path().join("out")).unwrap();
    std::fs::write(&file, "clean").unwrap();
    let later = Hands::beside(&folder.path().join("planloom.db"));
    assert!(!later.is_foreign(&file));
    std::fs::write(&file, "clean, and more").unwrap();
    assert!(later.is_foreign(&file));
}

#[test]
fn a_persons_look_holds_for_what_lies_there_then() {
    let folder = tempfile::tempdir().unwrap();
    let hands = Hands::beside(&folder.path().join("planloom.db"));
    let file = folder.path().join("a");
    hands.may_write([Path::new(ANYWHERE)]).unwrap();
    std::fs::write(&file, "theirs").unwrap();
    assert!(hands.is_foreign(&file));
    past_the_slack();
    hands.looked_at(folder.path()).unwrap();
    assert!(!hands.is_foreign(&file));
    std::fs::write(&file, "theirs again").unwrap();
    assert!(Hands::beside(&folder.path().join("planloom.db")).is_foreign(&file));
}

/// Half a line, nonsense, or a file that can't be read: then everything is somebody else's.
#[test]
fn what_cannot_be_read_trusts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (db, book) = (folder.path().join("planloom.db"), folder.path().join(HANDS));
    let file = folder.path().join("a");
    std::fs::write(&file, "mine").unwrap();
    std::fs::write(&book, "{\"may_wr").unwrap();
    let hands = Hands::beside(&db);
    // Nothing of it was ever promised to be there.
    assert!(!hands.is_foreign(&file));
    hands.may_write([Path::new("/nowhere")]).unwrap();
    assert!(hands.is_foreign(&file));
    assert!(Hands::beside(&db).is_foreign(&file));
    assert!(hands.looked_at(folder.path()).is_ok());
    assert!(hands.is_foreign(&file), "a look at a part does not tell the rest");
    hands.looked_at(Path::new(ANYWHERE)).unwrap();
    assert!(!Hands::beside(&db).is_foreign(&file));

    std::fs::remove_file(&book).unwrap();
    std::fs::create_dir(&book).unwrap();
    let blind = Hands::beside(&db);
    assert!(blind.is_foreign(&file));
    assert!(blind.may_write([Path::new("/x")]).is_err());
}
