//! How fast traces are read, written and made.

use super::figures::{Spread, TraceSpeed};
use super::size::Size;
use slcache_sim::resources::Stopwatch;
use slcache_traces::synthetic::synth1m;
use slcache_traces::workload::Workload;
use slcache_traces::{
    open, writable_formats, Losses, Request, TraceEntry, TraceError, TraceOptions, TraceOrigin, TraceWriter,
    WriteOptions, Written,
};
use std::collections::BTreeMap;

/// Requests of a file: about 50 MB of text, and enough row groups of Parquet.
const REQUESTS: usize = 1_000_000;
const PARQUET_REQUESTS: usize = 5_000_000;
/// Fewer than the twin has.
const GENERATED_REQUESTS: usize = 3_000_000;
/// Workloads of different cost, from the simplest to a twin.
const WORKLOADS: [&str; 4] = ["uniform-4k", "zipf-4k", "mixed-oltp", "hierarchy-hm_0"];
/// Requests handed over at a time.
const BATCH: usize = 4096;

/// Every format and some workloads in turn, round by round.
pub fn measure(size: Size) -> Result<TraceSpeed, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let all = entries(size.of(PARQUET_REQUESTS));
    let mut contestants = Vec::new();
    for format in writable_formats() {
        let requests = if format == "parquet" { all.len() } else { size.of(REQUESTS) };
        let path = folder.path().join(format).to_string_lossy().into_owned();
        contestants.push(Contestant { format, path, entries: &all[..requests], rounds: Vec::new() });
    }
    let mut generated: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for _ in 0..size.rounds {
        for contestant in &mut contestants {
            contestant.round()?;
        }
        for name in WORKLOADS {
            generated.entry(name).or_default().push(generate(name, size.of(GENERATED_REQUESTS))?);
        }
    }
    let mut speed = TraceSpeed::default();
    for contestant in &contestants {
        contestant.add_to(&mut speed);
    }
    speed.generated_requests_per_cpu_s =
        generated.into_iter().map(|(name, rates)| (name.to_owned(), Spread::of(rates))).collect();
    Ok(speed)
}

/// Requests of synth1m, over and over.
pub fn entries(count: usize) -> Vec<TraceEntry> {
    let once = synth1m(count.min(REQUESTS));
    let length_ns = once.last().map_or(0, |request| request.at_ns);
    let copy = |place: usize| {
        let request = once[place % once.len()];
        let at_ns = request.at_ns + (place / once.len()) as u64 * length_ns;
        TraceEntry { request: Request { at_ns, ..request }, response_ns: Some(place as u64 % 1000 * 100_000) }
    };
    (0..count).map(copy).collect()
}

/// A format with the rounds measured so far.
struct Contestant<'a> {
    format: &'static str,
    path: String,
    entries: &'a [TraceEntry],
    rounds: Vec<Round>,
}

struct Round {
    write_s: f64,
    read_s: f64,
    bytes: u64,
    requests: u64,
}

impl Contestant<'_> {
    fn round(&mut self) -> Result<(), String> {
        let stopwatch = Stopwatch::start();
        let written = write(self.format, &self.path, self.entries).map_err(|error| error.to_string())?;
        let write_s = stopwatch.cpu_s();
        let stopwatch = Stopwatch::start();
        let requests = read(&self.path, &written.read_back)?;
        let read_s = stopwatch.cpu_s();
        self.rounds.push(Round { write_s, read_s, bytes: written.bytes, requests });
        Ok(())
    }

    fn add_to(&self, speed: &mut TraceSpeed) {
        let spread = |rate: &dyn Fn(&Round) -> f64| Spread::of(self.rounds.iter().map(rate).collect());
        if self.format == "parquet" {
            speed.parquet_read_requests_per_cpu_s =
                Some(spread(&|round| round.requests as f64 / round.read_s));
            speed.parquet_written_requests_per_cpu_s =
                Some(spread(&|round| round.requests as f64 / round.write_s));
            speed.parquet_bytes_per_request =
                self.rounds.first().map(|round| round.bytes as f64 / round.requests as f64);
            return;
        }
        let name = self.format.to_owned();
        let mb = |bytes: u64| bytes as f64 / 1e6;
        speed.text_read_mb_per_cpu_s.insert(name.clone(), spread(&|round| mb(round.bytes) / round.read_s));
        speed.text_written_mb_per_cpu_s.insert(name, spread(&|round| mb(round.bytes) / round.write_s));
    }
}

/// Writes a file in a format; what it cannot hold may be lost.
pub fn write(format: &str, path: &str, entries: &[TraceEntry]) -> Result<Written, TraceError> {
    let lossy = Losses::parse("time,flush,trim,volume,response,label")?;
    let options = WriteOptions { format: Some(format.to_owned()), lossy };
    let mut writer = TraceWriter::create(path, &options, None)?;
    for batch in entries.chunks(BATCH) {
        writer.write(batch, &[])?;
    }
    writer.finish(&TraceOrigin::default(), &[])
}

/// Reads a file; how many requests it holds.
pub fn read(path: &str, options: &TraceOptions) -> Result<u64, String> {
    let mut reader = open(path, options).map_err(|error| error.to_string())?;
    let (mut batch, mut requests) = (Vec::new(), 0);
    while reader.next_batch(&mut batch, BATCH).map_err(|error| error.to_string())? {
        requests += std::hint::black_box(&batch).len() as u64;
    }
    Ok(requests)
}

/// Requests per CPU second of a workload.
fn generate(name: &str, requests: usize) -> Result<f64, String> {
    let settings = BTreeMap::from([("requests".to_owned(), requests.to_string())]);
    let workload = Workload::load(name, &settings).map_err(|error| error.to_string())?;
    let stopwatch = Stopwatch::start();
    let mut made = 0u64;
    for request in workload.generate(1) {
        std::hint::black_box(request);
        made += 1;
    }
    Ok(made as f64 / stopwatch.cpu_s())
}
