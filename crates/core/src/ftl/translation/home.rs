//! The home of translation pages in flash: blocks of their own, written in turn over the planes and
//! cleaned greedily. State only: what it does in time is emitted by whoever asks.

use crate::hw::map_config::{MapShape, KEPT_BLOCKS};
use serde::{Deserialize, Serialize};

/// No page, and no block.
const NONE: u32 = u32::MAX;
/// Where a page is that waits in the buffer to be programmed.
const BUFFERED: u32 = u32::MAX - 1;
/// A block of the home.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
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
#[derive(Clone, Debug)]
pub struct Home {
    shape: MapShape,
    /// The slot of each translation page, or where else it is.
    places: Vec<u32>,
    /// The translation page of each slot; none if it is dead.
    owners: Vec<u32>,
    blocks: Vec<Block>,
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
            blocks: vec![Block::default(); shape.total() as usize],
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

    /// Blocks in all.
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

    /// The plane of a block.
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

    /// Proves that places, slots and blocks agree.
    pub fn audit(&self) -> Result<(), String> {
        let mut live = vec![0; self.blocks.len()];
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

/// What a snapshot holds of the home.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HomeState {
    places: Vec<u32>,
    /// Pages written, erases and the number of the last opening of each block.
    blocks: Vec<(u32, u32, u32)>,
    open: Vec<u32>,
    turn: u32,
    buffer: Vec<u32>,
}

impl Home {
    /// What a snapshot holds.
    pub fn save(&self) -> HomeState {
        HomeState {
            places: self.places.clone(),
            blocks: self.blocks.iter().map(|block| (block.written, block.erases, block.opened)).collect(),
            open: self.open.clone(),
            turn: self.turn,
            buffer: self.buffer.clone(),
        }
    }

    /// Takes a snapshot's part into an empty home, or says why it does not fit.
    pub fn load(&mut self, state: HomeState) -> Result<(), String> {
        let shape = self.shape;
        let lengths = [state.places.len(), state.blocks.len(), state.open.len()];
        if lengths != [self.places.len(), self.blocks.len(), self.open.len()] || state.turn >= shape.planes {
            return Err(format!("translation pages, blocks and planes {lengths:?}"));
        }
        for (plane, &block) in (0..).zip(&state.open) {
            let is_open = |&(written, ..): &(u32, u32, u32)| written < shape.pages;
            let known = state.blocks.get(block as usize).is_some_and(is_open);
            if block != NONE && !(known && self.plane_of(block) == plane) {
                return Err(format!("block {block} of translation pages is open in plane {plane}"));
            }
        }
        let slots = self.owners.len() as u32;
        for (&place, tp) in state.places.iter().zip(0..) {
            let waits = state.buffer.contains(&tp);
            if (place >= slots && place < BUFFERED) || waits != (place == BUFFERED) {
                return Err(format!("translation page {tp} in slot {place} of {slots}"));
            }
            if place < BUFFERED {
                self.owners[place as usize] = tp;
                let HomePage { block, .. } = self.page_of(place);
                self.blocks[block as usize].live += 1;
            }
        }
        if state.buffer.len() >= shape.slots as usize {
            return Err(format!(
                "{} translation pages wait for a page of {}",
                state.buffer.len(),
                shape.slots
            ));
        }
        for (block, (written, erases, opened)) in self.blocks.iter_mut().zip(state.blocks) {
            if written > shape.pages {
                return Err(format!("{written} pages of {} in a block of translation pages", shape.pages));
            }
            (block.written, block.erases, block.opened) = (written, erases, opened);
            self.opened = self.opened.max(opened);
        }
        let open = |block: usize| state.open.contains(&(block as u32));
        let free =
            self.blocks.iter().enumerate().filter(|(i, block)| block.written == 0 && !open(*i)).count();
        self.free = free as u32;
        (self.places, self.open, self.turn, self.buffer) =
            (state.places, state.open, state.turn, state.buffer);
        let half = self.blocks.iter().enumerate();
        let mut half = half.filter(|(i, block)| {
            (1..shape.pages).contains(&block.written) && !self.open.contains(&(*i as u32))
        });
        if let Some((block, _)) = half.next() {
            return Err(format!("block {block} of translation pages is half written and not open"));
        }
        self.audit()
    }
}
