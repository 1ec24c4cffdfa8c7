//! The walls of the page: components and ipc, then state, then features (which don't know each other), then app.

use crate::source::{File, files, folders};

const UI: &str = "ui/src";

/// What a file takes from elsewhere in the page.
struct Import {
    line: usize,
    /// From `ui/src`, without an ending.
    target: String,
    is_type: bool,
}

/// Rooms of the page with what each may use, besides itself. `text` and `styles` are for all.
const ROOMS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("styles", &[]),
    ("components", &[]),
    ("ipc", &[]),
    ("state", &["components", "ipc"]),
    ("features", &["components", "ipc", "state"]),
    ("app", &["components", "ipc", "state", "features"]),
    ("gallery", &["components", "ipc", "state", "features", "app"]),
];

/// The page, once there is one beyond the generated bindings.
fn page() -> Vec<File> {
    let files: Vec<File> = files(UI)
        .into_iter()
        .filter(|file| file.has_end(&[".ts", ".tsx"]))
        .collect();
    let has_page = std::path::Path::exists(&crate::source::root().join("ui/package.json"));
    assert!(!has_page || files.len() > 20, "{UI} was not found");
    files
}

fn imports(file: &File) -> Vec<Import> {
    let mut found = Vec::new();
    let mut is_type = false;
    for (line, text) in file.code() {
        if text.starts_with("import") || text.starts_with("export") {
            is_type = text.starts_with("import type") || text.starts_with("export type");
        }
        let quoted = ["from \"", "import \"", "import(\""]
            .iter()
            .find_map(|mark| text.split(mark).nth(1));
        if let Some(target) = quoted.and_then(|rest| rest.split('"').next()) {
            found.push(Import {
                line,
                target: resolved(&file.path, target),
                is_type,
            });
        }
    }
    found
}

/// A relative import from `ui/src`; a package keeps its name.
fn resolved(from: &str, target: &str) -> String {
    if !target.starts_with('.') {
        return target.to_owned();
    }
    let mut parts: Vec<&str> = from
        .strip_prefix(UI)
        .unwrap_or(from)
        .trim_start_matches('/')
        .split('/')
        .collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn room(path: &str) -> Option<&'static str> {
    ROOMS
        .iter()
        .map(|(name, _)| *name)
        .find(|name| path.split('/').next() == Some(*name))
}

fn feature(path: &str) -> Option<&str> {
    path.strip_prefix("features/")?.split('/').next()
}

/// Why this import is not allowed, if it is not.
fn refusal(path: &str, import: &Import) -> Option<String> {
    let inner = path.strip_prefix(UI)?.trim_start_matches('/');
    let own = room(inner)?;
    let other = room(&import.target)?;
    let crosses_features =
        own == "features" && other == "features" && feature(inner) != feature(&import.target);
    if crosses_features {
        return Some(format!(
            "feature `{}` must not know `{}`",
            feature(inner)?,
            feature(&import.target)?
        ));
    }
    let allowed = ROOMS
        .iter()
        .find(|(name, _)| *name == own)
        .map_or(&[][..], |(_, allowed)| allowed);
    // What is shown, and how its JSON is read without loss, is known everywhere; who brings it is not.
    let is_shape = (import.is_type && import.target == "ipc/bindings") || import.target == "ipc/json";
    let is_for_all = other == own || ["text", "styles"].contains(&other) || is_shape;
    (!is_for_all && !allowed.contains(&other)).then(|| format!("`{own}` must not know `{other}`"))
}

#[test]
fn rooms_use_only_those_above_them() {
    let mut broken = Vec::new();
    for file in page() {
        for import in imports(&file) {
            broken.extend(
                refusal(&file.path, &import).map(|why| format!("{}:{}: {why}", file.path, import.line)),
            );
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_room_of_the_page_has_its_place() {
    for folder in folders(UI) {
        assert!(
            room(&folder).is_some(),
            "{UI}/{folder} has no place among the rooms"
        );
    }
}

#[test]
fn one_module_speaks_with_tauri() {
    let mut broken = Vec::new();
    for file in page() {
        let is_speaker = file.has_end(&["ui/src/ipc/tauri.ts"]);
        let is_generated = file.has_end(&["ui/src/ipc/bindings.ts"]);
        for import in imports(&file) {
            let is_tauri = import.target.starts_with("@tauri-apps/") && !is_generated;
            let is_call = import.target == "ipc/bindings" && !import.is_type;
            if (is_tauri || is_call) && !is_speaker {
                broken.push(format!("{}:{}: {}", file.path, import.line, import.target));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn walls_hold_in_every_form() {
    let why = |path: &str, text: &str| {
        let file = File {
            path: format!("{UI}/{path}"),
            text: text.to_owned(),
        };
        imports(&file)
            .iter()
            .find_map(|import| refusal(&file.path, import))
    };
    assert!(why("components/Card.tsx", "import { host } from \"../ipc/host\";").is_some());
    assert!(
        why(
            "components/Card.tsx",
            "import type {\n  TaskView,\n} from \"../ipc/bindings\";"
        )
        .is_none()
    );
    assert!(
        why(
            "components/Card.tsx",
            "import {\n  commands,\n} from \"../ipc/bindings\";"
        )
        .is_some()
    );
    assert!(why("features/run/Run.tsx", "import { x } from \"../plan/model\";").is_some());
    assert!(why("features/run/Run.tsx", "import { x } from \"./model\";").is_none());
    assert!(
        why(
            "features/run/Run.tsx",
            "const x = await import(\"../../app/route\");"
        )
        .is_some()
    );
    assert!(why("state/run.ts", "export { x } from \"../features/run/model\";").is_some());
    assert!(why("app/App.tsx", "import { Run } from \"../features/run/Run\";").is_none());
}
