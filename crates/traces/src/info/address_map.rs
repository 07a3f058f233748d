//! Where in the address space requests go, over time.

use super::timeline::Axis;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

/// Cells along time and along addresses, at most.
const TIMES_MAX: usize = 256;
const ADDRESSES_MAX: usize = 128;
/// First cells are about a microsecond by 4 KiB.
const TIME_SHIFT: u32 = 10;
const SECTOR_SHIFT: u32 = 3;

/// Reads and writes by time and by first address, in at most 256 by 128 cells.
/// Only cells with requests are listed: `time`, `address`, `reads` and `writes`
/// have one entry for each. Addresses of all streams lie over each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct AddressMap {
    /// Time a cell covers in nanoseconds.
    pub cell_ns: u64,
    /// Addresses a cell covers in bytes.
    pub cell_bytes: u64,
    /// Start of the first cell in nanoseconds.
    pub start_ns: u64,
    /// Lowest address of the lowest cell in bytes.
    pub start_bytes: u64,
    /// Cells along time.
    pub times: u64,
    /// Cells along addresses.
    pub addresses: u64,
    /// Number of a cell along time, from 0.
    pub time: Vec<u64>,
    /// Number of a cell along addresses, from 0.
    pub address: Vec<u64>,
    /// Reads that start in the cell.
    pub reads: Vec<u64>,
    /// Writes that start in the cell.
    pub writes: Vec<u64>,
}

/// Reads and writes of a cell.
type Cell = [u64; 2];

/// Counts requests by time and address.
pub(super) struct AddressMapCounter {
    times: Axis,
    addresses: Axis,
    /// Cells of equal time, by address.
    rows: Vec<[Cell; ADDRESSES_MAX]>,
}

impl Default for AddressMapCounter {
    fn default() -> Self {
        Self {
            times: Axis::new(TIMES_MAX, TIME_SHIFT),
            addresses: Axis::new(ADDRESSES_MAX, SECTOR_SHIFT),
            rows: vec![[[0; 2]; ADDRESSES_MAX]; TIMES_MAX],
        }
    }
}

fn join(cell: &mut Cell, part: &Cell) {
    *cell = [cell[0] + part[0], cell[1] + part[1]];
}

impl AddressMapCounter {
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        let doublings = (self.times.doublings(request.at_ns), self.addresses.doublings(request.sector));
        if doublings != (0, 0) {
            self.double(doublings);
        }
        let row = &mut self.rows[self.times.place(request.at_ns)];
        row[self.addresses.place(request.sector)][usize::from(request.op == HostOp::Write)] += 1;
    }

    #[cold]
    fn double(&mut self, (times, addresses): (u32, u32)) {
        for _ in 0..times {
            self.times.double(&mut self.rows, [[0; 2]; ADDRESSES_MAX], |row, part| {
                row.iter_mut().zip(part).for_each(|(cell, part)| join(cell, part));
            });
        }
        for _ in 0..addresses {
            let old = self.addresses;
            for row in &mut self.rows {
                self.addresses = old;
                self.addresses.double(row, [0; 2], join);
            }
        }
    }

    /// The map, cell by cell in order of time, then address.
    pub(super) fn finish(&self) -> AddressMap {
        let (times, addresses) = (self.times.range(), self.addresses.range());
        let mut map = AddressMap {
            cell_ns: self.times.width(),
            cell_bytes: self.addresses.width() * SECTOR_BYTES,
            start_ns: self.times.start(),
            start_bytes: self.addresses.start() * SECTOR_BYTES,
            times: times.end - times.start,
            addresses: addresses.end - addresses.start,
            ..AddressMap::default()
        };
        for t in times.clone() {
            for a in addresses.clone() {
                let [reads, writes] = self.rows[self.times.ring(t)][self.addresses.ring(a)];
                if reads + writes > 0 {
                    map.time.push(t - times.start);
                    map.address.push(a - addresses.start);
                    map.reads.push(reads);
                    map.writes.push(writes);
                }
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_is_in_the_cell_of_its_time_and_address() {
        let mut counter = AddressMapCounter::default();
        let requests: Vec<Request> = (0..5_000_u64)
            .map(|i| Request {
                hint: 0,
                at_ns: i * i * 1000,
                sector: (i * 7_919 % 5_000) * 640 + (1 << 40),
                sectors: 8,
                stream: 0,
                op: if i % 3 == 0 { HostOp::Read } else { HostOp::Write },
            })
            .collect();
        requests.iter().for_each(|request| counter.add(request));
        let map = counter.finish();
        assert!(map.times <= 256 && map.addresses <= 128 && map.times > 128 && map.addresses > 64);
        let mut expected = std::collections::BTreeMap::new();
        for request in &requests {
            let t = (request.at_ns - map.start_ns) / map.cell_ns;
            let a = (request.sector * SECTOR_BYTES - map.start_bytes) / map.cell_bytes;
            let entry: &mut [u64; 2] = expected.entry((t, a)).or_default();
            entry[usize::from(request.op == HostOp::Write)] += 1;
        }
        let found =
            (0..map.time.len()).map(|i| ((map.time[i], map.address[i]), [map.reads[i], map.writes[i]]));
        assert!(expected.into_iter().eq(found));
    }
}
