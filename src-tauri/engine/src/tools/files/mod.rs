//! Files of the plan's folder, of other granted folders and of the run's own folder.

mod keeper;
mod list;
mod read;
#[cfg(test)]
mod tests;
mod walls;
mod write;

pub use keeper::{Keeper, Now};
pub(super) use list::FileList;
pub(super) use read::{FileRead, LARGEST, read_bytes, read_text};
pub(super) use walls::{Located, Walls};
pub(super) use write::{FileWrite, existing};
