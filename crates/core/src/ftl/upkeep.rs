//! Blocks whose data are to move because of their cells, from when they are found until they have moved.

use crate::base::{BlockId, PlaneId};
use crate::hw::array::FlashArray;
use crate::hw::cells::Need;
use crate::hw::config::{CellsConfig, LevellingConfig, Uneven};
use crate::hw::geometry::Geometry;
use crate::metrics::cells::UpkeepReport;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The longest time between two patrol reads, ns: a hundred years.
const STEP_NS_MAX: f64 = 100.0 * 365.0 * 86_400e9;

/// Blocks with why, in the order in which they were found.
type Found = VecDeque<(BlockId, Need)>;

/// The blocks that were found, and what was done.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Upkeep {
    /// Of each plane those that move at once, and those that move in idle time.
    found: Vec<[Found; 2]>,
    patrol: Option<Patrol>,
    /// Planes for which the device has been asked to move blocks now.
    #[serde(skip)]
    asked: Vec<bool>,
    /// By pool, when the data of the least worn block move; none without levelling.
    #[serde(skip)]
    uneven: Vec<Uneven>,
    /// Of each plane the blocks that were erased since the device looked, where wear may be so uneven.
    #[serde(skip)]
    erased: Vec<Vec<BlockId>>,
    #[serde(skip)]
    done: UpkeepReport,
}

/// What a change in a plane calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calls {
    Nothing,
    /// Blocks move in idle time.
    Idle,
    /// Blocks move at once, and perhaps others in idle time.
    Now,
}

impl Upkeep {
    /// Nothing is found yet in the planes of `geometry`.
    pub fn new(config: &CellsConfig, geometry: &Geometry) -> Self {
        let planes = geometry.planes.len();
        Self {
            found: vec![Default::default(); planes],
            patrol: config.patrol_ns().map(|round_ns| Patrol::new(round_ns, geometry)),
            asked: vec![false; planes],
            uneven: config.levelling.iter().flat_map(|own| uneven(own, geometry)).collect(),
            erased: vec![Vec::new(); planes],
            done: UpkeepReport::default(),
        }
    }

    pub fn add(&mut self, plane: PlaneId, block: BlockId, need: Need) {
        self.found[plane.index()][usize::from(!need.is_urgent())].push_back((block, need));
    }

    /// What a change in `plane`, by which blocks may move, calls for; the device is asked once.
    pub fn calls(&mut self, plane: PlaneId) -> Calls {
        let [urgent, others] = &self.found[plane.index()];
        let asked = &mut self.asked[plane.index()];
        let is_now = !urgent.is_empty() || !self.erased[plane.index()].is_empty();
        if is_now && !std::mem::replace(asked, true) {
            Calls::Now
        } else if others.is_empty() {
            Calls::Nothing
        } else {
            Calls::Idle
        }
    }

    /// The device looks at what moves at once in `plane`.
    pub fn looked(&mut self, plane: PlaneId) {
        self.asked[plane.index()] = false;
    }

    /// The next block of `plane` that can move, with `idle` also one of those that move in idle time. Those being
    /// filled wait, those erased since are forgotten.
    pub fn next(&mut self, plane: PlaneId, idle: bool, array: &FlashArray) -> Option<(BlockId, Need)> {
        let found = self.found[plane.index()].iter_mut().take(if idle { 2 } else { 1 });
        let mut next = found.filter_map(|found| {
            found.retain(|&(block, _)| array.needs_move(block));
            found.iter().copied().find(|&(block, _)| array.is_closed(block))
        });
        next.next()
    }

    /// When the data of the least worn block of a plane of `pool` move; none without levelling.
    pub fn uneven(&self, pool: usize) -> Option<Uneven> {
        self.uneven.get(pool).copied()
    }

    /// A block was erased in `plane`, where wear may be uneven.
    pub fn erased(&mut self, plane: PlaneId, block: BlockId) {
        self.erased[plane.index()].push(block);
    }

    /// Takes a block that was erased in `plane` since the device looked.
    pub fn take_erased(&mut self, plane: PlaneId) -> Option<BlockId> {
        self.erased[plane.index()].pop()
    }

    /// What lived in a block was moved to a more worn one, and it was erased.
    pub fn levelled(&mut self) {
        self.done.levelled_blocks += 1;
    }

    /// The patrol, if there is one.
    pub fn patrol(&mut self) -> Option<&mut Patrol> {
        self.patrol.as_mut()
    }

    /// A patrol read was emitted.
    pub fn patrolled(&mut self) {
        self.done.patrol_reads += 1;
    }

    /// The data of a block were moved, and it was erased.
    pub fn moved(&mut self, need: Need) {
        match need {
            Need::Reclaim => self.done.reclaimed_blocks += 1,
            Need::Refresh => self.done.refreshed_blocks += 1,
        }
    }

    /// A block found no room and waits.
    pub fn waits(&mut self) {
        self.done.waits += 1;
    }

    pub fn report(&self) -> UpkeepReport {
        self.done
    }

    /// What a snapshot made at `now_ns` holds.
    pub fn save(&self, now_ns: u64) -> Self {
        let patrol =
            self.patrol.as_ref().map(|patrol| Patrol { due_ns: patrol.due_ns - now_ns as i64, ..*patrol });
        Self { patrol, ..self.clone() }
    }

    /// Takes what a snapshot holds, or says what does not fit.
    pub fn resume(&mut self, saved: Self, array: &FlashArray) -> Result<(), String> {
        let geometry = &array.geometry;
        let in_plane = |plane: usize, block: BlockId| {
            block.index() < geometry.block_numbers() && geometry.plane_of(block).index() == plane
        };
        let fits = |(plane, found): (usize, &[Found; 2])| {
            found.iter().flatten().all(|&(block, _)| in_plane(plane, block))
        };
        if saved.found.len() != self.found.len() || !saved.found.iter().enumerate().all(fits) {
            return Err(format!("blocks to be moved in {} planes", saved.found.len()));
        }
        match (&mut self.patrol, saved.patrol) {
            (Some(own), Some(saved)) if own.is_like(&saved) => *own = saved,
            (None, None) => {}
            (_, saved) => return Err(format!("the patrol {saved:?}")),
        }
        self.found = saved.found;
        Ok(())
    }
}

/// By pool, when the data of the least worn block of a plane move.
fn uneven<'a>(levelling: &'a LevellingConfig, geometry: &'a Geometry) -> impl Iterator<Item = Uneven> + 'a {
    geometry.pools.iter().map(|pool| levelling.uneven_in(&pool.config))
}

/// Reads of a page of each block in turn. It is time 0 when a snapshot is taken into a device.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Patrol {
    /// Between two blocks, ns.
    step_ns: f64,
    /// When the next one is read, ns; where the device fell behind, when it should have been.
    due_ns: i64,
    /// The next one: its plane, and its place there.
    next: (u32, u32),
    /// Whether the device has been asked to read it.
    #[serde(skip)]
    pub asked: bool,
}

impl Patrol {
    /// One that goes round in `round_ns`.
    fn new(round_ns: f64, geometry: &Geometry) -> Self {
        let blocks: u64 = geometry.pools.iter().map(|p| u64::from(p.planes) * u64::from(p.blocks)).sum();
        let step_ns = (round_ns / blocks as f64).clamp(1.0, STEP_NS_MAX);
        Self { step_ns, due_ns: step_ns as i64, next: (0, 0), asked: false }
    }

    fn is_like(&self, other: &Self) -> bool {
        self.step_ns == other.step_ns
    }

    /// Whether a block should have been read by now, and the device was not asked to yet.
    #[inline]
    pub fn asks(&mut self, now_ns: u64) -> bool {
        now_ns as i64 >= self.due_ns && !std::mem::replace(&mut self.asked, true)
    }

    /// The next block, if it is due; how long that one is overdue counts for those behind it.
    pub fn take(&mut self, now_ns: u64, geometry: &Geometry) -> Option<BlockId> {
        if (now_ns as i64) < self.due_ns {
            return None;
        }
        self.due_ns += self.step_ns as i64;
        let (plane, index) = self.next;
        let plane = PlaneId(plane.min(geometry.planes.len() as u32 - 1));
        let blocks = geometry.pool_of(plane).blocks;
        let block = geometry.block(plane, index.min(blocks - 1));
        self.next = match index + 1 < blocks {
            true => (plane.0, index + 1),
            false => ((plane.0 + 1) % geometry.planes.len() as u32, 0),
        };
        Some(block)
    }
}
