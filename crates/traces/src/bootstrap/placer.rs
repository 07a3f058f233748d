//! From places in words of earlier requests to addresses.

use super::blocks::{BlockPlace, BlockRecord};
use super::extents::VolumeExtents;
use super::regions::Bases;
use rustc_hash::FxHashMap;
use slcache_base::request::{HostOp, Request};
use std::collections::VecDeque;

/// What asks for the same: operation and length.
type RequestKind = (HostOp, u32);

/// Places of a kind that may wait for their turn, to bound the memory.
const OWED_MAX: usize = 1 << 16;

/// The addresses of a volume as they are given out.
#[derive(Clone, Debug, Default)]
pub(super) struct Placer {
    extents: VolumeExtents,
    bases: Bases,
    /// Behind the last read or write.
    last_end: Option<u64>,
    /// Places at extents that were asked for when there were too few. Each changes places with a
    /// fresh request of its kind later on, so that as many are fresh as in the source.
    owed: FxHashMap<RequestKind, VecDeque<BlockPlace>>,
}

impl Placer {
    /// The first sector of a read, write or trim in a round; none for a trim of what is not there.
    /// A round brings `length` sectors. Addresses stay below `end`: where they would pass it, fresh
    /// data begin at 0 again.
    pub(super) fn place(&mut self, record: &BlockRecord, round: u64, length: u64, end: u64) -> Option<u64> {
        if record.op == HostOp::Trim {
            return self.inside(record.place);
        }
        let sectors = u64::from(record.sectors);
        let place = self.turn(record);
        let found = match place {
            BlockPlace::Fresh { sector } => Some(self.bases.of(sector, sectors, round, length, end)),
            BlockPlace::Next => self.last_end,
            place => self.inside(place).or_else(|| self.oldest(record.op, place)),
        };
        let sector = found.unwrap_or_else(|| {
            self.owe(record, place);
            self.bases.take(sectors, end)
        });
        let sector = sector.min(end - sectors);
        self.last_end = Some(sector + sectors);
        let BlockRecord { sectors, stream, op, .. } = *record;
        self.extents.touch(&Request { at_ns: 0, sector, sectors, stream, hint: 0, op });
        Some(sector)
    }

    /// The record's place, or one that is owed in place of a fresh one.
    fn turn(&mut self, record: &BlockRecord) -> BlockPlace {
        let BlockPlace::Fresh { .. } = record.place else {
            return record.place;
        };
        let kind = (record.op, record.sectors);
        let first = self.owed.get(&kind).and_then(VecDeque::front).copied();
        let Some(place) = first.filter(|&place| self.inside(place).is_some()) else {
            return record.place;
        };
        self.owed.get_mut(&kind).and_then(VecDeque::pop_front);
        place
    }

    fn owe(&mut self, record: &BlockRecord, place: BlockPlace) {
        let owed = self.owed.entry((record.op, record.sectors)).or_default();
        if owed.len() < OWED_MAX {
            owed.push_back(place);
        }
    }

    /// What a read finds in place of an extent that is not there yet: the oldest of its length. Fresh
    /// sectors would be data that the source never had.
    fn oldest(&self, op: HostOp, place: BlockPlace) -> Option<u64> {
        let BlockPlace::Inside { class, offset, .. } = place else {
            return None;
        };
        let extent = self.extents.oldest(class).filter(|_| op == HostOp::Read)?;
        Some(extent.sector + u64::from(offset))
    }

    fn inside(&self, place: BlockPlace) -> Option<u64> {
        let BlockPlace::Inside { class, distance, offset } = place else {
            return None;
        };
        Some(self.extents.at(class, distance)?.sector + u64::from(offset))
    }
}
