//! What mapping tables take in a real controller.

use crate::ftl::io::Io;
use crate::metrics::report::TableReport;

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
