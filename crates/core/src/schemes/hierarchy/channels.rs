//! Where a merged page goes: `find_none_conflict_channel` of Algorithm 1, line 16.

use crate::base::{Mu, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use crate::ftl::pack::Picks;

/// The planes of a cache by channel.
#[derive(Clone)]
pub struct Channels {
    planes: Vec<PlaneId>,
    /// Channel and unit of each.
    places: Vec<(u32, u32)>,
    /// Of each channel of the device: logical pages with other parts there, and its load, ns.
    conflicts: Vec<u32>,
    load_ns: Vec<u64>,
    /// Planes that had no room for the page being placed.
    full: Vec<bool>,
    /// The plane at which equals begin, so that they take turns.
    turn: usize,
}

impl Channels {
    /// The planes of a cache in allocation order.
    pub fn new(planes: &[PlaneId], io: &Io) -> Self {
        let channels = io.geometry().channels as usize;
        let place = |plane: &PlaneId| {
            let place = io.geometry().planes[plane.index()];
            (place.channel, place.unit)
        };
        Self {
            planes: planes.to_vec(),
            places: planes.iter().map(place).collect(),
            conflicts: vec![0; channels],
            load_ns: vec![0; channels],
            full: vec![false; planes.len()],
            turn: 0,
        }
    }

    /// Whose turn it is among equals, for a snapshot.
    pub fn turn(&self) -> u32 {
        self.turn as u32
    }

    /// Takes a snapshot's turn, or says why it is no plane's.
    pub fn set_turn(&mut self, turn: u32) -> Result<(), String> {
        self.turn = turn as usize;
        match self.turn < self.planes.len() {
            true => Ok(()),
            false => Err(format!("the turn {turn} of {} planes of L1", self.planes.len())),
        }
    }

    /// Begins to place a page with the units of `picks`: a channel conflicts with a logical page
    /// if it holds a part of it that the new one leaves current, for then a read of the page
    /// would need the channel twice.
    pub fn begin(&mut self, picks: &Picks, io: &Io) {
        self.conflicts.fill(0);
        self.full.fill(false);
        let geometry = io.geometry();
        let n = io.policy().mus_per_page;
        for (entry, mask) in picks.list() {
            let page = io.held().entries()[entry].page;
            let mut seen = [u32::MAX; crate::ftl::media::SLOTS_MAX];
            let mut count = 0;
            let others = bits(((1u64 << n) - 1) as u32 & !mask);
            for slot in others.filter_map(|i| io.lookup(Mu(page * n + i))) {
                let plane = geometry.plane_of(geometry.block_of(geometry.page_of(slot)));
                let channel = geometry.planes[plane.index()].channel;
                if !seen[..count].contains(&channel) {
                    seen[count] = channel;
                    count += 1;
                    self.conflicts[channel as usize] += 1;
                }
            }
        }
        for (channel, load_ns) in self.load_ns.iter_mut().enumerate() {
            *load_ns = io.channel_load_ns(channel);
        }
        self.turn = (self.turn + 1) % self.planes.len();
    }

    /// The plane to try next: of the channel with the fewest conflicts, the least loaded of
    /// those, the least loaded plane. The caller says with `is_full` when it had no room.
    pub fn next(&self, io: &Io) -> Option<PlaneId> {
        let mut best = None;
        let mut least = (u32::MAX, u64::MAX, u64::MAX);
        // In turn: of equals the first counts.
        for i in (self.turn..self.planes.len()).chain(0..self.turn) {
            let (channel, unit) = self.places[i];
            let (conflicts, load_ns) = (self.conflicts[channel as usize], self.load_ns[channel as usize]);
            if self.full[i] || (conflicts, load_ns) > (least.0, least.1) {
                continue;
            }
            let key = (conflicts, load_ns, io.queued_ns(unit));
            if key < least {
                (best, least) = (Some(self.planes[i]), key);
            }
        }
        best
    }

    /// Notes that `plane` has no room for the page.
    pub fn is_full(&mut self, plane: PlaneId) {
        if let Some(i) = self.planes.iter().position(|&p| p == plane) {
            self.full[i] = true;
        }
    }
}
