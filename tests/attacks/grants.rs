//! Entries of a plan's grants that try to open more than they say.

use planloom_engine::model::grants::{Place, entry_problem};
use planloom_engine::model::tool::Access;

const HOSTS: &[&str] = &[
    "*",
    "*.example.com",
    "example.com/path",
    "user@example.com",
    "example.com?x=1",
    "example.com#x",
    "example.com:0",
    "example.com:99999",
    "exa%6dple.com",
    "GET POST example.com",
];

#[test]
fn a_host_entry_opens_one_host_or_nothing() {
    let place = Place {
        folder: None,
        workspace: "/nowhere".into(),
    };
    for entry in HOSTS {
        assert!(
            entry_problem(Access::Host, entry, &place).is_some(),
            "`{entry}` is taken for a host"
        );
    }
}
