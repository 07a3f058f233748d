//! From a specification to streams that can be run, with every problem found.

use super::super::quantity::SizeBytes;
use super::super::random::Chance;
use super::super::spec::{StreamSpec, WorkloadSpec};
use super::arrivals::ArrivalPlan;
use super::place::PatternPlaces;
use super::sizes::{self, SizeTables};
use crate::error::workload_problem::{Problems, WorkloadProblem};
use slcache_base::request::SECTOR_BYTES;

#[derive(Clone, Debug)]
pub(in crate::workload) struct PatternPlan {
    pub(super) streams: Vec<StreamPlan>,
    /// Share of each stream and those before it, from 0 to 1.
    pub(super) shares_up_to: Vec<f64>,
    pub(super) arrivals: ArrivalPlan,
    pub(in crate::workload) requests: Option<u64>,
    pub(super) duration_ns: Option<u64>,
}

impl PatternPlan {
    /// Whether the workload ends.
    pub(in crate::workload) fn bounded(&self) -> bool {
        self.requests.is_some() || self.duration_ns.is_some()
    }
}

/// One stream, checked; lengths in sectors of 512 bytes.
#[derive(Clone, Debug)]
pub(super) struct StreamPlan {
    pub(super) number: u16,
    pub(super) flush: Chance,
    pub(super) trim: Chance,
    pub(super) read: Chance,
    /// A flush after so many writes; 0 for none.
    pub(super) writes_per_flush: u64,
    pub(super) sizes: SizeTables,
    pub(super) align: u64,
    pub(super) unaligned: Option<Chance>,
    /// Places for random requests, in steps of `align`; `None` where all are sequential.
    pub(super) places: Option<PatternPlaces>,
    pub(super) random: Chance,
    pub(super) first: u64,
    pub(super) len: u64,
}

pub(in crate::workload) fn resolve(spec: &WorkloadSpec, problems: &mut Problems) -> Option<PatternPlan> {
    let arrivals = ArrivalPlan::read(&spec.arrivals.clone().unwrap_or_default(), problems);
    let missing = || WorkloadProblem::new("footprint_bytes", "missing: a workload of patterns needs it");
    let footprint = spec.footprint_bytes.ok_or_else(missing);
    let footprint = problems.take(footprint.and_then(|size| whole_sectors("footprint_bytes", size)));
    let offset = problems.take(offset_sectors("offset_bytes", spec.offset_bytes));
    if spec.requests == Some(0) {
        problems.add("requests", "0 is not allowed; allowed: 1 or more");
    }
    if let (Some(duration), true) = (spec.duration_ns, arrivals.as_ref().is_some_and(ArrivalPlan::is_closed))
    {
        let message =
            format!("{} ns never pass: with closed arrivals all requests arrive at time 0", duration.0);
        problems.add("duration_ns", message);
    }
    let global = spec.global.clone().unwrap_or_default();
    if let Some(arrivals) = &arrivals {
        arrivals.check_end(spec, problems);
    }
    let streams = read_streams(spec, &global, footprint.zip(offset), problems);
    let shares_up_to = shares(&spec.stream, &global, problems);
    if !problems.none() {
        return None;
    }
    Some(PatternPlan {
        streams: streams?,
        shares_up_to,
        arrivals: arrivals?,
        requests: spec.requests,
        duration_ns: spec.duration_ns.map(|time| time.0 as u64),
    })
}

fn read_streams(
    spec: &WorkloadSpec,
    global: &StreamSpec,
    region: Option<(u64, u64)>,
    problems: &mut Problems,
) -> Option<Vec<StreamPlan>> {
    if spec.stream.is_empty() {
        if spec.global.is_none() {
            problems.add("", "nothing to do: give [global], [[stream]] or [twin]");
        }
        return Some(vec![read_stream(global, "global.", region, problems)?]);
    }
    let of = |(place, stream): (usize, &StreamSpec)| {
        read_stream(&stream.over(global), &format!("stream.{place}."), region, problems)
    };
    let streams: Vec<Option<StreamPlan>> = spec.stream.iter().enumerate().map(of).collect();
    streams.into_iter().collect()
}

fn shares(streams: &[StreamSpec], global: &StreamSpec, problems: &mut Problems) -> Vec<f64> {
    if streams.is_empty() {
        return vec![1.0];
    }
    let mut up_to = 0.0;
    let mut shares = Vec::new();
    for (place, stream) in streams.iter().enumerate() {
        let weight = stream.weight.or(global.weight).unwrap_or(1.0);
        problems.positive(format!("stream.{place}.weight"), Some(weight));
        up_to += weight;
        shares.push(up_to);
    }
    shares.iter_mut().for_each(|share| *share /= up_to);
    shares
}

/// What `rw` asks for: trims only, share of reads, and whether places are random.
struct Mode {
    trim: bool,
    read_share: f64,
    random: bool,
}

fn mode(spec: &StreamSpec, at: &str, problems: &mut Problems) -> Option<Mode> {
    problems.range(format!("{at}rwmixread"), spec.rwmixread, 0.0, 100.0);
    let Some(rw) = &spec.rw else {
        problems.add(
            format!("{at}rw"),
            "missing: read, write, trim, rw, randread, randwrite, randtrim or randrw",
        );
        return None;
    };
    let (random, kind) = match rw.strip_prefix("rand") {
        Some(kind) => (true, kind),
        None => (false, rw.as_str()),
    };
    let (trim, read_share) = match kind {
        "read" => (false, 1.0),
        "write" => (false, 0.0),
        "trim" => (true, 0.0),
        "rw" => (false, spec.rwmixread.unwrap_or(50.0) / 100.0),
        "readwrite" if !random => (false, spec.rwmixread.unwrap_or(50.0) / 100.0),
        _ => {
            let allowed = "read, write, trim, rw, readwrite, randread, randwrite, randtrim, randrw";
            problems.add(format!("{at}rw"), format!("\"{rw}\" is not allowed; allowed: {allowed}"));
            return None;
        }
    };
    if spec.rwmixread.is_some() && !kind.ends_with("rw") && kind != "readwrite" {
        problems.add(format!("{at}rwmixread"), format!("has no meaning with rw = \"{rw}\""));
    }
    Some(Mode { trim, read_share, random })
}

fn read_stream(
    spec: &StreamSpec,
    at: &str,
    region: Option<(u64, u64)>,
    problems: &mut Problems,
) -> Option<StreamPlan> {
    let mode = mode(spec, at, problems);
    let sizes = problems.take(sizes::read(spec, at));
    problems.share(format!("{at}trim_share"), spec.trim_share);
    problems.share(format!("{at}flush_share"), spec.flush_share);
    problems.share(format!("{at}unaligned_share"), spec.unaligned_share);
    problems.range(format!("{at}percentage_random"), spec.percentage_random, 0.0, 100.0);
    if spec.flush_share == Some(1.0) {
        problems.add(format!("{at}flush_share"), "1 leaves nothing but flushes; allowed: below 1");
    }
    let (mode, sizes, region) = (mode?, sizes?, region?);
    let (first, len) = problems.take(part(spec, at, region))?;
    let smallest = sizes.iter().map(|table| table.bounds().0).min().unwrap_or(8);
    let largest = sizes.iter().map(|table| table.bounds().1).max().unwrap_or(8);
    let align = match spec.blockalign {
        None => u64::from(smallest),
        Some(align) => problems.take(whole_sectors(&format!("{at}blockalign"), align))?,
    };
    if u64::from(largest) > len {
        let message =
            format!("{} bytes hold no request of {}", len * SECTOR_BYTES, u64::from(largest) * SECTOR_BYTES);
        problems.add(format!("{at}size"), message);
        return None;
    }
    if spec.unaligned_share.is_some_and(|share| share > 0.0) && align == 1 {
        problems.add(format!("{at}unaligned_share"), "every address is a multiple of blockalign, 512 bytes");
    }
    let positions = (len - u64::from(smallest)) / align + 1;
    let distribution = spec.random_distribution.as_deref().unwrap_or("random");
    let places = PatternPlaces::parse(distribution, positions, spec.scramble, 0)
        .map_err(|message| WorkloadProblem::new(format!("{at}random_distribution"), message));
    let places = problems.take(places)?;
    if !mode.random && spec.random_distribution.is_some() {
        problems.add(format!("{at}random_distribution"), "has no meaning with a sequential rw");
    }
    Some(StreamPlan {
        number: spec.stream.unwrap_or(0),
        flush: Chance::new(spec.flush_share.unwrap_or(0.0)),
        trim: Chance::new(if mode.trim { 1.0 } else { spec.trim_share.unwrap_or(0.0) }),
        read: Chance::new(mode.read_share),
        writes_per_flush: spec.fsync.unwrap_or(0),
        sizes,
        align,
        unaligned: spec.unaligned_share.filter(|share| *share > 0.0).map(Chance::new),
        places: mode.random.then_some(places),
        random: Chance::new(spec.percentage_random.unwrap_or(100.0) / 100.0),
        first,
        len,
    })
}

/// First sector and length of the stream's part of the footprint.
fn part(spec: &StreamSpec, at: &str, (footprint, start): (u64, u64)) -> Result<(u64, u64), WorkloadProblem> {
    let offset = offset_sectors(&format!("{at}offset"), spec.offset)?;
    let left = footprint.checked_sub(offset).filter(|left| *left > 0).ok_or_else(|| {
        let message = format!("{} bytes is not inside the footprint", offset * SECTOR_BYTES);
        WorkloadProblem::new(format!("{at}offset"), message)
    })?;
    let key = format!("{at}size");
    let len = spec.size.map_or(Ok(left), |size| whole_sectors(&key, size))?;
    if len <= left {
        return Ok((start + offset, len));
    }
    let message = format!(
        "{} bytes are more than the {} left in the footprint",
        len * SECTOR_BYTES,
        left * SECTOR_BYTES
    );
    Err(WorkloadProblem::new(key, message))
}

fn offset_sectors(key: &str, offset: Option<SizeBytes>) -> Result<u64, WorkloadProblem> {
    offset.filter(|offset| offset.0 > 0).map_or(Ok(0), |offset| whole_sectors(key, offset))
}

fn whole_sectors(key: &str, SizeBytes(bytes): SizeBytes) -> Result<u64, WorkloadProblem> {
    if bytes == 0 || bytes % SECTOR_BYTES != 0 {
        let message = format!("{bytes} is not allowed; allowed: a positive multiple of 512");
        return Err(WorkloadProblem::new(key, message));
    }
    Ok(bytes / SECTOR_BYTES)
}
