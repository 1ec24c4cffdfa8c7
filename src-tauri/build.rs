//! Puts the commands under access control: without this list, any page in any window could call them.

const COMMANDS: &[&str] = &include!("src/command_names.rs");

fn main() {
    println!("cargo:rerun-if-changed=src/command_names.rs");
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
        .expect("tauri.conf.json, capabilities/ and permissions/ agree with each other");
}
