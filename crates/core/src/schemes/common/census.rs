//! How much of the data lies in mixed pages, and the most that ever did: what a controller's table
//! for them would need.

use crate::base::{Mu, Ppn, Slot};
use crate::ftl::io::Io;
use crate::ftl::media::SLOTS_MAX;
use crate::ftl::mixed::MixedPages;
use crate::hw::array::RegionId;
use serde::{Deserialize, Serialize};

/// A part of the data in mixed pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cached {
    /// Pairs of a logical page and a mixed page that holds a part of it.
    pub fragments: u64,
    /// Mapping units.
    pub units: u64,
}

/// Running totals and peaks.
#[derive(Clone, Serialize, Deserialize)]
pub struct Census<M = RegionId> {
    /// Which pages are mixed.
    pub mixed: M,
    now: Cached,
    peak: Cached,
}

impl<M: MixedPages> Census<M> {
    /// Nothing lies in the pages that are `mixed`.
    pub fn new(mixed: M) -> Self {
        Self { mixed, now: Cached::default(), peak: Cached::default() }
    }

    /// The most fragments and the most units there ever were.
    pub fn peak(&self) -> Cached {
        self.peak
    }

    /// What lies in mixed pages of some logical pages.
    #[inline]
    pub fn of(&self, pages: &[u32], io: &Io) -> Cached {
        let mut sum = Cached::default();
        pages.iter().for_each(|&page| self.add_page(page, &mut sum, io));
        sum
    }

    /// Adds what a logical page has in mixed pages.
    #[inline]
    fn add_page(&self, page: u32, sum: &mut Cached, io: &Io) {
        let n = io.policy().mus_per_page;
        let page_of = |slot: Slot| io.geometry().page_of(slot);
        let mut slots = io.media().lookup_all(Mu(page * n), n);
        let first = slots.next().flatten().map(page_of);
        // Mostly all of them lie in one page, or nowhere.
        if !slots.all(|slot| slot.map(page_of) == first) {
            return self.add_scattered(page, sum, io);
        }
        if first.is_some_and(|at| self.mixed.has(at, io)) {
            sum.units += u64::from(n);
            sum.fragments += 1;
        }
    }

    /// Adds what a logical page has whose units lie in several pages, or of which some lie nowhere.
    #[inline(never)]
    fn add_scattered(&self, page: u32, sum: &mut Cached, io: &Io) {
        let n = io.policy().mus_per_page;
        let mut seen = [Ppn(0); SLOTS_MAX];
        let mut count = 0;
        // Units mostly lie beside those before them.
        let (mut last, mut is_mixed) = (None, false);
        for slot in io.media().lookup_all(Mu(page * n), n).flatten() {
            let at = io.geometry().page_of(slot);
            let is_beside = last.replace(at) == Some(at);
            if !is_beside {
                is_mixed = self.mixed.has(at, io);
            }
            if !is_mixed {
                continue;
            }
            sum.units += 1;
            if !is_beside && !seen[..count].contains(&at) {
                seen[count] = at;
                count += 1;
            }
        }
        sum.fragments += count as u64;
    }

    /// Books a change of logical pages of which `before` was there.
    #[inline]
    pub fn change(&mut self, before: Cached, pages: &[u32], io: &Io) {
        let after = self.of(pages, io);
        if after == before {
            return;
        }
        self.now.fragments = self.now.fragments + after.fragments - before.fragments;
        self.now.units = self.now.units + after.units - before.units;
        self.peak.fragments = self.peak.fragments.max(self.now.fragments);
        self.peak.units = self.peak.units.max(self.now.units);
    }

    /// Whether the totals are what the map says.
    pub fn audit(&self, io: &Io) -> Result<(), String> {
        let mut sum = Cached::default();
        let pages = io.mus() / io.policy().mus_per_page;
        (0..pages).for_each(|page| self.add_page(page, &mut sum, io));
        match sum == self.now {
            true => Ok(()),
            false => Err(format!("{:?} counted in mixed pages, there are {sum:?}", self.now)),
        }
    }

    /// Books what was moved to the store.
    pub fn left(&mut self, gone: Cached) {
        self.now.fragments -= gone.fragments;
        self.now.units -= gone.units;
    }

    /// Forgets mapping units `first..end` in map, buffer and totals.
    pub fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        let n = io.policy().mus_per_page;
        if first >= end {
            return;
        }
        // Only the pages at both ends can lose a part and keep another.
        let pages = first / n..=(end - 1) / n;
        let of = |census: &Self, io: &Io| {
            let mut sum = Cached::default();
            pages.clone().for_each(|page| census.add_page(page, &mut sum, io));
            sum
        };
        let before = of(self, io);
        io.trim(first, end);
        let after = of(self, io);
        self.left(Cached {
            fragments: before.fragments - after.fragments,
            units: before.units - after.units,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::RngStream;
    use crate::base::{CellMode, PlaneId};
    use crate::ftl::config::{CleanConfig, Placement};
    use crate::ftl::io::{Driver, IoPolicy};
    use crate::ftl::page_level::part_of_page;
    use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
    use crate::ftl::unit_level;
    use crate::hw::array::FlashArray;
    use crate::hw::config::PoolConfig;
    use crate::hw::geometry::Geometry;
    use crate::hw::timing::Timing;
    use serde_json::json;
    use std::collections::BTreeSet;

    /// Units of a logical page, and slots of a flash page.
    const N: u32 = 4;
    const PAGES: u32 = 64;

    fn io() -> Driver {
        let chips = json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 1, "blocks": 12,
            "wordlines": 64, "page_bytes": 16384, "bus": {"ps_per_byte": 0},
            "slc": {"read_ns": [1], "program_ns": [1], "erase_ns": 1},
        });
        let pool: PoolConfig = serde_json::from_value(chips).unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let timing = Timing::new(&geometry, 0);
        let policy = IoPolicy {
            rmw_whole_page: true,
            reads_whole_pages: false,
            parts_in_turn: false,
            inflight_from_buffer: true,
            plp: true,
            stage_timeout_ns: 1,
            mus_per_page: N,
        };
        Driver::new(FlashArray::new(geometry), N * PAGES, timing, 1, policy)
    }

    /// What a logical page has in mixed pages, by its units.
    fn counted(census: &Census, page: u32, io: &Io) -> Cached {
        let slots = (0..N).filter_map(|unit| io.lookup(Mu(page * N + unit)));
        let mixed = slots.map(|slot| io.geometry().page_of(slot)).filter(|&at| census.mixed.has(at, io));
        let pages: Vec<Ppn> = mixed.collect();
        let fragments = pages.iter().collect::<BTreeSet<_>>().len();
        Cached { fragments: fragments as u64, units: pages.len() as u64 }
    }

    fn region(first_block: u32, io: &mut Io) -> Region {
        let spec = RegionSpec {
            pack: Pack::Mu,
            bank: None,
            pool: 0,
            mode: CellMode::Slc,
            first_block,
            blocks: 6,
            order: "CWDP".into(),
            placement: Placement::RoundRobin,
            clean: CleanConfig::default(),
        };
        Region::new(spec, io)
    }

    /// Writes whole logical pages and parts of them to pages of two regions in turn.
    #[test]
    fn a_page_counts_at_once_what_its_units_count() {
        let mut io = io();
        let mut regions = [region(0, &mut io), region(6, &mut io)];
        let census = Census::new(regions[0].id());
        let (mut rng, mut at_once) = (RngStream::new(1, "census"), 0);
        let mut write = |page: u32, mask: u32, into: usize, io: &mut Io| {
            let piece = part_of_page(page, mask, 4096);
            let to = regions[into].take_page(io, PlaneId(0), Writer::Host, 0)?;
            unit_level::write(&piece, &mut regions[into], Writer::Host, to, io);
            Some(())
        };
        loop {
            let mask = [0b1111, 0b1111, 0b0011, 0b1010, 0b0100][rng.below(5) as usize];
            let (page, into) = (rng.below(PAGES), rng.below(2) as usize);
            if write(page, mask, into, &mut io).is_none() {
                break;
            }
            for page in 0..PAGES {
                let (mut quick, mut slow) = (Cached::default(), Cached::default());
                census.add_page(page, &mut quick, &io);
                census.add_scattered(page, &mut slow, &io);
                let plain = counted(&census, page, &io);
                assert_eq!((quick, slow), (plain, plain));
                at_once += u32::from(plain == Cached { fragments: 1, units: u64::from(N) });
            }
        }
        assert!(at_once > 1_000, "{at_once}");
    }
}
