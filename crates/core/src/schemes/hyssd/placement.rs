//! Where data go: writes to the fast tier, with the rest of the unit where it lies in the dense one. Cold misses
//! go to the dense tier directly, where that is chosen: writes of units that neither lie in the fast tier nor were
//! among the last written when the period began.

use super::config::Misses;
use super::two_tier::TwoTier;
use crate::base::arithmetic::Ones;
use crate::base::op::Cause;
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use crate::ftl::page_level::{mapped_in, mapped_mask, part_of_page, present_mask, write_span, OldUnits};
use crate::ftl::piece::{Piece, Span};
use crate::ftl::region::Writer;
use crate::ftl::store::Store;
use crate::hw::timing::OpId;

impl TwoTier {
    pub fn write(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let all = self.units.touched(piece.mask);
        self.count_write(piece.page, all, io);
        let touched = all & !self.write_cold(piece, all, io);
        let brought = self.enter(piece.page, touched, io);
        for i in bits(touched) {
            self.awaited.clear();
            let is_brought = brought >> i & 1 == 1;
            if is_brought {
                self.make_way(piece.page * self.units.per_page, touched, io)?;
            }
            self.write_unit(piece, self.units.span(i), is_brought, io)?;
        }
        self.note_idle_work(io);
        Ok(())
    }

    /// Counts a write of the units `touched` of a logical page.
    fn count_write(&mut self, page: u32, touched: u32, io: &Io) {
        if !io.clockless() {
            let (first, target) = (page * self.units.per_page, self.target_units(io));
            bits(touched).for_each(|i| self.classifier.write(first + i, target));
        }
    }

    /// Puts the units `touched` of a logical page in front of the stack; returns those that were not in
    /// the fast tier.
    fn enter(&mut self, page: u32, touched: u32, io: &Io) -> u32 {
        let mut brought = 0;
        for i in bits(touched) {
            let unit = page * self.units.per_page + i;
            if !self.classifier.recency.is_resident(unit) {
                brought |= 1 << i;
                let is_stored = mapped_in(io, page, self.units.span(i).mask()) != 0;
                self.moved.passive += u64::from(is_stored && !io.clockless());
            }
            self.classifier.recency.touch(unit, true);
        }
        brought
    }

    /// Writes what `piece` has of a unit to the fast tier: all of the unit that is stored if it is
    /// `brought` there, else the pages that the piece touches.
    fn write_unit(
        &mut self,
        piece: &Piece,
        unit: Span,
        brought: bool,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        if piece.covers(unit.mask()) {
            return self.write_whole(piece, unit, io);
        }
        let stored = mapped_in(io, piece.page, unit.mask());
        let kept = brought.then(|| OldUnits::fetch(piece, unit.mask(), io));
        for span in pages_of(unit, self.fast_slots) {
            let part = match span.part(piece, io.geometry().mu_bytes) {
                Some(part) => part,
                None if brought && span.cut(stored) != 0 => rest(piece, span.cut(stored).ones(), io),
                None => continue,
            };
            self.pad_for_erases(io);
            let page = self.fast.host_page(piece.page, None, io)?;
            let own = if brought { None } else { Some(OldUnits::fetch(&part, span.mask(), io)) };
            let Some(kept) = own.as_ref().or(kept.as_ref()) else { continue };
            let is_covered = part.mask == span.mask() && part.partial == 0;
            let reads: &[OpId] = if is_covered { &[] } else { kept.reads() };
            self.sources.clear();
            self.sources.extend_from_slice(reads);
            self.sources.extend_from_slice(&self.awaited);
            let (region, sources) = (&mut self.fast.region, &self.sources);
            write_span(&part, span, kept.units, page, io, |io, write| {
                region.emit(io, page, Writer::Host, write, sources);
            });
        }
        Ok(())
    }

    /// Writes a unit that `piece` covers to the fast tier: nothing of it is kept.
    #[inline(always)]
    fn write_whole(&mut self, piece: &Piece, unit: Span, io: &mut Io) -> Result<(), DeviceFull> {
        for span in pages_of(unit, self.fast_slots) {
            let Some(part) = span.part(piece, io.geometry().mu_bytes) else { continue };
            self.pad_for_erases(io);
            let page = self.fast.host_page(piece.page, None, io)?;
            let (region, awaited) = (&mut self.fast.region, &self.awaited);
            write_span(&part, span, 0, page, io, |io, write| {
                region.emit(io, page, Writer::Host, write, awaited);
            });
        }
        Ok(())
    }

    /// Without power-loss protection an erase in the fast tier waits for what was destaged out of the
    /// block: no wordline of the dense tier may wait for more by then.
    #[inline(always)]
    fn pad_for_erases(&mut self, io: &mut Io) {
        let is_one_shot = self.dense.region.pages_per_program() > 1;
        if is_one_shot && !io.policy().plp {
            self.pad_if_opening(io);
        }
    }

    fn pad_if_opening(&mut self, io: &mut Io) {
        let opens = self.fast.region.planes().iter().any(|&p| self.fast.region.needs_block(p, Writer::Host));
        if opens {
            for plane in self.dense.region.planes().to_vec() {
                self.dense.region.pad(io, plane, true);
            }
        }
    }

    /// Places what logical page `page` lacks of its units in `mask`, as if it had been there before time 0: in
    /// the fast tier while that holds less than at first, then in the dense one, and where that has no room
    /// in the fast one. A unit stays in one tier.
    pub fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let n = io.policy().mus_per_page;
        let absent = mask & !present_mask(io, page);
        let goes_fast = self.fast_before(page, absent, io);
        self.preload_fast(page, absent & goes_fast, io)?;
        for span in pages_of(Span { first: 0, units: n }, self.dense_slots) {
            let mask = absent & !goes_fast & span.mask();
            let within = span.mask() & !self.resident_mask(page);
            if mask != 0 && place(page, mask, within, span, &mut self.dense, io).is_err() {
                self.preload_fast(page, mask, io)?;
            }
        }
        Ok(())
    }

    /// The mapping units of a logical page whose units lie in the fast tier, or have room there before
    /// time 0 and lie nowhere yet.
    fn fast_before(&self, page: u32, absent: u32, io: &Io) -> u32 {
        let mut goes_fast = self.resident_mask(page);
        if self.migrator.writes() > 0 {
            return goes_fast;
        }
        let stored = mapped_mask(io, page);
        let mut residents = self.classifier.recency.residents();
        for i in bits(self.units.touched(absent & !goes_fast)) {
            let mask = self.units.span(i).mask();
            if stored & mask == 0 && residents < self.initial_units {
                goes_fast |= mask;
                residents += 1;
            }
        }
        goes_fast
    }

    /// The mapping units of a logical page whose units lie in the fast tier.
    fn resident_mask(&self, page: u32) -> u32 {
        let first = page * self.units.per_page;
        let resident = (0..self.units.per_page).filter(|i| self.classifier.recency.is_resident(first + i));
        resident.fold(0, |all, i| all | self.units.span(i).mask())
    }

    /// Places mapping units of a logical page in the fast tier, before time 0.
    fn preload_fast(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        for i in bits(self.units.touched(mask)) {
            let unit = page * self.units.per_page + i;
            if !self.classifier.recency.is_resident(unit) {
                if self.classifier.recency.residents() >= self.units_max {
                    return Err(DeviceFull);
                }
                self.classifier.recency.touch(unit, true);
            }
            for span in pages_of(self.units.span(i), self.fast_slots) {
                let part = mask & span.mask();
                if part != 0 {
                    place(page, part, span.mask(), span, &mut self.fast, io)?;
                }
            }
        }
        Ok(())
    }
}

/// The pages of `slots` slots that a unit takes.
pub(super) fn pages_of(unit: Span, slots: u32) -> impl Iterator<Item = Span> {
    let (mut first, end) = (unit.first, unit.first + unit.units);
    std::iter::from_fn(move || {
        let span = (first < end).then_some(Span { first, units: slots });
        first += slots;
        span
    })
}

/// What a page gets that no part of `piece` lies in: `units` stored ones that come along.
fn rest(piece: &Piece, units: u32, io: &Io) -> Piece {
    let bytes = units * io.geometry().mu_bytes;
    Piece { mask: 0, partial: 0, bytes, cause: Cause::Rmw, first: false, ..*piece }
}

/// Writes the mapping units `mask` of a logical page, and beside them what is stored of those `within`, as
/// the page of `span`, before time 0.
fn place(
    page: u32,
    mask: u32,
    within: u32,
    span: Span,
    store: &mut Store,
    io: &mut Io,
) -> Result<(), DeviceFull> {
    let to = store.host_page(page, None, io)?;
    let mu_bytes = io.geometry().mu_bytes;
    let piece = part_of_page(page, mask, mu_bytes);
    let kept = OldUnits::fetch(&piece, within, io);
    write_span(&piece, span, kept.units, to, io, |io, write| {
        store.region.emit(io, to, Writer::Host, write, &[]);
    });
    Ok(())
}

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
