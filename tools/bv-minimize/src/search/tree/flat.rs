//! Tables laid out flat: a list as long as the product of two numbers.
//!
//! In: the document. Out: the document with fewer rows or columns, and with the numbers that tell of them.

use super::super::plan::{Drop, Kept};
use super::super::session::Step;
use super::Doc;
use super::links::{ONE, number, written};
use crate::shapes::{Change, Changes, Kind, Tree};

/// How many rows in a row may stay where none went.
const PATIENCE: usize = 3;
/// Shorter lists are products of too much.
const CELLS_MIN: usize = 4;
/// How many nodes beside a list are looked at.
const BESIDE_MAX: usize = 64;

/// A list, the number of its rows and that of its columns.
#[derive(Clone, Copy)]
struct Table {
    list: usize,
    rows: usize,
    columns: usize,
}

impl Doc<'_, '_> {
    /// Rows, then columns, of each list that two numbers beside it tell of.
    pub(super) fn tables(&mut self) -> Step<bool> {
        let mut changed = false;
        let mut at = 0;
        while let Some(table) = next_table(&self.tree, at) {
            at = table.list + 1;
            let fruit = self.lines(table, true)? | self.lines(table, false)?;
            changed |= fruit;
        }
        Ok(changed)
    }

    fn lines(&mut self, table: Table, rows: bool) -> Step<bool> {
        let count = |tree: &Tree, at: usize| {
            number(tree, at).and_then(|value| usize::try_from(value / ONE).ok()).unwrap_or(0)
        };
        let told = if rows { table.rows } else { table.columns };
        let (lines, width) = (count(&self.tree, told), count(&self.tree, table.columns).max(1));
        let mut plan = Drop::of(lines, PATIENCE);
        // The numbers are not in the list, which stays: no place moves but in it.
        self.run(&mut plan, &|tree, kept: &Kept| {
            let flags = kept.flags(lines);
            let goes = |cell: usize| {
                !flags.get(if rows { cell / width } else { cell % width }).copied().unwrap_or(true)
            };
            let cells = tree.children(table.list).enumerate().filter(|(cell, _)| goes(*cell));
            let mut changes: Changes = cells.map(|(_, at)| (at, Change::Drop)).collect();
            let left = flags.iter().filter(|kept| **kept).count();
            changes.push((told, Change::Text(written(left as i128 * ONE).as_slice().into())));
            changes.sort_by_key(|(at, _)| *at);
            Some(changes)
        })
    }
}

/// The first such list from `from` on.
fn next_table(tree: &Tree, from: usize) -> Option<Table> {
    let parents = tree.parents();
    (from.max(1)..tree.nodes.len()).filter(|&list| tree.nodes[list].kind == Kind::Array).find_map(|list| {
        let cells = Some(tree.children(list).count()).filter(|&cells| cells >= CELLS_MIN)?;
        let whole =
            |at: usize| Some((at, number(tree, at).filter(|value| *value > 0 && value % ONE == 0)? / ONE));
        let beside: Vec<(usize, i128)> =
            tree.children(parents[list]).take(BESIDE_MAX).filter_map(whole).collect();
        let mut pairs =
            beside.iter().enumerate().flat_map(|(n, a)| beside[n + 1..].iter().map(move |b| (*a, *b)));
        let ((rows, _), (columns, _)) =
            pairs.find(|((_, a), (_, b))| a.checked_mul(*b) == Some(cells as i128))?;
        Some(Table { list, rows, columns })
    })
}
