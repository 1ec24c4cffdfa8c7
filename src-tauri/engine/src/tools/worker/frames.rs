//! Messages between a program and its worker: two lengths of four bytes, JSON, and bytes beside it. Knows no process.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// JSON and bytes together: the largest answers and tables with room for their quotes.
const LARGEST: usize = 512 << 20;
const HEAD: usize = 8;

/// A message in one piece, ready to be written.
pub(super) fn framed(message: &impl Serialize, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; HEAD];
    serde_json::to_writer(&mut frame, message)?;
    let (json, beside) = (frame.len() - HEAD, bytes.len());
    if json.saturating_add(beside) > LARGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the message is too large",
        ));
    }
    let length = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
    frame[..4].copy_from_slice(&length(json));
    frame[4..HEAD].copy_from_slice(&length(beside));
    frame.extend_from_slice(bytes);
    Ok(frame)
}

fn lengths(head: [u8; HEAD]) -> io::Result<(usize, usize)> {
    let [a, b, c, d, e, f, g, h] = head;
    let (json, bytes) = (
        u32::from_le_bytes([a, b, c, d]) as usize,
        u32::from_le_bytes([e, f, g, h]) as usize,
    );
    if json.saturating_add(bytes) > LARGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the message is too large",
        ));
    }
    Ok((json, bytes))
}

/// The next message; none at the end of the stream.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<(T, Vec<u8>)>> {
    let mut head = [0; HEAD];
    match from.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let (json, bytes) = lengths(head)?;
    let mut text = vec![0; json];
    from.read_exact(&mut text)?;
    let mut beside = vec![0; bytes];
    from.read_exact(&mut beside)?;
    Ok(Some((serde_json::from_slice(&text)?, beside)))
}

pub(super) fn write(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&framed(message, &[])?)?;
    to.flush()
}

/// The same as [`read`], of an answer, which has no bytes beside it.
pub(super) async fn answer<T: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin)) -> io::Result<T> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head).await?;
    let (json, bytes) = lengths(head)?;
    let mut text = vec![0; json + bytes];
    from.read_exact(&mut text).await?;
    Ok(serde_json::from_slice(&text[..json])?)
}
