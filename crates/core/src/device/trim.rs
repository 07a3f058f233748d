//! Trims: the host declares ranges unused.

use super::pieces::bits;
use super::Simulation;
use crate::base::ones::Ones;
use crate::base::request::{Request, SECTOR_BYTES};
use crate::ftl::scheme::Scheme;

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
