//! The file tools against real files, links and pipes.

use serde_json::json;

use super::*;
use crate::model::grants::Grants;
use crate::model::tool::Idempotency;
use crate::model::{Digest, Json};
use crate::tools::testing::{Rig, code_of};
use crate::tools::{Found, Tool, ToolError};

fn reader() -> FileRead {
    FileRead::new([].into())
}
fn writer() -> FileWrite {
    FileWrite::new([].into())
}
fn lister() -> FileList {
    FileList::new([].into())
}

async fn read(rig: &Rig, path: &str) -> Result<Json, ToolError> {
    rig.call(&reader(), json!({"path": path})).await
}

async fn write(rig: &Rig, path: &str, text: &str) -> Result<Json, ToolError> {
    rig.call(&writer(), json!({"path": path, "text": text})).await
}

fn granting(read: &[&str], write: &[&str]) -> Rig {
    let owned = |entries: &[&str]| entries.iter().map(|e| (*e).to_owned()).collect();
    Rig::granting(Grants {
        read: owned(read),
        write: owned(write),
        ..Grants::default()
    })
}

#[tokio::test]
async fn what_is_written_is_read() {
    let rig = Rig::open();
    assert_eq!(
        write(&rig, "out/deep/a.txt", "Größe\n").await,
        Ok(json!({"path": "out/deep/a.txt", "bytes": 8}))
    );
    assert_eq!(rig.get("out/deep/a.txt"), "Größe\n");
    assert_eq!(
        read(&rig, "out/deep/../deep/a.txt").await,
        Ok(json!({"text": "Größe\n"}))
    );
    assert_eq!(
        write(&rig, "out/deep/a.txt", "").await,
        Ok(json!({"path": "out/deep/a.txt", "bytes": 0}))
    );
    assert_eq!(rig.get("out/deep/a.txt"), "");
    let names: Vec<_> = std::fs::read_dir(rig.path().join("out/deep"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names, ["a.txt"], "no temporary file stays");
}

#[tokio::test]
async fn appending_adds_and_may_not_be_repeated() {
    let rig = Rig::open();
    let line = json!({"path": "log.txt", "text": "x\n", "append": true});
    rig.call(&writer(), line.clone()).await.unwrap();
    assert_eq!(
        rig.call(&writer(), line.clone()).await,
        Ok(json!({"path": "log.txt", "bytes": 2}))
    );
    assert_eq!(rig.get("log.txt"), "x\nx\n");
    assert_eq!(writer().idempotency_of(&line), Idempotency::Not);
    assert_eq!(
        writer().idempotency_of(&json!({"path": "a", "text": ""})),
        Idempotency::Natural
    );
}

#[tokio::test]
async fn the_workspace_needs_no_grant() {
    let rig = Rig::new();
    write(&rig, "run:/report/x.md", "# X").await.unwrap();
    assert_eq!(
        std::fs::read_to_string(rig.workspace.path().join("report/x.md")).unwrap(),
        "# X"
    );
    assert_eq!(read(&rig, "run:/report/x.md").await, Ok(json!({"text": "# X"})));
    assert_eq!(code_of(read(&rig, "run:/../x").await), "bad_path");
    let listed = rig
        .call(&lister(), json!({"path": "run:/", "glob": "**/*.md"}))
        .await;
    assert_eq!(listed, Ok(json!({"files": ["run:/report/x.md"]})));
    std::fs::remove_dir_all(rig.workspace.path()).unwrap();
    assert_eq!(code_of(read(&rig, "run:/y").await), "not_found");
    write(&rig, "run:/y", "made again").await.unwrap();
}

#[tokio::test]
async fn nothing_is_touched_without_a_grant() {
    let rig = granting(&["data/"], &["out/*.txt"]);
    rig.put("data/a.txt", "a");
    rig.put("secret.txt", "s");
    assert!(read(&rig, "data/a.txt").await.is_ok());
    for path in ["secret.txt", "data/../secret.txt", "/etc/hostname", "out/x.txt"] {
        assert_eq!(code_of(read(&rig, path).await), "not_granted", "{path}");
    }
    for path in ["data/a.txt", "out/deep/x.txt", "x.txt"] {
        assert_eq!(code_of(write(&rig, path, "!").await), "not_granted", "{path}");
    }
    assert!(write(&rig, "out/x.txt", "!").await.is_ok());
    assert!(!rig.path().join("out/deep").exists());
}

#[tokio::test]
async fn what_is_no_text_file_is_told_apart() {
    let rig = Rig::open();
    rig.put("bom.txt", "\u{feff}x");
    rig.put("latin.txt", b"one\ntwo \xe9");
    rig.put("nul.txt", "a\0b");
    std::fs::create_dir(rig.path().join("folder")).unwrap();
    assert_eq!(read(&rig, "bom.txt").await, Ok(json!({"text": "x"})));
    let nul = read(&rig, "nul.txt").await.unwrap_err();
    assert!(nul.to_string().contains("byte number 1 is a NUL"), "{nul}");
    let latin = read(&rig, "latin.txt").await.unwrap_err();
    assert!(latin.to_string().contains("number 8, in line 2"), "{latin}");
    assert_eq!(code_of(read(&rig, "missing").await), "not_found");
    assert_eq!(code_of(read(&rig, "bom.txt/x").await), "not_found");
    assert_eq!(code_of(read(&rig, "folder").await), "not_a_file");
    assert_eq!(code_of(write(&rig, "folder", "x").await), "not_a_file");
    assert_eq!(code_of(write(&rig, "new/", "x").await), "not_a_file");
    let large = std::fs::File::create(rig.path().join("large")).unwrap();
    large.set_len(LARGEST + 1).unwrap();
    assert_eq!(code_of(read(&rig, "large").await), "too_large");
}

#[tokio::test]
async fn keys_and_own_data_stay_closed() {
    let rig = Rig::open();
    rig.put(".ssh/id", "key");
    rig.put("own/db", "x");
    assert_eq!(code_of(read(&rig, ".ssh/id").await), "closed_path");
    assert_eq!(
        code_of(write(&rig, ".git/hooks/pre-commit", "x").await),
        "closed_path"
    );
    assert_eq!(code_of(write(&rig, ".bashrc", "x").await), "closed_path");
    let guarded = FileRead::new([rig.path().join("own")].into());
    assert_eq!(
        code_of(rig.call(&guarded, json!({"path": "own/db"})).await),
        "closed_path"
    );
    assert!(read(&rig, "own/db").await.is_ok());
}

#[tokio::test]
async fn lists_by_pattern() {
    let rig = Rig::open();
    for name in ["d/b.csv", "d/a.csv", "d/c.txt", "d/x/e.csv", "d/.hidden.csv"] {
        rig.put(name, "");
    }
    let list = async |path: &str, glob: &str| {
        rig.call(&lister(), json!({"path": path, "glob": glob}))
            .await
            .unwrap()["files"]
            .clone()
    };
    assert_eq!(
        list("d", "*.csv").await,
        json!(["d/.hidden.csv", "d/a.csv", "d/b.csv"])
    );
    assert_eq!(list("d/", "[ab].csv").await, json!(["d/a.csv", "d/b.csv"]));
    assert_eq!(
        list("d", "**/*.csv").await,
        json!(["d/.hidden.csv", "d/a.csv", "d/b.csv", "d/x/e.csv"])
    );
    assert_eq!(list("d", "x/*").await, json!(["d/x/e.csv"]));
    assert_eq!(list(".", "d/c.txt").await, json!(["d/c.txt"]));
    let all = rig.call(&lister(), json!({"path": "d"})).await.unwrap();
    assert_eq!(all["files"].as_array().unwrap().len(), 4);
    assert_eq!(
        code_of(rig.call(&lister(), json!({"path": "d/a.csv"})).await),
        "not_a_folder"
    );
    assert_eq!(
        code_of(rig.call(&lister(), json!({"path": "none"})).await),
        "not_found"
    );
    assert_eq!(
        code_of(rig.call(&lister(), json!({"path": "d", "glob": "[a"})).await),
        "bad_arguments"
    );
}

#[tokio::test]
async fn cancelled_before_it_began() {
    let rig = Rig::open();
    rig.cx.cancel.cancel();
    assert_eq!(code_of(write(&rig, "a", "x").await), "cancelled");
    assert!(!rig.path().join("a").exists());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn links_do_not_lead_out() {
        let rig = granting(&["data/", "data2/"], &["data/"]);
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("s"), "secret").unwrap();
        rig.put("data/a", "a");
        rig.put("data2/b", "b");
        rig.put("other/c", "c");
        let link = |to: &str, name: &str| symlink(to, rig.path().join(name)).unwrap();
        link(outside.path().to_str().unwrap(), "data/out");
        link("../other", "data/other");
        link("../data2", "data/two");
        link("a", "data/same");
        link("../../../../../../etc/hostname", "data/up");
        link("nowhere", "data/dangling");
        link("loop", "data/loop");
        assert_eq!(read(&rig, "data/same").await, Ok(json!({"text": "a"})));
        assert_eq!(read(&rig, "data/two/b").await, Ok(json!({"text": "b"})));
        assert_eq!(code_of(read(&rig, "data/other/c").await), "not_granted");
        assert_eq!(code_of(read(&rig, "data/out/s").await), "leads_outside");
        assert_eq!(code_of(read(&rig, "data/up").await), "leads_outside");
        let told = read(&rig, "data/out/s").await.unwrap_err().to_string();
        let real = std::fs::canonicalize(outside.path().join("s")).unwrap();
        assert!(
            told.contains("a link on the way to `data/out/s`") && told.contains(real.to_str().unwrap()),
            "{told}"
        );
        assert_eq!(code_of(read(&rig, "data/dangling").await), "not_found");
        assert_eq!(code_of(read(&rig, "data/loop").await), "io");
        assert_eq!(code_of(write(&rig, "data/out/new", "x").await), "leads_outside");
        assert_eq!(code_of(write(&rig, "data/other/new", "x").await), "not_granted");
        assert_eq!(code_of(write(&rig, "data/dangling", "x").await), "not_found");
        assert!(!outside.path().join("new").exists());
        // Nothing leads out of the root of all folders.
        let all = granting(&["/"], &[]);
        let linked = rig.path().join("data/out/s");
        let whole = read(&all, linked.to_str().unwrap()).await;
        assert_eq!(whole, Ok(json!({"text": "secret"})));
        let listed = rig
            .call(&lister(), json!({"path": "data", "glob": "**"}))
            .await
            .unwrap();
        assert_eq!(listed, json!({"files": ["data/a"]}));
    }

    #[tokio::test]
    async fn a_link_to_a_file_is_written_through_to_the_granted_file() {
        let rig = granting(&[], &["data/"]);
        rig.put("data/a", "old");
        symlink("a", rig.path().join("data/link")).unwrap();
        write(&rig, "data/link", "new").await.unwrap();
        assert_eq!(rig.get("data/a"), "new");
        assert!(
            std::fs::symlink_metadata(rig.path().join("data/link"))
                .unwrap()
                .is_symlink()
        );
    }

    #[tokio::test]
    async fn hard_links_are_not_written() {
        let rig = Rig::open();
        rig.put("a", "old");
        std::fs::hard_link(rig.path().join("a"), rig.path().join("b")).unwrap();
        assert_eq!(code_of(write(&rig, "b", "new").await), "hard_link");
        assert_eq!(
            code_of(
                rig.call(&writer(), json!({"path": "b", "text": "x", "append": true}))
                    .await
            ),
            "hard_link"
        );
        assert_eq!(rig.get("a"), "old");
    }

    /// Its other name may lie anywhere: it is read by whoever was granted this very path.
    #[tokio::test]
    async fn hard_links_are_read_only_by_their_own_path() {
        for (entry, is_read) in [("in/", false), ("in/*", false), ("**", false), ("in/hard", true)] {
            let rig = granting(&[entry], &[]);
            rig.put("secret", "x");
            rig.put("in/plain", "y");
            std::fs::hard_link(rig.path().join("secret"), rig.path().join("in/hard")).unwrap();
            let found = read(&rig, "in/hard").await;
            if is_read {
                assert_eq!(found, Ok(json!({"text": "x"})));
                continue;
            }
            assert_eq!(code_of(found), "hard_link", "{entry}");
            assert_eq!(read(&rig, "in/plain").await, Ok(json!({"text": "y"})));
        }
        // What the run has made itself is its own.
        let rig = granting(&[], &[]);
        std::fs::write(rig.workspace.path().join("a"), "x").unwrap();
        std::fs::hard_link(rig.workspace.path().join("a"), rig.workspace.path().join("b")).unwrap();
        assert_eq!(read(&rig, "run:/b").await, Ok(json!({"text": "x"})));
    }

    #[tokio::test]
    async fn pipes_and_devices_hold_nobody() {
        let rig = Rig::granting(Grants {
            read: vec!["**".into(), "/dev/".into()],
            write: vec!["**".into()],
            ..Grants::default()
        });
        let made = std::process::Command::new("mkfifo")
            .arg(rig.path().join("pipe"))
            .status()
            .unwrap();
        assert!(made.success());
        async fn soon<T>(work: impl Future<Output = T>) -> T {
            tokio::time::timeout(Duration::from_secs(5), work).await.unwrap()
        }
        assert_eq!(code_of(soon(read(&rig, "pipe")).await), "not_a_file");
        assert_eq!(code_of(soon(read(&rig, "/dev/zero")).await), "closed_path");
        assert_eq!(code_of(soon(write(&rig, "pipe", "x")).await), "not_a_file");
        let csv = crate::tools::csv_read::CsvRead::new([].into());
        assert_eq!(
            code_of(soon(rig.call(&csv, json!({"path": "pipe"}))).await),
            "not_a_file"
        );
    }

    /// What the kernel tells of processes holds the keys in their environment, under whatever name it is reached.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn no_reader_opens_what_the_kernel_shows() {
        let rig = Rig::granting(Grants {
            read: vec![
                "/".into(),
                "/proc/".into(),
                "/proc/self/environ".into(),
                "linked/".into(),
            ],
            ..Grants::default()
        });
        std::os::unix::fs::symlink("/proc/self", rig.path().join("linked")).unwrap();
        let link = rig.path().join("linked/environ");
        let folder = Rig::granting(Grants {
            read: vec![format!("{}/", rig.path().join("linked").display())],
            ..Grants::default()
        });
        let by_link = read(&folder, link.to_str().unwrap())
            .await
            .unwrap_err()
            .to_string();
        assert!(by_link.contains("closed to every plan"), "{by_link}");
        let csv = crate::tools::csv_read::CsvRead::new([].into());
        for path in [
            "/proc/self/environ",
            "/proc/1/environ",
            "/proc/self/task/../environ",
            "/sys/kernel/notes",
            "/dev/null",
        ] {
            assert_eq!(code_of(read(&rig, path).await), "closed_path", "{path}");
            assert_eq!(
                code_of(rig.call(&csv, json!({"path": path})).await),
                "closed_path",
                "{path}"
            );
        }
        assert!(read(&rig, "linked/environ").await.is_err());
    }

    #[tokio::test]
    async fn a_replaced_file_keeps_its_permissions() {
        let rig = Rig::open();
        rig.put("run.sh", "old");
        let path = rig.path().join("run.sh");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
        write(&rig, "run.sh", "new").await.unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o750
        );
    }
}

#[tokio::test]
async fn what_a_file_held_is_known_before_it_is_written() {
    let rig = Rig::open();
    let before = async |arguments: Json| writer().before(&arguments, &rig.cx).await.remove(0);
    let made = before(json!({ "path": "a.txt", "text": "new" })).await;
    assert!(made.path.ends_with("/a.txt") && matches!(made.found, Found::Absent));
    assert_eq!(made.after, Some(Digest::of(b"new")));

    rig.put("a.txt", "old");
    let over = before(json!({ "path": "a.txt", "text": "new" })).await;
    assert!(
        matches!(&over.found, Found::Bytes(bytes) if bytes == b"old"),
        "{over:?}"
    );
    let added = before(json!({ "path": "a.txt", "text": "new", "append": true })).await;
    assert!(
        matches!(added.found, Found::Beginning(size) if size.bytes == 3),
        "{added:?}"
    );
    assert_eq!(added.after, Some(Digest::of(b"oldnew")));
    assert_eq!(rig.get("a.txt"), "old", "looking changes nothing");

    // The same walls as for the call itself.
    let refused = before(json!({ "path": "/etc/hostname", "text": "" })).await;
    assert!(matches!(refused.found, Found::Unreadable), "{refused:?}");
    let strange = writer().before(&json!({ "path": 7 }), &rig.cx).await;
    assert!(strange.is_empty());
}

#[tokio::test]
async fn a_file_is_put_back_only_as_it_was_seen() {
    let rig = Rig::open();
    let keeper = writer().keeper().unwrap();
    let path = rig.path().join("a.txt").to_string_lossy().into_owned();
    rig.put("a.txt", "new");
    let seen = keeper.look(path.clone(), &rig.cx).await.unwrap();
    rig.put("a.txt", "somebody's");
    let put = keeper
        .put_back(path.clone(), Some(b"old".to_vec()), Some(seen), &rig.cx)
        .await;
    assert_eq!(code_of(put.map(|()| Json::Null)), "changed");
    assert_eq!(rig.get("a.txt"), "somebody's");
    let seen = keeper.look(path.clone(), &rig.cx).await.unwrap();
    keeper
        .put_back(path.clone(), Some(b"old".to_vec()), Some(seen), &rig.cx)
        .await
        .unwrap();
    assert_eq!(rig.get("a.txt"), "old");
    keeper.put_back(path.clone(), None, None, &rig.cx).await.unwrap();
    assert_eq!(keeper.look(path, &rig.cx).await.unwrap(), Now::Absent);
    let left: Vec<_> = std::fs::read_dir(rig.path()).unwrap().collect();
    assert!(left.is_empty(), "no temporary file stays: {left:?}");
}
