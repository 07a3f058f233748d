//! Pieces that wait for room in the DRAM buffer, in the order in which they came.

use crate::base::arithmetic::Ones;
use crate::base::room::Room;
use crate::ftl::piece::Piece;
use std::collections::{BTreeSet, TryReserveError, VecDeque};
use std::ops::Range;

/// A queue of pieces, found also by their pages: a trim that walked all of a long queue would take
/// time that grows with its square.
#[derive(Clone, Default)]
pub(super) struct WaitingPieces {
    pieces: VecDeque<Piece>,
    /// How many had left before the first of them.
    left: u64,
    units: u32,
    /// Each piece's page, and how many had come before it: of the first `indexed` that came, as most leave before
    /// anybody asks for pages.
    by_page: BTreeSet<(u32, u64)>,
    indexed: u64,
}

impl WaitingPieces {
    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.pieces.make_room()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Mapping units that wait, those twice that two pieces have.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// The one that waits longest.
    pub fn front(&self) -> Option<&Piece> {
        self.pieces.front()
    }

    pub fn push(&mut self, piece: Piece) {
        self.units += piece.mask.ones();
        self.pieces.push_back(piece);
    }

    /// Mapping units of `page` that wait as a whole.
    pub fn whole(&mut self, page: u32) -> u32 {
        self.index();
        let waiting = self.by_page.range((page, 0)..(page + 1, 0));
        let piece = |&(_, number): &(u32, u64)| &self.pieces[(number - self.left) as usize];
        waiting.map(piece).fold(0, |mask, piece| mask | (piece.mask & !piece.partial))
    }

    /// The one that waits longest leaves.
    pub fn pop(&mut self) {
        if let Some(piece) = self.pieces.pop_front() {
            if self.left < self.indexed {
                self.by_page.remove(&(piece.page, self.left));
            }
            self.units -= piece.mask.ones();
            self.left += 1;
        }
    }

    /// Has those that came since this was last done be found by their pages.
    fn index(&mut self) {
        let end = self.left + self.pieces.len() as u64;
        let numbers = self.indexed.max(self.left)..end;
        self.by_page.extend(numbers.map(|number| (self.pieces[(number - self.left) as usize].page, number)));
        self.indexed = end;
    }

    /// Takes the mapping units `unused(page)` out of all that wait of `pages`.
    pub fn trim(&mut self, pages: Range<u32>, unused: impl Fn(u32) -> u32) {
        self.index();
        for &(page, number) in self.by_page.range((pages.start, 0)..(pages.end, 0)) {
            let piece = &mut self.pieces[(number - self.left) as usize];
            self.units -= (piece.mask & unused(page)).ones();
            piece.mask &= !unused(page);
            piece.partial &= piece.mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::page_level::whole_page;

    #[test]
    fn a_trim_finds_every_piece_of_its_pages() {
        let mut waiting = WaitingPieces::default();
        [3, 7, 3, 5, 7].into_iter().for_each(|page| waiting.push(whole_page(page, 4, 4096)));
        waiting.pop();
        waiting.push(whole_page(3, 4, 4096));
        assert_eq!([3, 4, 7].map(|page| waiting.whole(page)), [0b1111, 0, 0b1111]);
        waiting.trim(3..6, |page| if page == 3 { 0b0011 } else { 0b1111 });
        assert_eq!([3, 5, 7].map(|page| waiting.whole(page)), [0b1100, 0, 0b1111]);
        let masks: Vec<_> = waiting.pieces.iter().map(|piece| (piece.page, piece.mask)).collect();
        assert_eq!(masks, [(7, 15), (3, 12), (5, 0), (7, 15), (3, 12)]);
        assert_eq!(waiting.units(), 12);
        (0..5).for_each(|_| waiting.pop());
        assert!(waiting.is_empty() && waiting.by_page.is_empty() && waiting.units() == 0);
    }
}
