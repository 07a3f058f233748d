//! What the host declares unused.

use super::Io;
use crate::base::Gap;
use crate::ftl::media::bits;

impl Io {
    /// Forgets the mapping units `first..end`, mapped or held, that the host declared unused. A
    /// request that waited only for such units is complete.
    pub fn trim(&mut self, first: u32, end: u32) {
        self.media.trim(first, end);
        let n = self.policy.mus_per_page;
        let mut entry = 0;
        while let Some(held) = self.media.held().entries().get(entry) {
            let base = held.page * n;
            let unused = bits(held.mask).filter(|i| (first..end).contains(&(base + i)));
            let unused = unused.fold(0, |mask, i| mask | 1 << i);
            if unused == held.mask {
                for request in self.media.held().tokens(entry) {
                    self.timing.set_gap(request, Gap::Merge);
                    self.timing.release_request(request);
                }
            }
            if !self.media.unhold(entry, unused, base, true) {
                entry += 1;
            }
        }
    }
}
