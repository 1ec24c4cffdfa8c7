//! The shell: the only Rust that knows Tauri. It shows what the engine says and sends what a person decides;
//! it never decides what may run.
//!
//! The map:
//!
//! - [`start()`]: from process start to a running window; `arguments`, `places`, `environment` before it.
//! - `commands`: what the window may ask, one adapter per engine call; `bindings` lists them, `fault` refuses.
//! - `desk`: what every command is given; `models`, `plannings`: what can be asked and what is; `growing`: answers on their way; `servers`: servers of tools in the settings; `telling`: notifications of the system; `watches`: live views, from the engine into ipc channels.
//! - `window`, `look`, `frame`: the window, its colours, its place. `choose`: native file dialogs.
//! - `renderer`, `paint`, `blank`: what happens when nothing is painted.
//! - `settings`: the one settings file. `closing`: the way out.

mod arguments;
mod bindings;
mod blank;
mod choose;
mod closing;
mod commands;
mod desk;
mod environment;
mod fault;
mod frame;
mod growing;
mod look;
mod models;
mod paint;
mod places;
mod plannings;
mod renderer;
mod servers;
mod settings;
mod start;
mod telling;
mod watches;
mod window;

pub use start::start;
