//! Which plane the next page goes to.

use super::answer::DeviceFull;
use super::config::Placement;
use super::io::Io;
use crate::base::arithmetic::Divisor;
use crate::base::PlaneId;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Chooses planes of a pool: by logical page, in turn, or by load.
#[derive(Clone, Serialize, Deserialize)]
pub struct PlaneAllocator {
    order: Vec<PlaneId>,
    planes: Divisor,
    placement: Placement,
    cursor: usize,
}

impl PlaneAllocator {
    /// The planes of `pool` in the order of `letters`, fastest first; it is the first one's turn.
    pub fn new(pool: usize, letters: &str, placement: Placement, io: &Io) -> Self {
        let geometry = io.geometry();
        Self {
            order: geometry.plane_order(pool, letters),
            planes: Divisor::new(geometry.pools[pool].planes),
            placement,
            cursor: 0,
        }
    }

    /// The planes in allocation order.
    pub fn planes(&self) -> &[PlaneId] {
        &self.order
    }

    /// Its planes, how they are chosen, and whether it is the turn of one of them.
    pub fn shape(&self) -> impl Debug + '_ {
        (&self.order, self.placement, self.cursor < self.order.len())
    }

    /// The plane for logical page `page`: by number, next in turn, or the least loaded. The turn
    /// stays with a plane for which `stays` holds.
    #[inline(always)]
    pub fn choose(&mut self, io: &Io, page: u32, stays: impl FnOnce(PlaneId) -> bool) -> PlaneId {
        match self.placement {
            Placement::Static => self.order[self.planes.split(page).1 as usize],
            Placement::RoundRobin => {
                let plane = self.order[self.cursor];
                if !stays(plane) {
                    self.go_on();
                }
                plane
            }
            Placement::Striped => {
                let plane = self.order[self.cursor];
                self.go_on();
                plane
            }
            Placement::LeastLoaded => self.least_loaded(io),
        }
    }

    /// It is the next plane's turn.
    #[inline(always)]
    fn go_on(&mut self) {
        self.cursor = (self.cursor + 1) * usize::from(self.cursor + 1 < self.order.len());
    }

    /// The plane to try after `plane`, which is full; the turn passes over it.
    #[cold]
    fn pass_over(&mut self, plane: PlaneId) -> PlaneId {
        let place = self.order.iter().position(|&p| p == plane).unwrap_or(0);
        let next = (place + 1) % self.order.len();
        if self.cursor == place {
            self.cursor = next;
        }
        self.order[next]
    }

    fn least_loaded(&mut self, io: &Io) -> PlaneId {
        let planes = &io.geometry().planes;
        let start = self.cursor;
        self.cursor = (self.cursor + 1) % self.order.len();
        let in_turn = (0..self.order.len()).map(|i| self.order[(start + i) % self.order.len()]);
        in_turn
            .min_by_key(|p| {
                let unit = planes[p.index()].unit;
                (io.queued_ops(unit), io.channel_wait_ns(unit))
            })
            .unwrap_or(self.order[start])
    }
}

/// Tries plane `first`, then one after the other, until `attempt` has done what it is for; `allocator`
/// is whose planes they are.
#[inline(always)]
pub fn try_planes<S, T>(
    owner: &mut S,
    first: PlaneId,
    allocator: impl Fn(&mut S) -> &mut PlaneAllocator,
    mut attempt: impl FnMut(&mut S, PlaneId) -> Result<Option<T>, DeviceFull>,
) -> Result<T, DeviceFull> {
    let mut plane = first;
    for _ in 0..allocator(owner).planes().len() {
        if let Some(done) = attempt(owner, plane)? {
            return Ok(done);
        }
        plane = allocator(owner).pass_over(plane);
    }
    Err(DeviceFull)
}
