//! The samples that Planloom ships are valid, written in its own form, and need what they say.

use planloom_engine::model::DraftPlan;
use planloom_engine::model::grants::Place;
use planloom_engine::tools::Registry;
use planloom_tests::process::root;

#[test]
fn every_sample_is_valid_and_written_as_planloom_writes() {
    let folder = root().join("assets/samples");
    let registry = Registry::builtin();
    let place = Place {
        folder: Some(folder.clone()),
        workspace: "/w".into(),
    };
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".plan.json") {
            continue;
        }
        seen += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let draft = DraftPlan::parse(&text).unwrap();
        assert_eq!(
            draft.problems(registry.catalog(), &place),
            [],
            "{}",
            path.display()
        );
        // PLANLOOM_BLESS=1 writes them so.
        if std::env::var_os("PLANLOOM_BLESS").is_some() {
            std::fs::write(&path, draft.to_text()).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            draft.to_text() == text,
            "{} is not in Planloom's own form",
            path.display()
        );
    }
    assert!(seen >= 12);
}
