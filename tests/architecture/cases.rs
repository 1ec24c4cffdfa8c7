//! The table of cases from the field: what it says stands where it says. It runs none of them.

use std::collections::BTreeMap;

use crate::source::root;

/// Case → tests, by the rows of the table.
fn told() -> BTreeMap<String, Vec<String>> {
    let table = std::fs::read_to_string(root().join("tests/cases/README.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut ticked = row.split('`').skip(1).step_by(2).map(str::to_owned);
        (ticked.next().unwrap(), ticked.collect())
    })
    .collect()
}

#[test]
fn each_case_is_named_by_the_tests_that_the_table_tells() {
    let told = told();
    assert_eq!(told.len(), 49);
    for (case, files) in &told {
        assert!(!files.is_empty(), "{case} has no test");
        for file in files {
            let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
            assert!(text.contains(case.as_str()), "{file} does not name {case}");
        }
    }
}

#[test]
fn each_folder_of_inputs_is_a_case_of_the_table() {
    let told = told();
    for entry in std::fs::read_dir(root().join("tests/cases")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_told = told.keys().any(|case| name.starts_with(&format!("{case}-")));
        assert!(is_told || name == "README.md", "{name} stands in no row");
    }
}
