//! Reduces documents that are trees: JSON, lines of JSON, tables, lists.
//!
//! In: a tree that fails as it is written. Out: the smallest one found. Passes are repeated until none changes
//! anything: structure first, the largest part first, then scalars; what takes more questions for less is tried
//! once these have come to rest.

mod flat;
mod last;
mod links;
mod mentions;
mod numbers;
mod scalars;
mod structure;

use super::plan::{First, Plan};
use super::session::{Form, Session, Step};
use crate::shapes::{Changes, Moved, Shape, Text, Tree};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// In larger documents no last round looks at every place, however little its like has yielded.
const SMALL_BYTES_MAX: usize = 2000;
/// How many fruitless tries with nodes of one form end the trying, but for the last round.
const FRUITLESS_MAX: usize = 3;
/// How many items in a row may stay before a list that lost none is left, but for the last round.
const PATIENCE: usize = 12;

/// A document in work.
pub(super) struct Doc<'s, 'a> {
    session: &'s mut Session<'a>,
    tree: Rc<Tree>,
    /// Whether items are made shorter too, not only left out.
    inside: bool,
    /// Places that are followed through changes.
    marks: Vec<Option<usize>>,
    /// Whether this is the last round.
    thorough: bool,
    fruitless: HashMap<(&'static str, u64), usize>,
    searched: HashSet<(u64, Text)>,
}

/// A changed tree, and where the nodes went.
struct Edited {
    tree: Tree,
    moved: Moved,
}

impl Form for Edited {
    fn bytes(&self) -> Vec<u8> {
        self.tree.bytes()
    }
}

/// Reduces `tree`, whose bytes are the session's best.
pub(super) fn reduce(session: &mut Session, tree: Tree, shape: Shape) -> Step<()> {
    let mut doc = Doc {
        session,
        tree: Rc::new(tree),
        inside: shape != Shape::List,
        marks: Vec::new(),
        thorough: false,
        fruitless: HashMap::new(),
        searched: HashSet::new(),
    };
    // Items that others point to by their index: later, with less around them, these cannot go any more.
    doc.indexes()?;
    loop {
        let before = Rc::clone(&doc.tree);
        doc.structure()?;
        if doc.inside {
            doc.groups()?;
            doc.scalars()?;
        }
        if doc.tree == before {
            doc.last()?;
        }
        if doc.tree == before && (doc.thorough || !doc.small()) {
            return Ok(());
        }
        // What was found in the last round makes another round, but no longer a slow one.
        doc.thorough = doc.tree == before;
    }
}

impl Doc<'_, '_> {
    /// Whether what is left is small enough to look at everything.
    fn small(&self) -> bool {
        self.session.best.len() <= SMALL_BYTES_MAX
    }

    fn patience(&self) -> usize {
        if self.thorough { usize::MAX } else { PATIENCE }
    }

    /// Follows a plan whose edits are changes of the tree as it is now.
    fn run<P: Plan>(
        &mut self,
        plan: &mut P,
        make: &dyn Fn(&Tree, &P::Edit) -> Option<Changes>,
    ) -> Step<bool> {
        self.run_edited(plan, &|tree, edit| Some(edited(tree, &make(tree, edit)?)))
    }

    fn run_edited<P: Plan>(
        &mut self,
        plan: &mut P,
        make: &dyn Fn(&Tree, &P::Edit) -> Option<Edited>,
    ) -> Step<bool> {
        let tree = Rc::clone(&self.tree);
        let accepted = self.session.run(plan, &|edit| make(&tree, edit))?;
        let changed = accepted.is_some();
        if let Some(edited) = accepted {
            self.take(edited);
        }
        Ok(changed)
    }

    /// Makes an accepted tree the tree.
    fn take(&mut self, edited: Edited) {
        for mark in &mut self.marks {
            *mark = mark.and_then(|at| edited.moved[at]);
        }
        self.tree = Rc::new(edited.tree);
    }

    /// Tries changes up to the first that is accepted; which one.
    fn first(&mut self, all: Vec<Changes>) -> Step<Option<usize>> {
        let mut plan = First::of((0..all.len()).collect());
        self.run(&mut plan, &|_, at: &usize| all.get(*at).cloned())?;
        Ok(plan.found)
    }

    /// For each node a name for its place, the same for all elements of one array and for all lines.
    fn places(&self) -> Vec<u64> {
        let parents = self.tree.parents();
        let mut places: Vec<u64> = Vec::with_capacity(parents.len());
        for (at, node) in self.tree.nodes.iter().enumerate() {
            let above = if at == 0 { 0 } else { places[parents[at]] };
            places.push(hash(&(above, &node.key)));
        }
        places
    }

    /// Whether this kind of try on nodes of this form is worth another question.
    fn worth(&self, way: &'static str, form: u64) -> bool {
        self.thorough || self.fruitless.get(&(way, form)).is_none_or(|&tries| tries < FRUITLESS_MAX)
    }

    fn learn(&mut self, way: &'static str, form: u64, fruit: bool) {
        let tries = self.fruitless.entry((way, form)).or_default();
        *tries = if fruit { 0 } else { *tries + 1 };
    }
}

fn edited(tree: &Tree, changes: &[(usize, crate::shapes::Change)]) -> Edited {
    let (tree, moved) = tree.moved(changes);
    Edited { tree, moved }
}

/// The same on every machine and in every run.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
