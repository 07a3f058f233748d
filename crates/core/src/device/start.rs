//! The state that decides a run's figures: of the device at time 0, and of its cache since then.

use super::Simulation;
use crate::ftl::any_region::Role;
use crate::ftl::scheme::Scheme;
use crate::hw::array::RegionId;
use crate::metrics::state::{agree, CacheUseReport, Point, StateReport};
use crate::schemes::AnyScheme;

/// The device at time 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Start {
    /// Mapping units that hold data.
    mapped: u64,
    /// Random overwrites, as a multiple of what was filled, if they are known.
    overwritten: Option<f64>,
    /// What the cache may take in SLC mode.
    cache_limit_bytes: u64,
}

impl Start {
    /// Random overwrites, as a multiple of what was filled, if they are known.
    pub(super) fn overwritten(&self) -> Option<f64> {
        self.overwritten
    }
}

/// The regions of a scheme's cache that have SLC pages.
pub(super) fn slc_regions(scheme: &AnyScheme) -> Vec<RegionId> {
    let mut regions = Vec::new();
    scheme.regions(&mut |role, region| {
        regions.extend(region.slc_region().filter(|_| role == Role::Cache));
    });
    regions
}

impl Simulation {
    /// The device is as it is at time 0, with so many random overwrites over what was filled.
    pub(super) fn begin(&mut self, overwritten: Option<f64>) {
        self.io.begin_cache_use();
        self.begun = Start {
            mapped: self.io.mapped(),
            overwritten,
            cache_limit_bytes: self.scheme.slc_cache_limit_bytes(&self.io),
        };
    }

    /// The device holds more data at time 0.
    pub(super) fn begin_with_more(&mut self) {
        self.begin(self.begun.overwritten);
    }

    /// A write is complete: notes what was programmed so far, if it is time.
    #[inline(always)]
    pub(super) fn note_halves(&mut self) {
        if self.halves.is_due(self.stats.write.bytes()) {
            let point = self.point();
            self.halves.note(point);
        }
    }

    pub(super) fn end_of_host(&mut self) {
        let point = self.point();
        self.halves.end(point);
        self.io.end_cache_use();
    }

    fn point(&self) -> Point {
        let stores = self.io.counters().iter().filter(|row| row.kind.stores());
        Point {
            host_bytes: self.stats.write.bytes(),
            programmed_bytes: stores.map(|row| row.totals.bytes).sum(),
            store_erases: self.io.cache_use().store_erases(),
        }
    }

    pub(super) fn state_report(&self) -> StateReport {
        let (store_cleaned, waf_by_half) = self.halves.report();
        StateReport {
            full_share: self.begun.mapped as f64 / f64::from(self.io.mus()),
            overwritten_share: self.begun.overwritten,
            steady: waf_by_half.map(|halves| store_cleaned && agree(halves)),
            store_cleaned,
            waf_by_half,
            cache: self.cache_use_report(),
        }
    }

    fn cache_use_report(&self) -> Option<CacheUseReport> {
        let regions = slc_regions(&self.scheme);
        if regions.is_empty() {
            return None;
        }
        let cache = self.io.cache_use();
        debug_assert_eq!(
            cache.bytes(),
            self.io.slc_bytes_of(&regions),
            "Invariant: what the cache takes is counted block by block"
        );
        let live: u64 = regions.iter().map(|&region| self.io.array().live_in(region)).sum();
        Some(CacheUseReport {
            limit_bytes: self.begun.cache_limit_bytes,
            peak_bytes: cache.peak_bytes(),
            mean_bytes: cache.mean_bytes(),
            full_ns: cache.full_ns(),
            left_bytes: live * u64::from(self.setup.device.mu_bytes),
        })
    }
}
