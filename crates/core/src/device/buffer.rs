//! The DRAM buffer: mapping units by logical page, indexed and never hashed.
//!
//! What has to be written leaves by age of use, or in the order of its arrival and apart from what is clean.

use crate::base::arithmetic::Ones;
use crate::base::slab::Slab;
use crate::ftl::piece::Piece;

/// What is buffered of a logical page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Buffered {
    /// Logical page.
    pub page: u32,
    /// Mapping units present.
    pub mask: u32,
    /// Those of them that are only partly covered.
    pub partial: u32,
    /// Those that must be written before they are dropped.
    pub dirty: u32,
    /// Stream of the last write that came for it.
    pub stream: u16,
    pub hint: u8,
    /// Size of that write's request, sectors.
    pub request_sectors: u32,
    prev: u32,
    next: u32,
}

impl Buffered {
    /// Mapping units present as a whole.
    pub fn whole(&self) -> u32 {
        self.mask & !self.partial
    }

    fn merge(&mut self, piece: &Piece, dirty: bool) {
        let whole = self.whole() | (piece.mask & !piece.partial);
        self.mask |= piece.mask;
        self.partial = self.mask & !whole;
        if dirty {
            self.dirty |= piece.mask;
        }
        self.stream = piece.stream;
        self.hint = piece.hint;
        self.request_sectors = piece.request_sectors;
    }
}

/// One order of pages, by node; 0 = none.
#[derive(Clone, Copy, Debug, Default)]
struct PageOrder {
    oldest: u32,
    newest: u32,
}

/// The buffer's pages.
#[derive(Clone)]
pub struct Buffer {
    /// Most mapping units, those on their way below included.
    capacity: u32,
    /// Node of each logical page; 0 = absent.
    index: Vec<u32>,
    nodes: Slab<Buffered>,
    /// Pages by their last use; without those that leave in the order of their arrival.
    used: PageOrder,
    /// Pages that have to be written, by arrival, where `by_arrival`.
    arrived: PageOrder,
    by_arrival: bool,
    /// Mapping units present, and those of them that have to be written.
    units: u32,
    dirty_units: u32,
    /// Mapping units being written back; they still occupy the buffer.
    pub leaving_units: u32,
}

impl Buffer {
    /// An empty buffer of `capacity` mapping units for a device of `pages` logical pages, out of which
    /// dirty units go `by_arrival` or by age of use.
    pub fn new(capacity: u32, pages: u32, by_arrival: bool) -> Self {
        Self {
            capacity,
            index: vec![0; pages as usize],
            nodes: Slab::new(Buffered::default()),
            used: PageOrder::default(),
            arrived: PageOrder::default(),
            by_arrival,
            units: 0,
            dirty_units: 0,
            leaving_units: 0,
        }
    }

    /// Most mapping units, those on their way below included.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Mapping units that have to be written.
    #[inline]
    pub fn dirty_units(&self) -> u32 {
        self.dirty_units
    }

    /// How many of the units in `mask` of a page are not there.
    pub fn fresh(&self, page: u32, mask: u32) -> u32 {
        (mask & !self.get(page).map_or(0, |entry| entry.mask)).ones()
    }

    /// Whether so many more units fit.
    pub fn has_room(&self, units: u32) -> bool {
        self.units + self.leaving_units + units <= self.capacity
    }

    /// Whether so many more units of `page` fit, if need be in the place of other pages, those used longest
    /// ago first, as long as nothing of them has to be written.
    pub fn make_room(&mut self, page: u32, units: u32) -> bool {
        if !self.has_room(units) {
            self.touch(page);
        }
        while !self.has_room(units) {
            let node = self.used.oldest;
            let entry = &self.nodes[node as usize];
            if node == 0 || entry.dirty != 0 || entry.page == page {
                return false;
            }
            self.take(node);
        }
        true
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The page's entry, if present.
    pub fn get(&self, page: u32) -> Option<&Buffered> {
        match self.index[page as usize] {
            0 => None,
            node => Some(&self.nodes[node as usize]),
        }
    }

    /// Adds data of a page; the caller has made room for what is fresh.
    pub fn put(&mut self, piece: &Piece, dirty: bool) {
        let node = self.node_of(piece.page);
        let by_arrival = self.by_arrival;
        let entry = &mut self.nodes[node as usize];
        let (old, stays) = (*entry, by_arrival && entry.dirty != 0);
        entry.merge(piece, dirty);
        self.units += entry.mask.ones() - old.mask.ones();
        self.dirty_units += entry.dirty.ones() - old.dirty.ones();
        if !stays {
            if old.mask != 0 {
                self.unlink(node, false);
            }
            self.link_newest(node);
        }
    }

    /// Adds mapping units of a page that were read below; the caller has made room for what is fresh. What
    /// was there in part is there as a whole now.
    pub fn fill(&mut self, page: u32, mask: u32) {
        let node = self.node_of(page);
        let entry = &mut self.nodes[node as usize];
        let old = entry.mask;
        entry.mask |= mask;
        entry.partial &= !mask;
        self.units += entry.mask.ones() - old.ones();
        match old {
            0 => self.link_newest(node),
            _ => self.touch(page),
        }
    }

    /// The node of a page, made and in no order yet if it is absent.
    fn node_of(&mut self, page: u32) -> u32 {
        if self.index[page as usize] == 0 {
            self.index[page as usize] = self.nodes.insert(Buffered { page, ..Buffered::default() });
        }
        self.index[page as usize]
    }

    /// Makes a page the one used last, if it is present; an order of arrival stays.
    pub fn touch(&mut self, page: u32) {
        let node = self.index[page as usize];
        if node != 0 && !self.has_arrived(node) {
            self.unlink(node, false);
            self.link_newest(node);
        }
    }

    /// Takes out the page used longest ago.
    pub fn take_oldest(&mut self) -> Option<Buffered> {
        match self.used.oldest {
            0 => None,
            node => Some(self.take(node)),
        }
    }

    /// Takes out what has to be written of the page that came first: all of it, or `most` units.
    pub fn take_arrived(&mut self, most: u32) -> Option<Buffered> {
        let node = self.arrived.oldest;
        if node == 0 {
            return None;
        }
        let entry = &mut self.nodes[node as usize];
        if entry.dirty.ones() <= most {
            return Some(self.take(node));
        }
        let mut part = 0;
        for _ in 0..most {
            part |= 1 << (entry.dirty & !part).trailing_zeros();
        }
        let taken = Buffered { mask: part, partial: entry.partial & part, dirty: part, ..*entry };
        entry.mask &= !part;
        entry.partial &= !part;
        entry.dirty &= !part;
        self.units -= most;
        self.dirty_units -= most;
        Some(taken)
    }

    /// Forgets mapping units of a page that the host declared unused.
    pub fn trim(&mut self, page: u32, mask: u32) {
        let node = self.index[page as usize];
        if node == 0 {
            return;
        }
        let old = self.nodes[node as usize];
        let rest = Buffered {
            mask: old.mask & !mask,
            partial: old.partial & !mask,
            dirty: old.dirty & !mask,
            ..old
        };
        if rest.mask == 0 {
            self.take(node);
            return;
        }
        let had_arrived = self.has_arrived(node);
        self.units -= old.mask.ones() - rest.mask.ones();
        self.dirty_units -= old.dirty.ones() - rest.dirty.ones();
        self.nodes[node as usize] = rest;
        if had_arrived && rest.dirty == 0 {
            self.unlink(node, true);
            self.link_newest(node);
        }
    }

    /// Proves that the orders hold exactly the pages of the index, that they have room, and that what is
    /// clean lies below too: `below` says which mapping units of a page do.
    pub fn audit(&self, below: impl Fn(u32) -> u32) -> Result<(), String> {
        let (mut seen, mut units, mut dirty_units) = (0, 0, 0);
        for (oldest, is_arrived) in [(self.used.oldest, false), (self.arrived.oldest, true)] {
            let mut node = oldest;
            while node != 0 {
                let entry = &self.nodes[node as usize];
                let is_lost = self.index[entry.page as usize] != node || entry.mask == 0;
                if is_lost || self.has_arrived(node) != is_arrived {
                    return Err(format!("the buffer has lost {entry:?}"));
                }
                let clean = entry.mask & !entry.dirty;
                if (entry.dirty | entry.partial) & !entry.mask != 0 || clean & !below(entry.page) != 0 {
                    return Err(format!("the buffer has units that are nowhere: {entry:?}"));
                }
                units += entry.mask.ones();
                dirty_units += entry.dirty.ones();
                (node, seen) = (entry.next, seen + 1);
            }
        }
        let is_counted = (units, dirty_units) == (self.units, self.dirty_units);
        if seen != self.nodes.len() || !is_counted || !self.has_room(0) {
            let (nodes, leaving, most) = (self.nodes.len(), self.leaving_units, self.capacity);
            return Err(format!(
                "the buffer has {seen} of {nodes} pages, {units} units, {dirty_units} to be written, and \
                 {leaving} leaving for {most}; counted {} and {}",
                self.units, self.dirty_units
            ));
        }
        Ok(())
    }

    /// Whether the node is in the order of arrival.
    fn has_arrived(&self, node: u32) -> bool {
        self.by_arrival && self.nodes[node as usize].dirty != 0
    }

    fn take(&mut self, node: u32) -> Buffered {
        let entry = self.nodes[node as usize];
        self.unlink(node, self.has_arrived(node));
        self.index[entry.page as usize] = 0;
        self.nodes.remove(node);
        self.units -= entry.mask.ones();
        self.dirty_units -= entry.dirty.ones();
        entry
    }

    fn order(&mut self, arrived: bool) -> &mut PageOrder {
        if arrived {
            &mut self.arrived
        } else {
            &mut self.used
        }
    }

    fn unlink(&mut self, node: u32, arrived: bool) {
        let Buffered { prev, next, .. } = self.nodes[node as usize];
        match prev {
            0 => self.order(arrived).oldest = next,
            p => self.nodes[p as usize].next = next,
        }
        match next {
            0 => self.order(arrived).newest = prev,
            n => self.nodes[n as usize].prev = prev,
        }
    }

    /// Makes a node the newest of the order it belongs to.
    fn link_newest(&mut self, node: u32) {
        let arrived = self.has_arrived(node);
        let newest = std::mem::replace(&mut self.order(arrived).newest, node);
        self.nodes[node as usize].prev = newest;
        self.nodes[node as usize].next = 0;
        match newest {
            0 => self.order(arrived).oldest = node,
            n => self.nodes[n as usize].next = node,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::page_level::whole_page;

    fn piece(page: u32, mask: u32, partial: u32) -> Piece {
        Piece { partial, mask, request_sectors: 8 * page, ..whole_page(page, 2, 4096) }
    }

    #[test]
    fn the_page_used_longest_ago_leaves_first_and_masks_merge() {
        let mut buffer = Buffer::new(5, 10, false);
        buffer.put(&piece(1, 0b01, 0b01), true);
        buffer.put(&piece(2, 0b11, 0), false);
        buffer.put(&piece(1, 0b10, 0), true);
        assert_eq!(buffer.get(1).map(Buffered::whole), Some(0b10));
        buffer.put(&piece(1, 0b01, 0), true);
        assert_eq!(buffer.get(1).map(Buffered::whole), Some(0b11));
        buffer.put(&piece(3, 1, 0), true);
        assert!(!buffer.has_room(1));
        assert_eq!((buffer.dirty_units(), buffer.fresh(3, 0b11)), (3, 1));
        buffer.audit(|_| u32::MAX).unwrap();
        assert_eq!(buffer.take_oldest().map(|b| (b.page, b.dirty)), Some((2, 0)));
        buffer.trim(1, 0b11);
        assert_eq!(buffer.take_oldest().map(|b| b.page), Some(3));
        assert!(buffer.take_oldest().is_none());
        buffer.audit(|_| 0).unwrap();
    }

    #[test]
    fn a_fill_makes_units_whole_and_only_what_is_clean_makes_room() {
        let mut buffer = Buffer::new(3, 10, false);
        buffer.put(&piece(1, 0b01, 0b01), true);
        buffer.fill(1, 0b11);
        let entry = *buffer.get(1).unwrap();
        assert_eq!((entry.whole(), entry.dirty, entry.request_sectors), (0b11, 0b01, 8));
        buffer.fill(2, 0b01);
        assert!(!buffer.make_room(3, 1), "the oldest page is dirty");
        buffer.trim(1, 0b01);
        assert!(buffer.make_room(3, 2), "what was dirty is unused");
        assert_eq!((buffer.get(1).is_none(), buffer.get(2).is_some()), (true, true));
        buffer.audit(|_| 0b01).unwrap();
        assert!(!buffer.make_room(2, 3), "a page makes no room for more of itself");
        assert!(buffer.audit(|_| 0b10).unwrap_err().contains("nowhere"));
    }

    #[test]
    fn what_is_written_leaves_in_the_order_of_arrival_in_parts_and_what_is_clean_makes_room() {
        let mut buffer = Buffer::new(8, 10, true);
        buffer.put(&piece(1, 0b1011, 0b1000), true);
        buffer.put(&piece(2, 0b1, 0), true);
        buffer.fill(3, 0b11);
        buffer.put(&piece(1, 0b1, 0), true);
        buffer.touch(1);
        buffer.fill(4, 0b11);
        buffer.touch(3);
        assert!(buffer.make_room(5, 1), "page 4 was used longest ago of what is clean");
        assert_eq!((buffer.get(4).is_none(), buffer.get(3).is_some()), (true, true));
        let part = buffer.take_arrived(2).unwrap();
        assert_eq!((part.page, part.dirty, part.partial), (1, 0b11, 0));
        buffer.audit(|_| 0b11).unwrap();
        let rest = buffer.take_arrived(2).unwrap();
        assert_eq!((rest.page, rest.dirty, rest.partial), (1, 0b1000, 0b1000));
        buffer.fill(2, 0b11);
        buffer.trim(2, 0b1);
        assert_eq!((buffer.dirty_units(), buffer.take_arrived(9).is_none()), (0, true));
        buffer.audit(|_| 0b11).unwrap();
        assert!(buffer.make_room(5, 8) && buffer.is_empty());
    }
}
