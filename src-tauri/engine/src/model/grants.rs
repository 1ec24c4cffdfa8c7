//! Grants and the one function that decides about a call. Pure and total: no clock, no disk, default deny.

mod addresses;
mod commands;
mod dialect;
mod flow;
mod forbidden;
mod hosts;
mod marks;
mod needs;
mod paths;
mod starters;
#[cfg(test)]
mod tests;
mod withheld;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::tool::{Access, Effect};

pub use flow::{Circumstances, Concern, is_sink, may_be_private};
pub use hosts::host_of;
pub use marks::{FileMarks, OwnWork, brought};
pub use needs::{needs_of, needs_of_inputs};
pub use withheld::{Withheld, without};

/// What the plan asks for, entry by entry as written (DESIGN §2, "Grants").
///
/// - A path is relative to the plan's folder or absolute. `data/a.csv` names that one file. `data/` and `data/**`
///   (and `.`) name a folder: it and all below it. `*`, `?`, `[…]` and `{…}` stay inside one folder, `**` crosses.
///   A file that holds keys by custom (`.env`, `id_rsa`, `*.pem`) is covered only by its own path.
/// - A host is `host[:port]` for GET and HEAD, `METHOD host[:port]`, or `* host[:port]`. Without a port: 80 and 443.
///   It covers that very host however a call spells it; there are no wildcards, and an address counts only in its usual
///   notation, so that one of this machine or of a private network is granted only where it can be read.
/// - A command is split into words as a POSIX shell does, without expanding anything. One word is that program with any
///   arguments; several are exactly these, where a last `*` stands for any further ones. A program with a `/` in it is
///   that very file, a name is looked for on the person's `PATH`.
/// - `server/tool` for MCP is compared as it stands.
/// - `own_work` and `private_to` open nothing: the first says of paths that what lies there is the person's own and no
///   text from outside, the second names the hosts and `server/tool`s that private data may be sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_work: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub private_to: Vec<String>,
}

/// Where a run's relative paths lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The plan file's folder; without a plan file, relative paths lie in the workspace.
    pub folder: Option<PathBuf>,
    /// The run's own folder, reached as `run:/name` and free of grants.
    pub workspace: PathBuf,
}

impl Place {
    /// The place of a plan file that is named from here: relative paths in it lie in its own folder.
    pub fn beside(&self, file: &str) -> Self {
        let named = std::path::Path::new(file);
        let whole = match &self.folder {
            Some(folder) => folder.join(named),
            None => named.to_owned(),
        };
        Self {
            folder: whole.parent().map(std::path::Path::to_owned),
            workspace: self.workspace.clone(),
        }
    }
}

/// One resource that one call touches, in its normal form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Need {
    pub access: Access,
    /// An absolute path without `.` and `..`, `run:/name`, or `host:port`; for a command its words as a shell would read
    /// them; else the plain name.
    pub resource: String,
    /// For hosts: GET, HEAD, POST …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

impl std::fmt::Display for Need {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verb = match self.access {
            Access::Read => "read",
            Access::Write => "write",
            Access::Host => self.method.as_deref().unwrap_or("GET"),
            Access::Database => "query",
            Access::Command => "run",
            Access::Mcp => "call",
        };
        write!(f, "{verb} {}", self.resource)
    }
}

/// Who wrote a value and who may see it (LIBRARIES D4). The join is the field-wise or.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

impl Labels {
    pub fn join(self, other: Self) -> Self {
        Self {
            untrusted: self.untrusted || other.untrusted,
            private: self.private || other.private,
        }
    }
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What is asked at the moment of a call.
#[derive(Clone, Debug)]
pub struct CallFacts<'a> {
    pub effect: Effect,
    pub needs: &'a [Need],
    /// Of all that the arguments are made of.
    pub labels: Labels,
    pub circumstances: Circumstances,
}

/// What has been allowed for this task: the plan's grants, its own literal needs as frozen at approval,
/// and what a person has allowed since.
#[derive(Clone, Debug)]
pub struct Allowed<'a> {
    pub grants: &'a Grants,
    pub frozen: &'a [Need],
    pub answered: &'a [Need],
    /// What a person has switched off at the approval: refused, whatever else allows it.
    pub withheld: &'a [Withheld],
    /// A person has allowed this very effect with these arguments.
    pub is_effect_allowed: bool,
    pub place: &'a Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// A person must decide first.
    Gate(Reason),
    Deny(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// These needs are covered by nothing.
    NotGranted(Vec<Need>),
    /// Where its data comes from and goes to is for a person to judge (R1, R2). Never empty.
    Flow(Vec<Concern>),
}

/// Whether an entry of the plan's grants covers the need. The run's own workspace needs none.
pub fn covers(grants: &Grants, need: &Need, place: &Place) -> bool {
    let resource = need.resource.as_str();
    match need.access {
        Access::Read | Access::Write | Access::Database => {
            // A file that holds keys is opened by whoever names it, not by what lies around it.
            let covers = match forbidden::is_secret_file(resource) {
                true => paths::entry_names,
                false => paths::entry_covers,
            };
            let entries = entries_of(grants, need.access);
            paths::is_normal(resource)
                && (paths::is_in_workspace(resource) || entries.iter().any(|e| covers(e, resource, place)))
        }
        Access::Host => grants.hosts.iter().any(|e| hosts::entry_covers(e, need)),
        Access::Command => grants
            .commands
            .iter()
            .any(|e| commands::entry_covers(e, resource, place)),
        Access::Mcp => grants.mcp.iter().any(|e| e == resource),
    }
}

/// Whether an entry that covers the need lets through clearly more than it: other files, any method, other arguments.
pub fn is_wider(entry: &str, need: &Need, place: &Place) -> bool {
    match need.access {
        Access::Read | Access::Write | Access::Database => match extent_of(entry, place) {
            Ok(Extent::Named { path, .. }) => path != need.resource,
            Ok(Extent::Below(_)) | Err(_) => true,
        },
        Access::Host => hosts::Entry::parse(entry).is_ok_and(|entry| entry.is_any_method()),
        Access::Command => commands::is_open(entry, place),
        Access::Mcp => false,
    }
}

/// The one gate. Default deny: a need that nothing covers is never allowed.
pub fn decide(allowed: &Allowed<'_>, call: &CallFacts<'_>) -> Verdict {
    if let Some(refusal) = call.needs.iter().find_map(refusal_of) {
        return Verdict::Deny(refusal);
    }
    if let Some(need) = call
        .needs
        .iter()
        .find(|need| is_withheld(allowed.withheld, need, allowed.place))
    {
        return Verdict::Deny(format!("{need} was switched off when the plan was approved"));
    }
    let missing: Vec<Need> = call
        .needs
        .iter()
        .filter(|n| !is_allowed(allowed, n))
        .cloned()
        .collect();
    if !missing.is_empty() {
        return Verdict::Gate(Reason::NotGranted(missing));
    }
    let reaches_out = call.effect.is_effect() || call.effect == Effect::ReadExternal;
    if reaches_out && call.needs.is_empty() && !allowed.is_effect_allowed {
        return Verdict::Deny(
            "This tool changes or asks something outside but does not say what, so that no grant can cover it".into(),
        );
    }
    match flow::concerns(allowed, call) {
        found if found.is_empty() || allowed.is_effect_allowed => Verdict::Allow,
        found => Verdict::Gate(Reason::Flow(found)),
    }
}

/// The path without `.` and `..`, by text alone; links are the tools' business. A path in the run's workspace stays
/// `run:/name`; a path that can't be used (see [`resource_of_path`]) is empty.
pub fn absolute(path: &str, place: &Place) -> PathBuf {
    resource_of_path(path, place).map_or_else(|_| PathBuf::new(), PathBuf::from)
}

/// A path argument in its normal form, as it stands in [`Need::resource`]; else what is wrong with it.
pub fn resource_of_path(path: &str, place: &Place) -> Result<String, String> {
    paths::resource(path, place)
}

/// Why no grant opens this path (in its normal form): it holds keys, or things that run by themselves later.
pub fn closed_to_all(resource: &str) -> Option<String> {
    forbidden::refusal(resource)
}

/// Whether the path's last name is one that files with keys have: only an entry that is this very path grants it.
pub fn is_secret_file(path: &str) -> bool {
    forbidden::is_secret_file(path)
}

/// Whether [`closed_to_all`] could say no to a path that ends in this name.
pub fn may_be_closed(name: &str) -> bool {
    forbidden::may_be_closed(name)
}

/// Where a path of this normal form really lies.
pub fn real_path(resource: &str, place: &Place) -> PathBuf {
    paths::real(resource, place)
}

/// The widest folder that a file tool may open for a covered path, so that links can't lead out of it: the workspace,
/// the plan's folder, or the fixed part of the covering entry. `None` where nothing covers the need.
pub fn root_of(grants: &Grants, needs: &[Need], need: &Need, place: &Place) -> Option<PathBuf> {
    if !needs.contains(need) && !covers(grants, need, place) {
        return None;
    }
    Some(paths::root(
        entries_of(grants, need.access),
        &need.resource,
        place,
    ))
}

/// Whether a path is meant itself, rather than lying in a folder or matching a pattern. What lies in the run's own folder
/// is the run's.
pub fn is_named(grants: &Grants, needs: &[Need], need: &Need, place: &Place) -> bool {
    let mut entries = entries_of(grants, need.access).iter();
    needs.contains(need)
        || paths::is_in_workspace(&need.resource)
        || entries.any(|entry| paths::entry_names(entry, &need.resource, place))
}

/// Whether the path is the folder or lies in it, both in their normal form.
pub fn is_in_folder(path: &str, folder: &str) -> bool {
    paths::is_in_folder(path, folder)
}

/// What an entry of `read` or `write` names on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One path; as a folder, all below it too.
    Named { path: String, is_folder: bool },
    /// Those below this folder that the entry's pattern matches.
    Below(String),
}

/// See [`Extent`]. Paths are in their normal form.
pub fn extent_of(entry: &str, place: &Place) -> Result<Extent, String> {
    paths::extent(entry, place)
}

/// Why nothing covers a need although an entry looks like it, in a half sentence for people.
pub fn near_miss(grants: &Grants, need: &Need, place: &Place) -> Option<String> {
    match need.access {
        Access::Command => commands::near_miss(&grants.commands, &need.resource, place),
        Access::Read | Access::Write | Access::Database if is_secret_file(&need.resource) => Some(
            "by its name it holds keys, so that no folder and no pattern grants it, only its own path"
                .to_owned(),
        ),
        Access::Read | Access::Write | Access::Database | Access::Host | Access::Mcp => None,
    }
}

/// What a granted or needed command can do beside what it says, in a half sentence for people.
pub fn risk_of_command(command: &str) -> Option<&'static str> {
    starters::risk(command)
}

/// Whether this text stands in one of the words of a command.
pub fn names(command: &Need, text: &str) -> bool {
    let words = commands::words_of(&command.resource).unwrap_or_default();
    words.iter().any(|word| word.contains(text))
}

/// Whether a command runs what it reads on stdin. Its words begin with the program; `None` is one that is not known yet.
pub fn runs_stdin(words: &[Option<&str>]) -> bool {
    starters::runs_stdin(words)
}

/// Whether a command runs its argument of that number, or is told by it what to run; 0 stands behind the program.
pub fn runs_argument(words: &[Option<&str>], ix: usize) -> bool {
    starters::runs_argument(words, ix)
}

/// The words of a command need.
pub fn words_of_command(command: &Need) -> Vec<String> {
    commands::words_of(&command.resource).unwrap_or_default()
}

/// The files whose content a command would run, as far as names tell, started in that folder: in their normal form.
pub fn files_run(command: &Need, cwd: &str, place: &Place) -> Vec<String> {
    let words = words_of_command(command);
    let base = cwd.trim_end_matches('/');
    let whole = |word: &str| match word.starts_with('/') || word.starts_with("run:/") {
        true => word.to_owned(),
        false => format!("{base}/{word}"),
    };
    let named = starters::files_run(&words).into_iter().map(whole);
    named
        .filter_map(|path| resource_of_path(&path, place).ok())
        .collect()
}

/// Whether a command could run a file that somebody has made: its words name one, or it runs what it is given.
pub fn may_run_files(command: &str) -> bool {
    let words = commands::words_of(command).unwrap_or_default();
    starters::risk(command).is_some() || words.first().is_some_and(|program| program.contains('/'))
}

/// Whether a plan says each word of this command, so that nobody but the person has chosen one.
pub fn is_spelt_out(grants: &Grants, command: &Need, place: &Place) -> bool {
    let entries = grants.commands.iter();
    entries
        .filter(|entry| commands::entry_covers(entry, &command.resource, place))
        .any(|entry| !commands::is_open(entry, place))
}

/// What in an entry of `commands` is written for a shell, and so for nothing, in a half sentence for people.
pub fn shell_words(entry: &str) -> Option<String> {
    commands::shell_words(entry)
}

/// What an entry of `hosts` lets a call send, for people: `GET and HEAD only`.
pub fn methods_of_host(entry: &str) -> Option<String> {
    hosts::Entry::parse(entry).ok().map(|entry| entry.methods())
}

/// An entry as it is compared with needs: hosts under the name that is asked for, all else as it is written.
pub fn entry_as_compared(access: Access, entry: &str) -> String {
    let parsed = (access == Access::Host).then(|| hosts::Entry::parse(entry));
    match parsed {
        Some(Ok(parsed)) => parsed.written(),
        Some(Err(_)) | None => entry.to_owned(),
    }
}

/// What an entry of `hosts` grants, where it is written in letters that no name server knows.
pub fn other_name_of_host(entry: &str) -> Option<String> {
    hosts::other_name(entry)
}

/// Whether anybody on the internet could mean this address.
pub fn is_public(address: std::net::IpAddr) -> bool {
    addresses::is_public(address)
}

/// What is wrong with an entry of the plan's grants, if anything: such an entry covers nothing.
pub fn entry_problem(access: Access, entry: &str, place: &Place) -> Option<String> {
    match access {
        Access::Read | Access::Write | Access::Database => {
            paths::entry_problem(entry, place).or_else(|| closed_entry(entry, place))
        }
        Access::Host => hosts::Entry::parse(entry)
            .err()
            .or_else(|| hosts::odd_method(entry)),
        Access::Command => commands::entry_problem(entry, place),
        Access::Mcp => tool_problem(entry),
    }
}

/// What lies in a closed place is refused whatever grants it.
fn closed_entry(entry: &str, place: &Place) -> Option<String> {
    match paths::extent(entry, place).ok()? {
        Extent::Named { path, .. } => closed_to_all(&path),
        Extent::Below(folder) => closed_to_all(&folder),
    }
}

/// Tools of servers are granted one by one, by their whole names.
fn tool_problem(entry: &str) -> Option<String> {
    let problem = match entry.split_once('/') {
        _ if entry.trim().is_empty() => "the entry is empty",
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() && tool != "*" => return None,
        Some((_, "*")) => "there are no wildcards here; name each tool as `server/tool`",
        Some(_) | None => "a tool of a server is written `server/tool`",
    };
    Some(problem.to_owned())
}

fn entries_of(grants: &Grants, access: Access) -> &[String] {
    match access {
        Access::Read => &grants.read,
        Access::Write => &grants.write,
        Access::Host => &grants.hosts,
        Access::Database => &grants.databases,
        Access::Command => &grants.commands,
        Access::Mcp => &grants.mcp,
    }
}

fn is_allowed(allowed: &Allowed<'_>, need: &Need) -> bool {
    allowed.frozen.contains(need)
        || allowed.answered.contains(need)
        || covers(allowed.grants, need, allowed.place)
}

/// Whether a person has switched this off at the approval.
pub fn is_withheld(off: &[Withheld], need: &Need, place: &Place) -> bool {
    off.iter().any(|row| row.bars(need, place))
}

/// Why no grant can ever allow this need.
fn refusal_of(need: &Need) -> Option<String> {
    match need.access {
        Access::Read | Access::Write | Access::Database if !paths::is_normal(&need.resource) => {
            Some(format!("`{}` is no path in its normal form", need.resource))
        }
        Access::Read | Access::Write | Access::Database => closed_to_all(&need.resource),
        Access::Host | Access::Command | Access::Mcp => None,
    }
}
