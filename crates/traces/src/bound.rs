//! What no SLC cache of a size can keep from a dense program, of a whole trace.

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::request_source::Progress;
use crate::sources::reader::open;
use crate::summary::TraceSummary;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::bound::{KeptVersions, Meters};
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

/// Requests taken from the reader at a time.
const BATCH: usize = 4096;
/// Units whose numbers lie together.
const CHUNK: u64 = 512;
/// A unit that has no number.
const NONE: u32 = u32::MAX;
/// Most units that a trace may write.
const UNITS_MAX: u32 = 1 << 30;

/// What a trace writes, and how much of it caches of some sizes can keep from birth to death.
///
/// A version is a unit touched by a write request; it lives until the next one or a trim that covers it.
/// Requests are taken whole and in the trace's order.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bound {
    pub file: String,
    pub format: String,
    pub unit_bytes: u64,
    /// Versions written.
    pub versions: u64,
    /// Units touched by writes.
    pub units: u64,
    /// Most versions alive at once: a cache of so many units keeps all.
    pub alive_max: u64,
    /// By size, controller memory included, in the order asked for.
    pub sizes: Vec<SizeBound>,
    /// What was read.
    pub summary: TraceSummary,
}

/// What a cache of one size can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SizeBound {
    pub bytes: u64,
    /// Most versions that can stay in it all their life.
    pub kept: u64,
    /// Of those that die before the end.
    pub kept_died: u64,
    /// Versions that are programmed to dense cells at least.
    pub least: u64,
    /// The same where the cache is emptied at the end.
    pub least_drained: u64,
}

impl SizeBound {
    pub fn new(bytes: u64, versions: u64, kept: KeptVersions) -> Self {
        let (kept, kept_died) = (kept.all, kept.died);
        Self { bytes, kept, kept_died, least: versions - kept, least_drained: versions - kept_died }
    }
}

/// Numbers of units, given out as they are written.
#[derive(Default)]
struct UnitNumbers {
    chunks: FxHashMap<(u16, u64), Box<[u32; CHUNK as usize]>>,
    count: u32,
}

impl UnitNumbers {
    /// Adds the numbers of units `from..to` of a stream to `out`, new ones for those that have none.
    fn written(&mut self, stream: u16, from: u64, to: u64, out: &mut Vec<u32>) {
        for chunk in from / CHUNK..to.div_ceil(CHUNK) {
            let numbers =
                self.chunks.entry((stream, chunk)).or_insert_with(|| Box::new([NONE; CHUNK as usize]));
            for number in &mut numbers[inside(chunk, from, to)] {
                if *number == NONE {
                    *number = self.count;
                    self.count += 1;
                }
                out.push(*number);
            }
        }
    }

    /// The same of those that have numbers.
    fn known(&self, stream: u16, from: u64, to: u64, out: &mut Vec<u32>) {
        let mut add = |chunk: u64, numbers: &[u32; CHUNK as usize]| {
            out.extend(numbers[inside(chunk, from, to)].iter().filter(|&&number| number != NONE));
        };
        let chunks = from / CHUNK..to.div_ceil(CHUNK);
        // A trim may cover all of an address space of which little was written.
        if chunks.end.saturating_sub(chunks.start) > self.chunks.len() as u64 {
            for (&(of, chunk), numbers) in &self.chunks {
                if of == stream && chunks.contains(&chunk) {
                    add(chunk, numbers);
                }
            }
            return;
        }
        for chunk in chunks {
            if let Some(numbers) = self.chunks.get(&(stream, chunk)) {
                add(chunk, numbers);
            }
        }
    }
}

/// The places of a chunk that `from..to` covers.
fn inside(chunk: u64, from: u64, to: u64) -> std::ops::Range<usize> {
    let first = chunk * CHUNK;
    (from.max(first) - first) as usize..(to.min(first + CHUNK) - first) as usize
}

/// Counts what caches of some sizes can keep.
struct Counter {
    unit_sectors: u64,
    /// Streams are volumes, with addresses of their own.
    by_stream: bool,
    units: UnitNumbers,
    meters: Meters,
    touched: Vec<u32>,
    alive: Vec<bool>,
    alive_now: u64,
    alive_max: u64,
    versions: u64,
}

impl Counter {
    fn new(unit_bytes: u64, sizes: &[u64], by_stream: bool) -> Self {
        let slots = |bytes: &u64| (bytes / unit_bytes).min(u64::from(Meters::SLOTS_MAX)) as u32;
        let slots: Vec<u32> = sizes.iter().map(slots).collect();
        Self {
            unit_sectors: unit_bytes / SECTOR_BYTES,
            by_stream,
            units: UnitNumbers::default(),
            meters: Meters::new(&slots),
            touched: Vec::new(),
            alive: Vec::new(),
            alive_now: 0,
            alive_max: 0,
            versions: 0,
        }
    }

    /// Asks for the memory that a write of units `from..to` takes; how many there is none for, if so.
    fn make_room(&mut self, stream: u16, from: u64, to: u64) -> Result<(), u64> {
        let coming = usize::try_from(to - from).unwrap_or(usize::MAX);
        self.touched.try_reserve(coming).map_err(|_| to - from)?;
        let mut new = to - from;
        // A long request may be of units that have been written all.
        if new > CHUNK {
            self.units.known(stream, from, to, &mut self.touched);
            new -= self.touched.len() as u64;
            self.touched.clear();
        }
        let units = u64::from(self.units.count) + new;
        let none = |_| units;
        if units > u64::from(UNITS_MAX) {
            return Err(units);
        }
        self.alive.try_reserve((units as usize).saturating_sub(self.alive.len())).map_err(none)?;
        self.meters.make_room(units, coming).map_err(none)?;
        // The tables of numbers are made one by one.
        Vec::<u32>::new().try_reserve_exact(new as usize + CHUNK as usize).map_err(none)
    }

    /// Counts a request; how many units there is no room for, if so.
    fn add(&mut self, request: &Request) -> Result<(), u64> {
        let stream = if self.by_stream { request.stream } else { 0 };
        let (sector, end) = (request.sector, request.end_sector());
        self.touched.clear();
        let writes = match request.op {
            HostOp::Read | HostOp::Flush => return Ok(()),
            HostOp::Write => {
                let (from, to) = (sector / self.unit_sectors, end.div_ceil(self.unit_sectors));
                self.make_room(stream, from, to)?;
                self.units.written(stream, from, to, &mut self.touched);
                self.versions += self.touched.len() as u64;
                true
            }
            HostOp::Trim => {
                let (from, to) = (sector.div_ceil(self.unit_sectors), end / self.unit_sectors);
                if from < to {
                    self.units.known(stream, from, to, &mut self.touched);
                }
                false
            }
        };
        self.alive.resize(self.units.count as usize, false);
        for &unit in &self.touched {
            let was = std::mem::replace(&mut self.alive[unit as usize], writes);
            self.alive_now = self.alive_now + u64::from(writes) - u64::from(was);
        }
        self.alive_max = self.alive_max.max(self.alive_now);
        self.meters.request(self.touched.iter().copied(), writes);
        Ok(())
    }

    fn sizes(self, sizes: &[u64]) -> Vec<SizeBound> {
        let kept = sizes.iter().zip(self.meters.finish());
        kept.map(|(&bytes, kept)| SizeBound::new(bytes, self.versions, kept)).collect()
    }
}

fn unfit(reason: String) -> TraceError {
    TraceError::refused("bound", reason)
}

fn no_room(file: &str, units: u64, unit_bytes: u64) -> TraceError {
    if units > u64::from(UNITS_MAX) {
        return unfit(format!("{file} writes more than {UNITS_MAX} units of {unit_bytes} bytes"));
    }
    let what = format!(
        "the bound of {units} units of {unit_bytes} bytes; allowed: fewer sizes at a time, or larger units"
    );
    TraceError::memory(file, what)
}

/// Reads a trace once and bounds what caches of `sizes`, in bytes, can keep, told how far it is.
pub fn bound_telling(
    path: &str,
    options: &TraceOptions,
    unit_bytes: u64,
    sizes: &[u64],
    progress: &mut Progress<'_>,
) -> Result<Bound, TraceError> {
    if unit_bytes == 0 || unit_bytes % SECTOR_BYTES != 0 {
        return Err(unfit(format!(
            "unit_bytes = {unit_bytes}: must be a multiple of {SECTOR_BYTES}, from there on"
        )));
    }
    if sizes.is_empty() || !sizes.is_sorted() {
        return Err(unfit("sizes: must be one at least, by rising size".to_owned()));
    }
    let mut reader = open(path, options)?;
    let mut counter = Counter::new(unit_bytes, sizes, reader.has_volumes());
    let mut requests = Vec::with_capacity(BATCH);
    while reader.next_batch(&mut requests, BATCH)? {
        requests
            .iter()
            .try_for_each(|request| counter.add(request))
            .map_err(|units| no_room(path, units, unit_bytes))?;
        requests.clear();
        reader.tell("bound", progress)?;
    }
    if counter.versions == 0 {
        return Err(unfit(format!("{path} has no writes, of which a cache could keep any")));
    }
    Ok(Bound {
        file: path.to_owned(),
        format: reader.format().to_owned(),
        unit_bytes,
        versions: counter.versions,
        units: u64::from(counter.units.count),
        alive_max: counter.alive_max,
        sizes: counter.sizes(sizes),
        summary: reader.summary().clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: HostOp, sector: u64, sectors: u32, stream: u16) -> Request {
        Request { at_ns: 0, sector, sectors, stream, hint: 0, op }
    }

    fn counted(by_stream: bool, requests: &[Request]) -> (u64, u64, Vec<SizeBound>) {
        let sizes = [0, 4096, 8192, 1 << 40];
        let mut counter = Counter::new(4096, &sizes, by_stream);
        requests.iter().for_each(|request| counter.add(request).unwrap());
        (counter.versions, counter.alive_max, counter.sizes(&sizes))
    }

    #[test]
    fn a_version_is_a_unit_that_a_write_touches_and_dies_with_a_trim_that_covers_it() {
        use HostOp::{Flush, Read, Trim, Write};
        let requests = [
            // Two units, the second in part.
            request(Write, 0, 9, 0),
            request(Read, 0, 16, 0),
            request(Flush, 0, 0, 0),
            // Covers the first unit alone.
            request(Trim, 0, 15, 0),
            // Far more than was ever written.
            request(Trim, 16, u32::MAX, 0),
            request(Write, 8, 8, 0),
        ];
        let (versions, alive, sizes) = counted(false, &requests);
        assert_eq!((versions, alive), (3, 2));
        let kept: Vec<_> = sizes.iter().map(|size| (size.kept, size.kept_died)).collect();
        assert_eq!(kept, [(0, 0), (2, 1), (3, 2), (3, 2)]);
        let least: Vec<_> = sizes.iter().map(|size| (size.least, size.least_drained)).collect();
        assert_eq!(least, [(3, 3), (1, 2), (0, 1), (0, 1)]);
    }

    #[test]
    fn volumes_have_addresses_of_their_own() {
        let requests = [request(HostOp::Write, 0, 8, 0), request(HostOp::Write, 0, 8, 1)];
        assert_eq!(counted(true, &requests).1, 2);
        assert_eq!(counted(false, &requests).1, 1);
    }

    #[test]
    fn a_trim_ends_the_same_versions_by_either_way_of_looking() {
        let page = |i: u64| i * 7919 % 100_000;
        for sectors in [8 * 40_000, u32::MAX] {
            let mut requests: Vec<_> =
                (0..3_000).map(|i| request(HostOp::Write, page(i) * 8, 8, 0)).collect();
            requests.push(request(HostOp::Trim, 80_000, sectors, 0));
            let end = 10_000 + u64::from(sectors) / 8;
            let died = (0..3_000).filter(|&i| (10_000..end).contains(&page(i))).count() as u64;
            let (versions, _, sizes) = counted(false, &requests);
            assert_eq!((versions, sizes[3].kept, sizes[3].kept_died), (3_000, 3_000, died));
            assert!(died > 1_000);
        }
    }
}
