//! Paths of arguments and of grant entries, compared by text alone. Touches no disk.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;

use super::Place;
use super::dialect::{Dialect, HERE};

const WORKSPACE: &str = "run:/";
const LONGEST: usize = 4096;

/// The normal form of a path argument: absolute without `.` and `..`, or `run:/name`.
pub(super) fn resource(path: &str, place: &Place) -> Result<String, String> {
    resource_as(HERE, path, place)
}

pub(super) fn resource_as(dialect: Dialect, path: &str, place: &Place) -> Result<String, String> {
    check_text(dialect, path)?;
    if dialect == Dialect::Windows && path.contains(['*', '?']) {
        return Err(format!(
            "`{path}` holds a character that no file name has on Windows"
        ));
    }
    let (base, rest) = base_of(dialect, path, place)?;
    let mut parts = base.parts;
    for part in rest.split(|c| dialect.is_separator(c)) {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() && base.is_workspace => return Err(leaves_workspace(path)),
            ".." => {}
            part => parts.push(dialect.part(part)),
        }
    }
    Ok(text_of(dialect, base.is_workspace, &parts))
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
        None if HERE.is_absolute(resource) => resource.strip_prefix('/').unwrap_or(resource),
        None => return false,
    };
    check_characters(resource).is_ok() && parts.split('/').all(|p| !matches!(p, "" | "." | ".."))
}

pub(super) fn entry_covers(entry: &str, resource: &str, place: &Place) -> bool {
    entry_covers_as(HERE, entry, resource, place)
}

pub(super) fn entry_covers_as(dialect: Dialect, entry: &str, resource: &str, place: &Place) -> bool {
    Entry::parse(dialect, entry, place).is_ok_and(|e| e.covers(resource))
}

/// Whether the entry is this very path, and no folder or pattern around it.
pub(super) fn entry_names(entry: &str, resource: &str, place: &Place) -> bool {
    Entry::parse(HERE, entry, place).is_ok_and(|e| {
        let is_plain = !e.is_folder && e.parts.iter().all(|part| !is_pattern(part));
        is_plain && e.covers(resource)
    })
}

/// The folder that an entry marks around this path, where it covers it: what lies below has no say in where it begins.
pub(super) fn folder_covering(entry: &str, resource: &str, place: &Place) -> Option<String> {
    let parsed = Entry::parse(HERE, entry, place).ok()?;
    parsed.covers(resource).then(|| parsed.fixed_folder())
}

/// Whether the path is the folder or lies in it, both in their normal form.
pub(super) fn is_in_folder(resource: &str, folder: &str) -> bool {
    resource == folder || is_below(resource, folder)
}

pub(super) fn entry_problem(entry: &str, place: &Place) -> Option<String> {
    match Entry::parse(HERE, entry, place) {
        Ok(parsed) => parsed.pattern_problem(),
        Err(problem) => Some(problem),
    }
}

/// What an entry names on the disk, for those who can't ask about each path.
pub(super) fn extent(entry: &str, place: &Place) -> Result<super::Extent, String> {
    let entry = Entry::parse(HERE, entry, place)?;
    let is_named = entry.parts.iter().all(|part| !is_pattern(part));
    Ok(match is_named {
        true => super::Extent::Named {
            path: text_of(
                entry.dialect,
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
    let parsed = entries.iter().filter_map(|e| Entry::parse(HERE, e, place).ok());
    let roots = parsed.filter(|e| e.covers(resource)).map(|e| e.fixed_folder());
    let shortest = roots.min_by_key(String::len);
    shortest.map_or_else(
        || Path::new(resource).parent().unwrap_or(Path::new("/")).to_owned(),
        PathBuf::from,
    )
}

/// One entry of `read`, `write` or `databases`.
struct Entry {
    dialect: Dialect,
    is_workspace: bool,
    /// The folder that the entry is relative to; never a pattern.
    base: Vec<String>,
    parts: Vec<String>,
    /// Covers what lies below, too.
    is_folder: bool,
}

impl Entry {
    fn parse(dialect: Dialect, entry: &str, place: &Place) -> Result<Self, String> {
        check_text(dialect, entry)?;
        let (base, rest) = base_of(dialect, entry, place)?;
        let last = entry
            .rsplit(|c| dialect.is_separator(c))
            .next()
            .unwrap_or_default();
        let is_folder = matches!(last, "" | "." | ".." | "**");
        let mut parsed = Self {
            dialect,
            is_workspace: base.is_workspace,
            base: base.parts,
            parts: Vec::new(),
            is_folder,
        };
        for part in rest
            .split(|c| dialect.is_separator(c))
            .filter(|p| !matches!(*p, "" | "."))
        {
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
                self.parts.push(self.dialect.part(part));
                Ok(())
            }
        }
    }

    fn covers(&self, resource: &str) -> bool {
        let exact = text_of(
            self.dialect,
            self.is_workspace,
            &[self.base.as_slice(), self.parts.as_slice()].concat(),
        );
        let (resource, exact) = (self.dialect.key(resource), self.dialect.key(&exact));
        if resource == exact || (self.is_folder && is_below(&resource, &exact)) {
            return true;
        }
        self.parts.iter().any(|p| is_pattern(p)) && self.matches(&resource)
    }

    fn matches(&self, resource: &str) -> bool {
        let is_match = |pattern: &str| compile(pattern).is_ok_and(|glob| glob.is_match(resource));
        let pattern = self.dialect.key(&self.pattern());
        is_match(&pattern) || (self.is_folder && is_match(&format!("{pattern}/**")))
    }

    /// The base's own characters are no pattern, whatever its folders are called.
    fn pattern(&self) -> String {
        let escaped: Vec<String> = self.base.iter().map(|p| globset::escape(p)).collect();
        text_of(
            self.dialect,
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
        text_of(self.dialect, self.is_workspace, &parts)
    }
}

struct Base {
    is_workspace: bool,
    parts: Vec<String>,
}

/// Splits a path into where it starts and the rest.
fn base_of<'a>(dialect: Dialect, path: &'a str, place: &Place) -> Result<(Base, &'a str), String> {
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
    if dialect.is_absolute(path) {
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
        .split(|c| dialect.is_separator(c))
        .filter(|p| !p.is_empty())
        .map(|p| dialect.part(p))
        .collect();
    Ok((
        Base {
            is_workspace: false,
            parts,
        },
        path,
    ))
}

fn text_of(dialect: Dialect, is_workspace: bool, parts: &[String]) -> String {
    let start = if is_workspace { WORKSPACE } else { dialect.start() };
    format!("{start}{}", parts.join("/"))
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

fn check_text(dialect: Dialect, path: &str) -> Result<(), String> {
    if path.is_empty() {
        return Err("the path is empty".to_owned());
    }
    if path.len() > LONGEST {
        return Err(format!("the path has more than {LONGEST} bytes"));
    }
    check_characters(path)?;
    // The run's own folder is written as on every system.
    let own = path.strip_prefix(WORKSPACE).unwrap_or(path);
    if let Some(problem) = dialect.problem(own).filter(|_| !own.is_empty()) {
        return Err(problem);
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
