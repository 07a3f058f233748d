//! Flushes: everything acknowledged before one is durable when it completes.

use super::Simulation;
use crate::base::Gap;
use crate::ftl::by_regions::ByRegions;
use crate::hw::timing::RequestId;

impl Simulation {
    /// Acknowledged data are programmed: flushes that waited for them go on.
    pub(super) fn end_early_write(&mut self, token: u32) {
        let flushes = self.io.end_early_write(token);
        for request in self.flushing.drain(..flushes) {
            self.io.timing_mut().set_gap(request, Gap::Flush);
            self.io.timing_mut().release_request(request);
        }
    }

    /// Everything acknowledged so far becomes durable; with power-loss protection it is already.
    pub(super) fn flush(&mut self, id: RequestId) {
        if self.setup.device.plp {
            return;
        }
        self.write_back_all();
        if self.io.early_writes().flush() {
            self.io.timing_mut().hold_request(id);
            self.flushing.push_back(id);
        }
        self.io.flush_map(id);
        let result = self.scheme.flush(id, &mut self.io);
        self.note_full(result);
    }
}
