//! The walls of the house, read from the source text: who may use whom, how large a file may be, what it must say first.

mod ask_rust;
mod ask_ui;
mod cases;
mod pages;
mod source;
mod wording;
