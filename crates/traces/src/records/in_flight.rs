//! Which event of a recording ends or repeats which other: those of one place, length and operation.

use crate::records::parser::RawRequest;
use rustc_hash::FxHashMap;
use slcache_base::request::HostOp;

/// Stream, first sector, sectors and operation.
type Key = (u16, u64, u32, HostOp);

/// Most kept: what was lost of a recording must not pile up.
const IN_FLIGHT_MAX: usize = 1 << 20;

/// When the last event was of each request that another one is expected of. It takes the place of one
/// before it whose end was lost, so that nothing lost spoils what comes later.
#[derive(Default)]
pub(crate) struct InFlight {
    last_ns: FxHashMap<Key, u64>,
}

impl InFlight {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.last_ns.is_empty()
    }

    pub(crate) fn len(&self) -> u64 {
        self.last_ns.len() as u64
    }

    /// Takes an event; how many others are no longer expected to end.
    pub(crate) fn begin(&mut self, stream: u16, raw: &RawRequest<'_>) -> u64 {
        let mut dropped = 0;
        if self.last_ns.len() == IN_FLIGHT_MAX {
            dropped = self.len();
            self.last_ns.clear();
        }
        dropped + u64::from(self.last_ns.insert(key(stream, raw), raw.at_ns).is_some())
    }

    /// When it began, if it did.
    pub(crate) fn end(&mut self, stream: u16, raw: &RawRequest<'_>) -> Option<u64> {
        self.last_ns.remove(&key(stream, raw))
    }
}

fn key(stream: u16, raw: &RawRequest<'_>) -> Key {
    (stream, raw.sector, raw.sectors, raw.op)
}
