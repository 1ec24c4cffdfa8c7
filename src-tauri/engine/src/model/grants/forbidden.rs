//! Places that no grant opens: keys, browsers' profiles, and files that run by themselves later.
//! Compares text alone, in any case, since file systems that ignore case exist.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::marks::folded;
use super::paths;

/// Folders, as parts of a path.
const FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".git/hooks",
    ".config/autostart",
    ".config/chromium",
    ".config/fish",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/microsoft-edge",
    ".config/systemd",
    ".config/bravesoftware",
    ".local/share/keyrings",
    "appdata/local/google/chrome",
    "appdata/local/microsoft/credentials",
    "appdata/roaming/microsoft/credentials",
    "appdata/roaming/mozilla",
    "library/application support/google/chrome",
    "library/application support/firefox",
    "library/keychains",
    "library/launchagents",
    "library/safari",
    "start menu/programs/startup",
];

/// Single files, by the end of a path.
const FILES: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".git/config",
    ".git-credentials",
    ".kshrc",
    ".login",
    ".netrc",
    ".npmrc",
    ".pam_environment",
    ".pgpass",
    ".profile",
    ".pypirc",
    ".tcshrc",
    ".vault-token",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Where the kernel shows itself, devices and processes as files: among them the environment of every process, Planloom's
/// own with its keys. Only from the root on.
const OF_SYSTEM: &[&str] = &["/proc", "/sys", "/dev"];

/// What lies in one of them and is a place for files all the same: memory that looks like a disk.
const FOR_FILES: &str = "/dev/shm";

/// Files that hold keys by custom, by their whole name.
const SECRET_NAMES: &[&str] = &[
    ".boto",
    ".dockercfg",
    ".env",
    ".envrc",
    ".htpasswd",
    ".my.cnf",
    ".mylogin.cnf",
    ".s3cfg",
    ".terraformrc",
    "client_secret.json",
    "credentials.json",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "terraform.tfstate.backup",
];

/// The same, by how the name ends.
const SECRET_ENDINGS: &[&str] = &[
    ".agekey",
    ".jks",
    ".kdbx",
    ".key",
    ".keystore",
    ".p12",
    ".pem",
    ".pfx",
    ".ppk",
    ".tfstate",
];

/// What is public by custom, although it is called like the others.
const PUBLIC: &[&str] = &[
    "ca-bundle.pem",
    "ca-certificates.pem",
    "ca.pem",
    "cacert.pem",
    "cert.pem",
    "chain.pem",
    "fullchain.pem",
    "public.pem",
];

/// Whether a file of this name holds keys by custom: no folder and no pattern opens it, but whoever names it does.
pub(super) fn is_secret_file(path: &str) -> bool {
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = folded(last.trim_end_matches(['.', ' ']));
    // `.env.example` is there to be read.
    let is_shown = |of: &str| matches!(of, "example" | "sample" | "template" | "dist" | "defaults");
    let is_of_environment = name
        .strip_prefix(".env.")
        .is_some_and(|rest| !is_shown(rest.rsplit('.').next().unwrap_or(rest)));
    let is_called_so =
        SECRET_NAMES.contains(&name.as_str()) || SECRET_ENDINGS.iter().any(|end| name.ends_with(end));
    is_of_environment || (is_called_so && !PUBLIC.contains(&name.as_str()))
}

/// Whether a file of this name could be one of them at all: quick, for those who look through whole folders.
pub(super) fn may_be_closed(name: &str) -> bool {
    static LAST: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let last = LAST.get_or_init(|| {
        let names = FOLDERS.iter().chain(FILES);
        names
            .map(|place| place.rsplit('/').next().unwrap_or(place))
            .collect()
    });
    last.contains(name) || last.contains(folded(name.trim_end_matches(['.', ' '])).as_str())
}

/// Whether the kernel makes up what stands there.
fn place_of_system(resource: &str) -> Option<&'static str> {
    let path = folded(resource);
    let is_in = |place: &str| paths::is_in_folder(&path, place);
    let place = OF_SYSTEM.iter().find(|place| is_in(place))?;
    (!is_in(FOR_FILES)).then_some(*place)
}

/// Why this path (in its normal form) is closed, if it is.
pub(super) fn refusal(resource: &str) -> Option<String> {
    if let Some(place) = place_of_system(resource) {
        return Some(format!(
            "`{resource}` is closed to every plan: in `{place}` lie no files, but what the system and every program on it \
             are doing, keys among it"
        ));
    }
    let named = FOLDERS
        .iter()
        .chain(FILES)
        .find(|place| is_inside(resource, place))?;
    Some(format!(
        "`{resource}` is closed to every plan: `{named}` holds keys, or things that run by themselves"
    ))
}

/// Whether the path leads to the place or into it, in whatever spelling: case, Unicode form, and what some systems drop
/// at the end of a name.
pub(super) fn is_inside(resource: &str, place: &str) -> bool {
    let named = |path: &str| -> Vec<String> {
        let parts = path
            .split(['/', '\\'])
            .map(|part| part.trim_end_matches(['.', ' ']).to_owned());
        parts.filter(|part| !part.is_empty()).collect()
    };
    let (path, place) = (named(&folded(resource)), named(&folded(place)));
    path.windows(place.len()).any(|parts| parts == place)
}
