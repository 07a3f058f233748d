//! The extents of a volume, by class and by last use.

use super::blocks::Class;
use super::recency::Recency;
use rustc_hash::FxHashMap;
use slcache_base::request::{HostOp, Request};

/// Extents kept of a volume; beyond, the oldest of a class makes room.
const EXTENTS_MAX: usize = 1 << 22;

/// Where a read or write went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UsedExtent {
    /// First sector.
    pub sector: u64,
    /// Its length, and whether it was written.
    pub class: Class,
    slot: u32,
}

impl UsedExtent {
    /// The sector behind it.
    pub(super) fn end_sector(self) -> u64 {
        self.sector + u64::from(self.class.sectors())
    }
}

/// All extents of a volume, the same start and length only once.
#[derive(Clone, Debug)]
pub(super) struct VolumeExtents {
    max: usize,
    all: Vec<UsedExtent>,
    /// Numbers of those that made room.
    spare: Vec<u32>,
    known: FxHashMap<(u64, u32), u32>,
    by_class: FxHashMap<Class, Recency>,
}

impl Default for VolumeExtents {
    fn default() -> Self {
        Self::of_at_most(EXTENTS_MAX)
    }
}

impl VolumeExtents {
    /// Those of a volume of which so many are kept.
    fn of_at_most(max: usize) -> Self {
        let (all, spare) = (Vec::new(), Vec::new());
        Self { max, all, spare, known: FxHashMap::default(), by_class: FxHashMap::default() }
    }

    pub(super) fn get(&self, number: u32) -> UsedExtent {
        self.all[number as usize]
    }

    pub(super) fn find(&self, sector: u64, sectors: u32) -> Option<u32> {
        self.known.get(&(sector, sectors)).copied()
    }

    /// How many extents of its class were used since.
    pub(super) fn distance(&self, number: u32) -> u32 {
        let extent = self.get(number);
        self.by_class[&extent.class].rank(extent.slot) as u32
    }

    /// The extent of a class that so many of the class were used after, if there are as many.
    pub(super) fn at(&self, class: Class, distance: u32) -> Option<UsedExtent> {
        let list = self.by_class.get(&class)?;
        let rank = distance as usize;
        (rank < list.len()).then(|| self.get(list.at(rank)))
    }

    /// The extent of a class that was used longest ago, else that of the other class of its length.
    pub(super) fn oldest(&self, class: Class) -> Option<UsedExtent> {
        let other = Class::new(class.sectors(), !class.is_written());
        let lists = [class, other].into_iter().filter_map(|class| self.by_class.get(&class));
        let list = lists.into_iter().find(|list| list.len() > 0)?;
        Some(self.get(list.at(list.len() - 1)))
    }

    /// Makes an extent the one used last; returns its number, and the extent that made room for it.
    pub(super) fn touch(&mut self, request: &Request) -> (u32, Option<UsedExtent>) {
        let (sector, sectors) = (request.sector, request.sectors);
        let is_written = request.op == HostOp::Write;
        let known = self.find(sector, sectors);
        let class = Class::new(sectors, is_written || known.is_some_and(|n| self.get(n).class.is_written()));
        let (number, gone) = match known {
            Some(number) => {
                self.leave(number);
                (number, None)
            }
            None => self.take_in(sector, class),
        };
        let Self { all, by_class, .. } = self;
        let list = by_class.entry(class).or_default();
        let slot = list.push(number, |moved, slot| all[moved as usize].slot = slot);
        all[number as usize] = UsedExtent { sector, class, slot };
        (number, gone)
    }

    fn leave(&mut self, number: u32) -> UsedExtent {
        let extent = self.get(number);
        if let Some(list) = self.by_class.get_mut(&extent.class) {
            list.remove(extent.slot);
        }
        extent
    }

    /// A number for an extent that is new; where there are too many, that of the oldest of its class.
    fn take_in(&mut self, sector: u64, class: Class) -> (u32, Option<UsedExtent>) {
        let is_full = self.all.len() - self.spare.len() >= self.max;
        let oldest = self.by_class.get(&class).filter(|list| is_full && list.len() > 0);
        let oldest = oldest.map(|list| list.at(list.len() - 1));
        let gone = oldest.map(|number| {
            let extent = self.leave(number);
            self.known.remove(&(extent.sector, class.sectors()));
            self.spare.push(number);
            extent
        });
        let number = self.spare.pop().unwrap_or(self.all.len() as u32);
        if number as usize == self.all.len() {
            self.all.push(UsedExtent { sector, class, slot: 0 });
        }
        self.known.insert((sector, class.sectors()), number);
        (number, gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(sector: u64, sectors: u32, op: HostOp) -> Request {
        Request { at_ns: 0, sector, sectors, stream: 0, hint: 0, op }
    }

    #[test]
    fn what_was_written_is_apart_from_what_was_only_read() {
        let mut extents = VolumeExtents::default();
        for (sector, op) in [(0, HostOp::Write), (8, HostOp::Read), (16, HostOp::Write), (0, HostOp::Read)] {
            extents.touch(&request(sector, 8, op));
        }
        let (written, only_read) = (Class::new(8, true), Class::new(8, false));
        let at = |class, distance| extents.at(class, distance).map(|extent| extent.sector);
        // Reading what was written makes it the newest of what was written.
        assert_eq!([at(written, 0), at(written, 1), at(written, 2)], [Some(0), Some(16), None]);
        assert_eq!([at(only_read, 0), at(only_read, 1)], [Some(8), None]);
        assert_eq!(extents.oldest(only_read).map(|extent| extent.sector), Some(8));
        assert_eq!(extents.oldest(Class::new(16, true)), None);
        extents.touch(&request(8, 8, HostOp::Write));
        assert_eq!(extents.oldest(only_read).map(|extent| extent.sector), Some(16));
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut extents = VolumeExtents::of_at_most(2);
        let mut gone =
            |sector| extents.touch(&request(sector, 8, HostOp::Write)).1.map(|extent| extent.sector);
        assert_eq!([gone(0), gone(8), gone(0), gone(16), gone(8)], [None, None, None, Some(8), Some(0)]);
        assert_eq!((extents.find(0, 8), extents.all.len()), (None, 2));
    }
}
