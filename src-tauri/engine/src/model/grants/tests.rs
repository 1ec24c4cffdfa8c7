//! The gate, case by case.

mod flows;
mod generated;
mod spellings;
mod systems;

use std::path::PathBuf;

use serde_json::json;

use super::*;
use crate::model::plan::Input;
use crate::model::tool::{Idempotency, ToolSpec, Touch};

fn place() -> Place {
    Place {
        folder: Some(PathBuf::from("/plan")),
        workspace: PathBuf::from("/work space"),
    }
}

fn spec(effect: Effect, touches: Vec<Touch>, method_argument: Option<&'static str>) -> ToolSpec {
    ToolSpec {
        name: "t".into(),
        description: String::new(),
        arguments: json!({}),
        result: json!({}),
        effect,
        idempotency: Idempotency::Not,
        touches,
        method_argument,
        is_source_untrusted: false,
        needs: Vec::new(),
        definition: None,
    }
}

fn need(access: Access, resource: &str) -> Need {
    Need {
        access,
        resource: resource.into(),
        method: None,
    }
}

fn host_need(method: &str, resource: &str) -> Need {
    Need {
        access: Access::Host,
        resource: resource.into(),
        method: Some(method.into()),
    }
}

fn reads(entry: &str) -> Grants {
    Grants {
        read: vec![entry.into()],
        ..Grants::default()
    }
}

fn hosts(entry: &str) -> Grants {
    Grants {
        hosts: vec![entry.into()],
        ..Grants::default()
    }
}

fn is_read_allowed(entry: &str, path: &str) -> bool {
    let spec = spec(Effect::Read, vec![Touch::one("path", Access::Read)], None);
    needs_of(&spec, &json!({"path": path}), &place()).is_ok_and(|n| covers(&reads(entry), &n[0], &place()))
}

#[test]
fn a_folder_that_looks_like_a_pattern_is_none() {
    let odd = Place {
        folder: Some("/pl[ab]n*".into()),
        workspace: "/w".into(),
    };
    assert!(covers(
        &reads("*.csv"),
        &need(Access::Read, "/pl[ab]n*/a.csv"),
        &odd
    ));
    assert!(!covers(&reads("*.csv"), &need(Access::Read, "/plan/a.csv"), &odd));
}

#[test]
fn without_a_plan_file_relative_paths_lie_in_the_workspace() {
    let bare = Place {
        folder: None,
        workspace: "/w".into(),
    };
    assert_eq!(resource_of_path("a/../b", &bare).as_deref(), Ok("run:/b"));
    assert!(resource_of_path("../b", &bare).is_err());
    assert_eq!(resource_of_path("/etc/hosts", &bare).as_deref(), Ok("/etc/hosts"));
    assert_eq!(real_path("run:/b", &bare), PathBuf::from("/w/b"));
    assert!(!covers(&reads("**"), &need(Access::Read, "/w/b"), &bare));
}

#[test]
fn a_need_in_no_normal_form_is_denied() {
    let grants = reads("/");
    for resource in [
        "/a/../b",
        "a",
        "",
        "/a//b",
        "/a/",
        "run:/../x",
        "run:/a//b",
        "run:",
        "/a/./b",
        "/a\n",
    ] {
        let needs = [need(Access::Read, resource)];
        let call = CallFacts {
            effect: Effect::Read,
            needs: &needs,
            labels: Labels::default(),
            circumstances: Circumstances::default(),
        };
        let place = place();
        let allowed = Allowed {
            withheld: &[],
            grants: &grants,
            frozen: &needs,
            answered: &[],
            is_effect_allowed: true,
            place: &place,
        };
        assert!(
            matches!(decide(&allowed, &call), Verdict::Deny(_)),
            "{resource:?}"
        );
        assert!(!covers(&grants, &needs[0], &place), "{resource:?}");
    }
}

#[test]
fn no_grant_opens_keys_and_start_up_files() {
    let grants = Grants {
        read: vec!["/".into()],
        write: vec!["/".into()],
        ..Grants::default()
    };
    for path in [
        "/home/me/.ssh/id_rsa",
        "/home/me/.SSH/config",
        "/home/me/.ssh",
        "/home/me/.gnupg/x",
        "/home/me/.bashrc",
        "/home/me/.zshrc",
        "/home/me/src/x/.git/hooks/pre-commit",
        "/Users/me/Library/Keychains/login.keychain-db",
        "/home/me/.config/google-chrome/Default/Cookies",
        "/proc/self/environ",
        "/proc/4711/environ",
        "/sys/firmware/x",
    ] {
        for access in [Access::Read, Access::Write] {
            let needs = [need(access, path)];
            let place = place();
            let allowed = Allowed {
                withheld: &[],
                grants: &grants,
                frozen: &[],
                answered: &[],
                is_effect_allowed: false,
                place: &place,
            };
            let call = CallFacts {
                effect: Effect::Write,
                needs: &needs,
                labels: Labels::default(),
                circumstances: Circumstances::default(),
            };
            assert!(matches!(decide(&allowed, &call), Verdict::Deny(_)), "{path}");
        }
    }
}

#[test]
fn untrusted_data_stops_at_what_reaches_outside() {
    let grants = hosts("* api.example.com");
    let needs = [host_need("POST", "api.example.com:443")];
    let place = place();
    let decide_for = |effect, untrusted, is_effect_allowed| {
        let allowed = Allowed {
            withheld: &[],
            grants: &grants,
            frozen: &[],
            answered: &[],
            is_effect_allowed,
            place: &place,
        };
        let labels = Labels {
            untrusted,
            private: false,
        };
        decide(
            &allowed,
            &CallFacts {
                effect,
                needs: &needs,
                labels,
                circumstances: Circumstances::default(),
            },
        )
    };
    for effect in [
        Effect::ReadExternal,
        Effect::WriteExternal,
        Effect::Exec,
        Effect::Spend,
    ] {
        assert_eq!(
            decide_for(effect, true, false),
            Verdict::Gate(Reason::Flow(vec![Concern::Untrusted]))
        );
        assert_eq!(decide_for(effect, true, true), Verdict::Allow);
        assert_eq!(decide_for(effect, false, false), Verdict::Allow);
    }
    for effect in [Effect::Pure, Effect::Read, Effect::Write] {
        assert_eq!(decide_for(effect, true, false), Verdict::Allow);
    }
}

#[test]
fn an_effect_that_names_nothing_is_denied() {
    let place = place();
    let grants = Grants::default();
    let allowed = Allowed {
        withheld: &[],
        grants: &grants,
        frozen: &[],
        answered: &[],
        is_effect_allowed: false,
        place: &place,
    };
    let call = |effect| CallFacts {
        effect,
        needs: &[],
        labels: Labels::default(),
        circumstances: Circumstances::default(),
    };
    assert!(matches!(decide(&allowed, &call(Effect::Exec)), Verdict::Deny(_)));
    assert_eq!(decide(&allowed, &call(Effect::Pure)), Verdict::Allow);
}

#[test]
fn needs_of_a_request() {
    let spec = spec(
        Effect::WriteExternal,
        vec![Touch::one("url", Access::Host)],
        Some("method"),
    );
    let needs = |arguments| needs_of(&spec, &arguments, &place());
    let url = "https://example.com/x";
    assert_eq!(
        needs(json!({"url": url})),
        Ok(vec![host_need("GET", "example.com:443")])
    );
    assert_eq!(
        needs(json!({"url": url, "method": "put"})),
        Ok(vec![host_need("PUT", "example.com:443")])
    );
    assert_eq!(needs(json!({"method": "put"})), Ok(vec![]));
    assert!(needs(json!({"url": 3})).is_err());
    assert!(needs(json!({"url": "nonsense"})).is_err());
}

#[test]
fn a_method_that_only_the_run_knows_leaves_the_host_open() {
    let spec = spec(
        Effect::WriteExternal,
        vec![Touch::one("url", Access::Host)],
        Some("method"),
    );
    let url = (
        "url".into(),
        Input::Literal(json!("https://example.com/x").into()),
    );
    let known = [
        url.clone(),
        ("method".into(), Input::Literal(json!("POST").into())),
    ];
    assert_eq!(
        needs_of_inputs(&spec, &known, &place()),
        (vec![host_need("POST", "example.com:443")], vec![])
    );
    let open = [url, ("method".into(), Input::Param("m".into()))];
    assert_eq!(
        needs_of_inputs(&spec, &open, &place()),
        (vec![], vec![Access::Host])
    );
}

#[test]
fn tables_may_be_known_in_part() {
    let spec = spec(
        Effect::Read,
        vec![
            Touch::one("database", Access::Database),
            Touch::each("tables", Access::Read),
        ],
        None,
    );
    let tables = Input::Object(Box::new([
        ("a".into(), Input::Literal(json!("a.csv").into())),
        ("b".into(), Input::Param("b".into())),
    ]));
    let found = needs_of_inputs(&spec, &[("tables".into(), tables)], &place());
    assert_eq!(
        found,
        (vec![need(Access::Read, "/plan/a.csv")], vec![Access::Read])
    );
    let all = Input::Literal(json!({"a": "a.csv", "b": "b.csv", "again": "./a.csv"}).into());
    let (needs, unknown) = needs_of_inputs(&spec, &[("tables".into(), all)], &place());
    assert_eq!((needs.len(), unknown.len()), (2, 0));
    let param = needs_of_inputs(&spec, &[("database".into(), Input::Param("x".into()))], &place());
    assert_eq!(param, (vec![], vec![Access::Database]));
}

#[test]
fn links_are_held_inside_the_folder_that_was_named() {
    let root = |entry: &str, path: &str| {
        let place = Place {
            folder: Some("/plan".into()),
            workspace: "/w".into(),
        };
        root_of(&reads(entry), &[], &need(Access::Read, path), &place)
    };
    assert_eq!(root("/data/", "/data/a/b"), Some("/data".into()));
    assert_eq!(root("/data/*/x.csv", "/data/a/x.csv"), Some("/data".into()));
    assert_eq!(root("/data/a.csv", "/data/a.csv"), Some("/data".into()));
    assert_eq!(root("/data/**", "/data"), Some("/data".into()));
    assert_eq!(root("data/", "/plan/data/a"), Some("/plan".into()));
    assert_eq!(root("data/", "run:/a"), Some("/w".into()));
    assert_eq!(root("data/", "/etc/hosts"), None);
}

#[test]
fn entries_that_cover_nothing_are_told() {
    let problem = |access, entry| entry_problem(access, entry, &place()).is_some();
    for entry in [
        "https://example.com",
        "*.example.com",
        "a b c",
        "",
        "host:99999",
        "POST",
        "a b",
    ] {
        assert!(problem(Access::Host, entry), "{entry}");
    }
    for entry in ["", "data/[a", "data/*/../x", "run:/../x", "a\tb"] {
        assert!(problem(Access::Read, entry), "{entry}");
    }
    for entry in ["", "x", "x/", "/x", "server/*"] {
        assert!(problem(Access::Mcp, entry), "{entry}");
    }
    assert!(!problem(Access::Mcp, "server/tool"));
    for entry in ["POST api.example.com:8443", "post a", "* a", "post", "PROPFIND a"] {
        assert!(!problem(Access::Host, entry), "{entry}");
    }
    assert!(!problem(Access::Read, "data/**/*.csv"));
    for entry in [
        "/proc/self/environ",
        "/proc/*/environ",
        "/sys/",
        "/home/me/.ssh/*",
    ] {
        assert!(problem(Access::Read, entry), "{entry}");
    }
}
