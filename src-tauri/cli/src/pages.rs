//! Tests that every command line of the README and of docs/ is one that the program takes, and that each verb and flag is
//! told there.

use clap::{CommandFactory, Parser, error::ErrorKind};

use crate::args::Cli;

const COMMANDS: &str = include_str!("../../../docs/command-line.md");
const PAGES: [(&str, &str); 8] = [
    ("README.md", include_str!("../../../README.md")),
    ("docs/command-line.md", COMMANDS),
    ("docs/inside.md", include_str!("../../../docs/inside.md")),
    ("docs/models.md", include_str!("../../../docs/models.md")),
    (
        "docs/plan-format.md",
        include_str!("../../../docs/plan-format.md"),
    ),
    ("docs/servers.md", include_str!("../../../docs/servers.md")),
    ("docs/tools.md", include_str!("../../../docs/tools.md")),
    ("docs/trust.md", include_str!("../../../docs/trust.md")),
];

/// As a shell splits them; what stands in for something of one's own is given a value that fits.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    let value = |word: String| match word.as_str() {
        "SEQ" | "N" => "3".to_owned(),
        "KIND=ENTRY" => "read=a".to_owned(),
        "FORM" => "markdown".to_owned(),
        "ROLE=PROVIDER/MODEL" => "planner=a/b".to_owned(),
        _ => word,
    };
    words.into_iter().map(value).collect()
}

/// With everything in square brackets, and without.
fn variants(line: &str) -> [String; 2] {
    let mut without = String::new();
    let mut depth = 0;
    for c in line.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            c if depth == 0 => without.push(c),
            _ => {}
        }
    }
    [line.replace(['[', ']'], ""), without]
}

#[test]
fn every_command_line_of_the_pages_is_taken() {
    let mut taken = 0;
    for (page, text) in PAGES {
        let lines = text.lines().filter_map(|line| line.strip_prefix("    planloom "));
        for line in lines {
            let line = line.split(" #").next().unwrap();
            // What a command gets stands in brackets of its own.
            let lines = if line.contains('{') {
                [line.to_owned(), line.to_owned()]
            } else {
                variants(line)
            };
            for line in lines {
                let words = words(&line);
                let words = ["planloom".to_owned()].into_iter().chain(words);
                if let Err(wrong) = Cli::try_parse_from(crate::args::spelled(words.map(Into::into))) {
                    panic!("{page}: planloom {line}\n{wrong}");
                }
                taken += 1;
            }
        }
    }
    assert!(taken > 40, "only {taken} command lines were found");
}

#[test]
fn every_command_in_the_text_is_one() {
    for (page, text) in PAGES {
        let text = text.replace('\n', " ");
        let spans = text.split('`').skip(1).step_by(2);
        for span in spans.filter_map(|span| span.strip_prefix("planloom ")) {
            let words = words(span);
            let parsed = Cli::try_parse_from(crate::args::spelled(
                ["planloom".to_owned()].into_iter().chain(words).map(Into::into),
            ));
            let Err(wrong) = parsed else { continue };
            // A text may name a command without all that it needs.
            let is_short = matches!(
                wrong.kind(),
                ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand | ErrorKind::DisplayHelp
            );
            assert!(is_short, "{page}: planloom {span}\n{wrong}");
        }
    }
}

#[test]
fn every_verb_and_flag_is_told() {
    fn look(command: &clap::Command, path: &str, untold: &mut Vec<String>) {
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            let path = format!("{path} {}", sub.get_name());
            let told = COMMANDS
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            let told: Vec<String> = told.filter(|line| line.starts_with(path.trim())).collect();
            if told.is_empty() {
                untold.push(path.clone());
            }
            let flags = sub
                .get_arguments()
                .filter(|arg| !arg.is_global_set())
                .filter_map(clap::Arg::get_long);
            for flag in flags.filter(|flag| *flag != "help") {
                if !COMMANDS.contains(&format!("--{flag}")) {
                    untold.push(format!("{path} --{flag}"));
                }
            }
            look(sub, &path, untold);
        }
    }
    let mut untold = Vec::new();
    look(&Cli::command(), "planloom", &mut untold);
    assert_eq!(untold, Vec::<String>::new(), "not in docs/command-line.md");
}
