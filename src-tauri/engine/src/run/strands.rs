//! What a task's inputs are made of: for each part that did not stand in the plan, who gave it and what it is worth
//! (LIBRARIES D4, R4). It must not know what the task does with it.

use crate::model::grants::Labels;
use crate::model::json::push_step;
use crate::model::plan::{Input, Over, Task, TaskIx, TaskKind};
use crate::model::provenance::From;
use crate::model::state::RunState;
use crate::model::{Json, narrow};

/// One part of the inputs, given by somebody.
#[derive(Clone, Debug)]
pub struct Strand {
    /// JSON Pointer into the inputs.
    pub at: String,
    pub from: From,
    /// The node that gave it; of an item or a parameter, the map or plan around.
    pub node: TaskIx,
    pub labels: Labels,
}

impl Strand {
    /// The name by which a plan accepts it (`accepts_untrusted`).
    pub fn name(&self) -> &str {
        match &self.from {
            // Inside a plan its tasks have their own names.
            From::Task(task, _) => task.as_str().rsplit('/').next().unwrap_or_default(),
            From::Item => "$item",
            From::Parameter(_) => "$param",
            From::Tool(tool) => tool,
            From::Model => "",
        }
    }
}

pub fn joined(strands: &[Strand]) -> Labels {
    strands
        .iter()
        .fold(Labels::default(), |labels, strand| labels.join(strand.labels))
}

/// The strands of a task's inputs; of a map also those of what it runs over and of its inner task. `output` gives the
/// outputs that are at hand: what is narrow by its schema is only believed where the value is seen to be so.
pub fn strands_of<'o>(
    state: &RunState,
    ix: TaskIx,
    task: &Task,
    output: impl Fn(TaskIx) -> Option<&'o Json>,
) -> Vec<Strand> {
    let mut look = Look {
        state,
        ix,
        output: &output,
        found: Vec::new(),
    };
    look.task(task);
    look.count();
    look.found
}

struct Look<'a, 'o> {
    state: &'a RunState,
    ix: TaskIx,
    output: &'a dyn Fn(TaskIx) -> Option<&'o Json>,
    found: Vec<Strand>,
}

impl Look<'_, '_> {
    /// Recursion is bounded by the depth of the document.
    fn task(&mut self, task: &Task) {
        for (name, input) in &task.inputs {
            let mut at = String::new();
            push_step(&mut at, name);
            self.input(&at, input);
        }
        if let TaskKind::Map {
            over, task: inner, ..
        } = &task.kind
        {
            if let Over::Value(over) = &**over {
                self.input("/over", over);
            }
            self.task(inner);
        }
    }

    /// Of an item also who said how many there are: that this one is done at all is their word.
    fn count(&mut self) {
        let Some((map, _)) = self.state.tree.item(self.ix) else {
            return;
        };
        let def = self.state.def(map);
        let TaskKind::Map { over, .. } = &def.kind else {
            return;
        };
        let mut list = Look {
            ix: map,
            found: Vec::new(),
            ..*self
        };
        match &**over {
            Over::Value(over) => list.input("/over", over),
            Over::Input(name) => {
                let named = def.inputs.iter().find(|(known, _)| known == name);
                named
                    .into_iter()
                    .for_each(|(_, input)| list.input("/over", input));
            }
        }
        if joined(&list.found).untrusted {
            self.found.push(Strand {
                at: String::new(),
                from: From::Item,
                node: map,
                labels: Labels {
                    untrusted: true,
                    private: false,
                },
            });
        }
    }

    fn input(&mut self, at: &str, input: &Input) {
        match input {
            Input::From { task, path } => self.output_of(at, *task, path),
            Input::Item { .. } => {
                if let Some((map, _)) = self.state.tree.item(self.ix) {
                    self.around(at, map, From::Item);
                }
            }
            Input::Param(name) => {
                if let Some(owner) = self.state.tree.scope(self.ix).owner {
                    self.around(at, owner, From::Parameter(name.to_string()));
                }
            }
            Input::Template { with, .. } => {
                let parts = with.iter().flatten();
                parts.for_each(|(_, input)| self.input(at, input));
            }
            Input::Object(entries) => {
                for (name, input) in entries {
                    let mut below = at.to_owned();
                    push_step(&mut below, name);
                    self.input(&below, input);
                }
            }
            Input::Array(items) => {
                for (ix, input) in items.iter().enumerate() {
                    self.input(&format!("{at}/{ix}"), input);
                }
            }
            Input::Literal(_) | Input::Secret(_) | Input::Index => {}
        }
    }

    fn output_of(&mut self, at: &str, task: TaskIx, path: &str) {
        let node = self.state.tree.source(self.ix, task);
        let mut labels = self.state.task(node).labels;
        if labels.untrusted {
            let schema = self.state.def(node).output_schema.as_deref();
            let value = (self.output)(task).and_then(|output| output.pointer(path));
            labels.untrusted = !value.is_some_and(|value| narrow::is_narrow(schema, path, value));
        }
        self.found.push(Strand {
            at: at.to_owned(),
            from: From::Task(self.state.tree.address(node), path.to_owned()),
            node,
            labels,
        });
    }

    fn around(&mut self, at: &str, owner: TaskIx, from: From) {
        let inner = self.state.task(owner).inner.as_ref();
        self.found.push(Strand {
            at: at.to_owned(),
            from,
            node: owner,
            labels: inner.map(|inner| inner.labels).unwrap_or_default(),
        });
    }
}
