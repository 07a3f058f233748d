//! From requests to records: where each goes in words of those before it.

use super::blocks::{BlockPlace, BlockRecord, Cutter};
use super::extents::{UsedExtent, VolumeExtents};
use super::regions::{self, Fresh};
use slcache_base::request::{HostOp, Request};
use slcache_base::rng::RngStream;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a whole source says.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// Its requests in order.
    pub records: Vec<BlockRecord>,
    /// Its blocks, of places among the records.
    pub blocks: Vec<Range<u32>>,
    /// The sectors that a round of it brings to each volume.
    pub lengths: Vec<u64>,
    /// Trims of data that the source never used, which are left out.
    pub idle_trims: u64,
}

/// A volume's addresses in use.
#[derive(Clone, Debug, Default)]
struct Volume {
    extents: VolumeExtents,
    /// Start and length of every extent, to find what a request lies in: its number, and whether it
    /// was used since it was trimmed.
    places: BTreeMap<(u64, u32), (u32, bool)>,
    /// Behind the last read or write, and the block of that.
    last: Option<(u64, u32)>,
}

impl Volume {
    /// The extent that a request repeats or begins in.
    fn anchor(&self, request: &Request) -> Option<(u32, UsedExtent)> {
        let start = request.sector;
        let before = || self.places.range(..=(start, u32::MAX)).next_back();
        let around = || {
            let ((sector, sectors), (number, _)) = before()?;
            (start - sector < u64::from(*sectors)).then_some(*number)
        };
        let number = self.extents.find(start, request.sectors).or_else(around)?;
        Some((number, self.extents.get(number)))
    }
}

/// Reads a source once, request by request.
#[derive(Clone, Debug)]
pub(super) struct Coder {
    cutter: Cutter,
    volumes: Vec<Volume>,
    fresh: Vec<Fresh>,
    records: Vec<BlockRecord>,
    idle_trims: u64,
    last_ns: Option<u64>,
    /// The gap before the next record, that of trims left out included.
    gap_ns: u64,
}

impl Coder {
    /// Of a source that is cut by `cutter`.
    pub(super) fn new(cutter: Cutter) -> Self {
        Self {
            cutter,
            volumes: Vec::new(),
            fresh: Vec::new(),
            records: Vec::new(),
            idle_trims: 0,
            last_ns: None,
            gap_ns: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn add(&mut self, request: &Request, volume: usize) {
        let last_ns = self.last_ns.replace(request.at_ns).unwrap_or(request.at_ns);
        // Times kept out of order leave no gap.
        self.gap_ns += request.at_ns.saturating_sub(last_ns);
        self.cutter.add(self.records.len(), self.gap_ns);
        if volume >= self.volumes.len() {
            self.volumes.resize_with(volume + 1, Volume::default);
        }
        match request.op {
            HostOp::Flush => self.push(request, 0, BlockPlace::None),
            HostOp::Trim => self.trim(request, volume),
            HostOp::Read | HostOp::Write => {
                let place = self.place(request, volume);
                self.push(request, request.sectors, place);
            }
        }
    }

    /// What the whole source says; its regions get their places at random, or stay in order.
    pub(super) fn finish(mut self, random: Option<&mut RngStream>) -> Coded {
        Coded {
            blocks: self.cutter.finish(self.records.len()),
            lengths: regions::form(self.fresh, &mut self.records, random),
            records: self.records,
            idle_trims: self.idle_trims,
        }
    }

    fn push(&mut self, request: &Request, sectors: u32, place: BlockPlace) {
        let gap_ns = std::mem::take(&mut self.gap_ns);
        self.records.push(BlockRecord {
            gap_ns,
            sectors,
            stream: request.stream,
            hint: request.hint,
            op: request.op,
            place,
        });
    }

    /// Says where a read or write goes, and takes note of it.
    fn place(&mut self, request: &Request, number: usize) -> BlockPlace {
        let block = self.cutter.block();
        let volume = &mut self.volumes[number];
        let anchor = volume.anchor(request);
        if anchor.is_none_or(|(_, extent)| extent.end_sector() < request.end_sector()) {
            let record = anchor.is_none().then_some(self.records.len() as u32);
            let (volume, Request { sector, sectors, .. }) = (number as u32, *request);
            self.fresh.push(Fresh { volume, sector, sectors, record });
        }
        let place = match anchor {
            // Its region is known at the end.
            None => BlockPlace::None,
            // What begins a block has another request before it in the twin.
            Some(_) if volume.last == Some((request.sector, block)) => BlockPlace::Next,
            Some((anchor, extent)) => BlockPlace::Inside {
                class: extent.class,
                distance: volume.extents.distance(anchor),
                offset: (request.sector - extent.sector) as u32,
            },
        };
        volume.last = Some((request.end_sector(), block));
        let (anchor, gone) = volume.extents.touch(request);
        if let Some(gone) = gone {
            volume.places.remove(&(gone.sector, gone.class.sectors()));
        }
        volume.places.insert((request.sector, request.sectors), (anchor, true));
        place
    }

    /// A trim becomes one of each extent in it that was not trimmed since its last use.
    fn trim(&mut self, request: &Request, volume: usize) {
        let Volume { extents, places, .. } = &mut self.volumes[volume];
        let inside = places.range_mut((request.sector, 0)..(request.end_sector(), 0));
        let mut found = Vec::new();
        for (&(start, sectors), (number, in_use)) in inside {
            if *in_use && start + u64::from(sectors) <= request.end_sector() {
                *in_use = false;
                found.push((extents.get(*number).class, extents.distance(*number)));
            }
        }
        self.idle_trims += u64::from(found.is_empty());
        for (class, distance) in found {
            self.push(request, class.sectors(), BlockPlace::Inside { class, distance, offset: 0 });
        }
    }
}
