//! Bytes of a server's stdout, cut into lines however they arrive. It must not know what a line says.

/// A longer line ends the session: it would only fill the memory.
pub const LONGEST_LINE: usize = 16 << 20;

/// A line grew beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of more than {} MiB", .0 >> 20)]
pub struct TooLong(pub usize);

/// An answer at an address that is longer than a line may be, as the protocol's library words it.
pub fn is_too_long(said: &str) -> bool {
    said.contains("exceeded the maximum size")
}

/// What has arrived and is no whole line yet.
pub struct Lines {
    buffer: Vec<u8>,
    /// Up to here there is no line end.
    searched: usize,
    longest: usize,
}

impl Lines {
    pub fn new(longest: usize) -> Self {
        Self {
            buffer: Vec::new(),
            searched: 0,
            longest,
        }
    }

    /// Takes in what has arrived, and gives the lines that it completes, without their ends and without a byte order
    /// mark. Empty lines are left out.
    pub fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), TooLong> {
        self.buffer.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(at) = self.buffer[self.searched..].iter().position(|b| *b == b'\n') {
            let end = self.searched + at;
            if end - start > self.longest {
                return Err(TooLong(self.longest));
            }
            give(&self.buffer[start..end], &mut take);
            start = end + 1;
            self.searched = start;
        }
        self.searched = self.buffer.len() - start;
        self.buffer.drain(..start);
        if self.buffer.len() > self.longest {
            return Err(TooLong(self.longest));
        }
        if self.buffer.is_empty() && self.buffer.capacity() > 1 << 20 {
            self.buffer = Vec::new();
        }
        Ok(())
    }

    /// What stood behind the last line end when the stream closed.
    pub fn finish(self, mut take: impl FnMut(&[u8])) {
        give(&self.buffer, &mut take);
    }
}

fn give(line: &[u8], take: &mut impl FnMut(&[u8])) {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = line.trim_ascii();
    if !line.is_empty() {
        take(line);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(pieces: &[&[u8]], longest: usize) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut lines = Lines::new(longest);
        let mut found = Vec::new();
        for piece in pieces {
            lines.push(piece, |line| found.push(line.to_vec()))?;
        }
        lines.finish(|line| found.push(line.to_vec()));
        Ok(found)
    }

    #[test]
    fn lines_end_in_every_way() {
        let found = cut(&[b"\xef\xbb\xbfone\r\n\n  \r\ntwo\nth", b"ree"], 100).unwrap();
        assert_eq!(found, [&b"one"[..], b"two", b"three"]);
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        assert_eq!(cut(&[b"0123456789", b"0"], 10), Err(TooLong(10)));
        assert_eq!(cut(&[b"01234567890\n"], 10), Err(TooLong(10)));
        assert_eq!(cut(&[b"0123456789\n", b"0123456789"], 10).unwrap().len(), 2);
    }

    proptest! {
        /// The same bytes are the same lines, wherever they were cut, and nothing between the ends is lost.
        #[test]
        fn cuts_change_nothing(
            bytes in prop::collection::vec(prop_oneof![4 => any::<u8>(), 1 => Just(b'\n'), 1 => Just(b'\r')], 0..300),
            cuts in prop::collection::vec(0usize..300, 0..12),
        ) {
            let whole = cut(&[&bytes], 1000).unwrap();
            let mut at: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            at.push(0);
            at.push(bytes.len());
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(cut(&pieces, 1000).unwrap(), whole.clone());
            let plain: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n')
                .map(|line| line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii().to_vec())
                .filter(|line| !line.is_empty())
                .collect();
            prop_assert_eq!(whole, plain);
        }

        /// Whatever comes, no more is held than one line may have.
        #[test]
        fn memory_is_bounded(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..64)) {
            let mut lines = Lines::new(40);
            for piece in &pieces {
                if lines.push(piece, |line| assert!(line.len() <= 40)).is_err() {
                    return Ok(());
                }
                prop_assert!(lines.buffer.len() <= 40);
            }
        }
    }
}
