//! What the device holds before time 0 because the trace touches it.

use super::SimError;
use crate::config::RunConfig;
use slcache_core::device::config::Prefill;
use slcache_core::device::Simulation;
use slcache_traces::PageSet;

/// Data from before time 0, as ascending ranges `[first, end)`.
pub enum Preload {
    /// Of logical pages.
    Pages(Vec<(u32, u32)>),
    /// Of mapping units.
    Units(Vec<(u32, u32)>),
}

impl Preload {
    /// Places the data on a device that has not begun.
    pub fn place(&self, simulation: &mut Simulation) -> Result<(), SimError> {
        match self {
            Self::Pages(ranges) => simulation.preload(ranges)?,
            Self::Units(ranges) => simulation.preload_units(ranges)?,
        }
        Ok(())
    }
}

/// What a first pass over the trace notes: the logical pages that it touches, or the mapping units if
/// the prefill is to know them.
pub struct Touched {
    set: PageSet,
    /// Mapping units of a logical page where the set is one of units.
    units_per_page: Option<u64>,
}

impl Touched {
    /// What `set` says, noted in parts of `grain_bytes(config)`.
    pub fn new(set: PageSet, config: &RunConfig) -> Self {
        let device = &config.device;
        let by_unit = config.trace.prefill == Prefill::TouchedUnits;
        Self { set, units_per_page: by_unit.then(|| u64::from(device.piece_bytes() / device.mu_bytes)) }
    }

    /// The size of the parts in which a run of `config` has to note what its trace touches.
    pub fn grain_bytes(config: &RunConfig) -> u32 {
        match config.trace.prefill {
            Prefill::TouchedUnits => config.device.mu_bytes,
            Prefill::Touched | Prefill::OnRead | Prefill::None => config.device.piece_bytes(),
        }
    }

    /// What lies on the device where it is touched.
    pub fn in_place(&self) -> Preload {
        let ranges = self.set.runs().into_iter().map(narrow).collect();
        match self.units_per_page {
            None => Preload::Pages(ranges),
            Some(_) => Preload::Units(ranges),
        }
    }

    /// The touched logical pages, and what lies on the device where they are numbered densely.
    pub fn compacted(self) -> (PageSet, Preload) {
        let Some(n) = self.units_per_page else {
            let all = (0, self.set.len());
            return (self.set, Preload::Pages(vec![narrow(all)]));
        };
        let mut pages = PageSet::default();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (first, end) in self.set.runs() {
            let page = first / n;
            pages.insert(page, end.div_ceil(n));
            // The run's pages are the last ones so far, the first of them perhaps with an earlier run.
            let number = pages.len() - (end.div_ceil(n) - page);
            let first_dense = number * n + first % n;
            ranges.push(narrow((first_dense, first_dense + (end - first))));
        }
        (pages, Preload::Units(ranges))
    }
}

/// A range that lies below the capacity, which the address policy sees to, and so in 32 bits.
fn narrow((first, end): (u64, u64)) -> (u32, u32) {
    (first as u32, end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_keep_their_places_in_pages_numbered_densely() {
        let mut set = PageSet::default();
        // Pages of four units: 5 with a hole, 7 and 8 with a run across and a hole, one far away.
        for (first, end) in [(20, 21), (22, 24), (30, 33), (34, 35), ((1 << 40) + 1, (1 << 40) + 2)] {
            set.insert(first, end);
        }
        let (pages, preload) = Touched { set, units_per_page: Some(4) }.compacted();
        assert_eq!(pages.runs(), [(5, 6), (7, 9), (1 << 38, (1 << 38) + 1)]);
        let Preload::Units(ranges) = preload else { panic!("pages instead of units") };
        assert_eq!(ranges, [(0, 1), (2, 4), (6, 9), (10, 11), (13, 14)]);
    }
}
