//! What of a log still holds after its rewinds. It must not know what the events mean.

use planloom_engine::model::Seq;

/// Where each rewind stands, and where it went back to.
#[derive(Default)]
pub struct Rewinds(Vec<(Seq, Seq)>);

impl Rewinds {
    pub fn add(&mut self, at: Seq, to: Seq) {
        self.0.push((at, to));
    }

    /// Whether what stands at `seq` had not been taken back at the position `upto`.
    pub fn holds_at(&self, seq: Seq, upto: Seq) -> bool {
        let mut end = upto;
        for &(at, to) in self.0.iter().rev().filter(|(at, _)| *at <= upto) {
            if at <= end {
                if seq >= at {
                    break;
                }
                end = to;
            }
        }
        seq <= end
    }
}
