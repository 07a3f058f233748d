//! Cold misses that go to the dense tier directly, where that is chosen: writes of units that neither
//! lie in the fast tier nor were among the last written when the period began.

use super::config::Misses;
use super::placement::pages_of;
use super::two_tier::TwoTier;
use crate::base::arithmetic::Ones;
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use crate::ftl::page_level::{write_span, OldUnits};
use crate::ftl::piece::{Piece, Span};
use crate::ftl::region::Writer;

impl TwoTier {
    /// Has as many units as the fast tier is to hold, those written last, be hot until the next period.
    pub fn freeze_hot(&mut self) {
        if self.misses == Misses::Dense {
            let Self { hot, classifier, wanted_units, .. } = self;
            hot.clear();
            hot.extend(classifier.recency.recent().take(*wanted_units as usize));
            hot.sort_unstable();
        }
    }

    /// The units `touched` of logical page `page` that the dense tier is to take.
    #[inline]
    fn cold(&self, page: u32, touched: u32, io: &Io) -> u32 {
        if self.misses == Misses::Fast || io.clockless() {
            return 0;
        }
        let is_cold = |i: &u32| {
            let unit = page * self.units.per_page + i;
            !self.classifier.recency.is_resident(unit) && self.hot.binary_search(&unit).is_err()
        };
        bits(touched).filter(is_cold).fold(0, |all, i| all | 1 << i)
    }

    /// Writes what `piece` has of cold units to the dense tier, as far as that has room; returns those
    /// units.
    pub fn write_cold(&mut self, piece: &Piece, touched: u32, io: &mut Io) -> u32 {
        let cold = self.cold(piece.page, touched, io);
        if cold == 0 {
            return 0;
        }
        let mut written = cold;
        let page = Span { first: 0, units: io.policy().mus_per_page };
        for span in pages_of(page, self.dense_slots) {
            let units = cold & self.units.touched(span.mask());
            if let Some((part, within)) = self.cold_part(piece, units, span, io) {
                if !self.write_cold_page(&part, within, span, io) {
                    written &= !units;
                }
            }
        }
        for i in bits(written) {
            self.classifier.recency.touch(piece.page * self.units.per_page + i, false);
        }
        self.moved.missed += u64::from(written.ones());
        written
    }

    /// What `piece` has of some units in the dense page of `span`, and the mapping units of those units
    /// there.
    fn cold_part(&self, piece: &Piece, units: u32, span: Span, io: &Io) -> Option<(Piece, u32)> {
        let mut sum = Piece { mask: 0, partial: 0, bytes: 0, ..*piece };
        let mut within = 0;
        for chunk in pages_of(span, self.dense_slots.min(self.units.mus)) {
            if self.units.touched(chunk.mask()) & units == 0 {
                continue;
            }
            within |= chunk.mask();
            if let Some(part) = chunk.part(piece, io.geometry().mu_bytes) {
                sum.mask |= part.mask;
                sum.partial |= part.partial;
                sum.bytes += part.bytes;
            }
        }
        (sum.mask != 0).then_some((sum, within))
    }

    /// Writes a part, with what is stored of its units beside it, as a page of the dense tier; false if
    /// that has no room.
    fn write_cold_page(&mut self, part: &Piece, within: u32, span: Span, io: &mut Io) -> bool {
        let Ok(to) = self.dense.host_page(part.page, None, io) else {
            return false;
        };
        let kept = OldUnits::fetch(part, within, io);
        let region = &mut self.dense.region;
        write_span(part, span, kept.units, to, io, |io, write| {
            region.emit(io, to, Writer::Host, write, kept.reads());
        });
        true
    }
}
