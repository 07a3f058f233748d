//! The translation pages of what leaves a block: each is asked for once, and the erase waits for them.

use crate::hw::timing::OpId;

/// What the block that is being emptied has asked for.
#[derive(Clone)]
pub struct Emptying {
    /// The number of the block, or of the part of it that moves for a request, from 1 on.
    number: u64,
    /// By translation page: for which number it was last asked for.
    asked: Vec<u64>,
    /// The operations that bring them, with their serials.
    pub loads: Vec<(OpId, u64)>,
}

impl Emptying {
    /// Nothing is asked for yet, of so many pages.
    pub fn new(translations: u32) -> Self {
        Self { number: 1, asked: vec![0; translations as usize], loads: Vec::new() }
    }

    /// Whether page `tp` is asked for the first time.
    pub fn asks(&mut self, tp: u32) -> bool {
        std::mem::replace(&mut self.asked[tp as usize], self.number) != self.number
    }

    /// Another request comes: nothing of what moves for it has been asked for.
    pub fn begin(&mut self) {
        self.number += 1;
    }

    /// The block is erased.
    pub fn end(&mut self) {
        self.begin();
        self.loads.clear();
    }
}
