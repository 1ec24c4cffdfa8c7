//! Every sample that is shipped runs to its end without a model and a network, answers given as a person would, and
//! says what its data holds. The figures were worked out by hand from the files beside the plans.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use planloom_tests::process::{Desk, root};
use serde_json::Value;

struct Sample {
    name: &'static str,
    /// What its questions are answered, in their order.
    answers: &'static [&'static str],
    /// What its result must say.
    says: &'static [&'static str],
    /// Files that it leaves in the run's own folder, with a piece of their text.
    leaves: &'static [(&'static str, &'static str)],
}

const SAMPLES: [Sample; 11] = [
    Sample {
        name: "build-failure",
        answers: &[r#"{"suspect": 1, "note": "Ask Mira."}"#],
        says: &[
            "**orders** fails with 2 errors",
            "**gateway** only follows from orders",
            "1. a81f3c0 by Mira Holt",
            "Ask Mira.",
            // The recorded agent, which has read the file that the first error names.
            "The 'Money' type does not contain a 'currency' property.",
        ],
        leaves: &[("build-failure.md", "src/price.ts, line 88")],
    },
    Sample {
        name: "compare-offers",
        answers: &[r#"{"basket": 2}"#],
        says: &[
            "city-market + corner-store 41.94 €, city-market 42.64 €",
            "1 order sheets",
        ],
        leaves: &[("orders/city-market.txt", "39.74 €")],
    },
    Sample {
        name: "executive-margins",
        answers: &[],
        says: &["# Executive margin report"],
        leaves: &[],
    },
    Sample {
        name: "flaky-tests",
        answers: &[r#"{"put_aside": true, "days": 7}"#],
        says: &[
            "✓✓✗✗✗ cart rounds per line, since run 3",
            "src/mail.ts: 64.1 %, -8.4 points",
        ],
        leaves: &[(
            "quarantine.txt",
            "mail is sent once # fails 2 of 5 times, for 7 days",
        )],
    },
    Sample {
        name: "invoices-to-ledger",
        answers: &[r#"{"doubtful": "leave them out"}"#],
        says: &["6 invoices booked", "| 2026-10 | 3 | 77.01 € | 545.31 € |"],
        leaves: &[("ledger.csv", "FP-1042,\"Fabrikam Paper\",2026-09-08,253.00")],
    },
    Sample {
        name: "morning-briefing",
        answers: &[],
        says: &[
            "Missing today: weather.",
            "At the same time: Call with Fabrikam about the delay and Interview: data engineer.",
            "Read the audit draft (since 2026-11-28)",
        ],
        leaves: &[("briefing.md", "Jon Weber: Who renews it?")],
    },
    Sample {
        name: "reading-digest",
        answers: &[],
        says: &[
            "finished 9% more cases",
            "Cases: Remote work and output: 9 % more; Remote work, a second look: 6 % fewer",
            "stand-up-desks.html",
        ],
        leaves: &[("brief.md", "> Output fell by 1 % while sick days fell by 31 %.")],
    },
    Sample {
        name: "release-notes",
        answers: &[r#"{"write": true, "first_line": "It is out."}"#],
        says: &["9 changes told, 3 files written"],
        leaves: &[
            ("UPGRADING.md", "clients that read local times must convert them"),
            ("announcement.txt", "It is out."),
            ("announcement.txt", "You can now"),
            ("CHANGELOG.md", "## 2.3.1"),
        ],
    },
    Sample {
        name: "repository-audit",
        answers: &[r#"{"from": "high", "assign": "Tess"}"#],
        says: &[
            "3 drafts written",
            "| medium | netwire 5.1.4: Follows redirects to private addresses. Mended in 5.2.0. | web-shop, billing-api |",
        ],
        leaves: &[("issues/issue-02.md", "- stock-sync/config/deploy.txt:2")],
    },
    Sample {
        name: "sort-downloads",
        answers: &[r#"{"go": true, "leave_out": "programs"}"#],
        says: &[
            "12 files sorted. There twice: contacts (1).csv, export-2026-11-20 (1).json.",
            "holiday-photo.png",
        ],
        leaves: &[("sorted/undo.csv", "\"tables/contacts.csv\"")],
    },
    Sample {
        name: "spending-review",
        answers: &[r#"{"category": "leisure"}"#],
        says: &[
            "| food | 172.17 € | 191.21 € | 205.29 € | 568.67 € |",
            "2026-11-03 NORTHWIND POWER: 96.40 € (usually 58.20)",
        ],
        leaves: &[("spending.md", "- STREAMFLIX: 12.99 €")],
    },
];

/// It is tested beside this, with its numbers worked out anew.
const TESTED_ELSEWHERE: &str = "margin-report";

fn folder() -> PathBuf {
    root().join("assets/samples")
}

#[test]
fn every_shipped_sample_is_run_here() {
    let ending = ".plan.json";
    let names = std::fs::read_dir(folder()).unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(ending).map(str::to_owned)
    });
    let mut known: BTreeSet<String> = SAMPLES.iter().map(|s| s.name.to_owned()).collect();
    known.insert(TESTED_ELSEWHERE.to_owned());
    assert_eq!(names.collect::<BTreeSet<_>>(), known);
}

#[test]
fn the_samples_check_without_a_word_of_warning() {
    let desk = Desk::default();
    for sample in &SAMPLES {
        let path = folder().join(format!("{}.plan.json", sample.name));
        let checked = desk.say(&["check", path.to_str().unwrap()]).last();
        assert_eq!(checked["problems"], serde_json::json!([]), "{}", sample.name);
    }
}

#[test]
fn the_samples_run_to_a_useful_end() {
    let desk = Desk::default();
    for sample in &SAMPLES {
        let last = run(&desk, sample);
        assert_eq!(last["state"], "SUCCEEDED", "{}: {last}", sample.name);
        let output = last["output"].as_str().unwrap();
        for piece in sample.says {
            assert!(output.contains(piece), "{}: {piece}: {output}", sample.name);
        }
        let own = Path::new(last["folder"].as_str().unwrap());
        for (file, piece) in sample.leaves {
            let text = std::fs::read_to_string(own.join(file)).unwrap();
            assert!(text.contains(piece), "{}: {file}: {text}", sample.name);
        }
    }
}

fn run(desk: &Desk, sample: &Sample) -> Value {
    let path = folder().join(format!("{}.plan.json", sample.name));
    let mut last = desk.say(&["run", path.to_str().unwrap(), "--yes"]).last();
    for answer in sample.answers {
        let run = last["run"].as_str().unwrap().to_owned();
        let decision = last["decisions"][0]["id"].as_str().unwrap().to_owned();
        let said = desk.say(&["decide", &run, &decision, answer]);
        assert_eq!(said.code, 0, "{}: {}", sample.name, said.stderr);
        last = desk.say(&["resume", &run]).last();
    }
    last
}
