//! The shell: the only Rust that knows Tauri. It shows what the engine says and sends what a person decides;
//! it never decides what may run.

mod bindings;
mod choose;
mod commands;
mod desk;
mod fault;
mod frame;
mod look;
mod paint;
mod renderer;
mod settings;
mod watches;
mod window;
