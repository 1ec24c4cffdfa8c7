//! What the command line of the window says. Knows no engine and no window.

use std::path::{Path, PathBuf};

use clap::Parser;

/// Opens Planloom's window.
#[derive(Debug, Default, PartialEq, Eq, Parser)]
#[command(name = "planloom-desktop", version)]
pub struct Arguments {
    /// The database; its folder also holds the settings. [default: $XDG_DATA_HOME/planloom/planloom.db]
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// A plan file to open.
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
}

impl Arguments {
    /// The plan file as seen from the folder in which it was named.
    pub fn plan_from(&self, folder: &Path) -> Option<String> {
        let plan = self.plan.as_ref()?;
        Some(folder.join(plan).to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Arguments {
        Arguments::try_parse_from([&["planloom-desktop"], words].concat()).expect("good arguments")
    }

    #[test]
    fn a_plan_is_named_from_the_folder_of_its_caller() {
        let named = parse(&["sales.plan.json"]).plan_from(Path::new("/home/ada"));
        assert_eq!(named.as_deref(), Some("/home/ada/sales.plan.json"));
        let absolute = parse(&["--db", "x.db", "/plans/a.json"]).plan_from(Path::new("/home/ada"));
        assert_eq!(absolute.as_deref(), Some("/plans/a.json"));
        assert_eq!(parse(&[]).plan_from(Path::new("/")), None);
    }

    #[test]
    fn unknown_words_are_refused() {
        assert!(Arguments::try_parse_from(["planloom-desktop", "--databse", "x"]).is_err());
        assert!(Arguments::try_parse_from(["planloom-desktop", "a", "b"]).is_err());
    }
}
