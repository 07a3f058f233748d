//! The home of translation pages in flash: blocks of their own, written in turn over the planes and
//! cleaned greedily. State only: what it does in time is emitted by whoever asks.

use crate::hw::map_config::{MapShape, KEPT_BLOCKS};
use serde::{Deserialize, Serialize};

/// No page, and no block.
const NONE: u32 = u32::MAX;
/// Where a page is that waits in the buffer to be programmed.
const BUFFERED: u32 = u32::MAX - 1;
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct MapBlock {
    live: u32,
    written: u32,
    erases: u32,
    /// Sequence number of the last opening.
    opened: u32,
}

/// Where a flash page of the home lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HomePage {
    /// Block, counted over the planes: those of a plane lie side by side.
    pub block: u32,
    /// Page of the block.
    pub page: u32,
}

/// The home of translation pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Home {
    shape: MapShape,
    /// The slot of each translation page, or where else it is.
    places: Vec<u32>,
    /// The translation page of each slot; none if it is dead.
    owners: Vec<u32>,
    blocks: Vec<MapBlock>,
    /// The open block of each plane; none if it is full.
    open: Vec<u32>,
    /// The plane whose turn it is.
    turn: u32,
    free: u32,
    /// Blocks opened so far.
    opened: u32,
    buffer: Vec<u32>,
}

impl Home {
    /// An empty home of `translations` pages.
    pub fn new(shape: MapShape, translations: u32) -> Self {
        let slots = shape.total() * shape.pages * shape.slots;
        Self {
            shape,
            places: vec![NONE; translations as usize],
            owners: vec![NONE; slots as usize],
            blocks: vec![MapBlock::default(); shape.total() as usize],
            open: vec![NONE; shape.planes as usize],
            turn: 0,
            free: shape.total(),
            opened: 0,
            buffer: Vec::with_capacity(shape.slots as usize),
        }
    }

    /// Where translation page `tp` lies in flash; none if it waits in the buffer or was never written.
    pub fn find(&self, tp: u32) -> Option<HomePage> {
        let place = self.places[tp as usize];
        (place < BUFFERED).then(|| self.page_of(place))
    }

    /// Whether `tp` is in flash or in the buffer.
    pub fn holds(&self, tp: u32) -> bool {
        self.places[tp as usize] != NONE
    }

    fn page_of(&self, slot: u32) -> HomePage {
        let page = slot / self.shape.slots;
        HomePage { block: page / self.shape.pages, page: page % self.shape.pages }
    }

    pub fn blocks(&self) -> u32 {
        self.shape.total()
    }

    /// Erases of all blocks.
    pub fn erases(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.erases)).sum()
    }

    /// Flash pages of a block.
    pub fn pages_per_block(&self) -> u32 {
        self.shape.pages
    }

    pub fn plane_of(&self, block: u32) -> u32 {
        block / self.shape.blocks
    }

    /// Puts `tp` into the buffer, where an older one of it dies; says whether the buffer is full.
    pub fn put(&mut self, tp: u32) -> bool {
        let place = std::mem::replace(&mut self.places[tp as usize], BUFFERED);
        if place < BUFFERED {
            self.owners[place as usize] = NONE;
            let HomePage { block, .. } = self.page_of(place);
            self.blocks[block as usize].live -= 1;
        }
        if place != BUFFERED {
            self.buffer.push(tp);
        }
        self.buffer.len() == self.shape.slots as usize
    }

    /// Pages that wait in the buffer.
    pub fn buffered(&self) -> &[u32] {
        &self.buffer
    }

    /// Takes a page for what is in the buffer, which is then empty.
    pub fn program(&mut self) -> HomePage {
        let at = self.take_page();
        let first = (at.block * self.shape.pages + at.page) * self.shape.slots;
        for (slot, tp) in (first..).zip(self.buffer.drain(..)) {
            self.places[tp as usize] = slot;
            self.owners[slot as usize] = tp;
            self.blocks[at.block as usize].live += 1;
        }
        at
    }

    /// The next page of the plane whose turn it is, or of the next plane that has one.
    fn take_page(&mut self) -> HomePage {
        for _ in 0..self.shape.planes {
            let plane = self.turn;
            self.turn = (self.turn + 1) % self.shape.planes;
            if self.open[plane as usize] == NONE {
                self.open_in(plane);
            }
            let block = self.open[plane as usize];
            if block != NONE {
                let written = &mut self.blocks[block as usize].written;
                *written += 1;
                let page = *written - 1;
                if *written == self.shape.pages {
                    self.open[plane as usize] = NONE;
                }
                return HomePage { block, page };
            }
        }
        unreachable!("Invariant: cleaning keeps blocks free, and gains with every victim")
    }

    /// Opens the least worn free block of `plane`, if it has one.
    fn open_in(&mut self, plane: u32) {
        let of_plane = plane * self.shape.blocks..(plane + 1) * self.shape.blocks;
        let free = of_plane.filter(|&block| self.blocks[block as usize].written == 0);
        if let Some(block) = free.min_by_key(|&block| self.blocks[block as usize].erases) {
            self.open[plane as usize] = block;
            self.free -= 1;
            self.opened += 1;
            self.blocks[block as usize].opened = self.opened;
        }
    }

    /// The block to clean next, if free blocks are short: the full one with the fewest live pages, the
    /// one opened first on ties.
    pub fn victim(&self) -> Option<u32> {
        if self.free >= KEPT_BLOCKS {
            return None;
        }
        let full = |block: &u32| self.blocks[*block as usize].written == self.shape.pages;
        let key = |block: u32| (self.blocks[block as usize].live, self.blocks[block as usize].opened);
        (0..self.shape.total()).filter(full).min_by_key(|&block| key(block))
    }

    /// The translation pages that live in page `page` of `block`.
    pub fn live_in(&self, at: HomePage) -> impl Iterator<Item = u32> + '_ {
        let first = (at.block * self.shape.pages + at.page) * self.shape.slots;
        let owners = &self.owners[first as usize..(first + self.shape.slots) as usize];
        owners.iter().copied().filter(|&tp| tp != NONE)
    }

    /// Erases a block, in which nothing lives.
    pub fn erase(&mut self, block: u32) {
        let record = &mut self.blocks[block as usize];
        assert_eq!(record.live, 0, "Invariant: what lives was moved");
        (record.written, record.erases) = (0, record.erases + 1);
        self.free += 1;
    }

    /// The blocks written so far, each with its pages.
    pub fn written(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let used = self.blocks.iter().enumerate().filter(|(_, block)| block.written > 0);
        used.map(|(index, block)| (index as u32, block.written))
    }

    /// Whether it has as many blocks for as many pages as `other`.
    pub fn is_like(&self, other: &Self) -> bool {
        let lengths =
            |home: &Self| [home.places.len(), home.owners.len(), home.blocks.len(), home.open.len()];
        self.shape == other.shape && lengths(self) == lengths(other)
    }

    /// Proves that places, slots and blocks agree.
    pub fn audit(&self) -> Result<(), String> {
        let mut live = vec![0; self.blocks.len()];
        if self.turn >= self.shape.planes || self.buffer.len() >= self.shape.slots as usize {
            return Err(format!("turn {}, {} translation pages wait", self.turn, self.buffer.len()));
        }
        for (tp, &place) in self.places.iter().enumerate().filter(|(_, &place)| place < BUFFERED) {
            let at = self.page_of(place);
            live[at.block as usize] += 1;
            if self.owners[place as usize] != tp as u32 || at.page >= self.blocks[at.block as usize].written {
                return Err(format!("translation page {tp} is not in slot {place}"));
            }
        }
        let counted = self.blocks.iter().map(|block| block.live);
        let owned = self.owners.iter().filter(|&&tp| tp != NONE).count();
        let waiting = self.places.iter().filter(|&&place| place == BUFFERED).count();
        if !counted.eq(live.iter().copied())
            || owned as u32 != live.iter().sum::<u32>()
            || waiting != self.buffer.len()
        {
            return Err("the blocks of translation pages hold other pages than are in them".to_owned());
        }
        let free = self.blocks.iter().enumerate();
        let free = free.filter(|(i, block)| block.written == 0 && !self.open.contains(&(*i as u32)));
        let found = free.count() as u32;
        (found == self.free).then_some(()).ok_or_else(|| format!("{found} free blocks, not {}", self.free))
    }
}
