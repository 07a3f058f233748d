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
mod regions;

use crate::error::TraceError;
use crate::times;
use blocks::{BlockPlace, BlockRecord, Class, Cutter, Rounds};
use coder::{Coded, Coder};
use placer::Placer;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};
use slcache_base::rng::RngStream;
use std::ops::Range;

const WHAT: &str = "twin by blocks";
/// Most requests of a source: 32 bytes each are kept, 1 GiB in all.
const RECORDS_MAX: usize = 1 << 25;
/// The last sector that a twin without a footprint goes to; what lies behind still fits 64 bits.
const END_SECTORS: u64 = u64::MAX / SECTOR_BYTES / 2;

/// How a twin is made of a trace's blocks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Blocks {
    /// Same seed, same requests.
    pub(crate) seed: u64,
    /// Requests to make, flushes and trims included; those of the source where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<u64>,
    /// Bytes of each volume's address space, from 0; beyond it fresh data take the place of the oldest.
    #[serde(skip_serializing_if = "Option::is_none")]
    footprint_bytes: Option<u64>,
    /// Blocks are cut at gaps longer than this.
    pause_ns: u64,
    /// Requests of a block at least.
    block_requests: u64,
    /// Parts of the source that keep their order, of about as many requests each.
    stages: u64,
    places: Places,
    regions: Regions,
}

/// Whether every request keeps how recently its place was used, or gets the place of another one of
/// the same operation and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Places {
    Kept,
    Drawn,
}

/// Whether data that lie together get new places at random, or stay in the order of the source's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Regions {
    Shuffled,
    Kept,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            seed: 0,
            requests: None,
            footprint_bytes: None,
            // The 50 ms after which schemes use idle time, and as long for the device to get done.
            pause_ns: 100_000_000,
            // Real pieces whose blocks of 256 requests change order keep their write latency within 5 %.
            block_requests: 256,
            // As many parts as `trace info` compares.
            stages: 16,
            places: Places::Kept,
            regions: Regions::Shuffled,
        }
    }
}

impl Blocks {
    /// Reads the parameters and refuses what makes no sense.
    pub fn new(parameters: serde_json::Value) -> Result<Self, TraceError> {
        let read: Result<Self, _> = serde_path_to_error::deserialize(parameters);
        let blocks = read.map_err(|error| TraceError::refused(WHAT, error.to_string()))?;
        let Self { requests, block_requests, stages, footprint_bytes, .. } = blocks;
        let counts =
            [("requests", requests), ("block_requests", Some(block_requests)), ("stages", Some(stages))];
        if let Some((key, _)) = counts.into_iter().find(|(_, value)| *value == Some(0)) {
            return Err(TraceError::refused(WHAT, format!("{key} = 0; expected a whole number from 1")));
        }
        match footprint_bytes.filter(|bytes| *bytes == 0 || bytes % SECTOR_BYTES != 0) {
            Some(bytes) => {
                let allowed = "expected a positive multiple of 512 bytes";
                Err(TraceError::refused(WHAT, format!("footprint_bytes = {bytes}; {allowed}")))
            }
            None => Ok(blocks),
        }
    }

    /// What is done, the same text for the same parameters.
    pub(crate) fn step_text(&self) -> String {
        // Plain data with text keys always has a JSON form.
        format!("{WHAT} {}", serde_json::to_string(self).expect("parameters are plain data"))
    }

    fn end_sectors(&self) -> u64 {
        self.footprint_bytes.map_or(END_SECTORS, |bytes| bytes / SECTOR_BYTES)
    }

    fn too_large(&self, bytes: u64) -> TraceError {
        let footprint_bytes = self.footprint_bytes.unwrap_or(END_SECTORS * SECTOR_BYTES);
        TraceError::refused(
            WHAT,
            format!("footprint_bytes = {footprint_bytes}: the trace has a request of {bytes} bytes"),
        )
    }
}

/// A source as it is read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    blocks: Blocks,
    coder: Coder,
}

impl Source {
    pub(crate) fn new(blocks: Blocks) -> Self {
        Self { blocks, coder: Coder::new(Cutter::new(blocks.pause_ns, blocks.block_requests)) }
    }

    /// Takes a request of a volume.
    pub(crate) fn add(&mut self, request: &Request, volume: usize) -> Result<(), TraceError> {
        if request.op != HostOp::Trim && request.sectors > Class::SECTORS_MAX {
            return Err(self.blocks.too_large(request.bytes()));
        }
        self.coder.add(request, volume);
        match self.coder.len() <= RECORDS_MAX {
            true => Ok(()),
            false => Err(TraceError::refused(
                WHAT,
                format!("the trace has more than {RECORDS_MAX} requests; take a part of it first (take = N)"),
            )),
        }
    }

    /// The twin's requests; whether all streams are of one volume.
    pub(crate) fn draw(self, in_one: bool) -> Result<Twin, TraceError> {
        let Self { blocks, coder } = self;
        let mut regions = RngStream::new(blocks.seed, "bootstrap/regions");
        let mut coded = coder.finish((blocks.regions == Regions::Shuffled).then_some(&mut regions));
        let records = &mut coded.records;
        if coded.blocks.len() < 2 {
            let Blocks { pause_ns, block_requests, .. } = blocks;
            let (requests, longest_gap) = (records.len(), records.iter().map(|record| record.gap_ns).max());
            return Err(TraceError::refused(
                WHAT,
                format!(
                    "pause_ns = {pause_ns}, block_requests = {block_requests}: the trace is one block; \
                     a twin needs two or more, and the trace has {requests} requests with gaps up to \
                     {} ns",
                    longest_gap.unwrap_or(0)
                ),
            ));
        }
        let largest = records.iter().map(|record| u64::from(record.sectors)).max().unwrap_or(0);
        if largest > blocks.end_sectors() {
            return Err(blocks.too_large(largest * SECTOR_BYTES));
        }
        if blocks.places == Places::Drawn {
            change_places(records, &mut RngStream::new(blocks.seed, "bootstrap/places"));
        }
        Ok(Twin {
            left: blocks.requests.unwrap_or(records.len() as u64),
            is_one_round: blocks.requests.is_none(),
            rounds: Rounds::new(&coded.blocks, blocks.stages, blocks.seed),
            idle_trims: coded.idle_trims,
            end_sectors: blocks.end_sectors(),
            in_one,
            coded,
            block: 0..0,
            spare_gap_ns: None,
            placers: Vec::new(),
            at_ns: 0,
            made: 0,
        })
    }
}

/// Gives requests of the same stream, operation and size each other's places, at random.
fn change_places(records: &mut [BlockRecord], random: &mut RngStream) {
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
        let mut places: Vec<BlockPlace> = group.iter().map(|&place| records[place as usize].place).collect();
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
    in_one: bool,
    at_ns: u64,
    made: u64,
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

    /// The next request; nothing at the end. An error where its time would pass the last allowed one.
    pub(crate) fn next(&mut self) -> Result<Option<Request>, TraceError> {
        while self.left > 0 {
            let record = self.record();
            self.at_ns = times::allowed(self.at_ns.checked_add(record.gap_ns)).ok_or_else(|| {
                let reason = format!("the request behind {} would come after 2^62 ns (146 years)", self.made);
                TraceError::refused(WHAT, reason)
            })?;
            let Some(sector) = self.place(&record) else {
                self.idle_trims += 1;
                self.left -= u64::from(self.is_one_round);
                continue;
            };
            self.left -= 1;
            self.made += 1;
            let BlockRecord { sectors, stream, hint, op, .. } = record;
            let mut request = Request { at_ns: self.at_ns, sector, sectors, stream, hint, op };
            self.widen(&mut request);
            return Ok(Some(request));
        }
        Ok(None)
    }

    /// Takes trims of the same moment in that touch a trim: pages are trimmed as wholes, and one
    /// trim of the source has a record for each extent in it.
    fn widen(&mut self, trim: &mut Request) {
        while let Some(place) = self.block.clone().next() {
            let record = self.coded.records[place as usize];
            let is_part = [trim.op, record.op] == [HostOp::Trim; 2] && record.gap_ns == 0;
            if !is_part || record.stream != trim.stream {
                break;
            }
            let Some(sector) = self.place(&record) else { break };
            let (begin, end) =
                (trim.sector.min(sector), trim.end_sector().max(sector + u64::from(record.sectors)));
            let touch = end - begin <= u64::from(trim.sectors) + u64::from(record.sectors);
            let Some(sectors) = u32::try_from(end - begin).ok().filter(|_| touch) else { break };
            (trim.sector, trim.sectors) = (begin, sectors);
            self.block.next();
            self.left -= u64::from(self.is_one_round);
        }
    }

    fn place(&mut self, record: &BlockRecord) -> Option<u64> {
        if record.op == HostOp::Flush {
            return Some(0);
        }
        let volume = if self.in_one { 0 } else { usize::from(record.stream) };
        if volume >= self.placers.len() {
            self.placers.resize_with(volume + 1, Placer::default);
        }
        let length = self.coded.lengths.get(volume).copied().unwrap_or(0);
        self.placers[volume].place(record, self.rounds.number(), length, self.end_sectors)
    }

    /// The next record, with the gap that it has here.
    fn record(&mut self) -> BlockRecord {
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

#[cfg(test)]
mod tests;
