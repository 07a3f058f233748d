//! What the host's data are cut into, pieces of requests and their spans in small flash pages; the pages that are
//! programmed for them; and the jobs that move them.

use crate::base::arithmetic::Ones;
use crate::base::op::{Cause, Class};
use crate::hw::timing::RequestId;

/// The part of a host request that lies in one logical page.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub request: RequestId,
    /// Logical page.
    pub page: u32,
    /// Mapping units of the page that are touched (bit per unit).
    pub mask: u32,
    /// Those of them that are only partly covered.
    pub partial: u32,
    /// Exact bytes.
    pub bytes: u32,
    /// Host, or flush when the DRAM buffer writes back.
    pub cause: Cause,
    /// Whether it is the first piece of its request, or written back out of the DRAM buffer.
    pub first: bool,
    /// The stream of its request; out of the DRAM buffer, of the last write that came for the page.
    pub stream: u16,
    /// The hint of its request; out of the DRAM buffer, of the last write that came for the page.
    pub hint: u8,
    /// Size of the whole request, sectors; out of the DRAM buffer, of the last write that came for the
    /// page.
    pub request_sectors: u32,
}

impl Piece {
    /// Whether it covers the mapping units `within` wholly.
    #[inline(always)]
    pub fn covers(&self, within: u32) -> bool {
        self.mask & within == within && self.partial & within == 0
    }

    /// Whether it covers its logical page of `mus_per_page` units wholly.
    #[inline(always)]
    pub fn is_full(&self, mus_per_page: u32) -> bool {
        self.covers((u64::MAX >> (64 - mus_per_page)) as u32)
    }
}

/// Why a page is programmed.
#[derive(Clone, Copy, Debug)]
pub struct PageWrite {
    /// Bytes that cross the channel.
    pub bytes: u32,
    /// Mapping units with new data; the page's other live units are counted as read-modify-write.
    pub fresh_slots: u32,
    /// All live mapping units of the page.
    pub slots: u32,
    pub cause: Cause,
    /// Priority.
    pub class: Class,
    /// The request that waits for it.
    pub request: RequestId,
}

/// Neighbouring mapping units of a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub first: u32,
    /// How many, 1 to 16.
    pub units: u32,
}

impl Span {
    /// The spans of a logical page of `mus_per_page` units in flash pages of `slots`; one, the whole
    /// logical page, where the flash pages are not smaller.
    pub fn all(mus_per_page: u32, slots: u32) -> impl Iterator<Item = Span> {
        let units = slots.min(mus_per_page);
        (0..mus_per_page).step_by(units as usize).map(move |first| Span { first, units })
    }

    /// Its units, as bits of the logical page.
    #[inline(always)]
    pub fn mask(self) -> u32 {
        ((u64::MAX >> (64 - self.units)) as u32) << self.first
    }

    /// Its part of `mask`, moved so that its first unit is bit 0.
    #[inline(always)]
    pub fn cut(self, mask: u32) -> u32 {
        (mask & self.mask()) >> self.first
    }

    /// How many of its units are in `cut`, a mask that `cut` gave. Most are, and without an instruction
    /// for it counting takes a dozen others.
    #[inline(always)]
    pub fn count(self, cut: u32) -> u32 {
        match cut == (u64::MAX >> (64 - self.units)) as u32 {
            true => self.units,
            false => cut.ones(),
        }
    }

    /// The part of a piece in the span, if it touches it; `mu_bytes` is the size of a unit.
    ///
    /// The parts' bytes add up to the piece's. How much of a unit that is only partly covered belongs
    /// to the request a piece does not say: what is missing is shared evenly by such units.
    #[inline]
    pub fn part(self, piece: &Piece, mu_bytes: u32) -> Option<Piece> {
        let mask = piece.mask & self.mask();
        if mask == piece.mask {
            return (mask != 0).then_some(*piece);
        }
        (mask != 0).then(|| self.part_of(mask, piece, mu_bytes))
    }

    /// The part of a piece that `mask`, not all of its units, is.
    #[inline(never)]
    fn part_of(self, mask: u32, piece: &Piece, mu_bytes: u32) -> Piece {
        let first = piece.first && mask.trailing_zeros() == piece.mask.trailing_zeros();
        if piece.partial == 0 {
            return Piece { mask, bytes: mask.ones() * mu_bytes, first, ..*piece };
        }
        let partial = piece.partial & self.mask();
        let missing = piece.mask.ones() * mu_bytes - piece.bytes;
        // Those before have their shares; rounding leaves what remains to the last.
        let share = |units: u32| missing * units / piece.partial.ones();
        let before = (piece.partial & ((1 << self.first) - 1)).ones();
        let lost = share(before + partial.ones()) - share(before);
        Piece { mask, partial, bytes: mask.ones() * mu_bytes - lost, first, ..*piece }
    }
}

/// Why and how urgently data are moved.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Cause of every operation of the job.
    pub cause: Cause,
    /// Priority.
    pub class: Class,
}

impl Job {
    /// The program of `units` moved mapping units of `mu_bytes`.
    pub(super) fn write(self, units: u32, mu_bytes: u32) -> PageWrite {
        PageWrite {
            bytes: units * mu_bytes,
            fresh_slots: units,
            slots: units,
            cause: self.cause,
            class: self.class,
            request: RequestId::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::op::Cause;
    use crate::hw::timing::RequestId;

    fn piece(mask: u32, partial: u32, bytes: u32) -> Piece {
        Piece {
            request: RequestId::NONE,
            page: 7,
            mask,
            partial,
            bytes,
            cause: Cause::Host,
            first: true,
            stream: 0,
            hint: 0,
            request_sectors: bytes / 512,
        }
    }

    #[test]
    fn spans_divide_a_logical_page() {
        let spans = |n, slots| Span::all(n, slots).map(|s| (s.first, s.units)).collect::<Vec<_>>();
        assert_eq!(spans(2, 1), [(0, 1), (1, 1)]);
        assert_eq!(spans(4, 2), [(0, 2), (2, 2)]);
        assert_eq!(spans(4, 4), [(0, 4)]);
        assert_eq!(spans(1, 2), [(0, 1)]);
        assert_eq!(spans(16, 16), [(0, 16)]);
        assert_eq!(Span { first: 0, units: 16 }.mask(), 0xffff);
    }

    #[test]
    fn parts_of_a_piece_add_up_to_it() {
        for mask in [0b1111_u32, 0b0110, 0b1000, 0b0011] {
            for ends in 0..4_u32 {
                let (low, high) = (1 << mask.trailing_zeros(), 1 << (31 - mask.leading_zeros()));
                let partial = if ends & 1 == 1 { low } else { 0 } | if ends & 2 == 2 { high } else { 0 };
                let whole = piece(mask, partial, mask.ones() * 4096 - partial.ones() * 1000);
                for slots in [1, 2, 4] {
                    let parts: Vec<Piece> =
                        Span::all(4, slots).filter_map(|span| span.part(&whole, 4096)).collect();
                    assert_eq!(parts.iter().fold(0, |m, p| m | p.mask), mask);
                    assert_eq!(parts.iter().fold(0, |m, p| m | p.partial), partial);
                    assert_eq!(parts.iter().map(|p| p.mask.ones()).sum::<u32>(), mask.ones());
                    assert_eq!(parts.iter().map(|p| p.bytes).sum::<u32>(), whole.bytes);
                    assert_eq!(parts.iter().filter(|p| p.first).count(), 1);
                    assert!(parts[0].first);
                }
            }
        }
    }

    #[test]
    fn a_piece_outside_a_span_has_no_part_in_it() {
        assert!(Span { first: 0, units: 2 }.part(&piece(0b0100, 0, 4096), 4096).is_none());
    }
}
