//! Translation pages in DRAM, the least recently used of which leaves first.

use serde::{Deserialize, Serialize};

/// No page.
const NONE: u32 = u32::MAX;

/// A translation page's place in the order; `next` of one that is not cached is none.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    prev: u32,
    next: u32,
    dirty: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The page is there.
    Hit,
    /// It is not, and takes the place of the page that is told, if there was no room.
    Miss {
        /// The page that leaves, and whether it was changed since it was last written.
        evicted: Option<(u32, bool)>,
    },
}

/// The order of use, a circle through an end that is no page: its next is the page used longest ago.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lru {
    nodes: Vec<Node>,
    len: usize,
    capacity: usize,
}

impl Lru {
    /// Room for `capacity` of `pages` translation pages.
    pub fn new(pages: u32, capacity: usize) -> Self {
        let mut nodes = vec![Node { prev: NONE, next: NONE, dirty: false }; pages as usize + 1];
        nodes[pages as usize] = Node { prev: pages, next: pages, dirty: false };
        Self { nodes, len: 0, capacity }
    }

    /// Pages in the cache.
    pub fn cached(&self) -> usize {
        self.len
    }

    /// Pages that fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Uses `page`, which becomes the newest, and dirty if it is changed.
    pub fn touch(&mut self, page: u32, change: bool) -> Lookup {
        let hit = self.nodes[page as usize].next != NONE;
        let mut evicted = None;
        if hit {
            self.unlink(page);
        } else if self.len == self.capacity {
            evicted = Some(self.take_oldest());
        }
        self.link_newest(page);
        self.nodes[page as usize].dirty |= change;
        if hit {
            Lookup::Hit
        } else {
            Lookup::Miss { evicted }
        }
    }

    /// Takes out the page used longest ago; there is one.
    fn take_oldest(&mut self) -> (u32, bool) {
        let page = self.nodes[self.end()].next;
        self.unlink(page);
        let node = &mut self.nodes[page as usize];
        node.next = NONE;
        (page, std::mem::take(&mut node.dirty))
    }

    /// The pages, the one used longest ago first, and whether each is dirty.
    pub fn iter(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        let mut page = self.nodes[self.end()].next;
        std::iter::from_fn(move || {
            let node = (page as usize != self.end()).then(|| self.nodes[page as usize])?;
            let found = (page, node.dirty);
            page = node.next;
            Some(found)
        })
    }

    /// Whether it has room for as many of as many pages as `other`.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.nodes.len(), self.capacity) == (other.nodes.len(), other.capacity)
    }

    /// Proves that what is cached is in the order, and fits.
    pub fn audit(&self) -> Result<(), String> {
        let ordered = self.iter().take(self.len + 1).count();
        let cached = self.nodes[..self.end()].iter().filter(|node| node.next != NONE).count();
        match ordered == self.len && cached == self.len && self.len <= self.capacity {
            true => Ok(()),
            false => Err(format!("{ordered} of {cached} cached pages in order, counted as {}", self.len)),
        }
    }

    /// Says that `page`, which is cached, is as it was last written.
    pub fn clean(&mut self, page: u32) {
        self.nodes[page as usize].dirty = false;
    }

    fn end(&self) -> usize {
        self.nodes.len() - 1
    }

    fn unlink(&mut self, page: u32) {
        let Node { prev, next, .. } = self.nodes[page as usize];
        self.nodes[prev as usize].next = next;
        self.nodes[next as usize].prev = prev;
        self.len -= 1;
    }

    fn link_newest(&mut self, page: u32) {
        let end = self.end();
        let newest = std::mem::replace(&mut self.nodes[end].prev, page);
        self.nodes[newest as usize].next = page;
        let node = &mut self.nodes[page as usize];
        (node.prev, node.next) = (newest, end as u32);
        self.len += 1;
    }
}
