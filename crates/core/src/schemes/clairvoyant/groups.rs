//! Open blocks by window of death: blocks whose pages die together.

use crate::base::{BlockId, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::oracle::NEVER;
use crate::ftl::region::Region;
use serde::{Deserialize, Serialize};

/// A block being filled for a window of time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Open {
    pub block: BlockId,
    /// The step at which its window is over.
    pub until: u32,
}

/// Planes that share open blocks, one of each window.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    pub planes: Vec<PlaneId>,
    pub open: Vec<Option<Open>>,
    /// The plane where a block is opened next, if none has more free ones.
    pub turn: usize,
}

/// How long windows are, and how many.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Windows {
    pub count: u32,
    pub steps: u32,
}

impl Windows {
    /// The window of what dies at `death`. The last one has what dies beyond the others, or never.
    pub fn of(self, death: u32, now: u32) -> usize {
        let far = self.count - 1;
        let ahead = (death / self.steps).saturating_sub(now / self.steps);
        if far == 0 || death == NEVER || ahead >= far {
            return far as usize;
        }
        (death / self.steps % far) as usize
    }

    /// The step at which the window that holds `death` is over.
    pub fn end(self, death: u32) -> u32 {
        (death / self.steps).saturating_add(1).saturating_mul(self.steps)
    }
}

impl Group {
    pub fn new(planes: Vec<PlaneId>, windows: Windows) -> Self {
        Self { planes, open: vec![None; windows.count as usize], turn: 0 }
    }

    /// Free blocks of its planes.
    pub fn free(&self, slc: &Region, io: &Io) -> u32 {
        self.planes.iter().map(|&plane| slc.free_blocks(plane, io)).sum()
    }

    /// The open block of a window, if it has a free page.
    pub fn open_at(&self, window: usize, slc: &Region, io: &Io) -> Option<BlockId> {
        self.open[window].map(|open| open.block).filter(|&block| slc.next_page_of(block, io).is_some())
    }

    /// The open block of the window nearest to `window`, the earlier one of two.
    pub fn nearest(&self, window: usize, slc: &Region, io: &Io) -> Option<BlockId> {
        let both = |distance: usize| [window.checked_sub(distance), Some(window + distance)];
        let windows = (1..self.open.len()).flat_map(both).flatten();
        windows.filter(|&at| at < self.open.len()).find_map(|at| self.open_at(at, slc, io))
    }

    /// Opens a block of the plane with most free ones for a window that is over at `until`, if more than `reserve`
    /// are free.
    pub fn open(
        &mut self,
        window: usize,
        until: u32,
        reserve: u32,
        slc: &mut Region,
        io: &mut Io,
    ) -> Option<BlockId> {
        if self.free(slc, io) <= reserve {
            return None;
        }
        let count = self.planes.len();
        let place = (0..count)
            .map(|step| (self.turn + step) % count)
            .min_by_key(|&place| std::cmp::Reverse(slc.free_blocks(self.planes[place], io)))?;
        let block = slc.open_apart(io, self.planes[place], 0)?;
        self.turn = (place + 1) % count;
        self.open[window] = Some(Open { block, until });
        Some(block)
    }

    /// Takes an open block out whose window is over at `now` and that holds nothing alive.
    pub fn take_over(&mut self, window: usize, now: u32, slc: &Region, io: &Io) -> Option<BlockId> {
        let open = self.open[window]?;
        let written = io.array().block(open.block).write_ptr() > 0;
        let is_over = now >= open.until && written && slc.live_of(open.block, io) == 0;
        (is_over && self.open_at(window, slc, io).is_some()).then(|| {
            self.open[window] = None;
            open.block
        })
    }

    /// A block that was full, or open, is one of its no more.
    pub fn forget(&mut self, block: BlockId) {
        self.open.iter_mut().for_each(|slot| *slot = slot.filter(|open| open.block != block));
    }

    /// The full block with the least live data, the one opened first on ties.
    pub fn victim(&self, slc: &Region, io: &Io) -> Option<BlockId> {
        let least = |&plane: &PlaneId| crate::ftl::victim::least_live(slc, io, plane);
        let key = |block: &BlockId| (slc.live_of(*block, io), io.array().block(*block).opened);
        self.planes.iter().filter_map(least).min_by_key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dies_together_shares_a_window() {
        let windows = Windows { count: 4, steps: 10 };
        let of = |death| windows.of(death, 25);
        assert_eq!([of(26), of(29), of(30), of(45), of(49)], [2, 2, 0, 1, 1]);
        // Three windows of time, and the last for what dies later or never, or is late already.
        assert_eq!([of(50), of(4_000), of(NEVER), of(3)], [3, 3, 3, 0]);
        assert_eq!(Windows { count: 1, steps: 10 }.of(26, 25), 0);
        assert_eq!((windows.end(29), windows.end(30), windows.end(NEVER)), (30, 40, NEVER));
    }
}
