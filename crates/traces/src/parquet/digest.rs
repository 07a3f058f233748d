//! A digest over the requests of a trace, in order: tells a file that was
//! changed. Not a defence against someone who means to deceive.

use crate::entry::TraceEntry;

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
