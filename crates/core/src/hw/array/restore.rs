//! Whether a snapshot's blocks can be those of this array: what can be told without the map.

use super::block::{Block, BlockState, TWO_LAYER, USED};
use super::{ArrayState, FlashArray, MODES};
use crate::base::{BlockId, CellMode};

/// Openings after which a device is no more taken for one: their counter has 32 bits.
const OPENINGS_MAX: u32 = 1 << 31;

impl ArrayState {
    /// Says what is wrong, if anything.
    pub(super) fn check(&self, array: &FlashArray) -> Result<(), String> {
        let mut next = 0;
        for (number, record, erases, begun) in &self.blocks {
            let block = BlockId(*number);
            if *number < next || !array.exists(block) {
                return Err(format!("block {number} does not exist or is there twice"));
            }
            next = number + 1;
            let wrong = |what: String| format!("block {number}: {what}");
            record.check(block, array).map_err(wrong)?;
            let pool = array.geometry.pool_of(array.geometry.plane_of(block));
            if (0..MODES).any(|mode| erases[mode] > 0 && pool.modes[mode].is_none()) {
                return Err(wrong("was erased in a mode that its chips do not offer".into()));
            }
            let erased = |mode| u64::from(erases[mode as usize]) * array.pages_of(block, mode);
            record.check_begun(*begun, erased).map_err(wrong)?;
        }
        self.check_openings()?;
        self.check_chunks(array)?;
        let live: u64 = self.blocks.iter().map(|(_, record, ..)| u64::from(record.live)).sum();
        match self.tags.count() {
            tags if tags == live => Ok(()),
            tags => Err(format!("{tags} slots have an owner and the blocks count {live} live ones")),
        }
    }

    /// Each block was last opened at a time of its own, and erased after it was opened.
    fn check_openings(&self) -> Result<(), String> {
        let mut opened: Vec<u32> = self.blocks.iter().map(|(_, record, ..)| record.opened).collect();
        opened.sort_unstable();
        let distinct = opened.windows(2).all(|two| two[0] < two[1]) && opened.first() != Some(&0);
        let last = opened.last().copied().unwrap_or(0);
        if !distinct || last > self.opened || self.opened >= OPENINGS_MAX {
            return Err(format!("{} openings do not fit the blocks, the last at {last}", self.opened));
        }
        let in_use = self.blocks.iter().filter(|(_, record, ..)| record.state() != BlockState::Free).count();
        let erases: u64 =
            self.blocks.iter().flat_map(|(_, _, erases, _)| erases).map(|&n| u64::from(n)).sum();
        if erases + in_use as u64 > u64::from(self.opened) {
            return Err(format!("{erases} erases and {in_use} blocks in use after {} openings", self.opened));
        }
        Ok(())
    }

    /// Each chunk of reverse entries is a block's in use, or free, and is so once.
    fn check_chunks(&self, array: &FlashArray) -> Result<(), String> {
        let capacity = array.tags.len() / array.geometry.slots_per_block() as usize;
        if self.next_chunk as usize > capacity {
            return Err(format!("{} chunks of reverse entries where there are {capacity}", self.next_chunk));
        }
        let mut taken = vec![false; self.next_chunk as usize];
        let in_use = self.blocks.iter().filter(|(_, record, ..)| record.state() != BlockState::Free);
        for chunk in in_use.map(|(_, record, ..)| record.chunk).chain(self.free_chunks.iter().copied()) {
            match taken.get_mut(chunk as usize) {
                Some(taken) if !*taken => *taken = true,
                _ => {
                    return Err(format!("chunk {chunk} of reverse entries is taken twice or does not exist"))
                }
            }
        }
        match taken.iter().position(|&taken| !taken) {
            Some(chunk) => Err(format!("chunk {chunk} of reverse entries is neither in use nor free")),
            None => Ok(()),
        }
    }
}

impl Block {
    /// What was programmed when wear was last reset is still there, or was erased since.
    fn check_begun(&self, begun: (u16, u16), erased: impl Fn(CellMode) -> u64) -> Result<(), String> {
        let mode = CellMode::ALL.get(usize::from(begun.1));
        let since = mode
            .map_or(0, |&mode| erased(mode) + if self.mode() == mode { self.write_ptr.into() } else { 0 });
        match u64::from(begun.0) <= since {
            true => Ok(()),
            false => {
                Err(format!("{} pages in mode {} before time 0, and at most {since} since", begun.0, begun.1))
            }
        }
    }

    fn check(&self, block: BlockId, array: &FlashArray) -> Result<(), String> {
        let pool = array.geometry.pool_of(array.geometry.plane_of(block));
        let mode = CellMode::ALL.get(usize::from(self.mode));
        let pages = match (self.flags, mode, &pool.two_layer) {
            (USED, Some(&mode), _) => pool.modes[mode as usize].as_ref().map(|mode| mode.pages),
            (flags, Some(&mode), Some(layout)) if flags == USED | TWO_LAYER && mode == layout.mode => {
                Some(layout.pages)
            }
            _ => None,
        };
        if pages != Some(u32::from(self.pages)) {
            return Err(format!("{} pages in mode {} with flags {}", self.pages, self.mode, self.flags));
        }
        let (written, free) = (self.write_ptr, BlockState::Free as u8);
        let state_fits = match self.state {
            state if state == free => written == 0 && self.chunk == 0,
            state if state == BlockState::Open as u8 => (1..self.pages).contains(&written),
            state if state == BlockState::Closed as u8 => (1..=self.pages).contains(&written),
            _ => false,
        };
        if !state_fits {
            return Err(format!("{written} of {} pages programmed in state {}", self.pages, self.state));
        }
        if self.live_pages > written || self.live < self.live_pages {
            return Err(format!("{} live pages of {written}, {} live slots", self.live_pages, self.live));
        }
        Ok(())
    }
}
