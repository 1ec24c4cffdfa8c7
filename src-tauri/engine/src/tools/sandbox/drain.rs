//! Output that is read as it comes, so that nobody waits for a full pipe, and kept up to a bound. Knows no process.

use std::collections::VecDeque;

use crate::model::counted;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The beginning and the end of what came; the middle may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caught {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    most: usize,
    total: u64,
}

/// Of what is kept, this part is kept for the end, where errors stand.
const TAIL_PART: usize = 4;

impl Caught {
    pub(super) fn keeping(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, mut bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let tail = self.most / TAIL_PART;
        let room = (self.most - tail)
            .saturating_sub(self.head.len())
            .min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        bytes = &bytes[room..];
        let kept = &bytes[bytes.len().saturating_sub(tail)..];
        self.tail.extend(kept);
        let over = self.tail.len().saturating_sub(tail);
        self.tail.drain(..over);
    }

    /// All that came, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes from the middle that are not here.
    pub fn left_out(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// What is kept. Where something was left out, a line says how much.
    pub fn into_bytes(mut self) -> Vec<u8> {
        let left_out = self.left_out();
        if left_out > 0 {
            let line = format!("\n… {} left out …\n", counted(left_out, "byte"));
            self.head.extend_from_slice(line.as_bytes());
        }
        self.head.extend(self.tail);
        self.head
    }
}

/// Reads until the end, or until more than `flood` bytes came: then it is `false`.
pub(super) async fn drain(from: &mut (impl AsyncRead + Unpin), into: &mut Caught, flood: u64) -> bool {
    let mut chunk = vec![0; 64 << 10];
    loop {
        match from.read(&mut chunk).await {
            // A pipe that fails has ended.
            Ok(0) | Err(_) => return true,
            Ok(read) => into.take(&chunk[..read]),
        }
        if into.total > flood {
            return false;
        }
        // A flood must not hold up the thread that would end it.
        tokio::task::consume_budget().await;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Beginning and end are kept to the byte, and every byte is accounted for, however it comes in pieces.
        #[test]
        fn nothing_goes_uncounted(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20), most in 0_usize..200) {
            let whole: Vec<u8> = pieces.concat();
            let mut caught = Caught::keeping(most);
            pieces.iter().for_each(|piece| caught.take(piece));
            prop_assert_eq!(caught.total(), whole.len() as u64);
            let kept = caught.head.len() + caught.tail.len();
            prop_assert_eq!(kept, whole.len().min(most));
            prop_assert!(whole.starts_with(&caught.head));
            let tail: Vec<u8> = caught.tail.iter().copied().collect();
            prop_assert!(whole.ends_with(&tail));
            if whole.len() <= most {
                prop_assert_eq!(caught.into_bytes(), whole);
            }
        }
    }
}
