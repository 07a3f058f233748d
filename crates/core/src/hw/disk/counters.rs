//! Disk operations counted by kind and cause, with what their time consisted of.

use super::mechanics::{Order, Service, SECTOR_BYTES};
use crate::base::op::{Cause, CAUSES};

/// Totals of one (kind, cause).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskOpCount {
    /// Operations.
    pub count: u64,
    /// Bytes read or written.
    pub bytes: u64,
    /// The parts of their service times, summed.
    pub time: Service,
}

/// A table of counters: reads, then writes.
#[derive(Clone, Debug, Default)]
pub struct DiskOpCounters([[DiskOpCount; CAUSES]; 2]);

impl DiskOpCounters {
    pub fn add(&mut self, order: &Order, service: &Service) {
        let own = &mut self.0[usize::from(order.write)][order.cause as usize];
        own.count += 1;
        own.bytes += u64::from(order.sectors) * SECTOR_BYTES;
        own.time.overhead_ns += service.overhead_ns;
        own.time.seek_ns += service.seek_ns;
        own.time.rotation_ns += service.rotation_ns;
        own.time.transfer_ns += service.transfer_ns;
    }

    pub fn get(&self, write: bool, cause: Cause) -> &DiskOpCount {
        &self.0[usize::from(write)][cause as usize]
    }

    /// Every combination that occurred: whether it writes, cause, totals.
    pub fn iter(&self) -> impl Iterator<Item = (bool, Cause, &DiskOpCount)> {
        let rows = [false, true].into_iter().zip(&self.0);
        let cells = rows.flat_map(|(write, row)| {
            Cause::ALL.into_iter().zip(row).map(move |(cause, count)| (write, cause, count))
        });
        cells.filter(|(.., count)| count.count > 0)
    }
}
