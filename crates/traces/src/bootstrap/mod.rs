//! Twins by block bootstrap: a source's blocks of requests in random order, at addresses of their own.
//!
//! A source is read once. Each request becomes a record: the time behind the one before, operation,
//! size, and where it goes in words of earlier requests, never as an address. Records are cut into
//! blocks at pauses, and blocks belong to stages. A twin draws the blocks of each stage in random
//! order, and gives its records addresses by the same words.

mod blocks;
mod coder;
mod extents;
mod placer;
mod recency;
mod record;
mod regions;

use crate::times;
use blocks::{Cutter, Rounds};
use coder::{Coded, Coder};
use placer::Placer;
use record::{Class, Place, Record};
use rustc_hash::FxHashMap;
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};
use slcache_base::rng::RngStream;
use std::ops::Range;

/// Most requests of a source: 32 bytes each are kept, 1 GiB in all.
pub(crate) const RECORDS_MAX: usize = 1 << 25;

/// How a twin is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drawing {
    /// Same seed, same requests.
    pub seed: u64,
    /// Requests to make, flushes and trims included; those of the source where not given.
    pub requests: Option<u64>,
    /// Parts of the source that keep their order, of about as many requests each.
    pub stages: u64,
    /// Sectors of each volume's address space, from 0.
    pub end_sectors: u64,
    /// Whether every request keeps its own place within its block, or gets that of another one
    /// of the same operation and size.
    pub keeps_places: bool,
    /// Whether regions stay in the order of the source's addresses, or get new places at random.
    pub keeps_regions: bool,
}

/// A source as it is read.
#[derive(Clone, Debug)]
pub(crate) struct Source(Coder);

impl Source {
    /// A source that is cut at gaps longer than `pause_ns` into blocks of `requests_min` or more.
    pub(crate) fn new(pause_ns: u64, requests_min: u64) -> Self {
        Self(Coder::new(Cutter::new(pause_ns, requests_min)))
    }

    /// Takes a request of a volume, or says why it cannot.
    pub(crate) fn add(&mut self, request: &Request, volume: usize) -> Result<(), Unfit> {
        if request.op != HostOp::Trim && request.sectors > Class::SECTORS_MAX {
            return Err(Unfit::TooLarge { bytes: request.bytes() });
        }
        self.0.add(request, volume);
        match self.0.len() <= RECORDS_MAX {
            true => Ok(()),
            false => Err(Unfit::TooMany),
        }
    }

    /// The twin's requests, or why there can be none.
    pub(crate) fn draw(self, drawing: Drawing) -> Result<Twin, Unfit> {
        let mut regions = RngStream::new(drawing.seed, "bootstrap/regions");
        let mut coded = self.0.finish((!drawing.keeps_regions).then_some(&mut regions));
        let records = &mut coded.records;
        if coded.blocks.len() < 2 {
            let longest_gap_ns = records.iter().map(|record| record.gap_ns).max().unwrap_or(0);
            return Err(Unfit::OneBlock { requests: records.len(), longest_gap_ns });
        }
        let largest = records.iter().map(|record| u64::from(record.sectors)).max().unwrap_or(0);
        if largest > drawing.end_sectors {
            return Err(Unfit::TooLarge { bytes: largest * SECTOR_BYTES });
        }
        if !drawing.keeps_places {
            change_places(records, &mut RngStream::new(drawing.seed, "bootstrap/places"));
        }
        Ok(Twin {
            left: drawing.requests.unwrap_or(records.len() as u64),
            is_one_round: drawing.requests.is_none(),
            rounds: Rounds::new(&coded.blocks, drawing.stages, drawing.seed),
            idle_trims: coded.idle_trims,
            end_sectors: drawing.end_sectors,
            coded,
            block: 0..0,
            spare_gap_ns: None,
            placers: Vec::new(),
            at_ns: 0,
        })
    }
}

/// Why there is no twin of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It has more requests than are kept.
    TooMany,
    OneBlock {
        requests: usize,
        /// Its longest gap in nanoseconds.
        longest_gap_ns: u64,
    },
    /// A request does not fit the address space.
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

/// Gives requests of the same stream, operation and size each other's places, at random.
fn change_places(records: &mut [Record], random: &mut RngStream) {
    let mut alike: FxHashMap<(u16, HostOp, u32), Vec<u32>> = FxHashMap::default();
    let mut order = Vec::new();
    for (place, record) in records.iter().enumerate() {
        let key = (record.stream, record.op, record.sectors);
        let group = alike.entry(key).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        group.push(place as u32);
    }
    for key in order {
        let group = &alike[&key];
        let mut places: Vec<Place> = group.iter().map(|&place| records[place as usize].place).collect();
        blocks::shuffle(&mut places, random);
        for (&place, drawn) in group.iter().zip(places) {
            records[place as usize].place = drawn;
        }
    }
}

/// The requests of a twin, in order of time.
#[derive(Clone, Debug)]
pub(crate) struct Twin {
    coded: Coded,
    rounds: Rounds,
    /// What is left of the block that is being drawn.
    block: Range<u32>,
    /// The gap of the block that came first, which has none here. It goes to the source's first
    /// block, which had none there.
    spare_gap_ns: Option<u64>,
    placers: Vec<Placer>,
    end_sectors: u64,
    at_ns: u64,
    left: u64,
    /// Whether it ends with its first round: then trims that are left out are not made up for.
    is_one_round: bool,
    idle_trims: u64,
}

impl Twin {
    /// How many blocks the source has.
    pub(crate) fn blocks(&self) -> u64 {
        self.coded.blocks.len() as u64
    }

    /// How many of them are alone in their stage, so that they keep their place.
    pub(crate) fn fixed_blocks(&self) -> u64 {
        self.rounds.alone()
    }

    /// Trims left out so far, of what the source or the twin never used.
    pub(crate) fn idle_trims(&self) -> u64 {
        self.idle_trims
    }

    /// The next request, of the volume that `volume` says for its stream; nothing at the end. An
    /// error where its time would pass the last allowed one.
    pub(crate) fn next(&mut self, volume: impl Fn(u16) -> usize) -> Result<Option<Request>, TooLate> {
        while self.left > 0 {
            let record = self.record();
            self.at_ns = times::allowed(self.at_ns.checked_add(record.gap_ns)).ok_or(TooLate)?;
            let Some(sector) = self.place(&record, &volume) else {
                self.idle_trims += 1;
                self.left -= u64::from(self.is_one_round);
                continue;
            };
            self.left -= 1;
            let Record { sectors, stream, hint, op, .. } = record;
            let mut request = Request { at_ns: self.at_ns, sector, sectors, stream, hint, op };
            self.widen(&mut request, &volume);
            return Ok(Some(request));
        }
        Ok(None)
    }

    /// Takes trims of the same moment in that touch a trim: pages are trimmed as wholes, and one
    /// trim of the source has a record for each extent in it.
    fn widen(&mut self, trim: &mut Request, volume: &impl Fn(u16) -> usize) {
        while let Some(place) = self.block.clone().next() {
            let record = self.coded.records[place as usize];
            let is_part = [trim.op, record.op] == [HostOp::Trim; 2] && record.gap_ns == 0;
            if !is_part || record.stream != trim.stream {
                break;
            }
            let Some(sector) = self.place(&record, volume) else { break };
            let (begin, end) =
                (trim.sector.min(sector), trim.end_sector().max(sector + u64::from(record.sectors)));
            let touch = end - begin <= u64::from(trim.sectors) + u64::from(record.sectors);
            let Some(sectors) = u32::try_from(end - begin).ok().filter(|_| touch) else { break };
            (trim.sector, trim.sectors) = (begin, sectors);
            self.block.next();
            self.left -= u64::from(self.is_one_round);
        }
    }

    fn place(&mut self, record: &Record, volume: impl Fn(u16) -> usize) -> Option<u64> {
        if record.op == HostOp::Flush {
            return Some(0);
        }
        let volume = volume(record.stream);
        if volume >= self.placers.len() {
            self.placers.resize_with(volume + 1, Placer::default);
        }
        let length = self.coded.lengths.get(volume).copied().unwrap_or(0);
        self.placers[volume].place(record, self.rounds.number(), length, self.end_sectors)
    }

    /// The next record, with the gap that it has here.
    fn record(&mut self) -> Record {
        if let Some(place) = self.block.next() {
            return self.coded.records[place as usize];
        }
        let drawn = self.rounds.draw(&self.coded.blocks, self.left);
        let Range { start, end } = self.coded.blocks[drawn];
        self.block = start + 1..end;
        let mut record = self.coded.records[start as usize];
        match self.spare_gap_ns {
            None => self.spare_gap_ns = Some(std::mem::take(&mut record.gap_ns)),
            Some(gap_ns) if drawn == 0 => record.gap_ns = gap_ns,
            Some(_) => {}
        }
        record
    }
}

/// A request would come after the last allowed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLate;

#[cfg(test)]
mod tests;
