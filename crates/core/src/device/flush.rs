//! Flushes: everything acknowledged before one is durable when it completes.

use super::Simulation;
use crate::ftl::scheme::Scheme;
use crate::hw::timing::op_table::RequestId;
use crate::hw::timing::{Gap, InFlight, Internal};

/// A flush that waits for the write-backs that were in flight when it came.
pub(super) struct WaitingFlush {
    request: RequestId,
    number: u32,
    left: usize,
}

impl Simulation {
    /// Something that no host waited for is complete: pieces and flushes that wait for it go on.
    pub(super) fn finished_internal(&mut self, record: &InFlight) {
        for flush in self.flushing.iter_mut().filter(|f| f.number >= record.flushes_before) {
            flush.left -= 1;
        }
        while let Some(position) = self.flushing.iter().position(|f| f.left == 0) {
            let flush = self.flushing.remove(position);
            self.io.timing_mut().request(flush.request).gap = Gap::Flush;
            self.io.timing_mut().release_request(flush.request);
        }
        match record.internal {
            Internal::Merge => {
                self.io.merged(record.request.sectors);
            }
            Internal::WriteBack | Internal::No => self.written_back(),
        }
        self.io.timing_mut().kick();
    }

    /// Everything acknowledged so far becomes durable; with power-loss protection it is already.
    pub(super) fn flush(&mut self, id: RequestId) {
        if self.setup.device.plp {
            return;
        }
        let writing = self.write_back_all() + self.io.merges() as usize;
        if writing > 0 {
            self.io.timing_mut().hold_request(id);
            self.flushing.push(WaitingFlush { request: id, number: self.io.next_flush(), left: writing });
        }
        let result = self.scheme.flush(id, &mut self.io);
        self.note_full(result);
    }
}
