//! Requests as columns, and a digest over them.

use crate::error::LineFault;
use crate::request_source::TraceEntry;
use slcache_base::request::{HostOp, Request};

/// The operations in the order of their codes.
const OPS: [HostOp; 4] = [HostOp::Read, HostOp::Write, HostOp::Trim, HostOp::Flush];

/// The code of an operation.
pub(super) fn code(op: HostOp) -> u32 {
    match op {
        HostOp::Read => 0,
        HostOp::Write => 1,
        HostOp::Trim => 2,
        HostOp::Flush => 3,
    }
}

/// Values of some rows, as Parquet stores them: bits of unsigned numbers in
/// signed ones, and only those response times that there are.
#[derive(Default)]
pub(super) struct RequestColumns {
    pub at_ns: Vec<i64>,
    pub op: Vec<i32>,
    pub sector: Vec<i64>,
    pub sectors: Vec<i32>,
    pub stream: Vec<i32>,
    pub hint: Vec<i32>,
    /// 1 where there is a response time.
    pub has_response: Vec<i16>,
    pub response_ns: Vec<i64>,
}

impl RequestColumns {
    pub(super) fn len(&self) -> usize {
        self.at_ns.len()
    }

    /// Forgets the rows, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.at_ns.clear();
        self.op.clear();
        self.sector.clear();
        self.sectors.clear();
        self.stream.clear();
        self.hint.clear();
        self.has_response.clear();
        self.response_ns.clear();
    }

    /// Whether all columns have `rows` values.
    pub(super) fn are_complete(&self, rows: usize) -> bool {
        let lengths = [self.at_ns.len(), self.op.len(), self.sector.len(), self.sectors.len()];
        let rest = [self.stream.len(), self.has_response.len(), self.hint.len()];
        let responses = self.has_response.iter().filter(|&&level| level == 1).count();
        lengths.into_iter().chain(rest).all(|length| length == rows) && self.response_ns.len() == responses
    }

    /// A row as a request; `response` is the place of the next response time.
    #[inline]
    pub(super) fn entry(&self, row: usize, response: &mut usize) -> Result<TraceEntry, LineFault> {
        let response_ns = (self.has_response[row] == 1).then(|| {
            *response += 1;
            self.response_ns[*response - 1] as u64
        });
        let Some(&op) = usize::try_from(self.op[row]).ok().and_then(|code| OPS.get(code)) else {
            return Err(number_fault(2, "op", self.op[row], "0 (read), 1 (write), 2 (trim) or 3 (flush)"));
        };
        let Ok(stream) = u16::try_from(self.stream[row]) else {
            return Err(number_fault(5, "stream", self.stream[row], "a number from 0 to 65535"));
        };
        let Ok(hint) = u8::try_from(self.hint[row]) else {
            return Err(number_fault(7, "hint", self.hint[row], "a number from 0 to 255"));
        };
        let (sector, sectors) = (self.sector[row] as u64, self.sectors[row] as u32);
        if (sectors == 0) != (op == HostOp::Flush) || (op == HostOp::Flush && sector != 0) {
            return Err(extent_fault(sector, sectors, op));
        }
        let request = Request { at_ns: self.at_ns[row] as u64, sector, sectors, stream, hint, op };
        Ok(TraceEntry { request, response_ns })
    }
}

#[cold]
fn number_fault(column: usize, name: &str, value: i32, allowed: &str) -> LineFault {
    LineFault::field(column, name, value.to_string().as_bytes(), allowed)
}

#[cold]
fn extent_fault(sector: u64, sectors: u32, op: HostOp) -> LineFault {
    if op != HostOp::Flush {
        return LineFault::field(4, "sectors", b"0", "a positive number of sectors (only a flush has 0)");
    }
    match sectors {
        0 => LineFault::field(3, "sector", sector.to_string().as_bytes(), "0, as the request is a flush"),
        _ => LineFault::field(4, "sectors", sectors.to_string().as_bytes(), "0, as the request is a flush"),
    }
}

/// Odd constants: the golden ratio and three primes near it.
const MULTIPLIERS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

/// Takes requests one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Digest(u64);

impl Digest {
    #[inline]
    pub(super) fn add(&mut self, entry: &TraceEntry) {
        let request = &entry.request;
        let stream = u64::from(request.stream) << 32;
        let kind = (request.op as u64) << 48 | u64::from(request.hint) << 56;
        let rest = u64::from(request.sectors) | stream | kind;
        // No response and a response of 0 differ by the added mark.
        let response = entry.response_ns.map_or(0, |ns| ns.rotate_left(1) ^ 0x5bd1_e995);
        let mixed = request.at_ns.wrapping_mul(MULTIPLIERS[0])
            ^ request.sector.wrapping_mul(MULTIPLIERS[1]).rotate_left(17)
            ^ rest.wrapping_mul(MULTIPLIERS[2]).rotate_left(31)
            ^ response.wrapping_mul(MULTIPLIERS[3]).rotate_left(47);
        self.0 = (self.0.rotate_left(23) ^ mixed ^ mixed >> 32).wrapping_mul(MULTIPLIERS[0]);
    }

    pub(super) fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::{HostOp, Request};

    #[test]
    fn every_field_and_the_order_count() {
        let request = Request { at_ns: 7, sector: 8, sectors: 9, stream: 1, hint: 0, op: HostOp::Write };
        let entry = |request, response_ns| TraceEntry { request, response_ns };
        let of = |entries: &[TraceEntry]| {
            let mut digest = Digest::default();
            entries.iter().for_each(|entry| digest.add(entry));
            digest.hex()
        };
        let base = entry(request, None);
        let others = [
            entry(Request { at_ns: 8, ..request }, None),
            entry(Request { sector: 9, ..request }, None),
            entry(Request { sectors: 8, ..request }, None),
            entry(Request { stream: 0, ..request }, None),
            entry(Request { hint: 1, ..request }, None),
            entry(Request { op: HostOp::Read, ..request }, None),
            entry(request, Some(0)),
        ];
        for other in others {
            assert_ne!(of(&[base]), of(&[other]), "{other:?}");
            assert_ne!(of(&[base, other]), of(&[other, base]), "{other:?}");
        }
    }
}
