//! Commands of the host without data: flushes and trims.

use super::pieces::bits;
use super::Simulation;
use crate::base::arithmetic::Ones;
use crate::base::request::{Request, SECTOR_BYTES};
use crate::base::Gap;
use crate::ftl::by_regions::ByRegions;
use crate::ftl::scheme::Scheme;
use crate::hw::timing::RequestId;

impl Simulation {
    /// Forgets the mapping units that lie wholly within the range.
    pub(super) fn trim(&mut self, request: &Request) {
        let mu_bytes = u64::from(self.setup.device.mu_bytes);
        let first = (request.sector * SECTOR_BYTES).div_ceil(mu_bytes) as u32;
        let end = (request.end_sector() * SECTOR_BYTES / mu_bytes) as u32;
        if first >= end {
            return;
        }
        if let Some(bound) = self.bound.as_mut() {
            bound.trim(first..end);
        }
        self.scheme.trim(first, end, &mut self.io);
        let n = self.io.policy().mus_per_page;
        let unused = |page: u32| {
            let from = first.max(page * n) - page * n;
            let to = end.min((page + 1) * n) - page * n;
            bits(from, to)
        };
        let pages = first / n..end.div_ceil(n);
        if let Some(buffer) = self.buffer.as_mut() {
            pages.clone().for_each(|page| buffer.trim(page, unused(page)));
        }
        for piece in self.looking.iter_mut().filter(|piece| pages.contains(&piece.page)) {
            piece.mask &= !unused(piece.page);
            piece.partial &= piece.mask;
            piece.bytes = piece.mask.ones() * self.setup.device.mu_bytes;
        }
        self.waiting.trim(pages.clone(), unused);
        if !self.trimmed.is_empty() {
            pages.for_each(|page| self.trimmed[page as usize] |= unused(page));
        }
    }
}

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
