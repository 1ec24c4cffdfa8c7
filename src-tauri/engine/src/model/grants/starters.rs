//! Programs that run what they are given: which of a command's words, and whether what it reads, is code. By their names
//! alone; what a program is that only calls itself otherwise nobody can tell. Knows no grants.

use super::commands::{REST, last_part, words_of};

/// What a person should know of a granted command beside its words: whether it can start any other program.
pub(super) fn risk(command: &str) -> Option<&'static str> {
    let words = words_of(command)?;
    if !STARTERS.contains(&name_of(words.first()?).as_str()) {
        return None;
    }
    let is_open = words.len() == 1 || words.last().is_some_and(|last| last == REST);
    Some(match is_open {
        true => "can run anything that is visible to it",
        false => "starts what stands in its arguments",
    })
}

/// Shells, interpreters, and programs whose arguments name or hold others to be run.
const STARTERS: &[&str] = &[
    "ash",
    "at",
    "awk",
    "bash",
    "batch",
    "bun",
    "bunx",
    "busybox",
    "bwrap",
    "cargo",
    "chroot",
    "cmake",
    "cmd",
    "crontab",
    "csh",
    "dash",
    "deno",
    "doas",
    "docker",
    "ed",
    "emacs",
    "env",
    "expect",
    "find",
    "firejail",
    "fish",
    "flatpak",
    "flock",
    "gawk",
    "gdb",
    "git",
    "go",
    "gradle",
    "guile",
    "ionice",
    "irb",
    "java",
    "jshell",
    "julia",
    "just",
    "ksh",
    "less",
    "lua",
    "luajit",
    "make",
    "man",
    "mawk",
    "mksh",
    "more",
    "mvn",
    "nawk",
    "nc",
    "ncat",
    "nice",
    "ninja",
    "node",
    "nodejs",
    "nohup",
    "npm",
    "npx",
    "nsenter",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pip",
    "pipx",
    "pkexec",
    "pnpm",
    "podman",
    "poetry",
    "powershell",
    "prlimit",
    "pwsh",
    "pypy",
    "python",
    "rscript",
    "rsync",
    "ruby",
    "runuser",
    "scp",
    "screen",
    "script",
    "sed",
    "setarch",
    "setpriv",
    "setsid",
    "sh",
    "socat",
    "ssh",
    "sqlite",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "tar",
    "tclsh",
    "tcsh",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "ts-node",
    "tsx",
    "unshare",
    "uv",
    "uvx",
    "vi",
    "view",
    "vim",
    "watch",
    "wine",
    "xargs",
    "yarn",
    "zip",
    "zsh",
];

/// Those of them that take a script by the name of its file, or else read it from stdin.
const INTERPRETERS: &[&str] = &[
    "ash",
    "bash",
    "bun",
    "csh",
    "dash",
    "deno",
    "fish",
    "guile",
    "irb",
    "jshell",
    "julia",
    "ksh",
    "lua",
    "luajit",
    "mksh",
    "node",
    "nodejs",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "pypy",
    "python",
    "rscript",
    "ruby",
    "sh",
    "tclsh",
    "tcsh",
    "ts-node",
    "tsx",
    "zsh",
];

/// Those that only work on what they read, as long as no argument says that it is their program.
const FILTERS: &[&str] = &[
    "awk", "cargo", "find", "gawk", "git", "go", "less", "man", "mawk", "more", "nawk", "nc", "ncat", "npm",
    "pip", "pnpm", "rsync", "scp", "sed", "socat", "tar", "yarn", "zip",
];

/// The options behind which code stands as the next argument.
const CODE_OPTIONS: &[&str] = &["-c", "-e", "-E", "-r", "--eval", "--command"];

/// A word of a command; `None` where only the run will know it.
type MaybeWord<'w> = Option<&'w str>;

/// Whether what such a command reads on stdin is run. `words` begins with the program.
pub(super) fn runs_stdin(words: &[MaybeWord<'_>]) -> bool {
    let Some(Some(program)) = words.first() else {
        return true;
    };
    let name = name_of(program);
    if !STARTERS.contains(&name.as_str()) {
        return false;
    }
    let args = &words[1..];
    let is_stdin = |word: &MaybeWord<'_>| {
        word.is_none_or(|word| matches!(word, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
    };
    if FILTERS.contains(&name.as_str()) {
        let is_program = |pair: &[MaybeWord<'_>]| {
            pair[0].is_none_or(|option| matches!(option, "-f" | "--file")) && is_stdin(&pair[1])
        };
        let joined = |word: &MaybeWord<'_>| {
            word.is_some_and(|word| matches!(word, "-f-" | "--file=-" | "-f/dev/stdin" | "--file=/dev/stdin"))
        };
        return args.windows(2).any(is_program) || args.iter().any(joined);
    }
    if !INTERPRETERS.contains(&name.as_str()) || args.first().is_some_and(is_stdin) {
        return true;
    }
    // Of a script's name, or of code that stands in the arguments, all that follows is data. Whatever else an option says
    // is not looked into.
    match args.first() {
        Some(Some(first)) if CODE_OPTIONS.contains(first) => args.len() < 2,
        Some(Some(first)) => first.starts_with('-') || is_read_too(&name, first),
        Some(None) | None => true,
    }
}

/// `deno run -`, `bun run -`: the word in front of the script's name.
fn is_read_too(name: &str, first: &str) -> bool {
    matches!(name, "deno" | "bun") && matches!(first, "run" | "eval" | "repl" | "test")
}

/// Whether that argument (0 is the first behind the program) is run, or says what is.
pub(super) fn runs_argument(words: &[MaybeWord<'_>], ix: usize) -> bool {
    let Some(Some(program)) = words.first() else {
        return true;
    };
    let name = name_of(program);
    if !STARTERS.contains(&name.as_str()) {
        return false;
    }
    // Behind a script's name, or code in the arguments, stands what these work on.
    let first_datum = match words.get(1) {
        Some(Some(first)) if !INTERPRETERS.contains(&name.as_str()) || first.is_empty() => return true,
        Some(Some(first)) if CODE_OPTIONS.contains(first) => 2,
        Some(Some(first)) if first.starts_with('-') || is_read_too(&name, first) => return true,
        Some(Some(_)) => 1,
        Some(None) | None => return true,
    };
    ix < first_datum
}

/// The files whose content such a command runs: the program where it is named by a path, and an interpreter's script.
pub(super) fn files_run(words: &[String]) -> Vec<&str> {
    let Some(program) = words.first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if program.contains('/') {
        found.push(program.as_str());
    }
    if STARTERS.contains(&name_of(program).as_str()) {
        // Options may name files too; whatever could be one is looked at.
        let named = words[1..].iter().flat_map(|word| {
            let value = word
                .strip_prefix('-')
                .and_then(|option| option.split_once('='))
                .map(|(_, value)| value);
            value.or_else(|| (!word.starts_with('-')).then_some(word.as_str()))
        });
        found.extend(named.filter(|word| !word.is_empty() && word.len() <= 4096));
    }
    found
}

/// `/usr/bin/Python3.12` is a python.
fn name_of(program: &str) -> String {
    let name = last_part(program).to_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if bare.is_empty() {
        name.to_owned()
    } else {
        bare.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_run_others_is_told() {
        for command in [
            "sh",
            "/bin/bash",
            "python3.12",
            "python3 *",
            "env",
            "SUDO",
            "xargs",
        ] {
            assert!(
                risk(command).is_some_and(|r| r.starts_with("can run anything")),
                "{command}"
            );
        }
        assert!(risk("sh -c ls").is_some_and(|r| r.contains("arguments")));
        assert_eq!(risk("ls -l"), None);
        assert_eq!(risk("jq *"), None);
    }

    fn words(line: &str) -> Vec<MaybeWord<'_>> {
        line.split(' ')
            .map(|word| (word != "?").then_some(word))
            .collect()
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn what_is_read_is_code_where_nothing_else_is() {
        for line in [
            "sh",
            "bash -s",
            "bash -s x",
            "/bin/dash",
            "python3",
            "python3.12 -",
            "python -u",
            "python -W ignore",
            "node",
            "node -",
            "perl",
            "perl -w",
            "ruby /dev/stdin",
            "sh -c",
            "bash -x script",
            "env bash",
            "xargs rm",
            "parallel",
            "busybox sh",
            "ssh host",
            "sudo sh",
            "timeout 5 sh",
            "make -f -",
            "awk -f -",
            "sed -f -",
            "sed -f/dev/stdin",
            "awk -f ?",
            "sqlite3 x.db",
            "docker run -i x",
            "php",
            "lua",
            "pwsh -Command -",
            "deno run -",
            "?",
            "? x",
            "sh ?",
            "at now",
            "ed x",
            "gdb",
        ] {
            assert!(runs_stdin(&words(line)), "{line}");
        }
        for line in [
            "sort",
            "jq .",
            "sh script.sh",
            "python3 script.py",
            "python3 script.py -x",
            "sh -c cat",
            "python -c pass",
            "perl -e 1",
            "node a.js ?",
            "awk {print}",
            "sed s/a/b/",
            "git apply",
            "tar tf",
            "grep -f -",
            "cat -",
            "wc",
            "./tool",
        ] {
            assert!(!runs_stdin(&words(line)), "{line}");
        }
    }

    #[test]
    fn an_argument_is_code_unless_it_stands_behind_it() {
        for (line, ix) in [
            ("sh -c ?", 1),
            ("python3 ?", 0),
            ("sh script ?", 0),
            ("env ?", 0),
            ("xargs a b", 1),
            ("find . -exec ?", 2),
            ("git log ?", 1),
            ("sh -x script ?", 2),
            ("? a", 0),
            ("sed ? file", 0),
            ("awk ?", 0),
            ("node -p ?", 1),
        ] {
            assert!(runs_argument(&words(line), ix), "{line} {ix}");
        }
        for (line, ix) in [
            ("sort ?", 0),
            ("sh script ?", 1),
            ("sh -c code ?", 2),
            ("python3 a.py ?", 1),
            ("jq ?", 0),
        ] {
            assert!(!runs_argument(&words(line), ix), "{line} {ix}");
        }
    }

    #[test]
    fn scripts_are_files_that_are_run() {
        let found = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            files_run(&words).join(" ")
        };
        assert_eq!(found("sh run:/x.sh a"), "run:/x.sh a");
        assert_eq!(found("/opt/tool x"), "/opt/tool");
        assert_eq!(found("python3 -u a.py"), "a.py");
        assert_eq!(found("make --file=x all"), "x all");
        assert_eq!(found("sort x"), "");
    }
}
