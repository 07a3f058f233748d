//! Which held pieces share the next page.

use super::hold::{HeldPiece, HoldBuffer};
use super::media::SLOTS_MAX;
use crate::base::arithmetic::Ones;

/// The pieces that go into one page: places in the hold buffer, ascending, and which of their units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Picks {
    list: [(u32, u32); SLOTS_MAX],
    len: u32,
    slots: u32,
}

impl Picks {
    /// One whole entry.
    pub fn one(hold: &HoldBuffer, entry: usize) -> Self {
        let mut picks = Self::default();
        picks.add(entry, &hold.entries()[entry]);
        picks
    }

    /// The logical pages, one per pick.
    pub fn pages(&self, hold: &HoldBuffer) -> [u32; SLOTS_MAX] {
        let mut pages = [0; SLOTS_MAX];
        for (page, (entry, _)) in pages.iter_mut().zip(self.list()) {
            *page = hold.entries()[entry].page;
        }
        pages
    }

    /// Mapping units taken out of the buffer.
    pub fn units(&self) -> u32 {
        self.list().map(|pick| pick.1.ones()).sum()
    }

    /// (place, units), places ascending.
    pub fn list(&self) -> impl DoubleEndedIterator<Item = (usize, u32)> + ExactSizeIterator + '_ {
        self.list[..self.len as usize].iter().map(|&(entry, mask)| (entry as usize, mask))
    }

    fn push(&mut self, entry: usize, mask: u32) {
        self.list[self.len as usize] = (entry as u32, mask);
        self.len += 1;
    }

    fn add(&mut self, entry: usize, held: &HeldPiece) {
        self.push(entry, held.mask);
        self.slots += held.slots;
    }
}

/// Pieces that fill a page of `slots` slots exactly, `entry` among them: of all such sets the one
/// with the oldest pieces. `reach` is room for the search.
pub fn exact(hold: &HoldBuffer, entry: usize, slots: u32, reach: &mut Vec<u32>) -> Option<Picks> {
    let entries = hold.entries();
    let group = entries[entry].group;
    let mut want = slots.checked_sub(entries[entry].slots)?;
    // Bit s of reach[i]: the pieces from i on contain a set of s slots.
    reach.clear();
    reach.resize(entries.len() + 1, 1);
    for i in (0..entries.len()).rev() {
        let usable = i != entry && entries[i].group == group && entries[i].slots <= slots;
        let with = if usable { reach[i + 1] << entries[i].slots } else { 0 };
        reach[i] = reach[i + 1] | with;
    }
    if reach[0] >> want & 1 == 0 {
        return None;
    }
    let mut picks = Picks::default();
    for (i, held) in entries.iter().enumerate() {
        let fits = i != entry && held.group == group && held.slots <= want;
        if i == entry {
            picks.add(i, held);
        } else if fits && want > 0 && reach[i + 1] >> (want - held.slots) & 1 == 1 {
            picks.add(i, held);
            want -= held.slots;
        }
    }
    Some(picks)
}

/// The oldest piece and those after it of its group that still fit; the rest of the page is padded.
pub fn oldest_first(hold: &HoldBuffer, slots: u32) -> Option<Picks> {
    let group = hold.entries().first()?.group;
    let mut picks = Picks::default();
    for (i, held) in hold.entries().iter().enumerate().filter(|(_, held)| held.group == group) {
        if picks.slots + held.slots <= slots {
            picks.add(i, held);
        }
    }
    Some(picks)
}

/// The oldest units of `group`, cut where the page is full; fewer than a page only if `short`.
pub fn in_order(hold: &HoldBuffer, group: u8, slots: u32, short: bool) -> Option<Picks> {
    oldest_of(hold, |held| held.group == group, slots, short)
}

/// The oldest of the units that `among` picks, cut where the page is full; fewer only if `short`.
pub fn oldest_of(
    hold: &HoldBuffer,
    among: impl Fn(&HeldPiece) -> bool,
    slots: u32,
    short: bool,
) -> Option<Picks> {
    if !short && hold.units() < slots {
        return None;
    }
    let mut picks = Picks::default();
    for (i, held) in hold.entries().iter().enumerate().filter(|(_, held)| among(held)) {
        let mask = lowest(held.mask, slots - picks.slots);
        picks.push(i, mask);
        picks.slots += mask.ones();
        if picks.slots == slots {
            return Some(picks);
        }
    }
    (short && picks.len > 0).then_some(picks)
}

/// The lowest `count` bits that are set in `mask`.
fn lowest(mask: u32, count: u32) -> u32 {
    let ones = mask.ones();
    if ones <= count {
        return mask;
    }
    let mut rest = mask;
    for _ in 0..count {
        rest &= rest - 1;
    }
    mask & !rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::op::Cause;
    use crate::ftl::piece::Piece;
    use crate::hw::timing::RequestId;

    /// A buffer with one piece of each size, in this order, from logical page 0 on.
    fn holding(sizes: &[u32]) -> HoldBuffer {
        let mut hold = HoldBuffer::new(4096);
        for (page, &size) in sizes.iter().enumerate() {
            let mask = (1 << size) - 1;
            let piece = Piece {
                request: RequestId::NONE,
                page: page as u32,
                mask,
                partial: 0,
                bytes: size * 4096,
                cause: Cause::Host,
                first: true,
                stream: 0,
                hint: 0,
                request_sectors: size * 8,
            };
            hold.put(&piece, 0, size, 0);
        }
        hold
    }

    fn exact_places(sizes: &[u32], slots: u32) -> Option<Vec<usize>> {
        let hold = holding(sizes);
        let picks = exact(&hold, sizes.len() - 1, slots, &mut Vec::new())?;
        Some(picks.list().map(|p| p.0).collect())
    }

    #[test]
    fn the_newest_piece_completes_a_page_with_the_oldest_that_fit() {
        assert_eq!(exact_places(&[3, 3, 1], 4), Some(vec![0, 2]));
        assert_eq!(exact_places(&[2, 2], 4), Some(vec![0, 1]));
        assert_eq!(exact_places(&[1, 1, 2], 4), Some(vec![0, 1, 2]));
        assert_eq!(exact_places(&[1, 1, 1, 1], 4), Some(vec![0, 1, 2, 3]));
        // The oldest piece fits, but no set with it is exact.
        assert_eq!(exact_places(&[2, 3, 1], 4), Some(vec![1, 2]));
        assert_eq!(exact_places(&[9, 8, 8], 16), Some(vec![1, 2]));
        assert_eq!(exact_places(&[3, 3, 2], 4), None);
        assert_eq!(exact_places(&[1, 2], 4), None);
    }

    #[test]
    fn the_oldest_piece_takes_along_what_fits() {
        let places = |sizes: &[u32]| {
            let picks = oldest_first(&holding(sizes), 4).unwrap();
            picks.list().map(|p| p.0).collect::<Vec<_>>()
        };
        assert_eq!(places(&[3, 3, 2]), [0]);
        assert_eq!(places(&[2, 3, 1]), [0, 2]);
    }

    #[test]
    fn units_in_order_are_cut_at_the_end_of_the_page() {
        let hold = holding(&[3, 3]);
        let picks = in_order(&hold, 0, 4, false).unwrap();
        assert_eq!(picks.list().collect::<Vec<_>>(), [(0, 0b111), (1, 0b001)]);
        assert!(in_order(&holding(&[3]), 0, 4, false).is_none());
        assert_eq!(in_order(&holding(&[3]), 0, 4, true).unwrap().list().collect::<Vec<_>>(), [(0, 0b111)]);
        assert!(in_order(&hold, 1, 4, true).is_none());
    }
}
