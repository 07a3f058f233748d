//! The DRAM buffer: logical pages in least-recently-used order, indexed and never hashed.

use crate::base::slab::Slab;
use crate::ftl::piece::Piece;

/// A buffered logical page.
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
        self.request_sectors = piece.request_sectors;
    }
}

/// The buffer's pages.
#[derive(Clone)]
pub struct Buffer {
    capacity: usize,
    /// Node of each logical page; 0 = absent.
    index: Vec<u32>,
    nodes: Slab<Buffered>,
    newest: u32,
    oldest: u32,
    /// Pages being written back; they still occupy the buffer.
    pub evicting: usize,
}

impl Buffer {
    /// An empty buffer of `capacity` logical pages for a device of `pages`.
    pub fn new(capacity: usize, pages: u32) -> Self {
        Self {
            capacity: capacity.max(1),
            index: vec![0; pages as usize],
            nodes: Slab::new(Buffered::default()),
            newest: 0,
            oldest: 0,
            evicting: 0,
        }
    }

    /// Most pages, those on their way below included.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether another page fits.
    pub fn has_room(&self) -> bool {
        self.nodes.len() + self.evicting < self.capacity
    }

    /// Whether another page fits, if need be in the place of the oldest one, dropped because nothing of
    /// it has to be written.
    pub fn make_room(&mut self) -> bool {
        if !self.has_room() && self.oldest != 0 && self.nodes[self.oldest as usize].dirty == 0 {
            self.take(self.oldest);
        }
        self.has_room()
    }

    /// Whether no page is present.
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

    /// Adds data of a page and makes it the newest; the caller has made room if it is absent.
    pub fn put(&mut self, piece: &Piece, dirty: bool) {
        self.newest_of(piece.page).merge(piece, dirty);
    }

    /// Adds mapping units of a page that were read below, and makes it the newest; the caller has made
    /// room if it is absent. What was there in part is there as a whole now.
    pub fn fill(&mut self, page: u32, mask: u32) {
        let entry = self.newest_of(page);
        entry.mask |= mask;
        entry.partial &= !mask;
    }

    /// The entry of a page, made if it is absent, which is now the newest.
    fn newest_of(&mut self, page: u32) -> &mut Buffered {
        let node = match self.index[page as usize] {
            0 => {
                let node = self.nodes.insert(Buffered { page, ..Buffered::default() });
                self.index[page as usize] = node;
                node
            }
            node => {
                self.unlink(node);
                node
            }
        };
        self.link_newest(node);
        &mut self.nodes[node as usize]
    }

    /// Makes a page the newest, if it is present.
    pub fn touch(&mut self, page: u32) {
        let node = self.index[page as usize];
        if node != 0 {
            self.unlink(node);
            self.link_newest(node);
        }
    }

    /// Takes out the oldest page.
    pub fn take_oldest(&mut self) -> Option<Buffered> {
        match self.oldest {
            0 => None,
            node => Some(self.take(node)),
        }
    }

    /// Takes out a page that is there as a whole, `all` its mapping units, and has to be written.
    pub fn take_written(&mut self, page: u32, all: u32) -> Option<Buffered> {
        let node = self.index[page as usize];
        let entry = &self.nodes[node as usize];
        (node != 0 && entry.whole() == all && entry.dirty != 0).then(|| self.take(node))
    }

    /// Forgets mapping units of a page that the host declared unused.
    pub fn trim(&mut self, page: u32, mask: u32) {
        let node = self.index[page as usize];
        if node == 0 {
            return;
        }
        let entry = &mut self.nodes[node as usize];
        entry.mask &= !mask;
        entry.partial &= !mask;
        entry.dirty &= !mask;
        if entry.mask == 0 {
            self.take(node);
        }
    }

    /// Proves that the order holds exactly the pages of the index, that they have room, and that what is
    /// clean lies below too: `below` says which mapping units of a page do.
    pub fn audit(&self, below: impl Fn(u32) -> u32) -> Result<(), String> {
        let (mut node, mut seen) = (self.oldest, 0);
        while node != 0 {
            let entry = &self.nodes[node as usize];
            if self.index[entry.page as usize] != node || entry.mask == 0 {
                return Err(format!("the buffer has lost {entry:?}"));
            }
            let clean = entry.mask & !entry.dirty;
            if (entry.dirty | entry.partial) & !entry.mask != 0 || clean & !below(entry.page) != 0 {
                return Err(format!("the buffer has units that are nowhere: {entry:?}"));
            }
            (node, seen) = (entry.next, seen + 1);
        }
        if seen != self.nodes.len() || seen + self.evicting > self.capacity {
            let (nodes, evicting, most) = (self.nodes.len(), self.evicting, self.capacity);
            return Err(format!("the buffer has {seen} of {nodes} pages and {evicting} leaving for {most}"));
        }
        Ok(())
    }

    fn take(&mut self, node: u32) -> Buffered {
        let entry = self.nodes[node as usize];
        self.unlink(node);
        self.index[entry.page as usize] = 0;
        self.nodes.remove(node);
        entry
    }

    fn unlink(&mut self, node: u32) {
        let Buffered { prev, next, .. } = self.nodes[node as usize];
        match prev {
            0 => self.oldest = next,
            p => self.nodes[p as usize].next = next,
        }
        match next {
            0 => self.newest = prev,
            n => self.nodes[n as usize].prev = prev,
        }
    }

    fn link_newest(&mut self, node: u32) {
        let newest = std::mem::replace(&mut self.newest, node);
        self.nodes[node as usize].prev = newest;
        self.nodes[node as usize].next = 0;
        match newest {
            0 => self.oldest = node,
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
    fn the_least_recently_used_page_leaves_first_and_masks_merge() {
        let mut buffer = Buffer::new(3, 10);
        buffer.put(&piece(1, 0b01, 0b01), true);
        buffer.put(&piece(2, 0b11, 0), false);
        buffer.put(&piece(1, 0b10, 0), true);
        assert_eq!(buffer.get(1).map(Buffered::whole), Some(0b10));
        buffer.put(&piece(1, 0b01, 0), true);
        assert_eq!(buffer.get(1).map(Buffered::whole), Some(0b11));
        buffer.put(&piece(3, 1, 0), true);
        assert!(!buffer.has_room());
        assert_eq!(buffer.take_oldest().map(|b| (b.page, b.dirty)), Some((2, 0)));
        buffer.trim(1, 0b11);
        assert_eq!(buffer.take_oldest().map(|b| b.page), Some(3));
        assert!(buffer.take_oldest().is_none());
    }

    #[test]
    fn a_fill_makes_units_whole_and_only_what_is_clean_makes_room() {
        let mut buffer = Buffer::new(2, 10);
        buffer.put(&piece(1, 0b01, 0b01), true);
        buffer.fill(1, 0b11);
        let entry = *buffer.get(1).unwrap();
        assert_eq!((entry.whole(), entry.dirty, entry.request_sectors), (0b11, 0b01, 8));
        buffer.fill(2, 0b01);
        assert!(!buffer.make_room(), "the oldest page is dirty");
        buffer.trim(1, 0b01);
        assert!(buffer.make_room(), "what was dirty is unused");
        assert_eq!((buffer.get(1).is_none(), buffer.get(2).is_some()), (true, true));
        buffer.audit(|_| 0b01).unwrap();
        assert!(buffer.audit(|_| 0b10).unwrap_err().contains("nowhere"));
    }
}
