//! What bubblewrap says when it gives up, for people who never heard of it. It must not know what was to be started.

/// Beginnings of its messages, and what they mean; `{}` stands for the path or name that follows.
const MEANINGS: &[(&str, &str)] = &[
    ("Can't find source path ", "`{}` is not there any more"),
    ("Can't chdir to ", "the folder `{}` can't be entered"),
    ("Can't bind mount ", "`{}` can't be shown to it"),
    ("Can't mkdir ", "no place can be made for `{}`"),
    ("Can't create file at ", "no place can be made for `{}`"),
    ("execvp ", "`{}` can't be started"),
    ("setting up uid map", "this user may not make a user namespace"),
    (
        "No permissions to create",
        "this user may not make a user namespace",
    ),
    (
        "Creating new namespace failed",
        "this user may not make a user namespace",
    ),
    (
        "Can't mount proc",
        "the system does not let it mount what it needs, as in some containers",
    ),
    (
        "Failed to make / slave",
        "the system does not let it mount what it needs, as in some containers",
    ),
];

/// In plain words, with its own last line behind it for those who look it up.
pub(super) fn plain(said: &str) -> String {
    let line = said.lines().rev().find(|line| !line.trim().is_empty());
    let Some(line) = line.map(str::trim) else {
        return "it ended without a word".to_owned();
    };
    let Some(own) = line.strip_prefix("bwrap: ") else {
        return line.to_owned();
    };
    let meant = MEANINGS.iter().find_map(|(start, meaning)| {
        let rest = own.strip_prefix(start)?;
        // The system's reason stands behind the last colon.
        let name = rest.rsplit_once(": ").map_or(rest, |(name, _)| name);
        let name = name.split(" on /").next().unwrap_or(name);
        Some(meaning.replace("{}", name))
    });
    match meant {
        Some(meant) => format!("{meant} (bubblewrap: {own})"),
        None => format!("bubblewrap: {own}"),
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_bubblewrap_says_is_told_in_plain_words() {
        for (said, expected) in [
            (
                "bwrap: Can't find source path /data/x: No such file or directory\n",
                "`/data/x` is not there any more (bubblewrap: Can't find source path /data/x: No such file or directory)",
            ),
            (
                "bwrap: setting up uid map: Permission denied",
                "this user may not make a user namespace (bubblewrap: setting up uid map: Permission denied)",
            ),
            ("bwrap: something new", "bubblewrap: something new"),
            ("it broke down on the way", "it broke down on the way"),
            ("", "it ended without a word"),
        ] {
            assert_eq!(plain(said), expected);
        }
    }
}
