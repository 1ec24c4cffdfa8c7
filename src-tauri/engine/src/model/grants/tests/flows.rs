//! The gate's rules about where data goes (R1, R2), in tables, and that labels never fall by themselves.

use proptest::prelude::*;

use super::*;

const UNTRUSTED: Labels = Labels {
    untrusted: true,
    private: false,
};
const PRIVATE: Labels = Labels {
    untrusted: false,
    private: true,
};

fn need(access: Access, resource: &str) -> Need {
    Need {
        access,
        resource: resource.to_owned(),
        method: (access == Access::Host).then(|| "GET".to_owned()),
    }
}

fn concerns(effect: Effect, needs: &[Need], labels: Labels, circumstances: Circumstances) -> Vec<Concern> {
    let grants = Grants {
        private_to: vec!["own.example".to_owned(), "mail/send".to_owned()],
        ..Grants::default()
    };
    let place = place();
    let allowed = Allowed {
        withheld: &[],
        grants: &grants,
        frozen: needs,
        answered: &[],
        is_effect_allowed: false,
        place: &place,
    };
    let call = CallFacts {
        effect,
        needs,
        labels,
        circumstances,
    };
    match decide(&allowed, &call) {
        Verdict::Gate(Reason::Flow(concerns)) => concerns,
        Verdict::Allow => Vec::new(),
        other @ (Verdict::Gate(Reason::NotGranted(_)) | Verdict::Deny(_)) => panic!("{other:?}"),
    }
}

type Row<'n> = (Effect, Vec<&'n Need>, Labels, Circumstances, Vec<Concern>);

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn what_goes_where_and_is_asked_about() {
    let none = Circumstances::default();
    let accepted = Circumstances {
        is_accepted: true,
        ..none
    };
    let foreign_program = Circumstances {
        is_program_foreign: true,
        ..accepted
    };
    let own = Circumstances {
        writes_own_work: true,
        ..none
    };
    let host = need(Access::Host, "other.example:443");
    let own_host = need(Access::Host, "own.example:443");
    let file = need(Access::Write, "/plan/out.md");
    let read = need(Access::Read, "/plan/in.md");
    let program = need(Access::Command, "git");
    let mail = need(Access::Mcp, "mail/send");
    let both = UNTRUSTED.join(PRIVATE);
    let (u, p) = (Concern::Untrusted, Concern::Private);
    let table: Vec<Row<'_>> = vec![
        (
            Effect::WriteExternal,
            vec![&host],
            Labels::default(),
            none,
            vec![],
        ),
        (Effect::WriteExternal, vec![&host], UNTRUSTED, none, vec![u]),
        (Effect::WriteExternal, vec![&host], UNTRUSTED, accepted, vec![]),
        (Effect::WriteExternal, vec![&host], PRIVATE, none, vec![p]),
        (Effect::WriteExternal, vec![&host], PRIVATE, accepted, vec![p]),
        (Effect::WriteExternal, vec![&own_host], PRIVATE, none, vec![]),
        (
            Effect::WriteExternal,
            vec![&own_host, &host],
            PRIVATE,
            none,
            vec![p],
        ),
        (Effect::WriteExternal, vec![&host], both, none, vec![u, p]),
        (Effect::WriteExternal, vec![&mail], PRIVATE, none, vec![]),
        (Effect::WriteExternal, vec![&file], PRIVATE, none, vec![p]),
        (Effect::Spend, vec![&host], UNTRUSTED, none, vec![u]),
        (Effect::ReadExternal, vec![&host], UNTRUSTED, none, vec![u]),
        (Effect::ReadExternal, vec![&host], PRIVATE, none, vec![p]),
        (Effect::ReadExternal, vec![&own_host], PRIVATE, none, vec![]),
        (Effect::Exec, vec![&program], UNTRUSTED, none, vec![u]),
        (Effect::Exec, vec![&program], UNTRUSTED, accepted, vec![]),
        (Effect::Exec, vec![&program], UNTRUSTED, foreign_program, vec![u]),
        (Effect::Exec, vec![&program], PRIVATE, none, vec![]),
        (Effect::Exec, vec![&program, &host], PRIVATE, none, vec![p]),
        (Effect::Write, vec![&file], both, none, vec![]),
        (Effect::Write, vec![&file], both, own, vec![Concern::OwnWork]),
        (Effect::Read, vec![&read], both, none, vec![]),
        (Effect::Pure, vec![], both, none, vec![]),
    ];
    for (effect, needs, labels, about, expected) in table {
        let needs: Vec<Need> = needs.into_iter().cloned().collect();
        let found = concerns(effect, &needs, labels, about);
        assert_eq!(found, expected, "{effect:?} {needs:?} {labels:?} {about:?}");
    }
}

fn any_labels() -> impl Strategy<Value = Labels> {
    (any::<bool>(), any::<bool>()).prop_map(|(untrusted, private)| Labels { untrusted, private })
}

proptest! {
    #[test]
    fn a_join_never_falls(a in any_labels(), b in any_labels(), c in any_labels()) {
        let joined = a.join(b);
        prop_assert!(joined.untrusted >= a.untrusted && joined.private >= a.private);
        prop_assert_eq!(joined, b.join(a));
        prop_assert_eq!(joined.join(c), a.join(b.join(c)));
        prop_assert_eq!(a.join(a), a);
    }

    /// Whatever is written over a file, in whatever spelling, it stays as foreign as it ever was.
    #[test]
    fn marks_of_files_never_fall(
        notes in prop::collection::vec((prop::sample::select(vec!["run:/a", "run:/A", "run:/b/c", "/plan/x"]), any_labels()), 1..12),
    ) {
        let mut marks = FileMarks::default();
        let mut before = Labels::default();
        for (path, labels) in &notes {
            marks.note(path, *labels);
            if path.eq_ignore_ascii_case("run:/a") {
                before = before.join(*labels);
                prop_assert_eq!(marks.of("run:/a"), Some(before));
            }
        }
        let all = notes.iter().filter(|(path, _)| path.starts_with("run:")).map(|(_, labels)| *labels).reduce(Labels::join);
        prop_assert_eq!(marks.of("run:/"), all);
    }

    /// More labels never make a call freer.
    #[test]
    fn more_labels_are_never_less_asked_about(
        effect in prop::sample::select(vec![Effect::Pure, Effect::Read, Effect::ReadExternal, Effect::Write,
            Effect::WriteExternal, Effect::Exec, Effect::Spend]),
        labels in any_labels(), more in any_labels(), accepted in any::<bool>(), own in any::<bool>(),
    ) {
        let needs = [need(Access::Host, "other.example:443")];
        let about = Circumstances { is_accepted: accepted, writes_own_work: own, ..Circumstances::default() };
        let before = concerns(effect, &needs, labels, about);
        let after = concerns(effect, &needs, labels.join(more), about);
        prop_assert!(before.iter().all(|concern| after.contains(concern)));
    }
}

#[test]
fn what_a_call_brings_in_depends_on_where_it_reads() {
    let place = place();
    let grants = Grants {
        own_work: vec!["notes/".to_owned(), "one.csv".to_owned()],
        ..Grants::default()
    };
    let folders = ["/home/ada/papers".to_owned()];
    let own = OwnWork {
        folders: &folders,
        grants: &grants,
        place: &place,
    };
    let mut files = FileMarks::default();
    files.note("run:/clean.md", Labels::default());
    files.note("run:/foreign.md", UNTRUSTED);
    files.note("/plan/notes/fetched.md", UNTRUSTED);
    let reading = spec(Effect::Read, vec![Touch::one("path", Access::Read)], None);
    let of = |resource: &str, is_real: bool| {
        let needs = [need(Access::Read, resource)];
        brought(&reading, Effect::Read, &needs, &own, &files, |_| is_real)
    };
    let both = UNTRUSTED.join(PRIVATE);
    for (resource, is_real, expected) in [
        ("/plan/notes/a.md", true, PRIVATE),
        ("/plan/notes/a.md", false, both),
        ("/plan/notes/fetched.md", true, both),
        ("/plan/NOTES/fetched.md", true, both),
        ("/plan/one.csv", true, PRIVATE),
        ("/plan/two.csv", true, both),
        ("/plan/notesx/a.md", true, both),
        ("/home/ada/papers/x/y.md", true, PRIVATE),
        ("/home/ada/papersx/y.md", true, both),
        ("run:/clean.md", true, Labels::default()),
        ("run:/foreign.md", true, UNTRUSTED),
        ("run:/Foreign.md", true, UNTRUSTED),
        ("run:/unknown.md", true, UNTRUSTED),
        ("run:/", true, UNTRUSTED),
    ] {
        assert_eq!(of(resource, is_real), expected, "{resource} {is_real}");
    }
    let exec = brought(&reading, Effect::Exec, &[], &own, &files, |_| true);
    assert_eq!(exec, both);
}
