//! The floor: a bare loop over the same requests that only keeps the two maps
//! and the valid counts. No timing, no causes, no statistics: what no simulator
//! with a page map can avoid.

use slcache_core::device::request::{HostOp, Request, SECTOR_BYTES};
use slcache_sim::resources::Stopwatch;

/// A device reduced to its maps: one log over all blocks, recycled oldest first.
pub struct Floor {
    page_sectors: u64,
    pages_per_block: u32,
    /// Logical page to physical page + 1.
    forward: Vec<u32>,
    /// Physical page to logical page + 1.
    reverse: Vec<u32>,
    valid: Vec<u16>,
    /// Next physical page to program.
    head: u32,
    /// Blocks between the head and the oldest data.
    free_blocks: u32,
    programs: u64,
}

/// What a pass of the loop did.
pub struct Pass {
    pub cpu_s: f64,
    pub page_programs: u64,
}

impl Floor {
    /// A floor of `blocks` blocks for `pages` logical pages.
    pub fn new(page_bytes: u32, pages: u32, blocks: u32, pages_per_block: u32) -> Self {
        Self {
            page_sectors: u64::from(page_bytes) / SECTOR_BYTES,
            pages_per_block,
            forward: vec![0; pages as usize],
            reverse: vec![0; blocks as usize * pages_per_block as usize],
            valid: vec![0; blocks as usize],
            head: 0,
            free_blocks: blocks,
            programs: 0,
        }
    }

    /// Runs the requests through the maps.
    pub fn run(mut self, requests: &[Request]) -> Pass {
        let stopwatch = Stopwatch::start();
        let mut read = 0u32;
        for request in requests {
            let first = request.sector / self.page_sectors;
            let end = request.end_sector().div_ceil(self.page_sectors);
            for page in first as u32..end as u32 {
                if request.op == HostOp::Write {
                    self.write(page);
                } else if self.forward[page as usize] == 0 {
                    // Data from before time 0 are mapped when first read, and cost no program.
                    self.write(page);
                    self.programs -= 1;
                } else {
                    read = read.wrapping_add(self.forward[page as usize]);
                }
            }
        }
        std::hint::black_box(read);
        Pass { cpu_s: stopwatch.cpu_s(), page_programs: self.programs }
    }

    #[inline]
    fn write(&mut self, page: u32) {
        if self.head % self.pages_per_block == 0 {
            self.open_block();
        }
        self.program(page);
    }

    #[inline]
    fn program(&mut self, page: u32) {
        let old = std::mem::replace(&mut self.forward[page as usize], self.head + 1);
        if old != 0 {
            self.reverse[old as usize - 1] = 0;
            self.valid[(old - 1) as usize / self.pages_per_block as usize] -= 1;
        }
        self.reverse[self.head as usize] = page + 1;
        self.valid[(self.head / self.pages_per_block) as usize] += 1;
        self.programs += 1;
        self.head += 1;
    }

    /// Moves the head to a free block, emptying the oldest ones until there is one beside it.
    fn open_block(&mut self) {
        if self.head as usize == self.reverse.len() {
            self.head = 0;
        }
        self.free_blocks -= 1;
        while self.free_blocks == 0 {
            let victim = (self.head / self.pages_per_block + 1) % self.valid.len() as u32;
            self.free_blocks += 1;
            self.empty(victim);
        }
    }

    /// Programs the live pages of the oldest block at the head.
    fn empty(&mut self, victim: u32) {
        if self.valid[victim as usize] == 0 {
            return;
        }
        let first = victim * self.pages_per_block;
        for physical in first..first + self.pages_per_block {
            let owner = self.reverse[physical as usize];
            if owner != 0 {
                self.program(owner - 1);
            }
        }
        // A block wholly live fills the head's block; the next free one is then the victim itself.
        if self.head % self.pages_per_block == 0 {
            self.open_block();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_stay_inverse_and_every_page_is_kept() {
        let (pages, blocks, per_block) = (180, 20, 10);
        let mut floor = Floor::new(4096, pages, blocks, per_block);
        let mut state = 1u64;
        for i in 0..20_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            floor.write(if i < 180 { i as u32 } else { ((state >> 33) % 180) as u32 });
        }
        for (page, &physical) in floor.forward.iter().enumerate() {
            assert_eq!(floor.reverse[physical as usize - 1] as usize, page + 1);
        }
        let live: u32 = floor.valid.iter().map(|&count| u32::from(count)).sum();
        assert_eq!(live, pages);
        assert!(floor.programs > 40_000, "{}", floor.programs);
    }
}
