//! Where a merged page goes: `find_none_conflict_channel` of Algorithm 1, line 16.

use super::config::L1Planes;
use crate::base::{Mu, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use crate::ftl::pack::Picks;
use serde::{Deserialize, Serialize};

/// The planes of a cache by channel.
#[derive(Clone, Serialize, Deserialize)]
pub struct Channels {
    planes: Vec<PlaneId>,
    channels: Vec<OfChannel>,
    /// Some plane had no room for the page being placed.
    #[serde(skip)]
    any_full: bool,
    /// The plane at which equals begin, so that they take turns.
    turn: usize,
    rule: L1Planes,
}

/// What matters of a channel of the device.
#[derive(Clone, Default, Serialize, Deserialize)]
struct OfChannel {
    planes: Vec<CachePlane>,
    /// Logical pages with other parts there, and its load, ns.
    #[serde(skip)]
    conflicts: u32,
    #[serde(skip)]
    load_ns: u64,
}

/// A plane of the cache.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct CachePlane {
    /// Its number in the order of allocation.
    index: usize,
    unit: u32,
    /// It had no room for the page being placed.
    #[serde(skip)]
    full: bool,
}

impl Channels {
    /// The planes of a cache in allocation order, and how one of a channel is chosen.
    pub fn new(planes: &[PlaneId], rule: L1Planes, io: &Io) -> Self {
        let mut channels = vec![OfChannel::default(); io.geometry().channels as usize];
        for (index, plane) in planes.iter().enumerate() {
            let place = io.geometry().planes[plane.index()];
            let of_channel = &mut channels[place.channel as usize].planes;
            of_channel.push(CachePlane { index, unit: place.unit, full: false });
        }
        Self { planes: planes.to_vec(), channels, any_full: false, turn: 0, rule }
    }

    /// Begins to place a page with the units of `picks`: a channel conflicts with a logical page
    /// if it holds a part of it that the new one leaves current, for then a read of the page
    /// would need the channel twice.
    pub fn begin(&mut self, picks: &Picks, io: &Io) {
        if std::mem::take(&mut self.any_full) {
            self.channels.iter_mut().flat_map(|c| &mut c.planes).for_each(|place| place.full = false);
        }
        for (channel, of) in self.channels.iter_mut().enumerate() {
            (of.conflicts, of.load_ns) = (0, io.channel_load_ns(channel));
        }
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
                    self.channels[channel as usize].conflicts += 1;
                }
            }
        }
        self.turn = (self.turn + 1) % self.planes.len();
    }

    /// The plane to try next: of the channel with the fewest conflicts, the least loaded of
    /// those, the plane that the rule takes. The caller says with `is_full` when it had no room.
    pub fn next(&self, io: &Io) -> Option<PlaneId> {
        let (mut best, mut least, mut rank) = (None, (u32::MAX, u64::MAX), (u64::MAX, usize::MAX));
        for of in &self.channels {
            let key = (of.conflicts, of.load_ns);
            if key > least {
                continue;
            }
            for place in of.planes.iter().filter(|place| !place.full) {
                let queued_ns = match self.rule {
                    L1Planes::LeastLoaded => io.queued_ns(place.unit),
                    L1Planes::InTurn => 0,
                };
                let of_place = (queued_ns, self.turns_until(place.index));
                if key < least || of_place < rank {
                    (best, least, rank) = (Some(place.index), key, of_place);
                }
            }
        }
        best.map(|index| self.planes[index])
    }

    /// How many planes have their turn before this one: of equals the first counts.
    #[inline]
    fn turns_until(&self, index: usize) -> usize {
        let beyond = if index < self.turn { self.planes.len() } else { 0 };
        index + beyond - self.turn
    }

    /// Notes that `plane` has no room for the page.
    pub fn is_full(&mut self, plane: PlaneId) {
        let Some(index) = self.planes.iter().position(|&p| p == plane) else { return };
        let mut places = self.channels.iter_mut().flat_map(|c| &mut c.planes);
        if let Some(place) = places.find(|place| place.index == index) {
            (place.full, self.any_full) = (true, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::op::{Cause, Class, OpKind};
    use crate::base::rng::RngStream;
    use crate::base::BlockId;
    use crate::ftl::io::{Driver, IoPolicy};
    use crate::hw::array::FlashArray;
    use crate::hw::config::PoolConfig;
    use crate::hw::geometry::Geometry;
    use crate::hw::timing::{OpSpec, Timing};
    use serde_json::json;

    /// Four channels of four planes, some of which have much to do.
    fn io(rng: &mut RngStream) -> Driver {
        let chips = json!({
            "name": "nand", "channels": 4, "chips": 2, "dies": 1, "planes": 2, "blocks": 4,
            "wordlines": 4, "page_bytes": 4096, "bus": {"ps_per_byte": 0}, "plane_parallelism": "serial",
            "slc": {"read_ns": [1], "program_ns": [1], "erase_ns": 1},
        });
        let pool: PoolConfig = serde_json::from_value(chips).unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let mut timing = Timing::new(&geometry, 0);
        for _ in 0..rng.below(12) {
            let place = &geometry.planes[rng.below(16) as usize];
            let read = OpSpec::new(OpKind::Read, Cause::Host, Class::HostRead, BlockId(0), place.unit);
            timing.emit(OpSpec { array_ns: 1 + rng.below(2), ..read }, &[]);
        }
        let policy = IoPolicy {
            rmw_whole_page: true,
            reads_whole_pages: false,
            parts_in_turn: false,
            inflight_from_buffer: true,
            plp: true,
            stage_timeout_ns: 1,
            mus_per_page: 1,
        };
        Driver::new(FlashArray::new(geometry), 64, timing, 1, policy)
    }

    /// The plain way: the best channel with room first, then its best plane.
    fn in_two_steps(channels: &Channels, io: &Io) -> Option<PlaneId> {
        let room = |of: &&OfChannel| of.planes.iter().any(|place| !place.full);
        let key = |of: &OfChannel| (of.conflicts, of.load_ns);
        let least = channels.channels.iter().filter(room).map(key).min()?;
        let best = channels.channels.iter().filter(|of| key(of) == least).flat_map(|of| &of.planes);
        let best = best.filter(|place| !place.full);
        let best = best.min_by_key(|place| (io.queued_ns(place.unit), channels.turns_until(place.index)))?;
        Some(channels.planes[best.index])
    }

    #[test]
    fn planes_are_tried_in_the_order_of_their_channels() {
        let mut rng = RngStream::new(1, "channels");
        for _ in 0..500 {
            let io = io(&mut rng);
            let planes: Vec<PlaneId> = (0..16).map(PlaneId).collect();
            let mut channels = Channels::new(&planes, L1Planes::LeastLoaded, &io);
            channels.turn = rng.below(16) as usize;
            for (channel, of) in channels.channels.iter_mut().enumerate() {
                (of.conflicts, of.load_ns) = (rng.below(3), io.channel_load_ns(channel));
            }
            let mut tried = Vec::new();
            while let Some(plane) = channels.next(&io) {
                assert_eq!(Some(plane), in_two_steps(&channels, &io));
                channels.is_full(plane);
                tried.push(plane);
            }
            assert_eq!(in_two_steps(&channels, &io), None);
            tried.sort_unstable();
            assert_eq!(tried, planes);
        }
    }
}
