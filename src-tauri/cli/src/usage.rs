//! What is said when a command line can't be read, or asks for help: for people, and as JSON where that was asked for. It
//! must not know any verb.

use clap::error::ErrorKind;
use planloom_engine::Error;

use crate::exit::Exit;
use crate::out::{Out, error_json, sentence};

pub fn told(refusal: &clap::Error) -> Exit {
    if matches!(refusal.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = refusal.print();
        return Exit::Done;
    }
    let _ = refusal.print();
    if wants_json(std::env::args_os()) {
        let message = message_of(&refusal.render().to_string());
        let error = Error::Invalid {
            code: "usage",
            message: message.clone(),
        };
        Out::new(true).object(&error_json(&error, &message));
    }
    Exit::Wrong
}

/// What stands behind `--` belongs to another program.
fn wants_json(args: impl Iterator<Item = std::ffi::OsString>) -> bool {
    args.take_while(|word| word != "--").any(|word| word == "--json")
}

/// What is wrong, on one line, without the list of what could be typed.
fn message_of(whole: &str) -> String {
    let what = whole.split("\n\nUsage:").next().unwrap_or(whole);
    let what = what.strip_prefix("error: ").unwrap_or(what);
    let paragraphs = what.split("\n\n").map(|paragraph| {
        let words = paragraph.split_whitespace().collect::<Vec<_>>();
        sentence(&words.join(" "))
    });
    paragraphs.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;

    fn message(args: &[&str]) -> String {
        let refusal = Cli::try_parse_from([&["planloom"], args].concat()).err().unwrap();
        message_of(&refusal.render().to_string())
    }

    #[test]
    fn a_usage_error_is_told_in_one_line() {
        for (args, part) in [
            (&["frob"][..], "unrecognized subcommand 'frob'."),
            (
                &["show"],
                "the following required arguments were not provided: <RUN>.",
            ),
            (
                &["rewind", "r", "--to", "x"],
                "invalid value 'x' for '--to <SEQ>'",
            ),
            (&["--json"], "'planloom' requires a subcommand"),
        ] {
            let message = message(args);
            assert!(message.starts_with(part), "{message}");
            assert!(!message.contains('\n') && !message.contains("Usage"), "{message}");
        }
    }

    #[test]
    fn a_flag_of_another_program_is_not_ours() {
        let words = |line: &str| line.split(' ').map(Into::into).collect::<Vec<_>>().into_iter();
        assert!(wants_json(words("planloom frob --json")));
        assert!(!wants_json(words("planloom servers add x -- cat --json")));
    }
}
