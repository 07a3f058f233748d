//! Planes of which few do something at a time: each does it in a lane, one operation behind the other.

use crate::base::PlaneId;
use crate::ftl::io::Io;
use crate::hw::timing::OpId;
use std::collections::VecDeque;

/// What one of few planes at a time does.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// Operations in flight with their serial numbers, in the order in which they end; those that ended are
    /// dropped when somebody asks.
    ops: VecDeque<(OpId, u64)>,
    /// Whose the last one is.
    plane: Option<PlaneId>,
}

impl Lane {
    /// Operations in flight.
    pub fn load(&mut self, io: &Io) -> usize {
        while self.ops.front().is_some_and(|&(op, serial)| !io.is_in_flight(op, serial)) {
            self.ops.pop_front();
        }
        self.ops.len()
    }

    /// The last operation with its serial number, if it is in flight.
    fn last(&self, io: &Io) -> Option<(OpId, u64)> {
        self.ops.back().copied().filter(|&(op, serial)| io.is_in_flight(op, serial))
    }

    /// What the next operation has to wait for.
    pub fn before(&self, io: &Io) -> OpId {
        self.last(io).map_or(OpId::NONE, |(op, _)| op)
    }

    /// Says which operation is the last of what `plane` does.
    pub fn push(&mut self, plane: PlaneId, last: OpId, io: &Io) {
        if !last.is_none() {
            self.load(io);
            self.ops.push_back((last, io.serial(last)));
            self.plane = Some(plane);
        }
    }
}

/// How many planes fold at a time.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    each: Vec<Lane>,
}

impl Lanes {
    /// So many lanes; none where all planes do as they like.
    pub fn new(count: usize) -> Self {
        Self { each: vec![Lane::default(); count] }
    }

    /// The lane for what `plane` does next, and the operation in flight that it has to wait for; none
    /// without lanes. It is that of what the plane does already; else a free one, or the one used longest ago.
    pub fn take(&self, plane: PlaneId, io: &Io) -> Option<(usize, OpId)> {
        let key = |lane: &Lane| match lane.last(io) {
            None => (true, 0),
            Some((_, serial)) => (lane.plane != Some(plane), serial),
        };
        let at = (0..self.each.len()).min_by_key(|&at| key(&self.each[at]))?;
        Some((at, self.each[at].before(io)))
    }

    /// Says which operation is the last of what `plane` does in lane `at`.
    pub fn give_back(&mut self, at: usize, plane: PlaneId, last: OpId, io: &Io) {
        self.each[at].push(plane, last, io);
    }
}
