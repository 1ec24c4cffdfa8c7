//! Paths of arguments and of grant entries, compared by text alone. Touches no disk.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;

use super::Place;

const WORKSPACE: &str = "run:/";
const LONGEST: usize = 4096;

/// The normal form of a path argument: absolute without `.` and `..`, or `run:/name`.
pub(super) fn resource(path: &str, place: &Place) -> Result<String, String> {
    check_text(path)?;
    let (base, rest) = base_of(path, place)?;
    let mut parts = base.parts;
    for part in rest.split(is_separator) {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() && base.is_workspace => return Err(leaves_workspace(path)),
            ".." => {}
            part => parts.push(part.to_owned()),
        }
    }
    Ok(text_of(base.is_workspace, &parts))
}

pub(super) fn real(resource: &str, place: &Place) -> PathBuf {
    match resource.strip_prefix(WORKSPACE) {
        Some("") => place.workspace.clone(),
        Some(name) => place.workspace.join(name),
        None => PathBuf::from(resource),
    }
}

pub(super) fn is_in_workspace(resource: &str) -> bool {
    resource.starts_with(WORKSPACE)
}

/// Whether a resource is written as [`resource`] writes it.
pub(super) fn is_normal(resource: &str) -> bool {
    let parts = match resource.strip_prefix(WORKSPACE) {
        Some("") => return true,
        Some(parts) => parts,
        None if resource == "/" => return true,
        None if Path::new(resource).is_absolute() => resource.strip_prefix('/').unwrap_or(resource),
        None => return false,
    };
    check_characters(resource).is_ok() && parts.split('/').all(|p| !matches!(p, "" | "." | ".."))
}

pub(super) fn entry_covers(entry: &str, resource: &str, place: &Place) -> bool {
    Entry::parse(entry, place).is_ok_and(|e| e.covers(resource))
}

pub(super) fn entry_problem(entry: &str, place: &Place) -> Option<String> {
    match Entry::parse(entry, place) {
        Ok(parsed) => parsed.pattern_problem(),
        Err(problem) => Some(problem),
    }
}

/// What an entry names on the disk, for those who can't ask about each path.
pub(super) fn extent(entry: &str, place: &Place) -> Result<super::Extent, String> {
    let entry = Entry::parse(entry, place)?;
    let is_named = entry.parts.iter().all(|part| !is_pattern(part));
    Ok(match is_named {
        true => super::Extent::Named {
            path: text_of(
                entry.is_workspace,
                &[entry.base.as_slice(), entry.parts.as_slice()].concat(),
            ),
            is_folder: entry.is_folder,
        },
        false => super::Extent::Below(entry.fixed_folder()),
    })
}

/// Where a file tool starts from for a covered path. Only folders that a person has named can be it.
pub(super) fn root(entries: &[String], resource: &str, place: &Place) -> PathBuf {
    if is_in_workspace(resource) {
        return place.workspace.clone();
    }
    if let Some(folder) = place
        .folder
        .as_deref()
        .filter(|f| Path::new(resource).starts_with(f))
    {
        return folder.to_owned();
    }
    let parsed = entries.iter().filter_map(|e| Entry::parse(e, place).ok());
    let roots = parsed.filter(|e| e.covers(resource)).map(|e| e.fixed_folder());
    let shortest = roots.min_by_key(String::len);
    shortest.map_or_else(
        || Path::new(resource).parent().unwrap_or(Path::new("/")).to_owned(),
        PathBuf::from,
    )
}

/// One entry of `read`, `write` or `databases`.
struct Entry {
    is_workspace: bool,
    /// The folder that the entry is relative to; never a pattern.
    base: Vec<String>,
    parts: Vec<String>,
    /// Covers what lies below, too.
    is_folder: bool,
}

impl Entry {
    fn parse(entry: &str, place: &Place) -> Result<Self, String> {
        check_text(entry)?;
        let (base, rest) = base_of(entry, place)?;
        let last = entry.rsplit(is_separator).next().unwrap_or_default();
        let is_folder = matches!(last, "" | "." | ".." | "**");
        let mut parsed = Self {
            is_workspace: base.is_workspace,
            base: base.parts,
            parts: Vec::new(),
            is_folder,
        };
        for part in rest.split(is_separator).filter(|p| !matches!(*p, "" | ".")) {
            parsed.step(part, entry)?;
        }
        if last == "**" {
            parsed.parts.pop();
        }
        Ok(parsed)
    }

    fn step(&mut self, part: &str, entry: &str) -> Result<(), String> {
        match (part, self.parts.last()) {
            ("..", Some(last)) if is_pattern(last) => Err(format!("`{entry}`: `..` can't follow a pattern")),
            ("..", Some(_)) => {
                self.parts.pop();
                Ok(())
            }
            ("..", None) if self.base.pop().is_none() && self.is_workspace => Err(leaves_workspace(entry)),
            ("..", None) => Ok(()),
            (part, _) => {
                self.parts.push(part.to_owned());
                Ok(())
            }
        }
    }

    fn covers(&self, resource: &str) -> bool {
        let exact = text_of(
            self.is_workspace,
            &[self.base.as_slice(), self.parts.as_slice()].concat(),
        );
        if resource == exact || (self.is_folder && is_below(resource, &exact)) {
            return true;
        }
        self.parts.iter().any(|p| is_pattern(p)) && self.matches(resource)
    }

    fn matches(&self, resource: &str) -> bool {
        let is_match = |pattern: &str| compile(pattern).is_ok_and(|glob| glob.is_match(resource));
        let pattern = self.pattern();
        is_match(&pattern) || (self.is_folder && is_match(&format!("{pattern}/**")))
    }

    /// The base's own characters are no pattern, whatever its folders are called.
    fn pattern(&self) -> String {
        let escaped: Vec<String> = self.base.iter().map(|p| globset::escape(p)).collect();
        text_of(
            self.is_workspace,
            &[escaped.as_slice(), self.parts.as_slice()].concat(),
        )
    }

    fn pattern_problem(&self) -> Option<String> {
        compile(&self.pattern()).err().map(|e| e.to_string())
    }

    fn fixed_folder(&self) -> String {
        let mut parts = self.base.clone();
        parts.extend(self.parts.iter().take_while(|p| !is_pattern(p)).cloned());
        let names_itself = !self.is_folder && self.parts.iter().all(|p| !is_pattern(p));
        if names_itself {
            parts.pop();
        }
        text_of(self.is_workspace, &parts)
    }
}

struct Base {
    is_workspace: bool,
    parts: Vec<String>,
}

/// Splits a path into where it starts and the rest.
fn base_of<'a>(path: &'a str, place: &Place) -> Result<(Base, &'a str), String> {
    if let Some(rest) = path.strip_prefix(WORKSPACE) {
        return Ok((
            Base {
                is_workspace: true,
                parts: Vec::new(),
            },
            rest,
        ));
    }
    if path.get(..4).is_some_and(|p| p.eq_ignore_ascii_case("run:")) {
        return Err(format!(
            "`{path}`: a file of the run's own folder is written `run:/name`"
        ));
    }
    if Path::new(path).is_absolute() {
        return Ok((
            Base {
                is_workspace: false,
                parts: Vec::new(),
            },
            path,
        ));
    }
    let Some(folder) = &place.folder else {
        return Ok((
            Base {
                is_workspace: true,
                parts: Vec::new(),
            },
            path,
        ));
    };
    let text = folder.to_str().filter(|_| folder.is_absolute());
    let text =
        text.ok_or("the plan's folder has no absolute path in UTF-8, so that relative paths can't be used")?;
    let parts = text
        .split(is_separator)
        .filter(|p| !p.is_empty())
        .map(str::to_owned)
        .collect();
    Ok((
        Base {
            is_workspace: false,
            parts,
        },
        path,
    ))
}

fn text_of(is_workspace: bool, parts: &[String]) -> String {
    let start = if is_workspace {
        WORKSPACE
    } else if cfg!(windows) {
        ""
    } else {
        "/"
    };
    format!("{start}{}", parts.join("/"))
}

fn is_separator(c: char) -> bool {
    c == '/' || (cfg!(windows) && c == '\\')
}

fn is_below(resource: &str, folder: &str) -> bool {
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    resource
        .strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

fn compile(pattern: &str) -> Result<globset::GlobMatcher, globset::Error> {
    Ok(GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()?
        .compile_matcher())
}

fn check_text(path: &str) -> Result<(), String> {
    if path.is_empty() {
        return Err("the path is empty".to_owned());
    }
    if path.len() > LONGEST {
        return Err(format!("the path has more than {LONGEST} bytes"));
    }
    check_characters(path)?;
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if !cfg!(windows) && (drive || path.starts_with("\\\\")) {
        return Err(format!("`{path}` is a path of Windows; this machine has none"));
    }
    Ok(())
}

fn check_characters(path: &str) -> Result<(), String> {
    match path.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(c) => Err(format!(
            "the path holds a control character (U+{:04X}); in JSON a backslash is written twice",
            u32::from(c)
        )),
    }
}

fn leaves_workspace(path: &str) -> String {
    format!("`{path}` leads out of the run's own folder")
}
