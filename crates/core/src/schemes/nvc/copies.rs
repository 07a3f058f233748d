//! Copies of what the host read, on their way into flash: until they are programmed they take memory of
//! the controller, which is bounded.

use crate::ftl::io::Io;
use crate::hw::timing::OpId;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The programs of copies that may still be in flight, oldest first, and how many there may be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copies {
    #[serde(skip)]
    programs: VecDeque<(OpId, u64)>,
    pages_max: usize,
}

impl Copies {
    /// None yet, in a memory of `bytes` for pages of `page_bytes`.
    pub fn new(bytes: u64, page_bytes: u32) -> Self {
        Self { programs: VecDeque::new(), pages_max: (bytes / u64::from(page_bytes)) as usize }
    }

    #[inline]
    pub fn have_room(&mut self, io: &Io) -> bool {
        while self.programs.front().is_some_and(|&(op, serial)| !io.is_in_flight(op, serial)) {
            self.programs.pop_front();
        }
        if self.programs.len() >= self.pages_max {
            // Planes do not end theirs in the order in which they came.
            self.programs.retain(|&(op, serial)| io.is_in_flight(op, serial));
        }
        self.programs.len() < self.pages_max
    }

    #[inline]
    pub fn add(&mut self, program: OpId, io: &Io) {
        if !program.is_none() {
            self.programs.push_back((program, io.serial(program)));
        }
    }
}
