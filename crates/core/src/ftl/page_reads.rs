//! The reads of a job that puts pages together: each page is read once.

use crate::base::Ppn;
use crate::hw::timing::OpId;

/// The reads of a job: open addressing, at most half full.
#[derive(Clone, Default)]
pub(super) struct PageReads {
    /// Page + 1; 0 = nothing.
    keys: Vec<u32>,
    ops: Vec<OpId>,
    count: usize,
}

impl PageReads {
    /// Forgets the reads of the job before.
    pub fn clear(&mut self) {
        self.keys.fill(0);
        self.count = 0;
    }

    fn place(&self, page: Ppn) -> usize {
        let mut place = (page.0.wrapping_mul(0x9e37_79b1) >> 7) as usize & (self.keys.len() - 1);
        while self.keys[place] != 0 && self.keys[place] != page.0 + 1 {
            place = (place + 1) & (self.keys.len() - 1);
        }
        place
    }

    pub fn get(&self, page: Ppn) -> Option<OpId> {
        let place = (!self.keys.is_empty()).then(|| self.place(page))?;
        (self.keys[place] != 0).then(|| self.ops[place])
    }

    /// Notes that `op` reads `page`.
    pub fn insert(&mut self, page: Ppn, op: OpId) {
        if self.count * 2 >= self.keys.len() {
            let size = (self.keys.len() * 2).max(256);
            let keys = std::mem::replace(&mut self.keys, vec![0; size]);
            let ops = std::mem::replace(&mut self.ops, vec![OpId::NONE; size]);
            for (key, op) in keys.into_iter().zip(ops).filter(|(key, _)| *key != 0) {
                let place = self.place(Ppn(key - 1));
                (self.keys[place], self.ops[place]) = (key, op);
            }
        }
        let place = self.place(page);
        (self.keys[place], self.ops[place]) = (page.0 + 1, op);
        self.count += 1;
    }
}
