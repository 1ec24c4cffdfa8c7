//! Plans at large: real ones by the thousand, and the samples as they are.

mod asynchow;
mod samples;
