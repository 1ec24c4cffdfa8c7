//! Commands that people are told to go on with: whole, ready for a shell, on the same database. It must not know what
//! any of them does.

use std::ffi::OsStr;
use std::fmt::Write as _;

use crate::args::Cli;

/// Verbs that may ask a model, or depend on which there are: they are given the models of this call.
const ASKING: [&str; 9] = [
    "check", "decide", "fork", "plan", "rerun", "resume", "retry", "rewind", "run",
];

/// What stands before a command in a text of the engine, which knows neither databases nor flags.
const START: &str = "`planloom ";

/// Flags of this call that the next one needs too.
#[derive(Default)]
pub struct Flags {
    db: String,
    models: String,
}

impl Flags {
    pub fn of(cli: &Cli) -> Self {
        let models = cli.models.iter();
        let models = models.map(|(role, model)| {
            let value = format!("{}={model}", role.word());
            format!(" --model {}", quoted(OsStr::new(&value)))
        });
        Self {
            db: cli
                .db
                .iter()
                .map(|db| format!(" --db {}", quoted(db.as_os_str())))
                .collect(),
            models: models.collect(),
        }
    }

    /// `planloom VERB WORDS`, with the flags of this call.
    pub fn command(&self, verb: &[&str], words: &[&str]) -> String {
        let flags = self.for_verb(verb.first().copied().unwrap_or_default());
        let mut line = format!("planloom {}", verb.join(" "));
        // A word that looks like a flag would be taken for one.
        let is_flag = |word: &&str| word.starts_with('-');
        let (before, after) = if words.iter().any(is_flag) {
            (flags.as_str(), "")
        } else {
            ("", flags.as_str())
        };
        line.push_str(before);
        if !before.is_empty() || words.iter().any(is_flag) {
            line.push_str(" --");
        }
        for word in words {
            let _ = write!(line, " {}", quoted(OsStr::new(word)));
        }
        line.push_str(after);
        line
    }

    /// A text of the engine, in which commands stand in back quotes, with the flags of this call in them.
    pub fn carried(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(START) {
            out.push_str(before);
            out.push_str(START);
            let Some((words, later)) = after.split_once('`').filter(|(words, _)| !words.contains('\n'))
            else {
                rest = after;
                continue;
            };
            out.push_str(&self.with_flags(words));
            out.push('`');
            rest = later;
        }
        out.push_str(rest);
        out
    }

    fn with_flags(&self, words: &str) -> String {
        let verb = words.split(' ').next().unwrap_or_default();
        if words.split(' ').any(|word| word == "--db" || word == "--model") {
            return words.to_owned();
        }
        let flags = self.for_verb(verb);
        match words.split_once(" -- ") {
            Some((before, after)) => format!("{before}{flags} -- {after}"),
            None => format!("{words}{flags}"),
        }
    }

    fn for_verb(&self, verb: &str) -> String {
        let models = if ASKING.contains(&verb) { &self.models } else { "" };
        format!("{}{models}", self.db)
    }
}

/// As one word of a POSIX shell; what no terminal shows stands as bytes, which bash, zsh and ksh read.
fn quoted(word: &OsStr) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Some(text) if !text.chars().any(crate::out::is_steering) => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        Some(_) | None => in_bytes(word),
    }
}

fn in_bytes(word: &OsStr) -> String {
    let bytes = word.as_encoded_bytes().iter();
    let one = |byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    };
    format!("$'{}'", bytes.map(one).collect::<String>())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn flags(args: &[&str]) -> Flags {
        Flags::of(&Cli::try_parse_from([&["planloom"], args].concat()).unwrap())
    }

    #[test]
    fn a_word_is_quoted_only_where_a_shell_would_tear_it() {
        for (word, expected) in [
            ("executor=ollama/qwen3:8b", "executor=ollama/qwen3:8b"),
            ("/home/me/my plans.db", "'/home/me/my plans.db'"),
            ("planner=x/it's $HOME", r"'planner=x/it'\''s $HOME'"),
            ("", "''"),
            ("über.db", "'über.db'"),
            ("a\u{202e}b\n.db", r"$'a\xe2\x80\xaeb\x0a.db'"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
    }

    #[test]
    fn every_command_is_told_with_the_flags_that_it_needs() {
        let flags = flags(&["runs", "--db", "my plans.db", "--model", "planner=a/b"]);
        for (told, expected) in [
            (
                flags.command(&["show"], &["r1"]),
                "planloom show r1 --db 'my plans.db'",
            ),
            (
                flags.command(&["resume"], &["r1"]),
                "planloom resume r1 --db 'my plans.db' --model planner=a/b",
            ),
            (
                flags.command(&["vacuum"], &[]),
                "planloom vacuum --db 'my plans.db'",
            ),
            (
                flags.command(&["unpin"], &["r1", "-x"]),
                "planloom unpin --db 'my plans.db' -- r1 -x",
            ),
            (
                flags.command(&["decide"], &["r1", "d1", r#"{"a b": 1}"#]),
                r#"planloom decide r1 d1 '{"a b": 1}' --db 'my plans.db' --model planner=a/b"#,
            ),
            (
                flags.carried("x is not set; keep it with `planloom secret set X`, and retry"),
                "x is not set; keep it with `planloom secret set X --db 'my plans.db'`, and retry",
            ),
            (
                flags.carried(
                    "`planloom servers add NAME -- COMMAND` or `planloom resume r1 --db y`, `planloom ",
                ),
                "`planloom servers add NAME --db 'my plans.db' -- COMMAND` or `planloom resume r1 --db y`, `planloom ",
            ),
        ] {
            assert_eq!(told, expected);
        }
        let none = Flags::default();
        assert_eq!(none.command(&["unpin"], &["r1", "-x"]), "planloom unpin -- r1 -x");
        assert_eq!(none.carried("`planloom runs`"), "`planloom runs`");
    }

    /// The list of verbs that are given models is the one that the program goes by.
    #[test]
    fn verbs_that_ask_models_are_given_them() {
        use clap::CommandFactory;
        let command = Cli::command();
        for verb in command.get_subcommands().map(clap::Command::get_name) {
            let words = ["r", "t", "v"];
            let asks = (0..=3).find_map(|n| {
                let line = [&["planloom", verb], &words[..n]].concat();
                Cli::try_parse_from(if verb == "rewind" {
                    vec!["planloom", "rewind", "r", "--to", "1"]
                } else {
                    line
                })
                .ok()
            });
            let asks = asks.is_some_and(|cli| cli.verb.needs_models());
            assert_eq!(ASKING.contains(&verb), asks, "{verb}");
        }
    }
}
