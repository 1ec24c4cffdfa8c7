//! Commands of calls and of grant entries as vectors of words, compared word by word and never as text. Looks up no program.

use super::{Place, paths};

/// A vector of more bytes is refused: no person could read it.
const LONGEST: usize = 64 << 10;
/// The last word of an entry that stands for any further arguments.
pub(super) const REST: &str = "*";

/// A command in its normal form: its words joined as a POSIX shell would read them. A program given by path is that path,
/// absolute or `run:/name`; else it is a name.
pub(super) fn resource<'w>(
    words: impl IntoIterator<Item = &'w str>,
    place: &Place,
) -> Result<String, String> {
    let mut words = words.into_iter();
    let program = program_word(words.next().unwrap_or_default(), place)?;
    let rest: Vec<&str> = words.collect();
    let all = std::iter::once(program.as_str()).chain(rest);
    let joined = shlex::try_join(all).map_err(|_| "an argument holds a NUL character".to_owned())?;
    match joined.len() {
        0..=LONGEST => Ok(joined),
        _ => Err(format!("the command has more than {LONGEST} bytes")),
    }
}

/// The words of a command in its normal form.
pub(super) fn words_of(resource: &str) -> Option<Vec<String>> {
    shlex::split(resource).filter(|words| !words.is_empty())
}

pub(super) fn entry_covers(entry: &str, resource: &str, place: &Place) -> bool {
    let (Ok(entry), Some(words)) = (Entry::parse(entry, place), words_of(resource)) else {
        return false;
    };
    entry.covers(&words)
}

/// Whether the entry leaves arguments open.
pub(super) fn is_open(entry: &str, place: &Place) -> bool {
    Entry::parse(entry, place).is_ok_and(|entry| entry.is_open)
}

pub(super) fn entry_problem(entry: &str, place: &Place) -> Option<String> {
    Entry::parse(entry, place).err()
}

/// What of an entry is meant for a shell, which there is none: it stands for itself, and so for no command that is ever
/// called. In a half sentence for people.
pub(super) fn shell_words(entry: &str) -> Option<String> {
    let words = words_of(entry)?;
    let assigned = words.first().and_then(|first| first.split_once('='));
    if let Some((name, _)) = assigned
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    {
        return Some(format!(
            "`{name}=…` sets a variable in a shell; here it is taken for the program"
        ));
    }
    // Quoted ones are meant as they stand.
    let is_part = |word: &str| entry.split([' ', '\t']).any(|part| part == word);
    let bare = |word: &&str| is_part(word) && words.iter().any(|w| w == *word);
    let joins = ["|", "||", "&&", "&", "|&"];
    let sends = [
        "<", "<<", "<<<", ">", ">>", ">|", "&>", "2>", "2>>", "2>&1", ">&2", "1>&2",
    ];
    if let Some(found) = joins.iter().find(|word| bare(word)) {
        return Some(format!(
            "`{found}` joins commands in a shell, and here is an argument: grant each command by itself"
        ));
    }
    if let Some(found) = sends.iter().find(|word| bare(word)) {
        return Some(format!(
            "`{found}` redirects in a shell, and here is an argument: a call hands on `stdin` and gives `stdout`"
        ));
    }
    // `find . -exec x ;` has a word of its own for it.
    let ends = |word: &&String| word.len() > 1 && word.ends_with(';') && is_part(word);
    if let Some(found) = words.iter().find(ends) {
        return Some(format!(
            "`{found}` ends a command in a shell, and here is a word like any other: grant each command by itself"
        ));
    }
    let is_quoted = entry.contains(['\'', '\\']);
    let expands = ["$(", "${", "`"]
        .iter()
        .find(|mark| !is_quoted && entry.contains(**mark));
    if let Some(mark) = expands {
        return Some(format!(
            "`{mark}` is expanded by a shell, and here stands for itself"
        ));
    }
    let first = words.first().map_or("", String::as_str);
    if first.starts_with("~/") || first.starts_with('$') {
        return Some(format!(
            "`{first}` is expanded by a shell, and here stands for itself: write the whole path"
        ));
    }
    first
        .ends_with(['|', '&'])
        .then(|| format!("`{first}` ends a command in a shell, and here is the program's name"))
}

/// Why an entry that looks like this command does not cover it.
pub(super) fn near_miss(entries: &[String], resource: &str, place: &Place) -> Option<String> {
    let words = words_of(resource)?;
    let parsed = entries.iter().map(|text| (text, Entry::parse(text, place)));
    parsed
        .filter_map(|(text, entry)| entry.ok()?.miss(text, &words))
        .next()
}

/// One entry of `commands`.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// The first is the program.
    words: Vec<String>,
    /// Any further arguments.
    is_open: bool,
}

impl Entry {
    fn parse(entry: &str, place: &Place) -> Result<Self, String> {
        if let Some(c) = entry.chars().find(|c| c.is_control()) {
            return Err(format!(
                "the entry holds a control character (U+{:04X})",
                u32::from(c)
            ));
        }
        let mut words = shlex::split(entry).ok_or("a quote is not closed")?;
        let marks = |text: &str| text.matches('#').count();
        if words.iter().map(|word| marks(word)).sum::<usize>() != marks(entry) {
            return Err("what follows `#` would be left out; put it in quotes".to_owned());
        }
        // A quoted star is a star.
        let is_bare = entry
            .trim_end()
            .strip_suffix(REST)
            .is_some_and(|before| before.ends_with([' ', '\t']));
        let has_rest = is_bare && words.len() > 1 && words.last().is_some_and(|last| last == REST);
        if has_rest {
            words.pop();
        }
        let first = words.first_mut().ok_or("the entry is empty")?;
        if first == REST {
            return Err("`*` is no program; each program is named".to_owned());
        }
        *first = program_word(first, place)?;
        let is_open = has_rest || words.len() == 1;
        Ok(Self { words, is_open })
    }

    fn covers(&self, words: &[String]) -> bool {
        match self.is_open {
            true => words.starts_with(&self.words),
            false => words == self.words,
        }
    }

    fn miss(&self, text: &str, words: &[String]) -> Option<String> {
        let (granted, wanted) = (self.words.first()?, words.first()?);
        if granted == wanted {
            return Some(self.missed_word(text, words));
        }
        let is_same_name = last_part(granted).eq_ignore_ascii_case(last_part(wanted));
        is_same_name.then(|| match (granted.contains('/'), wanted.contains('/')) {
            (false, true) => format!(
                "`{granted}` is granted by its name, and `{wanted}` is a path: a path counts as itself"
            ),
            (true, false) => format!(
                "`{granted}` is granted by its path, and `{wanted}` is a name: it could be another program"
            ),
            (true, true) | (false, false) => {
                format!("`{granted}` is granted, and `{wanted}` is another program")
            }
        })
    }

    fn missed_word(&self, text: &str, words: &[String]) -> String {
        let differing = (0..)
            .zip(&self.words)
            .find(|(ix, word)| words.get(*ix) != Some(word));
        match differing {
            Some((ix, word)) => {
                let has = words
                    .get(ix)
                    .map_or("missing".to_owned(), |has| format!("`{has}`"));
                format!(
                    "`{text}` is granted, where word {} is `{word}`; here it is {has}",
                    ix + 1
                )
            }
            None => format!("`{text}` is granted with exactly these words; here more follow"),
        }
    }
}

fn program_word(program: &str, place: &Place) -> Result<String, String> {
    match program {
        "" => return Err("the program's name is empty".to_owned()),
        "." | ".." => return Err(format!("`{program}` is a folder, not a program")),
        _ => {}
    }
    if let Some(c) = program.chars().find(|c| c.is_control()) {
        return Err(format!(
            "the program's name holds a control character (U+{:04X})",
            u32::from(c)
        ));
    }
    let is_path = program.contains('/') || (cfg!(windows) && program.contains(['\\', ':']));
    match is_path {
        true => paths::resource(program, place),
        false => Ok(program.to_owned()),
    }
}

pub(super) fn last_part(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place() -> Place {
        Place {
            folder: Some("/plan".into()),
            workspace: "/work".into(),
        }
    }

    fn is_covered(entry: &str, words: &[&str]) -> bool {
        let resource = resource(words.iter().copied(), &place()).unwrap();
        entry_covers(entry, &resource, &place())
    }

    #[test]
    fn entries_cover_vectors_word_by_word() {
        let rows: &[(&str, &[&str], bool)] = &[
            ("git", &["git"], true),
            ("git", &["git", "log", "-p"], true),
            ("git", &["gitk"], false),
            ("git", &["git log"], false),
            ("git log", &["git", "log"], true),
            ("git log", &["git", "log", "-p"], false),
            ("git log", &["git"], false),
            ("git log *", &["git", "log"], true),
            ("git log *", &["git", "log", "--", "a b"], true),
            ("git log *", &["git", "-c", "core.sshCommand=x", "log"], false),
            ("git log *", &["git", "logx"], false),
            ("git log *", &["git", "log x"], false),
            ("git log *", &["git", "LOG"], false),
            ("rm '*'", &["rm", "*"], true),
            ("rm '*'", &["rm", "a"], false),
            ("rm \\*", &["rm", "a"], false),
            ("a\\ b", &["a b", "c"], true),
            ("a\\ *", &["a", "c"], false),
            ("echo 'a  b'", &["echo", "a  b"], true),
            ("echo 'a  b'", &["echo", "a b"], false),
            ("echo ''", &["echo", ""], true),
            ("echo ''", &["echo"], false),
            ("/usr/bin/git", &["/usr/bin/git", "x"], true),
            ("/usr/bin/git", &["/usr/bin/../bin/./git"], true),
            ("/usr/bin/git", &["git"], false),
            ("git", &["/usr/bin/git"], false),
            ("git", &["./git"], false),
            ("./tool", &["/plan/tool", "x"], true),
            ("./tool", &["sub/../tool"], true),
            ("tool", &["./tool"], false),
            ("run:/made", &["run:/made"], true),
            ("run:/made", &["./made"], false),
            ("*", &["anything"], false),
            ("* *", &["anything"], false),
            ("'git", &["git"], false),
            ("git # log", &["git"], false),
            ("", &["git"], false),
            ("git\nlog", &["git"], false),
            ("$HOME/x", &["/root/x"], false),
            ("~/x", &["/root/x"], false),
            ("git; rm", &["git"], false),
            ("git | sh", &["git"], false),
        ];
        for (entry, words, expected) in rows {
            assert_eq!(is_covered(entry, words), *expected, "{entry:?} for {words:?}");
        }
    }

    #[test]
    fn programs_that_are_none_are_refused() {
        for program in ["", ".", "..", "gi\nt", "gi\0t", "\u{1b}[1m", "run:/../x", "a/\0"] {
            assert!(resource([program], &place()).is_err(), "{program:?}");
        }
        assert!(resource(["a", "b\0"], &place()).is_err());
        assert!(resource(["a", &"b".repeat(LONGEST)], &place()).is_err());
    }

    #[test]
    fn a_near_miss_says_what_differs() {
        let told = |entry: &str, words: &[&str]| {
            let resource = resource(words.iter().copied(), &place()).unwrap();
            near_miss(&[entry.to_owned()], &resource, &place()).unwrap_or_default()
        };
        insta::assert_snapshot!([
            told("git log *", &["git", "-c", "alias.log=!sh", "log"]),
            told("git log", &["git", "log", "-p"]),
            told("git log", &["git"]),
            told("git", &["/usr/bin/git"]),
            told("/usr/bin/git", &["git"]),
            told("git", &["Git"]),
            told("git", &["ls"]),
        ].join("\n"), @r"
        `git log *` is granted, where word 2 is `log`; here it is `-c`
        `git log` is granted with exactly these words; here more follow
        `git log` is granted, where word 2 is `log`; here it is missing
        `git` is granted by its name, and `/usr/bin/git` is a path: a path counts as itself
        `/usr/bin/git` is granted by its path, and `git` is a name: it could be another program
        `git` is granted, and `Git` is another program
        ");
    }

    /// Words that try to look like others.
    fn word() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("git".to_owned()),
            Just("log".to_owned()),
            Just("*".to_owned()),
            Just(String::new()),
            Just("--".to_owned()),
            "[a-c '\"\\\\*#$;|&\n\t~-]{0,6}",
            "\\PC{0,8}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// The normal form holds exactly the words that were given, whatever they hold.
        #[test]
        fn words_survive(words in proptest::collection::vec(word(), 0..6)) {
            let all = std::iter::once("git").chain(words.iter().map(String::as_str));
            let expected: Vec<&str> = all.clone().collect();
            let resource = resource(all, &place()).unwrap();
            prop_assert_eq!(words_of(&resource).unwrap(), expected);
        }

        /// An entry never covers unless its own words, read apart from it, are those of the command.
        #[test]
        fn nothing_is_covered_but_what_the_words_say(
            granted in proptest::collection::vec(word(), 0..4),
            is_open in any::<bool>(),
            wanted in proptest::collection::vec(word(), 0..5),
        ) {
            let granted: Vec<&str> = std::iter::once("git").chain(granted.iter().map(String::as_str)).collect();
            let wanted: Vec<&str> = std::iter::once("git").chain(wanted.iter().map(String::as_str)).collect();
            let mut entry = shlex::try_join(granted.iter().copied()).unwrap();
            if is_open {
                entry.push_str(" *");
            }
            let is_any = is_open || granted.len() == 1;
            let is_same = if is_any { wanted.starts_with(&granted) } else { wanted == granted };
            // Entries with control characters cover nothing.
            let expected = is_same && !entry.chars().any(char::is_control);
            prop_assert_eq!(is_covered(&entry, &wanted), expected, "{} for {:?}", entry, wanted);
        }

        #[test]
        fn no_text_covers_a_command_that_it_does_not_begin_with(entry in "\\PC{0,30}", wanted in "[a-z]{1,8}") {
            let covers = is_covered(&entry, &[&wanted, "x"]);
            prop_assert!(!covers || shlex::split(&entry).unwrap()[0] == wanted);
            let _ = near_miss(std::slice::from_ref(&entry), &wanted, &place());
            let _ = super::super::risk_of_command(&entry);
        }
    }
}
