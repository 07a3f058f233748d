//! When what is to be touched is touched for the first time.

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
