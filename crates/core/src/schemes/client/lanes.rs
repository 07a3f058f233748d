//! How many planes fold at a time: each fold takes a lane, behind the one before it there.

use crate::ftl::io::Io;
use crate::hw::timing::OpId;

/// The lanes, or none where all planes fold as they like.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// The last operation of a fold in each, and its serial number.
    last: Vec<(OpId, u64)>,
}

impl Lanes {
    /// So many lanes.
    pub fn new(count: usize) -> Self {
        Self { last: vec![(OpId::NONE, 0); count] }
    }

    /// The lane for the next fold, a free one or that of the oldest fold, and the operation in flight that
    /// it has to wait for; none without lanes.
    pub fn take(&self, io: &Io) -> Option<(usize, OpId)> {
        let waits = |&(op, serial): &(OpId, u64)| !op.is_none() && io.is_in_flight(op, serial);
        let key = |lane: &(OpId, u64)| if waits(lane) { lane.1 } else { 0 };
        let at = (0..self.last.len()).min_by_key(|&at| key(&self.last[at]))?;
        let lane = self.last[at];
        Some((at, if waits(&lane) { lane.0 } else { OpId::NONE }))
    }

    /// Says which operation is the last of the fold that took lane `at`.
    pub fn give_back(&mut self, at: usize, last: OpId, io: &Io) {
        if !last.is_none() {
            self.last[at] = (last, io.serial(last));
        }
    }
}
