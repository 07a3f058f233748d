//! What keeps the room in the DRAM buffer, for the requests that wait for it.
//!
//! Room comes where write-backs end. While anybody waits, each stretch of time between two such ends is told
//! as the way of the write-back that ended it, in the proportions of that way.

use super::requests::{RequestOwner, RequestStage, WrittenBack};
use super::Simulation;
use crate::base::op::Cause;
use crate::base::room::Room;
use crate::base::Gap;
use crate::ftl::media::bits;
use crate::hw::timing::{
    RequestId, RequestPath, WaitTime, DISK_POSITIONING, DISK_TRANSFER, WAIT_SOURCE, WAIT_SPIN_UP,
};
use crate::metrics::components::KEEPERS;
use std::collections::TryReserveError;

/// What a path tells of as waiting, but for the disk's own work.
const WAITED: usize = WAIT_SPIN_UP + 1;
const DISK: usize = WAITED;
const FETCH: usize = WAITED + 1;
const STAGE: usize = WAITED + 2;
const MERGE: usize = WAITED + 3;
const LOOK_UP: usize = WAITED + 4;
const STRIPE: usize = WAITED + 5;
const _: () = assert!(STRIPE + 1 == KEEPERS);

/// Time by what kept the room, ns.
pub type KeptTime = [u64; KEEPERS];

/// A request that waits for room, and then what it waited for.
#[derive(Clone, Copy)]
struct Mark {
    kept_ns: KeptTime,
    since_ns: u64,
}

/// What kept the room while anybody waited.
#[derive(Clone)]
pub(super) struct Keepers {
    kept_ns: KeptTime,
    /// Which of them occurred, a bit each: mostly a few.
    seen: u32,
    /// Until when that is told, ns, and how much before then is not.
    told_ns: u64,
    untold_ns: u64,
    /// Requests by their numbers.
    marks: Vec<Mark>,
}

impl Default for Keepers {
    fn default() -> Self {
        Self { kept_ns: [0; KEEPERS], seen: 0, told_ns: 0, untold_ns: 0, marks: Vec::new() }
    }
}

impl Keepers {
    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.marks.make_room()
    }

    /// Somebody waits for the first time since nobody did.
    fn begin(&mut self, now_ns: u64) {
        (self.told_ns, self.untold_ns) = (now_ns, 0);
    }

    /// Request `id` waits from now on.
    fn mark(&mut self, id: RequestId, now_ns: u64) {
        let index = id.0 as usize;
        if index >= self.marks.len() {
            self.marks.resize(index + 1, Mark { kept_ns: [0; KEEPERS], since_ns: 0 });
        }
        self.marks[index] = Mark { kept_ns: self.kept_ns, since_ns: now_ns };
    }

    /// A write-back with this way has ended. What it began too late to explain is told by those that end
    /// later and began before.
    fn end(&mut self, way_ns: &KeptTime, now_ns: u64) {
        let mut rest_ns = 0;
        for (kind, ns) in way_ns.iter().enumerate() {
            self.seen |= u32::from(*ns > 0) << kind;
            rest_ns += ns;
        }
        let mut left_ns = now_ns - std::mem::replace(&mut self.told_ns, now_ns) + self.untold_ns;
        self.untold_ns = left_ns.saturating_sub(rest_ns);
        if rest_ns <= left_ns {
            return bits(self.seen).for_each(|kind| self.kept_ns[kind as usize] += way_ns[kind as usize]);
        }
        for (kept_ns, &ns) in self.kept_ns.iter_mut().zip(way_ns).filter(|(_, ns)| **ns > 0) {
            let share_ns = (u128::from(ns) * u128::from(left_ns) / u128::from(rest_ns)) as u64;
            *kept_ns += share_ns;
            left_ns -= share_ns;
            rest_ns -= ns;
        }
    }

    /// Request `id` waits no longer: what it waited for is booked in `sums_ns`. What was over of the first
    /// stretch when it came are the kinds told last: a way begins with them.
    fn take(&mut self, id: RequestId, now_ns: u64, sums_ns: &mut [u128; KEEPERS]) {
        let mark = &mut self.marks[id.0 as usize];
        let mut left_ns = now_ns - mark.since_ns;
        for kind in bits(self.seen).map(|kind| kind as usize) {
            let ns = (self.kept_ns[kind] - mark.kept_ns[kind]).min(left_ns);
            mark.kept_ns[kind] = ns;
            sums_ns[kind] += u128::from(ns);
            left_ns -= ns;
        }
    }

    /// What request `id` waited for, which was taken.
    pub fn taken(&self, id: RequestId) -> &KeptTime {
        &self.marks[id.0 as usize].kept_ns
    }
}

/// Where the time of a write-back that ends now went.
fn way_of(
    written: &WrittenBack,
    (path, wait): (&RequestPath, Option<&WaitTime>),
    source: Option<Cause>,
    now_ns: u64,
) -> KeptTime {
    let mut way_ns = [0; KEEPERS];
    if let Some(wait) = wait {
        way_ns[..WAITED].copy_from_slice(&wait[..WAITED]);
        way_ns[DISK] = wait[DISK_POSITIONING] + wait[DISK_TRANSFER];
        if let Some(cause) = source {
            way_ns[cause as usize] += std::mem::take(&mut way_ns[WAIT_SOURCE]);
        }
    }
    way_ns[written.cause as usize] += path.array_ns + path.bus_ns;
    way_ns[LOOK_UP] = written.map_ns;
    let explained_ns: u64 = way_ns.iter().sum();
    let gap_ns = (now_ns - written.begun_ns).saturating_sub(explained_ns);
    match path.gap {
        Gap::Fetch => way_ns[FETCH] = gap_ns,
        Gap::Stage => way_ns[STAGE] = gap_ns,
        Gap::Merge | Gap::Buffer => way_ns[MERGE] = gap_ns,
        Gap::None | Gap::Room | Gap::Flush => {}
    }
    way_ns[STRIPE] = written.overhead_ns;
    way_ns
}

impl Simulation {
    /// Notes that a piece of `id`, or of nobody, begins to wait for room.
    pub(super) fn begin_waiting(&mut self, id: RequestId) {
        let now_ns = self.io.now_ns();
        if self.waiting.is_empty() {
            self.keepers.begin(now_ns);
        }
        if id == RequestId::NONE {
            return;
        }
        self.io.timing_mut().hold_request(id);
        let record = self.requests.host(id);
        if record.stage != RequestStage::Waiting {
            record.stage = RequestStage::Waiting;
            self.keepers.mark(id, now_ns);
        }
    }

    /// Tells those who wait what the write-back `id` that ends now did meanwhile.
    #[inline]
    pub(super) fn tell_waiting(&mut self, id: RequestId, written: &WrittenBack) {
        let now_ns = self.io.now_ns();
        if self.waiting.is_empty() || self.keepers.told_ns == now_ns {
            return;
        }
        let timing = self.io.timing();
        let way_ns = way_of(written, timing.path(id), timing.source(id), now_ns);
        self.keepers.end(&way_ns, now_ns);
    }

    /// Books what a finished request waited for that had to wait for room, unless there was none.
    pub(super) fn end_waiting(&mut self, id: RequestId) {
        if self.is_refused(id) {
            return;
        }
        if let RequestOwner::Host(record) = self.requests.client(id) {
            let sums_ns = self.stats.of(record.request.op).kept_ns();
            self.keepers.take(id, self.io.now_ns(), sums_ns);
        }
    }
}
