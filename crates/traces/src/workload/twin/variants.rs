//! Writes over pages written before that repeat no earlier write: other pieces of the extents.

use super::super::random::{mix, Random};
use super::extents::{Extents, LONE};
use super::sizes::PAGE_SECTORS;

/// Groups of extents of a size.
const GROUPS: usize = 3;

/// Different starts that a request of `pages` pages has in one extent of
/// `host_pages` pages. In extents of its own size it takes the end of one and
/// the beginning of the next, where that follows.
pub(super) fn starts(pages: u64, host_pages: u64, own_size: bool, alone: bool) -> u64 {
    match (own_size, alone) {
        (true, true) => 0,
        (true, false) => pages - 1,
        (false, _) => (host_pages + 1).saturating_sub(pages),
    }
}

/// Hands out such pieces size by size, each once: constant memory, a counter
/// for each size in the extents of each size.
#[derive(Clone, Debug)]
pub(super) struct Variants {
    /// For each size, how many of its pieces are taken from one extent at most.
    per_extent: Vec<u64>,
    /// For each size and each group of extents, pieces taken.
    taken: Vec<Vec<u64>>,
}

/// A piece, by its group and its number there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    host: usize,
    number: u64,
}

impl Variants {
    /// Nothing taken; `per_extent` has an entry for each size.
    pub(super) fn new(per_extent: Vec<u64>) -> Self {
        let taken = vec![vec![0; per_extent.len() * GROUPS]; per_extent.len()];
        Self { per_extent, taken }
    }

    /// Pieces of a size that are taken from each extent of a group.
    fn each(&self, size: usize, host: usize, extents: &[Extents]) -> u64 {
        let (own, other) = (extents[size].class.pages(), extents[host / GROUPS].class.pages());
        let starts = starts(own, other, size == host / GROUPS, host % GROUPS == LONE);
        starts.min(self.per_extent[size])
    }

    /// A piece not taken before of extents written before, if there is one.
    pub(super) fn open(&self, size: usize, extents: &[Extents], random: &mut Random) -> Option<Piece> {
        let open = |host: usize| {
            let touched = extents[host / GROUPS].groups[host % GROUPS].met();
            // The last one written may have no neighbour yet.
            let hosts = if size == host / GROUPS { touched.saturating_sub(1) } else { touched };
            (hosts * self.each(size, host, extents)).saturating_sub(self.taken[size][host])
        };
        let (host, _) = random.weighted((0..extents.len() * GROUPS).map(open))?;
        Some(Piece { host, number: self.taken[size][host] })
    }

    pub(super) fn take(&mut self, size: usize, piece: Piece) {
        self.taken[size][piece.host] = piece.number + 1;
    }

    /// A piece taken before, if there is one.
    pub(super) fn again(&self, size: usize, random: &mut Random) -> Option<Piece> {
        let (host, number) = random.weighted(self.taken[size].iter().copied())?;
        Some(Piece { host, number })
    }

    /// The sector at which a piece starts; `None` at the end of a run of
    /// neighbours, where there is no such piece.
    pub(super) fn sector(&self, size: usize, piece: Piece, extents: &[Extents]) -> Option<u64> {
        let group = &extents[piece.host / GROUPS].groups[piece.host % GROUPS];
        let own_size = size == piece.host / GROUPS;
        let each = self.each(size, piece.host, extents);
        let (index, turn) = (piece.number / each, piece.number % each);
        if own_size && !group.goes_on(index) {
            return None;
        }
        let (own, other) = (extents[size].class.pages(), extents[piece.host / GROUPS].class.pages());
        let starts = starts(own, other, own_size, piece.host % GROUPS == LONE);
        let bits = mix(group.hash(index) ^ size as u64);
        let start = (bits % starts + turn) % starts + u64::from(own_size);
        Some((group.page(index) + start) * u64::from(PAGE_SECTORS) + extents[size].shift(bits))
    }
}
