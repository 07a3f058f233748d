//! The extents of all sizes, in their places.

use super::super::random::Random;
use super::extents::{stride, ExtentCount, Extents, EVEN_EXTENTS, WIDE_PAGES};
use super::sizes::{SizeClass, PAGE_SECTORS};
use std::ops::Range;

const SECTORS: u64 = PAGE_SECTORS as u64;

/// Extents of all sizes.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) sizes: Vec<Extents>,
    /// Pages of the two groups of neighbours of all sizes, the larger first.
    dense: [Range<u64>; 2],
    /// Different pages requested so far.
    pub(super) pages: u64,
}

impl Area {
    /// `counts` extents of each of `classes` from `page` on, which moves behind them.
    pub(super) fn new(
        classes: &[(SizeClass, u64)],
        counts: &[ExtentCount],
        skews: impl Fn(SizeClass) -> (f64, f64),
        page: &mut u64,
        random: &mut Random,
    ) -> Self {
        // What is not a multiple of 16 KiB goes to the end of its group: there it moves no other.
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&at| counts[at].dense % EVEN_EXTENTS != 0);
        let mut starts = vec![[0; 3]; classes.len()];
        let mut dense = [0..0, 0..0, 0..0];
        for group in 0..3 {
            // Neighbours start off the 16 KiB pages, the two groups in two ways, as data of
            // real volumes do: what is a multiple of 16 KiB hardly ever fills pages exactly.
            let first = page.next_multiple_of(WIDE_PAGES) + [2, 1, 0][group];
            *page = first;
            for &at in &order {
                starts[at][group] = *page;
                *page += counts[at].groups()[group] * stride(classes[at].0.pages(), group);
            }
            dense[group] = first..*page;
        }
        let [first, second, _] = dense;
        let size =
            |at: usize| Extents::new(classes[at], counts[at], starts[at], skews(classes[at].0), random);
        Self { sizes: (0..classes.len()).map(size).collect(), dense: [first, second], pages: 0 }
    }

    pub(super) fn exists(&self) -> bool {
        self.sizes.iter().any(|size| size.all() > 0)
    }

    /// Whether `pages` pages from `page` on are neighbours.
    pub(super) fn side_by_side(&self, page: u64, pages: u64) -> bool {
        self.dense.iter().any(|dense| dense.contains(&page) && page + pages <= dense.end)
    }

    /// A place for a request that repeats no extent of its own size: inside a
    /// larger extent, or across neighbours.
    pub(super) fn inside(&mut self, class: SizeClass, random: &mut Random) -> u64 {
        let pages = class.pages();
        let dense = self.dense[0].clone();
        let side_by_side = dense.end - dense.start >= pages;
        let host = self.host(pages, random).or_else(|| self.host(1, random).filter(|_| side_by_side));
        let start = host.and_then(|host| {
            let extent = self.sizes[host].popular(true, random)?;
            let page = self.sizes[host].sector(extent) / SECTORS;
            Some(match self.sizes[host].class.pages().checked_sub(pages) {
                Some(spare) => page + random.below(spare + 1),
                None => page.min(dense.end - pages).max(dense.start),
            })
        });
        let start = start.unwrap_or_else(|| self.first(pages));
        start * SECTORS + if class.shifted { 1 + random.below(SECTORS - 1) } else { 0 }
    }

    /// A size of at least `pages` pages, by how much of it was requested before.
    fn host(&self, pages: u64, random: &mut Random) -> Option<usize> {
        let weight = |size: &Extents| match size.class.pages() {
            own if own >= pages => own * size.met(),
            _ => 0,
        };
        random.weighted(self.sizes.iter().map(weight)).map(|(size, _)| size)
    }

    /// Where `pages` pages will be requested first, while nothing has been.
    fn first(&self, pages: u64) -> u64 {
        let fits = |size: &&Extents| size.class.pages() >= pages && size.fresh(None).is_some();
        match self.sizes.iter().find(fits) {
            Some(size) => {
                size.fresh(None).map_or(self.dense[0].start, |extent| size.sector(extent) / SECTORS)
            }
            None => self.dense[0].start,
        }
    }
}
