//! The hold buffer: pieces that wait in the controller to share a flash page with others.
//!
//! It is small (bounded by configuration, in practice some dozens of pieces), so that pieces are
//! kept in the order of their arrival and found by scanning their page numbers.

use super::piece::Piece;
use crate::base::arithmetic::Ones;
use crate::base::op::Cause;
use crate::base::slab::Slab;
use crate::hw::timing::RequestId;

/// A piece that waits to be packed.
#[derive(Clone, Copy, Debug)]
pub struct HeldPiece {
    /// Logical page.
    pub page: u32,
    /// Mapping units held (bit per unit).
    pub mask: u32,
    /// Those of them that are only partly covered.
    pub partial: u32,
    /// Those of them whose writes were acknowledged when they came.
    pub early: u32,
    /// Exact bytes, at most whole units.
    pub bytes: u32,
    /// Slots it takes in a page: its units, and those it will carry along.
    pub slots: u32,
    /// Packing group: pieces are packed with those of their own only.
    pub group: u8,
    /// Host or flush.
    pub cause: Cause,
    /// When its oldest data came, ns.
    pub since_ns: u64,
    /// Requests that wait for it (list of links, 0 = none).
    tokens: u32,
}

impl HeldPiece {
    /// Whether a request waits for it.
    pub fn is_awaited(&self) -> bool {
        self.tokens != 0
    }
}

/// Pieces that wait to be packed, oldest first.
#[derive(Clone)]
pub struct HoldBuffer {
    entries: Vec<HeldPiece>,
    /// The entries' logical pages, apart: what a look-up scans.
    pages: Vec<u32>,
    tokens: Slab<(RequestId, u32)>,
    units: u32,
    mu_bytes: u32,
}

impl Default for HoldBuffer {
    fn default() -> Self {
        Self::new(0)
    }
}

impl HoldBuffer {
    /// An empty buffer for mapping units of `mu_bytes`.
    pub fn new(mu_bytes: u32) -> Self {
        let tokens = Slab::new((RequestId::NONE, 0));
        Self { entries: Vec::new(), pages: Vec::new(), tokens, units: 0, mu_bytes }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Pieces held, oldest first.
    pub fn entries(&self) -> &[HeldPiece] {
        &self.entries
    }

    /// Mapping units held.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// The entry of logical page `page` in packing group `group`.
    pub fn find(&self, page: u32, group: u8) -> Option<usize> {
        let mut here = self.pages.iter().enumerate().filter(|(_, &p)| p == page);
        here.find(|&(i, _)| self.entries[i].group == group).map(|(i, _)| i)
    }

    /// Whether neither logical page `page` nor packing group `group` has an entry.
    pub fn is_clear_of(&self, page: u32, group: u8) -> bool {
        self.entries.iter().all(|held| held.page != page && held.group != group)
    }

    /// The entries of logical page `page`.
    pub fn of_page(&self, page: u32) -> impl Iterator<Item = &HeldPiece> {
        self.pages.iter().zip(&self.entries).filter(move |(&p, _)| p == page).map(|(_, held)| held)
    }

    /// The mapping units of logical page `page` that are held, whole or in part.
    #[inline]
    pub fn mask(&self, page: u32) -> u32 {
        if self.entries.is_empty() {
            return 0;
        }
        self.of_page(page).fold(0, |mask, held| mask | held.mask)
    }

    /// The mapping units of logical page `page` that are held as a whole: reads find them here.
    #[inline]
    pub fn whole(&self, page: u32) -> u32 {
        if self.entries.is_empty() {
            return 0;
        }
        self.of_page(page).fold(0, |mask, held| mask | (held.mask & !held.partial))
    }

    /// Adds a piece to the entry of its page and group, or as a new one that takes `slots` slots;
    /// returns the entry's place. No other entry of the page holds any of its units.
    pub(super) fn put(&mut self, piece: &Piece, group: u8, slots: u32, now_ns: u64) -> usize {
        let place = self.find(piece.page, group);
        let fresh = piece.mask & !place.map_or(0, |i| self.entries[i].mask);
        self.units += fresh.ones();
        let place = place.unwrap_or_else(|| {
            self.pages.push(piece.page);
            self.entries.push(HeldPiece {
                page: piece.page,
                mask: 0,
                partial: 0,
                early: 0,
                bytes: 0,
                slots,
                group,
                cause: piece.cause,
                since_ns: now_ns,
                tokens: 0,
            });
            self.entries.len() - 1
        });
        let held = &mut self.entries[place];
        let whole = (held.mask & !held.partial) | (piece.mask & !piece.partial);
        held.mask |= piece.mask;
        held.partial = held.mask & !whole;
        held.bytes = (held.bytes + piece.bytes).min(held.mask.ones() * self.mu_bytes);
        held.slots = slots;
        place
    }

    /// Makes `request`, which is held once for this, wait for the entry.
    pub(super) fn add_token(&mut self, entry: usize, request: RequestId) {
        let link = self.tokens.insert((request, self.entries[entry].tokens));
        self.entries[entry].tokens = link;
    }

    /// Notes that the units in `mask` are acknowledged.
    pub(super) fn acknowledge(&mut self, entry: usize, mask: u32) {
        self.entries[entry].early |= mask;
    }

    /// The requests that wait for the entry.
    pub(super) fn tokens(&self, entry: usize) -> impl Iterator<Item = RequestId> + '_ {
        let mut link = self.entries[entry].tokens;
        std::iter::from_fn(move || {
            if link == 0 {
                return None;
            }
            let (request, next) = self.tokens[link as usize];
            link = next;
            Some(request)
        })
    }

    /// Takes the units in `mask` out of the entry; true if it is gone, for which the caller has
    /// seen to its tokens.
    pub(super) fn take(&mut self, entry: usize, mask: u32) -> bool {
        let held = &mut self.entries[entry];
        let taken = (held.mask & mask).ones();
        self.units -= taken;
        held.mask &= !mask;
        held.partial &= held.mask;
        held.early &= held.mask;
        held.slots -= taken.min(held.slots);
        held.bytes = held.bytes.min(held.mask.ones() * self.mu_bytes);
        if held.mask != 0 {
            return false;
        }
        let mut link = held.tokens;
        while link != 0 {
            let next = self.tokens[link as usize].1;
            self.tokens.remove(link);
            link = next;
        }
        self.entries.remove(entry);
        self.pages.remove(entry);
        true
    }

    /// Whether counts and entries agree; the first violation is described.
    pub fn audit(&self) -> Result<(), String> {
        let units: u32 = self.entries.iter().map(|held| held.mask.ones()).sum();
        if units != self.units {
            return Err(format!("{units} units held, counter {}", self.units));
        }
        for (held, &page) in self.entries.iter().zip(&self.pages) {
            let others: u32 = self.of_page(page).map(|other| other.mask.ones()).sum();
            if held.page != page || held.mask == 0 || others != self.mask(page).ones() {
                return Err(format!("{held:?} is empty, misplaced or held twice"));
            }
        }
        Ok(())
    }
}
