//! What of the system a confined process sees: programs and libraries, and of `/etc` the few files without which they do
//! not work. It must not know grants.

use std::path::Path;

/// Where programs are found, in this order.
const ON_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// Shown read-only where they exist. Each is readable by everybody on an ordinary system.
pub(super) const FOLDERS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
];

/// Of `/etc`; accounts (`passwd`, `group`, `shadow`) are not among them.
pub(super) const SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
];

/// The same, for processes with network.
pub(super) const NETWORK_SETTINGS: &[&str] = &[
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
];

/// Places that no grant shows: they are the sandbox's own, or hold what other processes are and do.
pub(super) const OWN: &[&str] = &["/proc", "/dev", "/sys"];

/// Whether the path lies where every confined process can see it.
pub(super) fn is_visible(path: &Path) -> bool {
    FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// The whole environment, before what is asked for. The person's own language settings tell where they are from; what
/// programs print is to be the same everywhere.
pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", ON_PATH),
    ("HOME", "/tmp"),
    ("TMPDIR", "/tmp"),
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
];

/// Variables that would make the loader or the sandbox's own programs run something else.
pub(super) fn is_refused_variable(name: &str) -> bool {
    name.is_empty() || name.contains(['=', '\0']) || name.starts_with("LD_") || name == "GLIBC_TUNABLES"
}
