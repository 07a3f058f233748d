//! What reports of caches begin with: what was reclaimed, and what mapping tables take in a real controller.

use crate::ftl::io::Io;
use crate::ftl::region::Region;
use crate::ftl::store::Store;
use crate::metrics::report::{SchemeReport, TableReport};

/// The page mapping table at its largest.
pub fn page_table(io: &Io) -> TableReport {
    let entries = io.mapped_peak().div_ceil(u64::from(io.policy().mus_per_page));
    TableReport { name: "page mapping table".into(), entries, bytes: entries * 4 }
}

/// The unit mapping table at its largest, at four bytes an entry.
pub fn unit_table(io: &Io) -> TableReport {
    let entries = io.mapped_peak();
    TableReport { name: "unit mapping table".into(), entries, bytes: entries * 4 }
}

fn bits_for(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// Bits of an entry of the sector mapping table as the two-level hierarchy's paper counts them:
/// logical page, flash page within half of an SLC cache of `slc_pages` pages, a flag per slot and
/// the first slot.
pub fn smt_entry_bits(slc_pages: u64, slots: u32, io: &Io) -> u32 {
    let lpns = u64::from(io.mus() / io.policy().mus_per_page);
    entry_bits(lpns, slc_pages, slots)
}

fn entry_bits(lpns: u64, slc_pages: u64, slots: u32) -> u32 {
    bits_for(lpns) + bits_for(slc_pages / 2) + slots + bits_for(u64::from(slots))
}

pub fn table_bytes(entries: u64, bits: u32) -> u64 {
    (entries * u64::from(bits)).div_ceil(8)
}

/// What left the cache since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reclaimed {
    blocks: u64,
    pages: u64,
}

impl Reclaimed {
    /// Counts a block from which `pages` pages were moved to the store.
    #[inline]
    pub fn count(&mut self, pages: u64, io: &Io) {
        if !io.clockless() {
            self.blocks += 1;
            self.pages += pages;
        }
    }

    /// The report of the scheme `name`, a cache in `slc` before `store`, with its page mapping table.
    pub fn report(&self, name: &str, slc: &Region, store: &Store, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: name.into(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_free_blocks_min", f64::from(slc.free_blocks_min()));
        figure("dense_free_blocks_min", f64::from(store.region.free_blocks_min()));
        figure("slc_blocks_reclaimed", self.blocks as f64);
        figure("slc_pages_migrated", self.pages as f64);
        report.tables.push(page_table(io));
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_table_takes_1_375_mib() {
        // 44 GiB of 16 KiB pages, 2^17 SLC pages, 4 KiB sectors: 22 + 16 + 4 + 2 bits.
        let bits = entry_bits((44 << 30) / 16384, 1 << 17, 4);
        assert_eq!(bits, 44);
        assert_eq!(table_bytes(262_144, bits), 1_441_792);
        // The preset offers 38 GiB to the host, which needs as many bits.
        assert_eq!(entry_bits((38 << 30) / 16384, 1 << 17, 4), 44);
    }
}
