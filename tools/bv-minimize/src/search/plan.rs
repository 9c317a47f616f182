//! Ways to go through many candidates with few questions.
//!
//! In: how many things there are. Out: what to try next, given the answers so far. A plan knows nothing of
//! candidates; it is a small state that can be copied, so that the session may follow it along answers that
//! are only assumed.

use std::rc::Rc;

/// Says what it would try next and is told what came of it.
pub(crate) trait Plan: Clone {
    /// What the plan would try.
    type Edit;
    /// What to try next; nothing when it is done.
    fn next(&self) -> Option<Self::Edit>;
    /// What the answer to the last [`next`](Plan::next) was.
    fn told(&mut self, same: bool);
}

/// Tries one after the other up to the first that is accepted.
#[derive(Clone)]
pub(crate) struct First<E> {
    all: Rc<[E]>,
    at: usize,
    /// Which one was accepted.
    pub found: Option<usize>,
}

impl<E> First<E> {
    /// In this order.
    pub fn of(all: Vec<E>) -> Self {
        Self { all: all.into(), at: 0, found: None }
    }
}

impl<E: Clone> Plan for First<E> {
    type Edit = E;
    fn next(&self) -> Option<E> {
        if self.found.is_some() { None } else { self.all.get(self.at).cloned() }
    }
    fn told(&mut self, same: bool) {
        if same {
            self.found = Some(self.at);
        }
        self.at += 1;
    }
}

/// Takes each of `n` changes that is accepted on top of those before.
#[derive(Clone)]
pub(crate) struct Each {
    n: usize,
    at: usize,
    /// The changes taken.
    pub taken: Vec<usize>,
}

impl Each {
    /// Over the changes `0..n`.
    pub fn of(n: usize) -> Self {
        Self { n, at: 0, taken: Vec::new() }
    }
}

impl Plan for Each {
    type Edit = Vec<usize>;
    fn next(&self) -> Option<Vec<usize>> {
        (self.at < self.n).then(|| self.taken.iter().copied().chain([self.at]).collect())
    }
    fn told(&mut self, same: bool) {
        if same {
            self.taken.push(self.at);
        }
        self.at += 1;
    }
}

/// The smallest magnitude above `low` that is accepted, where acceptance rises but once.
#[derive(Clone)]
pub(crate) struct Bisect {
    low: u128,
    /// The smallest accepted so far.
    pub high: u128,
}

impl Bisect {
    /// Between `low`, which is refused, and `high`, which is accepted.
    pub fn between(low: u128, high: u128) -> Self {
        Self { low, high }
    }
}

impl Plan for Bisect {
    type Edit = u128;
    fn next(&self) -> Option<u128> {
        if self.high.saturating_sub(self.low) <= 1 {
            return None;
        }
        // Far apart, the number of digits is searched first: what suffices is mostly small.
        let low = self.low.max(1);
        let wide = self.high / low > 64;
        let middle =
            if wide { low.saturating_mul(self.high).isqrt() } else { self.low + (self.high - self.low) / 2 };
        Some(middle.clamp(self.low + 1, self.high - 1))
    }
    fn told(&mut self, same: bool) {
        if let Some(middle) = self.next() {
            *(if same { &mut self.high } else { &mut self.low }) = middle;
        }
    }
}

/// Which of the items `0..n` stay.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    prefix: usize,
    suffix: Rc<Vec<usize>>,
}

impl Kept {
    /// The items that stay, in order.
    pub fn items(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.prefix).chain(self.suffix.iter().rev().copied())
    }

    /// For each of `n` items whether it stays.
    pub fn flags(&self, n: usize) -> Vec<bool> {
        let mut flags = vec![false; n];
        for item in self.items() {
            flags[item] = true;
        }
        flags
    }
}

/// Drops as many of `n` items as can be, from the end: the longest run before the last item kept is found
/// by bisection, one item stays, and on. That takes about k·log2(n/k) questions for k items that must
/// stay, with no complements and nothing asked twice. Next to two items that stayed in a row
/// the search begins with short runs, since needed items lie together.
#[derive(Clone)]
pub(crate) struct Drop {
    undecided: usize,
    kept: Rc<Vec<usize>>,
    search: Search,
    /// Items that stayed, since something was dropped.
    stayed: usize,
    patience: usize,
    dropped: usize,
}

/// How many of the undecided items' last ones go: `low` is accepted, `high` refused.
#[derive(Clone, Copy)]
enum Search {
    All,
    Between { low: usize, high: usize },
    Doubling { low: usize },
}

impl Drop {
    /// Over `n` items; gives up once `patience` items in a row stayed and none was dropped ever.
    pub fn of(n: usize, patience: usize) -> Self {
        Self { undecided: n, kept: Rc::default(), search: Search::All, stayed: 0, patience, dropped: 0 }
    }

    fn run(&self) -> usize {
        match self.search {
            Search::All => self.undecided,
            Search::Between { low, high } => low + (high - low) / 2,
            Search::Doubling { low: 0 } => 1,
            Search::Doubling { low } => (2 * low).min(self.undecided),
        }
    }

    /// `gone` of the undecided items' last ones go, the next stays.
    fn settle(&mut self, gone: usize) {
        self.undecided -= gone;
        self.dropped += gone;
        self.stayed = if gone == 0 { self.stayed + 1 } else { 0 };
        if self.undecided > 0 {
            self.undecided -= 1;
            Rc::make_mut(&mut self.kept).push(self.undecided);
        }
        self.search = if self.stayed >= 2 { Search::Doubling { low: 0 } } else { Search::All };
    }
}

impl Plan for Drop {
    type Edit = Kept;

    fn next(&self) -> Option<Kept> {
        let tired = self.dropped == 0 && self.stayed >= self.patience;
        if self.undecided == 0 || tired {
            return None;
        }
        Some(Kept { prefix: self.undecided - self.run(), suffix: Rc::clone(&self.kept) })
    }

    fn told(&mut self, same: bool) {
        let (run, all) = (self.run(), self.undecided);
        self.search = match (self.search, same) {
            (_, true) if run == all => {
                self.dropped += run;
                self.undecided = 0;
                return;
            }
            (Search::All, _) => Search::Between { low: 0, high: all },
            (Search::Between { high, .. }, true) => Search::Between { low: run, high },
            (Search::Between { low, .. }, false) => Search::Between { low, high: run },
            (Search::Doubling { .. }, true) => Search::Doubling { low: run },
            (Search::Doubling { low }, false) => Search::Between { low, high: run },
        };
        if let Search::Between { low, high } = self.search
            && high - low <= 1
        {
            self.settle(low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which items stay and after how many questions, when exactly `needed` must stay.
    fn check(n: usize, needed: &[usize], expected_calls: usize) {
        let mut plan = Drop::of(n, usize::MAX);
        let (mut calls, mut best) = (0, (0..n).collect::<Vec<_>>());
        while let Some(kept) = plan.next() {
            let items: Vec<usize> = kept.items().collect();
            let same = needed.iter().all(|item| items.contains(item));
            calls += 1;
            plan.told(same);
            if same {
                best = items;
            }
        }
        assert_eq!(best, needed, "of {n}");
        assert_eq!(calls, expected_calls, "of {n} for {needed:?}");
    }

    #[test]
    fn exactly_the_needed_items_stay() {
        check(0, &[], 0);
        check(1, &[], 1);
        check(1, &[0], 1);
        check(5, &[], 1);
        check(8, &[0, 1, 2, 3, 4, 5, 6, 7], 13);
        check(1000, &[123], 12);
        check(13_400, &[3711, 9042], 31);
        check(137, &[0, 71, 136], 24);
    }

    #[test]
    fn a_magnitude_is_found_by_bisection() {
        for (high, least) in [(1000, 739), (2, 1), (u128::MAX, 1 << 53), (7, 7)] {
            let mut plan = Bisect::between(0, high);
            while let Some(middle) = plan.next() {
                plan.told(middle >= least);
            }
            assert_eq!(plan.high, least);
        }
    }
}
