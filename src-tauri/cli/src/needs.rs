//! What a verb needs before it can begin. It must not know what any of them does.

use crate::args::{Replanning, Verb};

impl Verb {
    /// Whether the verb is about runs that there are already.
    pub fn needs_runs(&self) -> bool {
        match self {
            Self::Resume(_)
            | Self::Pause { .. }
            | Self::Cancel { .. }
            | Self::Runs(_)
            | Self::Search(_)
            | Self::Tag { .. }
            | Self::Rename { .. }
            | Self::Watch { .. }
            | Self::Show { .. }
            | Self::Log(_)
            | Self::Compare(_)
            | Self::Rewind { .. }
            | Self::Fork(_)
            | Self::Retry { .. }
            | Self::Rerun(_)
            | Self::Pin { .. }
            | Self::Unpin { .. }
            | Self::Break(_)
            | Self::Decide { .. }
            | Self::Export(_)
            | Self::Trace { .. }
            | Self::Delete { .. }
            | Self::Backup { .. }
            | Self::Vacuum => true,
            Self::Check { .. }
            | Self::Plan(_)
            | Self::Run(_)
            | Self::Import { .. }
            | Self::Mine { .. }
            | Self::Secret { .. }
            | Self::Tools
            | Self::Servers(_)
            | Self::Models(_) => false,
        }
    }

    /// Whether the verb leaves the database as it is, to the byte.
    pub fn only_looks(&self) -> bool {
        match self {
            Self::Check { .. }
            | Self::Runs(_)
            // Its index lies beside the database, not in it.
            | Self::Search(_)
            | Self::Watch { .. }
            | Self::Show { .. }
            | Self::Log(_)
            | Self::Compare(_)
            | Self::Export(_)
            | Self::Trace { .. }
            | Self::Backup { .. } => true,
            Self::Tag { words, .. } => words.is_empty(),
            Self::Decide(args) => args.decision.is_none() || args.answer.is_none(),
            Self::Plan(_)
            | Self::Run(_)
            | Self::Resume(_)
            | Self::Pause { .. }
            | Self::Cancel { .. }
            | Self::Rename { .. }
            | Self::Rewind { .. }
            | Self::Fork(_)
            | Self::Retry { .. }
            | Self::Rerun(_)
            | Self::Pin { .. }
            | Self::Unpin { .. }
            | Self::Break(_)
            | Self::Import { .. }
            | Self::Delete { .. }
            | Self::Vacuum
            | Self::Tools
            | Self::Mine { .. }
            | Self::Secret { .. }
            | Self::Servers(_)
            | Self::Models(_) => false,
        }
    }

    /// Whether what this verb does may ask a model, or depends on which there are.
    pub fn needs_models(&self) -> bool {
        match self {
            Self::Check { .. }
            | Self::Plan(_)
            | Self::Run(_)
            | Self::Resume(_)
            | Self::Rewind { .. }
            | Self::Fork(_)
            | Self::Retry { .. }
            | Self::Rerun(_)
            | Self::Decide { .. } => true,
            Self::Pause { .. }
            | Self::Cancel { .. }
            | Self::Runs(_)
            | Self::Search(_)
            | Self::Tag { .. }
            | Self::Rename { .. }
            | Self::Watch { .. }
            | Self::Show { .. }
            | Self::Log(_)
            | Self::Compare(_)
            | Self::Pin { .. }
            | Self::Unpin { .. }
            | Self::Break(_)
            | Self::Export(_)
            | Self::Trace { .. }
            | Self::Import { .. }
            | Self::Delete { .. }
            | Self::Backup { .. }
            | Self::Vacuum
            | Self::Mine { .. }
            | Self::Secret { .. }
            | Self::Tools
            | Self::Servers(_)
            // Sets them up by itself, and has no run.
            | Self::Models(_) => false,
        }
    }

    /// What this verb says about replans.
    pub fn replanning(&self) -> Replanning {
        if let Self::Run(run) = self {
            return run.replan;
        }
        if let Self::Resume(resume) = self {
            return resume.replan;
        }
        Replanning::default()
    }
}
