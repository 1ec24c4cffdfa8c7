//! The person's settings: one `settings.json` beside the database, written here only. Knows no plan and no run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use planloom_engine::model::{Digest, Json};
use serde_json::json;
use tauri::{AppHandle, Wry};
use tauri_plugin_store::{Store, StoreBuilder};

use crate::commands::storage::LimitsForm;
use crate::fault::Fault;
use crate::frame::Saved;
use crate::look::Theme;

const FRAME: &str = "frame";
const THEME: &str = "theme";
const MODELS: &str = "models";
const TELLS: &str = "notifications";
const LIMITS: &str = "limits";
const SYNC: &str = "sync";
const SAFE_RENDERER: &str = "safeRenderer";

pub struct Settings {
    store: Arc<Store<Wry>>,
    path: PathBuf,
    notice: Option<String>,
    writing: Mutex<()>,
}

impl Settings {
    /// Reads the file. A broken one is kept aside and the defaults hold; `notice` then says so.
    pub fn open(app: &AppHandle, path: &Path) -> Result<Self, Fault> {
        let notice = set_aside_if_broken(path);
        let store = StoreBuilder::new(app, path)
            .disable_auto_save()
            .build()
            .map_err(|e| not_kept(path, &e))?;
        Ok(Self {
            store,
            path: path.to_owned(),
            notice,
            writing: Mutex::default(),
        })
    }

    pub fn notice(&self) -> Option<String> {
        self.notice.clone()
    }

    /// All settings as the text of one JSON object.
    pub fn all(&self) -> String {
        Json::Object(self.store.entries().into_iter().collect()).to_string()
    }

    pub fn theme(&self) -> Theme {
        Theme::from_setting(self.store.get(THEME).as_ref())
    }

    pub fn frame(&self) -> Option<Saved> {
        self.store.get(FRAME).as_ref().and_then(Saved::read)
    }

    /// Whether a person wants to be told by the system while the window is not in front.
    pub fn tells(&self) -> bool {
        self.store
            .get(TELLS)
            .is_none_or(|tells| tells != Json::Bool(false))
    }

    pub fn keep_frame(&self, frame: &Saved) -> Result<(), Fault> {
        self.keep(FRAME, frame.write())
    }

    pub fn safe_renderer(&self) -> bool {
        self.store
            .get(SAFE_RENDERER)
            .is_some_and(|chosen| is_on(&chosen, &machine()))
    }

    /// Remembers the choice for this machine alone: a home folder may be shared by machines with other screens.
    pub fn keep_safe_renderer(&self, is_on: bool) -> Result<(), Fault> {
        let mut chosen = self.store.get(SAFE_RENDERER).unwrap_or_default();
        if !chosen.is_object() {
            chosen = json!({});
        }
        chosen[machine()] = Json::Bool(is_on);
        self.keep(SAFE_RENDERER, chosen)
    }

    /// Keeps what the page asks to keep, under a name that is the page's own.
    pub fn keep_from_page(&self, key: &str, value: Json) -> Result<(), Fault> {
        check_key(key)?;
        self.keep(key, value)
    }

    /// Which models do a role's work, best first; none: the usual ones.
    pub fn keep_role(&self, role: &str, models: &[String]) -> Result<(), Fault> {
        self.change(MODELS, |chosen| with_role(chosen, role, models))
    }

    /// How much goes on at once; what is as usual is not in the file.
    pub fn keep_limits(&self, limits: &LimitsForm) -> Result<(), Fault> {
        self.change(LIMITS, |chosen| with_limits(chosen, limits))
    }

    pub fn keep_sync(&self, everything: bool) -> Result<(), Fault> {
        self.keep(SYNC, json!(if everything { "everything" } else { "usual" }))
    }

    /// While something else writes the file, nothing here does.
    pub fn undisturbed<T>(&self, write: impl FnOnce() -> T) -> T {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        write()
    }

    fn keep(&self, key: &str, value: Json) -> Result<(), Fault> {
        self.change(key, |_| value)
    }

    /// One change at a time, to what the file says now: the command line writes it too. A file that can't be read is left
    /// as it is for whoever is editing it.
    fn change(&self, key: &str, make: impl FnOnce(Option<Json>) -> Json) -> Result<(), Fault> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let is_read = match self.path.exists() {
            true => self.store.reload_ignore_defaults(),
            false => Ok(()),
        };
        self.store.set(key, make(self.store.get(key)));
        is_read
            .and_then(|()| self.store.save())
            .map_err(|e| not_kept(&self.path, &e))
    }
}

/// Whether this machine draws with the safe renderer, read before there is any window. Anything unreadable is a no.
pub fn safe_renderer_chosen(path: &Path) -> bool {
    let read = std::fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Json>(&bytes).ok());
    read.and_then(|settings| {
        settings
            .get(SAFE_RENDERER)
            .map(|chosen| is_on(chosen, &machine()))
    })
    .unwrap_or(false)
}

fn is_on(chosen: &Json, machine: &str) -> bool {
    chosen.get(machine).and_then(Json::as_bool).unwrap_or(false)
}

/// A name for this machine that says nothing about it elsewhere.
fn machine() -> String {
    let id = ["/etc/machine-id", "/etc/hostname"]
        .iter()
        .find_map(|path| std::fs::read(path).ok());
    Digest::of(&id.unwrap_or_default()).to_string()[..16].to_owned()
}

/// The rest of what is chosen about models stays as it is.
fn with_role(chosen: Option<Json>, role: &str, models: &[String]) -> Json {
    let mut chosen = chosen.filter(Json::is_object).unwrap_or_else(|| json!({}));
    if !chosen["roles"].is_object() {
        chosen["roles"] = json!({});
    }
    if let Some(roles) = chosen["roles"].as_object_mut() {
        if models.is_empty() {
            roles.shift_remove(role);
        } else {
            roles.insert(role.to_owned(), json!(models));
        }
    }
    chosen
}

/// Names that nothing reads stay as they are.
fn with_limits(chosen: Option<Json>, limits: &LimitsForm) -> Json {
    let mut chosen = chosen.filter(Json::is_object).unwrap_or_else(|| json!({}));
    let tools: serde_json::Map<String, Json> = limits
        .tools
        .iter()
        .map(|limit| (limit.tool.clone(), json!(limit.at_once)))
        .collect();
    let parts = [
        ("per_run", limits.per_run.map(|most| json!(most))),
        ("per_provider", limits.per_provider.map(|most| json!(most))),
        ("tools", (!tools.is_empty()).then_some(Json::Object(tools))),
    ];
    if let Some(all) = chosen.as_object_mut() {
        for (name, value) in parts {
            match value {
                Some(value) => all.insert(name.to_owned(), value),
                None => all.shift_remove(name),
            };
        }
    }
    chosen
}

fn check_key(key: &str) -> Result<(), Fault> {
    let is_name = (1..=64).contains(&key.len())
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    if !is_name {
        return Err(Fault::new(
            "type",
            "A setting's name is 1 to 64 letters, digits, `.`, `_` or `-`. Nothing was kept.",
        ));
    }
    if [FRAME, SAFE_RENDERER, MODELS, LIMITS, SYNC, "mcp", "own_work"].contains(&key) {
        return Err(Fault::new(
            "type",
            format!("`{key}` is not the page's to keep. Nothing was changed."),
        ));
    }
    Ok(())
}

/// Moves a file that is not a JSON object out of the way, and says where it is.
fn set_aside_if_broken(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    if serde_json::from_slice::<serde_json::Map<String, Json>>(&bytes).is_ok() {
        return None;
    }
    let aside = free_name(path);
    Some(match std::fs::rename(path, &aside) {
        Ok(()) => format!(
            "Your settings could not be read. They are kept as {}, and Planloom starts with the defaults.",
            aside.display()
        ),
        Err(e) => format!(
            "Your settings in {} could not be read and not be moved aside ({e}).",
            path.display()
        ),
    })
}

/// `settings.json.broken-1`, or the next number that is free.
fn free_name(path: &Path) -> PathBuf {
    let name = |n: u32| PathBuf::from(format!("{}.broken-{n}", path.display()));
    (1..u32::MAX)
        .map(name)
        .find(|aside| !aside.exists())
        .unwrap_or_else(|| name(u32::MAX))
}

fn not_kept(path: &Path, error: &dyn std::fmt::Display) -> Fault {
    Fault::new(
        "store",
        format!(
            "The setting could not be written to {} ({error}). It holds until Planloom is closed.",
            path.display()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_is_kept_aside_and_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.json");
        for (round, broken) in ["{\"theme\": \"da", "[1]", "", "\u{0}\u{0}"].iter().enumerate() {
            std::fs::write(&path, broken).expect("written");
            let notice = set_aside_if_broken(&path).expect("told");
            let aside = folder.path().join(format!("settings.json.broken-{}", round + 1));
            assert!(notice.contains(&aside.display().to_string()), "{notice}");
            assert_eq!(std::fs::read_to_string(&aside).expect("kept"), *broken);
            assert!(!path.exists());
        }
        std::fs::write(&path, "{\"theme\": \"dark\"}").expect("written");
        assert_eq!(set_aside_if_broken(&path), None);
        assert_eq!(set_aside_if_broken(&folder.path().join("none.json")), None);
    }

    #[test]
    fn the_page_keeps_only_names_of_its_own() {
        for good in ["theme", "panel.inspector", "panels-v2", "a_b"] {
            assert!(check_key(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "frame",
            "safeRenderer",
            "models",
            "mcp",
            "own_work",
            "limits",
            "sync",
            "a b",
            "ä",
            &"x".repeat(65),
        ] {
            assert_eq!(check_key(bad).expect_err(bad).code, "type");
        }
    }

    #[test]
    fn limits_that_are_as_usual_are_not_in_the_file_and_unknown_ones_stay() {
        let form = |per_run, tools: &[(&str, u32)]| LimitsForm {
            per_run,
            per_provider: None,
            tools: tools
                .iter()
                .map(|(tool, at_once)| planloom_engine::views::ToolLimit {
                    tool: (*tool).to_owned(),
                    at_once: *at_once,
                })
                .collect(),
        };
        let chosen = json!({"per_provider": 2, "later": 1, "tools": {"http.get": 3}});
        let after = with_limits(Some(chosen), &form(Some(4), &[("echo", 1)]));
        assert_eq!(after, json!({"later": 1, "tools": {"echo": 1}, "per_run": 4}));
        assert_eq!(with_limits(Some(after), &form(None, &[])), json!({"later": 1}));
        assert_eq!(with_limits(Some(json!([1])), &form(None, &[])), json!({}));
    }

    #[test]
    fn choosing_a_role_leaves_the_rest_of_the_models_alone() {
        let chosen =
            json!({"discover": false, "prices": {"a/b": {"input": "1.10"}}, "roles": {"planner": ["a/b"]}});
        let names = ["a/c".to_owned(), "a/d".to_owned()];
        let after = with_role(Some(chosen.clone()), "executor", &names);
        assert_eq!(
            after["roles"],
            json!({"planner": ["a/b"], "executor": ["a/c", "a/d"]})
        );
        assert_eq!(
            (&after["discover"], &after["prices"]),
            (&chosen["discover"], &chosen["prices"])
        );
        assert_eq!(with_role(Some(after), "executor", &[]), chosen);
        assert_eq!(
            with_role(Some(json!([1])), "planner", &names)["roles"]["planner"],
            json!(names)
        );
    }

    #[test]
    fn the_renderer_is_chosen_per_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.json");
        assert!(!safe_renderer_chosen(&path));
        let other = json!({SAFE_RENDERER: {"another": true}});
        std::fs::write(&path, other.to_string()).expect("written");
        assert!(!safe_renderer_chosen(&path));
        let here = json!({SAFE_RENDERER: {machine(): true, "another": false}});
        std::fs::write(&path, here.to_string()).expect("written");
        assert!(safe_renderer_chosen(&path));
        std::fs::write(&path, "{").expect("written");
        assert!(!safe_renderer_chosen(&path));
    }
}
