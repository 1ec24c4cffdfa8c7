//! Questions to models whose outcome nobody will ever record: in flight when their process ended, or given up. Each may
//! have cost as much as was reserved for it. It must not know why it was asked.

use super::super::ledger::Reserve;
use super::super::plan::TaskIx;
use super::super::{Digest, TaskId};
use super::{Call, RunState};

impl Call {
    /// Asked, and neither answered nor given up.
    fn is_open_question(&self) -> bool {
        self.started.model && self.outcome.is_none() && !self.is_lost
    }

    fn lose(&mut self) -> Reserve {
        self.is_lost = true;
        self.started.reserve.unwrap_or_default()
    }
}

impl RunState {
    /// The task begins anew, or is over.
    pub(super) fn lose_questions_of(&mut self, ix: TaskIx) {
        let open = self.tasks[ix as usize].calls.iter_mut();
        let lost: Vec<Reserve> = open.filter(|c| c.is_open_question()).map(Call::lose).collect();
        lost.into_iter().for_each(|reserve| self.ledger.lose(reserve));
    }

    /// Another process takes the run up: whoever asked is gone.
    pub(super) fn lose_all_questions(&mut self) {
        let of_tasks = self.tasks.iter_mut().flat_map(|task| &mut task.calls);
        let open = of_tasks.chain(&mut self.aside);
        let lost: Vec<Reserve> = open.filter(|c| c.is_open_question()).map(Call::lose).collect();
        lost.into_iter().for_each(|reserve| self.ledger.lose(reserve));
    }

    /// The run goes on from before them.
    pub(super) fn lose_taken_back(&mut self) {
        for (_, started) in std::mem::take(&mut self.questions_taken_back) {
            self.ledger.lose(started.reserve.unwrap_or_default());
        }
    }

    /// What was reserved for the question that ends in a stretch which was taken back.
    pub(super) fn end_taken_back(&mut self, task: Option<&TaskId>, ended: Option<Digest>) -> Reserve {
        let is_it = |key: Digest| ended.is_none_or(|ended| ended == key);
        let open = &mut self.questions_taken_back;
        let own = open
            .iter()
            .position(|(whose, started)| whose.as_ref() == task && is_it(started.key));
        if let Some(at) = own {
            return open.remove(at).1.reserve.unwrap_or_default();
        }
        // It was asked before the position that the run went back to.
        let ix = task.and_then(|task| self.find(task.as_str()));
        let mut before = match ix {
            Some(ix) => self.tasks[ix as usize].calls.iter_mut(),
            None => self.aside.iter_mut(),
        };
        let asked = before.find(|call| call.is_open_question() && is_it(call.started.key));
        asked.map(Call::lose).unwrap_or_default()
    }

    /// What questions in flight may still come to: of a run that nobody drives, they never will say.
    pub fn open_questions(&self) -> impl Iterator<Item = Reserve> {
        let of_tasks = self.tasks.iter().flat_map(|task| &task.calls);
        let edit = self.edit.iter().map(|edit| &edit.asking);
        let plannings = self.planning.as_deref().into_iter().chain(edit);
        let of_planning = plannings.flat_map(|planning| &planning.calls);
        let open = of_tasks.chain(&self.aside).chain(of_planning);
        open.filter(|call| call.is_open_question())
            .map(|call| call.started.reserve.unwrap_or_default())
    }
}
