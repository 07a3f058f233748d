//! Where the addresses of each stream end, for laying volumes side by side.

use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

/// First sector behind everything requested, by stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamEnds {
    end_sectors: Vec<u64>,
}

impl StreamEnds {
    /// Looks at a request; flushes have no address.
    #[inline]
    pub fn add(&mut self, request: &Request) {
        let stream = usize::from(request.stream);
        if stream >= self.end_sectors.len() {
            self.end_sectors.resize(stream + 1, 0);
        }
        if request.op != HostOp::Flush {
            let end = &mut self.end_sectors[stream];
            *end = (*end).max(request.end_sector());
        }
    }

    pub fn end_sectors(&self) -> &[u64] {
        &self.end_sectors
    }

    /// First sectors by stream when each stream begins behind the one before,
    /// at a multiple of `unit_sectors`; and the end of the last. `None` when
    /// that is past the last byte a 64-bit address can name.
    pub fn side_by_side(&self, unit_sectors: u64) -> Option<(Vec<u64>, u64)> {
        let mut bases = Vec::with_capacity(self.end_sectors.len());
        let mut base = 0u64;
        for end in &self.end_sectors {
            bases.push(base);
            base = base.checked_add(end.checked_next_multiple_of(unit_sectors)?)?;
        }
        (base <= u64::MAX / SECTOR_BYTES).then_some((bases, base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_lie_behind_each_other() {
        let mut ends = StreamEnds::default();
        let request =
            |stream, sector, sectors, op| Request { at_ns: 0, sector, sectors, stream, hint: 0, op };
        ends.add(&request(0, 0, 9, HostOp::Write));
        ends.add(&request(2, 100, 4, HostOp::Trim));
        ends.add(&request(0, 3, 1, HostOp::Read));
        ends.add(&request(1, 0, 0, HostOp::Flush));
        assert_eq!(ends.end_sectors(), [9, 0, 104]);
        assert_eq!(ends.side_by_side(8), Some((vec![0, 16, 16], 120)));
        ends.add(&request(3, u64::MAX / SECTOR_BYTES - 1, 1, HostOp::Read));
        assert_eq!(ends.side_by_side(8), None);
    }
}
