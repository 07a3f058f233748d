//! Parts of the address space that are touched bit by bit, and when.

use super::super::random::Permutation;

/// Pages in their order of first touch. Runs of `extent` pages lie together;
/// the runs are scattered over the lane's part of the address space. So what
/// has been touched is always the pages below `touched`: constant memory.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    first_page: u64,
    pages: u64,
    extent: u64,
    /// Extents but the last, which also holds the rest and stays at the end.
    scattered: u64,
    order: Permutation,
    touched: u64,
}

impl Lane {
    /// A lane of `pages` pages from `first_page` on, at least one.
    pub(super) fn new(first_page: u64, pages: u64, extent: u64, key: u64) -> Self {
        let scattered = (pages / extent).saturating_sub(1);
        let order = Permutation::new(scattered.max(1), key);
        Self { first_page, pages, extent, scattered, order, touched: 0 }
    }

    /// Pages touched so far.
    pub(super) fn touched(&self) -> u64 {
        self.touched
    }

    /// Pages never touched so far.
    pub(super) fn fresh(&self) -> u64 {
        self.pages - self.touched
    }

    /// Notes that pages up to `end` (exclusive) are touched.
    pub(super) fn touch(&mut self, end: u64) {
        self.touched = self.touched.max(end);
    }

    /// The page in the address space of the page at `place`.
    pub(super) fn address(&self, place: u64) -> u64 {
        let extent = place / self.extent;
        if extent < self.scattered {
            self.first_page + self.order.apply(extent) * self.extent + place % self.extent
        } else {
            self.first_page + place
        }
    }

    fn extent_start(&self, place: u64) -> u64 {
        (place / self.extent).min(self.scattered) * self.extent
    }

    /// End of the run of neighbouring pages around `place`.
    pub(super) fn extent_end(&self, place: u64) -> u64 {
        if place / self.extent < self.scattered {
            self.extent_start(place) + self.extent
        } else {
            self.pages
        }
    }

    /// Where a request of `pages` starts that touches the next fresh pages: it
    /// begins earlier where the run of neighbours ends too soon.
    pub(super) fn fresh_place(&self, pages: u64) -> u64 {
        self.touched.min(self.extent_end(self.touched) - pages)
    }

    /// The place nearest to `place` at which `pages` neighbours are all touched.
    pub(super) fn touched_place(&self, place: u64, pages: u64) -> Option<u64> {
        let end = self.extent_end(place).min(self.touched);
        if place + pages <= end {
            return Some(place);
        }
        let start = self.extent_start(place);
        if end >= start + pages {
            return Some(end - pages);
        }
        // The run in which touching goes on is too short yet: the one before it.
        (start > 0).then(|| start - pages)
    }

    /// The place nearest to `place` at which there are `pages` neighbours, touched or not.
    pub(super) fn any_place(&self, place: u64, pages: u64) -> u64 {
        place.min(self.extent_end(place) - pages)
    }
}

/// Fresh pages spread evenly over all pages touched but for the last few, in
/// which whatever is still missing is touched.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) all_fresh: u64,
    /// Pages touched by which all fresh ones shall be.
    by: u64,
    pub(super) touched: u64,
    pub(super) fresh: u64,
}

impl Schedule {
    pub(super) fn new(all_fresh: u64, all_touched: u64, most_pages: u64) -> Self {
        let rest = (16 * most_pages).min(all_touched / 20);
        // Where nearly every page is fresh there are no others to keep for the end.
        let by = (all_touched - rest).max(all_fresh).max(1);
        Self { all_fresh, by, touched: 0, fresh: 0 }
    }

    /// How many fresh pages are due once `pages` more are touched.
    pub(super) fn due(&self, pages: u64) -> f64 {
        let part = (self.touched + pages) as f64 / self.by as f64;
        self.all_fresh as f64 * part.min(1.0) - self.fresh as f64
    }

    /// Whether the next `pages` are to be fresh; `chance` is uniform in [0, 1).
    pub(super) fn wants(&self, pages: u64, chance: f64) -> bool {
        let least = if self.touched + pages >= self.by { 1.0 } else { chance * pages as f64 };
        self.fresh == 0 || self.due(pages) >= least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_a_bijection_and_runs_stay_together() {
        for (pages, extent) in [(1000, 64), (64, 64), (30, 64), (129, 64)] {
            let lane = Lane::new(500, pages, extent, 3);
            let mut seen: Vec<u64> = (0..pages).map(|place| lane.address(place)).collect();
            for place in 1..pages {
                if lane.extent_end(place) == lane.extent_end(place - 1) {
                    assert_eq!(seen[place as usize], seen[place as usize - 1] + 1);
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (500..500 + pages).collect::<Vec<_>>());
        }
    }

    #[test]
    fn places_stay_inside_what_is_touched() {
        let mut lane = Lane::new(0, 1000, 64, 3);
        while lane.fresh() > 0 {
            let pages = 1 + lane.touched() % 60;
            let place = lane.fresh_place(pages);
            assert!(place <= lane.touched() && place + pages > lane.touched());
            assert_eq!(lane.extent_end(place), lane.extent_end(place + pages - 1));
            lane.touch(place + pages);
            for wanted in [0, lane.touched() / 2, lane.touched() - 1] {
                if let Some(place) = lane.touched_place(wanted, pages) {
                    assert!(place + pages <= lane.touched());
                    assert_eq!(lane.extent_end(place), lane.extent_end(place + pages - 1));
                }
            }
        }
        assert_eq!(lane.touched(), 1000);
    }
}
