//! How many planes fold, or program what goes past the cache, at a time: each takes a lane, behind the one
//! before it there.

use crate::base::PlaneId;
use crate::ftl::io::Io;
use crate::hw::timing::OpId;

/// The lanes, or none where all planes do as they like.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    last: Vec<Lane>,
}

/// The last operation in a lane, its serial number, and its plane.
#[derive(Clone, Copy, Debug)]
struct Lane {
    op: OpId,
    serial: u64,
    plane: PlaneId,
}

impl Lanes {
    /// So many lanes.
    pub fn new(count: usize) -> Self {
        Self { last: vec![Lane { op: OpId::NONE, serial: 0, plane: PlaneId(0) }; count] }
    }

    /// The lane for what `plane` does next, and the operation in flight that it has to wait for; none
    /// without lanes. It is that of what the plane did before, which it has to end first in any case; else a
    /// free one, or the one used longest ago.
    pub fn take(&self, plane: PlaneId, io: &Io) -> Option<(usize, OpId)> {
        let waits = |lane: &Lane| !lane.op.is_none() && io.is_in_flight(lane.op, lane.serial);
        let key = |lane: &Lane| match waits(lane) {
            false => (true, 0),
            true => (lane.plane != plane, lane.serial),
        };
        let at = (0..self.last.len()).min_by_key(|&at| key(&self.last[at]))?;
        let lane = self.last[at];
        Some((at, if waits(&lane) { lane.op } else { OpId::NONE }))
    }

    /// Says which operation is the last of what `plane` does in lane `at`.
    pub fn give_back(&mut self, at: usize, plane: PlaneId, last: OpId, io: &Io) {
        if !last.is_none() {
            self.last[at] = Lane { op: last, serial: io.serial(last), plane };
        }
    }
}
