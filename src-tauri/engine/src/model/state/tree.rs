//! The nodes of a run: the plan's tasks, and those that maps and nested plans add while it runs. A node keeps its
//! index for the whole life of the run. This file must not know states or events.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::TaskId;
use super::super::plan::{Plan, Task, TaskIx, TaskKind};

/// One instance of a plan: the run's own, or that of a `subplan` task.
#[derive(Clone, Debug)]
pub struct Scope {
    pub plan: Arc<Plan>,
    /// The `subplan` task; none for the run's own plan.
    pub owner: Option<TaskIx>,
    /// The node of each task of the plan, by its index there.
    pub nodes: Vec<TaskIx>,
}

/// Where a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    scope: u32,
    role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A task of the scope's plan.
    Task(TaskIx),
    /// An item of a map; it reads what the map's scope has.
    Item { map: TaskIx, number: u32 },
}

#[derive(Clone, Debug)]
pub struct Tree {
    scopes: Vec<Scope>,
    nodes: Vec<Node>,
    /// Tasks that a later revision of the plan has no more, by their ids.
    retired: HashMap<TaskId, TaskIx>,
}

impl Tree {
    pub fn new(plan: Arc<Plan>) -> Self {
        let nodes: Vec<TaskIx> = (0..plan.tasks.len() as TaskIx).collect();
        Self {
            nodes: nodes
                .iter()
                .map(|&task| Node {
                    scope: 0,
                    role: Role::Task(task),
                })
                .collect(),
            scopes: vec![Scope {
                plan,
                owner: None,
                nodes,
            }],
            retired: HashMap::new(),
        }
    }

    /// The node of a task of the run's own plan.
    pub fn find_root(&self, id: &str) -> Option<TaskIx> {
        let root = self.root();
        let found = root.plan.find(id).map(|task| root.nodes[task as usize]);
        found.or_else(|| self.retired.get(id).copied())
    }

    /// The scope that the node's references mean.
    pub fn scope(&self, ix: TaskIx) -> &Scope {
        &self.scopes[self.nodes[ix as usize].scope as usize]
    }

    pub fn root(&self) -> &Scope {
        &self.scopes[0]
    }

    /// What the node does. The way up through maps in maps is bounded by the depth of a document.
    pub fn def(&self, ix: TaskIx) -> &Arc<Task> {
        let node = self.nodes[ix as usize];
        match node.role {
            Role::Task(task) => self.scopes[node.scope as usize].plan.task(task),
            Role::Item { map, .. } => {
                let def = self.def(map);
                match &def.kind {
                    TaskKind::Map { task, .. } => task,
                    TaskKind::Agent { .. }
                    | TaskKind::Model
                    | TaskKind::Tool { .. }
                    | TaskKind::Code { .. }
                    | TaskKind::Human { .. }
                    | TaskKind::Subplan { .. } => def,
                }
            }
        }
    }

    /// The map or nested plan that the node belongs to.
    pub fn owner(&self, ix: TaskIx) -> Option<TaskIx> {
        match self.nodes[ix as usize].role {
            Role::Task(_) => self.scope(ix).owner,
            Role::Item { map, .. } => Some(map),
        }
    }

    /// The map and the place in it, if the node is an item.
    pub fn item(&self, ix: TaskIx) -> Option<(TaskIx, u32)> {
        match self.nodes[ix as usize].role {
            Role::Task(_) => None,
            Role::Item { map, number } => Some((map, number)),
        }
    }

    /// As events name it: `id`, `id[3]`, `id/inner`.
    pub fn address(&self, ix: TaskIx) -> TaskId {
        let node = self.nodes[ix as usize];
        let scope = &self.scopes[node.scope as usize];
        match (node.role, scope.owner) {
            (Role::Task(task), None) => scope.plan.task(task).id.clone(),
            (Role::Task(task), Some(owner)) => {
                TaskId::from(format!("{}/{}", self.address(owner), scope.plan.task(task).id))
            }
            (Role::Item { map, number }, _) => TaskId::from(format!("{}[{number}]", self.address(map))),
        }
    }

    /// The node of a task of the scope that `reader` stands in.
    pub fn source(&self, reader: TaskIx, task: TaskIx) -> TaskIx {
        self.scope(reader).nodes[task as usize]
    }

    /// The nodes that wait for this one directly. Items have none.
    pub fn children(&self, ix: TaskIx) -> impl Iterator<Item = TaskIx> + '_ {
        let scope = self.scope(ix);
        let own: &[TaskIx] = match self.nodes[ix as usize].role {
            Role::Task(task) if !self.is_retired(ix) => scope.plan.children(task),
            Role::Task(_) | Role::Item { .. } => &[],
        };
        own.iter().map(|&task| scope.nodes[task as usize])
    }

    /// The nodes that this one waits for directly.
    pub fn parents(&self, ix: TaskIx) -> impl Iterator<Item = TaskIx> + '_ {
        let scope = self.scope(ix);
        let own: &[TaskIx] = match self.nodes[ix as usize].role {
            Role::Task(task) if !self.is_retired(ix) => scope.plan.dependencies(task),
            Role::Task(_) | Role::Item { .. } => &[],
        };
        own.iter().map(|&task| scope.nodes[task as usize])
    }

    /// What is no part of the plan any more has nothing before it and nothing behind it; but what it read is known.
    fn is_retired(&self, ix: TaskIx) -> bool {
        let scope = self.nodes[ix as usize].scope;
        scope != 0 && self.scopes[scope as usize].owner.is_none()
    }

    /// Hops to the farthest leaf, those behind the nested plan included: the scheduler's priority.
    pub fn remaining(&self, ix: TaskIx) -> u32 {
        let node = self.nodes[ix as usize];
        let scope = &self.scopes[node.scope as usize];
        match (node.role, scope.owner) {
            (Role::Task(task), None) => scope.plan.remaining(task),
            (Role::Task(task), Some(owner)) => scope.plan.remaining(task) + 1 + self.remaining(owner),
            (Role::Item { map, .. }, _) => self.remaining(map),
        }
    }

    /// Another version of the run's plan: known ids keep their nodes, new ones get nodes of their own, which are
    /// returned, and the rest is retired.
    pub(super) fn adopt(&mut self, plan: Arc<Plan>) -> Vec<TaskIx> {
        let known: HashMap<TaskId, TaskIx> = {
            let root = self.root();
            let ids = root.plan.tasks.iter().map(|t| t.id.clone());
            ids.zip(root.nodes.iter().copied()).collect()
        };
        let mut left = known.clone();
        let mut fresh = Vec::new();
        let mut nodes = Vec::with_capacity(plan.tasks.len());
        for (task, def) in (0..).zip(&plan.tasks) {
            let role = Role::Task(task);
            let node = match known.get(&def.id) {
                Some(&node) => {
                    left.remove(&def.id);
                    self.nodes[node as usize].role = role;
                    node
                }
                None => {
                    let node = self.nodes.len() as TaskIx;
                    self.nodes.push(Node { scope: 0, role });
                    fresh.push(node);
                    node
                }
            };
            nodes.push(node);
        }
        let new = Scope {
            plan,
            owner: None,
            nodes,
        };
        let old = std::mem::replace(&mut self.scopes[0], new);
        if !left.is_empty() {
            let scope = self.scopes.len() as u32;
            for &node in left.values() {
                self.nodes[node as usize].scope = scope;
            }
            self.scopes.push(old);
            self.retired.extend(left);
        }
        fresh
    }

    /// Adds the items of a map; they get consecutive nodes, of which the first is returned.
    pub(super) fn add_items(&mut self, map: TaskIx, count: u32) -> TaskIx {
        let first = self.nodes.len() as TaskIx;
        let scope = self.nodes[map as usize].scope;
        self.nodes.extend((0..count).map(|number| Node {
            scope,
            role: Role::Item { map, number },
        }));
        first
    }

    /// Adds an instance of a nested plan; its tasks get consecutive nodes, of which the first is returned.
    pub(super) fn add_scope(&mut self, owner: TaskIx, plan: Arc<Plan>) -> TaskIx {
        let first = self.nodes.len() as TaskIx;
        let scope = self.scopes.len() as u32;
        let count = plan.tasks.len() as TaskIx;
        self.nodes.extend((0..count).map(|task| Node {
            scope,
            role: Role::Task(task),
        }));
        self.scopes.push(Scope {
            plan,
            owner: Some(owner),
            nodes: (first..first + count).collect(),
        });
        first
    }
}
