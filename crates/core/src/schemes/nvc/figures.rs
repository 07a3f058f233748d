//! What the schemes count of themselves, and how they report it.

use super::rules::Verdict;
use crate::base::op::Cause;
use crate::ftl::io::Io;
use crate::ftl::log_region::LogRegion;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which region of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogTier {
    /// The one in SLC mode.
    Slc,
    /// The one in a dense mode.
    Dense,
}

impl LogTier {
    fn name(self) -> &'static str {
        match self {
            Self::Slc => "slc",
            Self::Dense => "dense",
        }
    }
}

/// Where what is programmed comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The host, or the DRAM buffer.
    Host,
    /// A region of the cache.
    Cache(LogTier),
    Disk,
}

impl Origin {
    fn number(self) -> usize {
        match self {
            Self::Host => 0,
            Self::Cache(tier) => 1 + tier as usize,
            Self::Disk => 3,
        }
    }
}

/// What is counted of one region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TierCounts {
    /// Pages programmed, by `Origin`.
    pages: [u64; 4],
    /// Units that the host read here.
    hits: u64,
    /// Cleanings, by `Verdict`.
    cleanings: [u64; 3],
}

/// Running totals from time 0 on.
#[derive(Clone, Debug, Default)]
pub struct NvcFigures {
    tiers: [TierCounts; 2],
    /// Units that the host read out of the DRAM buffer.
    buffer_hits: u64,
    /// Units that the host read from the disk.
    misses: u64,
    /// Units written to the disk.
    to_disk: u64,
    /// Units that were read below and not copied, for want of memory.
    uncopied: u64,
}

impl NvcFigures {
    /// A page of `tier` was programmed with what came from `origin`.
    #[inline]
    pub fn programmed(&mut self, tier: LogTier, origin: Origin, io: &Io) {
        self.tiers[tier as usize].pages[origin.number()] += u64::from(!io.clockless());
    }

    /// The host read `units` in `tier`.
    #[inline]
    pub fn hit(&mut self, tier: LogTier, units: u32) {
        self.tiers[tier as usize].hits += u64::from(units);
    }

    /// The host read `units` out of the DRAM buffer.
    #[inline]
    pub fn buffer_hit(&mut self, units: u32) {
        self.buffer_hits += u64::from(units);
    }

    /// The host read `units` from the disk.
    #[inline]
    pub fn miss(&mut self, units: u32) {
        self.misses += u64::from(units);
    }

    /// The host read `units` that are not copied.
    #[inline]
    pub fn uncopied(&mut self, units: u32) {
        self.uncopied += u64::from(units);
    }

    /// `units` were written to the disk.
    #[inline]
    pub fn wrote_disk(&mut self, units: u64, io: &Io) {
        self.to_disk += if io.clockless() { 0 } else { units };
    }

    /// The cold region of `tier` is cleaned.
    pub fn cleaned(&mut self, tier: LogTier, verdict: Verdict, io: &Io) {
        self.tiers[tier as usize].cleanings[verdict as usize] += u64::from(!io.clockless());
    }

    /// The figures of a cache of `regions`.
    pub fn report(&self, regions: &[(LogTier, &LogRegion)], io: &Io) -> BTreeMap<String, f64> {
        let mut figures = self.report_disk(regions, io);
        let mut add = |name: String, value: f64| {
            figures.insert(name, value);
        };
        let mut from_host = 0;
        for &(tier, region) in regions {
            self.add_volumes(tier, region, regions, io, &mut add);
            self.add_cleanings(tier, regions.len() > 1, &mut add);
            add(format!("cycles_{}", tier.name()), cycles(region, io));
            from_host += self.tiers[tier as usize].pages[0] * page_bytes(region, io);
        }
        add("host_bytes".into(), from_host as f64);
        add("uncopied_units".into(), self.uncopied as f64);
        add("gc_time_share".into(), moved_time_share(io));
        figures
    }

    /// What was written to the disk, and where in front of it the units lay that the host read: no shares
    /// if it read nothing.
    pub fn report_disk(&self, regions: &[(LogTier, &LogRegion)], io: &Io) -> BTreeMap<String, f64> {
        let mut figures = BTreeMap::new();
        let written = self.to_disk * u64::from(io.geometry().mu_bytes);
        figures.insert("disk_written_bytes".into(), written as f64);
        let hits: u64 = self.tiers.iter().map(|tier| tier.hits).sum();
        let all = self.buffer_hits + hits + self.misses;
        let mut add = |name: &str, units: u64| {
            if all > 0 {
                figures.insert(name.into(), units as f64 / all as f64);
            }
        };
        add("dram_hit_rate", self.buffer_hits);
        for &(tier, _) in regions {
            add(&format!("{}_hit_rate", tier.name()), self.tiers[tier as usize].hits);
        }
        add("miss_rate", self.misses);
        figures
    }

    fn add_volumes(
        &self,
        tier: LogTier,
        region: &LogRegion,
        regions: &[(LogTier, &LogRegion)],
        io: &Io,
        add: &mut impl FnMut(String, f64),
    ) {
        let (name, page) = (tier.name(), page_bytes(region, io));
        let pages = self.tiers[tier as usize].pages;
        let bytes = |origin: Origin| (pages[origin.number()] * page) as f64;
        for &(from, _) in regions {
            add(format!("{name}_from_{}_bytes", from.name()), bytes(Origin::Cache(from)));
        }
        add(format!("{name}_from_disk_bytes"), bytes(Origin::Disk));
        if tier == LogTier::Dense {
            add(format!("{name}_from_host_bytes"), bytes(Origin::Host));
        }
        add(format!("{name}_bytes"), (pages.iter().sum::<u64>() * page) as f64);
    }

    fn add_cleanings(&self, tier: LogTier, of_two: bool, add: &mut impl FnMut(String, f64)) {
        let name = tier.name();
        let counts = self.tiers[tier as usize].cleanings;
        add(format!("{name}_cleanings"), counts.iter().sum::<u64>() as f64);
        add(format!("{name}_cleanings_stay"), counts[Verdict::Stay as usize] as f64);
        add(format!("{name}_cleanings_leave"), counts[Verdict::Leave as usize] as f64);
        if tier == LogTier::Slc && of_two {
            add(format!("{name}_cleanings_marked"), counts[Verdict::StayMarked as usize] as f64);
        }
    }
}

fn page_bytes(region: &LogRegion, io: &Io) -> u64 {
    u64::from(io.geometry().pools[region.region().spec.pool].page_bytes)
}

/// Mean erases of a block of a region.
fn cycles(region: &LogRegion, io: &Io) -> f64 {
    let (mode, region) = (region.region().spec.mode, region.region());
    let blocks = || region.planes().iter().flat_map(|&plane| region.blocks(plane, io));
    let erases: u64 = blocks().map(|block| u64::from(io.array().erases(block, mode))).sum();
    erases as f64 / blocks().count() as f64
}

/// Share of the service time of flash and disk that moves of what is cold take.
fn moved_time_share(io: &Io) -> f64 {
    let is_move = |cause: Cause| matches!(cause, Cause::Gc | Cause::Migration);
    let (mut moved, mut all) = (0, 0);
    let mut add = |cause, time_ns| {
        all += time_ns;
        moved += if is_move(cause) { time_ns } else { 0 };
    };
    io.counters().iter().for_each(|row| add(row.cause, row.totals.time_ns));
    if let Some(disk) = io.disk() {
        disk.counters().iter().for_each(|(_, cause, count)| add(cause, count.time.total_ns()));
    }
    if all == 0 {
        return 0.0;
    }
    moved as f64 / all as f64
}
