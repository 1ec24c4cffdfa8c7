//! Looks at files that a run writes and puts back what they held, behind the same walls as the tools that write them.
//! It must not know logs or runs.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use cap_std::fs::File;

use super::write::{existing, replace, sync_parent};
use super::{Located, Walls};
use crate::model::Digest;
use crate::model::events::Size;
use crate::model::tool::Access;
use crate::tools::blocking::{self, Stop};
use crate::tools::{CallContext, Found, ToolError, Written};

/// A larger file is not kept, only its size and hash.
const MOST_KEPT: u64 = 16 << 20;
/// A larger file is not even hashed.
const MOST_HASHED: u64 = 1 << 30;

/// Opens files by the paths of needs. Cloneable, holds nothing open.
#[derive(Clone)]
pub struct Keeper {
    closed: Arc<[PathBuf]>,
}

/// What a file is at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Now {
    Absent,
    Holds(Size),
}

impl Now {
    pub fn hash(self) -> Option<Digest> {
        match self {
            Self::Absent => None,
            Self::Holds(size) => Some(size.hash),
        }
    }
}

impl Keeper {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>) -> Self {
        Self { closed }
    }

    fn walls(&self, cx: &CallContext) -> Walls {
        Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        }
    }

    /// What the file holds, and what it will hold once `text` is in it.
    pub(in crate::tools) async fn before_write(
        &self,
        path: String,
        text: String,
        is_append: bool,
        cx: &CallContext,
    ) -> Result<Written, ToolError> {
        let walls = self.walls(cx);
        let work = move |stop: &Stop| {
            let located = walls.locate(&path, Access::Write)?;
            let (found, after) = match open(&located)? {
                None => (Found::Absent, Some(Digest::of(text.as_bytes()))),
                Some(mut file) if is_append => beginning(&mut file, &text, &located, stop)?,
                Some(mut file) => (
                    whole(&mut file, &located, stop)?,
                    Some(Digest::of(text.as_bytes())),
                ),
            };
            Ok(Written { path, found, after })
        };
        blocking::reading(&cx.cancel, work).await
    }

    /// The file as it is; refused where the walls would refuse to write it.
    pub async fn look(&self, path: String, cx: &CallContext) -> Result<Now, ToolError> {
        let walls = self.walls(cx);
        blocking::reading(&cx.cancel, move |stop| {
            let located = walls.locate(&path, Access::Write)?;
            now(&located, stop)
        })
        .await
    }

    /// What the file holds, to be kept before it is put back.
    pub async fn read(&self, path: String, cx: &CallContext) -> Result<Found, ToolError> {
        let walls = self.walls(cx);
        blocking::reading(&cx.cancel, move |stop| {
            let located = walls.locate(&path, Access::Write)?;
            match open(&located)? {
                None => Ok(Found::Absent),
                Some(mut file) => whole(&mut file, &located, stop),
            }
        })
        .await
    }

    /// The first `size.bytes` of the file, if they are what the hash says and few enough to be kept.
    pub async fn beginning_of(
        &self,
        path: String,
        size: Size,
        cx: &CallContext,
    ) -> Result<Option<Vec<u8>>, ToolError> {
        let walls = self.walls(cx);
        blocking::reading(&cx.cancel, move |_| {
            let located = walls.locate(&path, Access::Write)?;
            let Some(file) = open(&located)? else {
                return Ok(None);
            };
            if size.bytes > MOST_HASHED {
                return Ok(None);
            }
            let mut bytes = Vec::new();
            file.take(size.bytes)
                .read_to_end(&mut bytes)
                .map_err(|e| located.failed(&e))?;
            Ok((Digest::of(&bytes) == size.hash).then_some(bytes))
        })
        .await
    }

    /// Gives the file this content, or takes it away. `unless`: not if it is anything else than this by now.
    pub async fn put_back(
        &self,
        path: String,
        content: Option<Vec<u8>>,
        unless: Option<Now>,
        cx: &CallContext,
    ) -> Result<(), ToolError> {
        let walls = self.walls(cx);
        blocking::changing(&cx.cancel, move |stop| {
            let located = walls.locate(&path, Access::Write)?;
            if let Some(expected) = unless
                && now(&located, stop)? != expected
            {
                let message = format!("`{path}` was changed just now; it is left as it is");
                return Err(ToolError::permanent("changed", message));
            }
            put(&located, content.as_deref())
        })
        .await
    }
}

fn put(located: &Located, content: Option<&[u8]>) -> Result<(), ToolError> {
    let old = existing(located)?;
    let failed = |e: std::io::Error| located.failed(&e);
    match (content, old) {
        (Some(bytes), old) => {
            located.make_parents()?;
            replace(located, bytes, old, "put back").map_err(failed)
        }
        (None, Some(_)) => {
            located.folder.remove_file(located.name()).map_err(failed)?;
            sync_parent(&located.folder, located.name()).map_err(failed)
        }
        (None, None) => Ok(()),
    }
}

fn open(located: &Located) -> Result<Option<File>, ToolError> {
    match existing(located)? {
        None => Ok(None),
        Some(_) => located.open().map(|(file, _)| Some(file)),
    }
}

fn now(located: &Located, stop: &Stop) -> Result<Now, ToolError> {
    match open(located)? {
        None => Ok(Now::Absent),
        Some(mut file) => Ok(Now::Holds(hash(&mut file, located, stop)?.0)),
    }
}

fn whole(file: &mut File, located: &Located, stop: &Stop) -> Result<Found, ToolError> {
    let mut bytes = Vec::new();
    let read = |file: &mut File, bytes: &mut Vec<u8>| file.take(MOST_KEPT + 1).read_to_end(bytes);
    read(file, &mut bytes).map_err(|e| located.failed(&e))?;
    if bytes.len() as u64 <= MOST_KEPT {
        return Ok(Found::Bytes(bytes));
    }
    drop(bytes);
    file.seek(SeekFrom::Start(0)).map_err(|e| located.failed(&e))?;
    Ok(Found::TooLarge(hash(file, located, stop)?.0))
}

/// An addition destroys nothing: the length and the hash of what is there are enough to find it again.
fn beginning(
    file: &mut File,
    text: &str,
    located: &Located,
    stop: &Stop,
) -> Result<(Found, Option<Digest>), ToolError> {
    let (size, mut hasher) = hash(file, located, stop)?;
    hasher.update(text.as_bytes());
    let after = Digest::from_bytes(*hasher.finalize().as_bytes());
    Ok((Found::Beginning(size), Some(after)))
}

fn hash(file: &mut File, located: &Located, stop: &Stop) -> Result<(Size, blake3::Hasher), ToolError> {
    let mut hasher = blake3::Hasher::new();
    let mut chunk = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        stop.check()?;
        let read = file.read(&mut chunk).map_err(|e| located.failed(&e))?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        if bytes > MOST_HASHED {
            let message = format!("`{}` has more than {} MiB", located.asked, MOST_HASHED >> 20);
            return Err(ToolError::permanent("too_large", message));
        }
        hasher.update(&chunk[..read]);
    }
    let hash = Digest::from_bytes(*hasher.finalize().as_bytes());
    Ok((Size { bytes, hash }, hasher))
}
