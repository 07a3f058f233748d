//! Parsing speed: makes files of about 50 MB in a temporary folder and prints
//! MB/s and ns per line for each text format, the best of several passes, by the
//! wall clock and by the CPU time of the parsing thread, and MB/s by the CPU time
//! of all threads over all passes, which takes in the hashing (Linux; the wall
//! clock elsewhere).
//!
//! `cargo run --release -p slcache-traces --example parse_speed [FORMAT ...]`

use slcache_traces::synthetic::{self, SYNTH1M_REQUESTS};
use slcache_traces::{
    open, writable_formats, Losses, Request, TraceEntry, TraceOptions, TraceOrigin, TraceWriter,
    VolumeChoice, WriteOptions,
};
use std::error::Error;
use std::time::Instant;

const PASSES: usize = 5;
const BATCH: usize = 4096;
/// About how many lines a file of 50 MB has.
const LINES: usize = 1_100_000;
/// Unix time of the first request, as in published files.
const BEGIN_NS: u64 = 1_456_095_145_133_076_000;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let folder = tempfile::tempdir()?;
    let requests = synthetic::synth1m(SYNTH1M_REQUESTS);
    for format in writable_formats().filter(|format| !matches!(*format, "parquet" | "generic")) {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == format) {
            continue;
        }
        let path = folder.path().join(format);
        let name = path.to_str().ok_or("the path is not UTF-8")?;
        write_file(name, format, &requests)?;
        measure(format, name)?;
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

fn measure(format: &str, path: &str) -> Result<(), Box<dyn Error>> {
    let (mut wall_s, mut cpu_s) = (f64::INFINITY, f64::INFINITY);
    let mut lines = 0;
    let options = TraceOptions { volume: Some(VolumeChoice::Each), ..TraceOptions::with_format(format) };
    let (all_started, all_started_s) = (Instant::now(), process_cpu_s());
    for _ in 0..PASSES {
        let (started, started_s) = (Instant::now(), thread_cpu_s());
        let mut reader = open(path, &options)?;
        let mut batch = Vec::with_capacity(BATCH);
        while reader.next_batch(&mut batch, BATCH)? {}
        lines = reader.summary().lines;
        wall_s = wall_s.min(started.elapsed().as_secs_f64());
        cpu_s = thread_cpu_s().zip(started_s).map_or(wall_s, |(end, start)| cpu_s.min(end - start));
    }
    let bytes = std::fs::metadata(path)?.len() as f64;
    let all_s = process_cpu_s()
        .zip(all_started_s)
        .map_or(all_started.elapsed().as_secs_f64(), |(end, start)| (end - start).max(0.01));
    println!(
        "{format:13} {lines:8} lines of {:5.1} B  wall {:6.1} MB/s {:6.1} ns/line  CPU {:6.1} MB/s {:6.1} ns/line  all threads {:6.1} MB/s",
        bytes / lines as f64,
        bytes / 1e6 / wall_s,
        wall_s * 1e9 / lines as f64,
        bytes / 1e6 / cpu_s,
        cpu_s * 1e9 / lines as f64,
        bytes / 1e6 * PASSES as f64 / all_s
    );
    Ok(())
}

/// Seconds the main thread has run, where the kernel says so.
fn thread_cpu_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let run_ns: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(run_ns as f64 / 1e9)
}

/// Seconds all threads have run, to the kernel's hundredth, where it says so.
fn process_cpu_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the program's name in brackets come the state and then numbers.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = [11, 12].iter().filter_map(|&place| fields.get(place)?.parse::<u64>().ok()).sum();
    Some(ticks as f64 / 100.0)
}

/// The requests again and again, each time later, until the file is full.
fn write_file(path: &str, format: &str, requests: &[Request]) -> Result<(), Box<dyn Error>> {
    let lossy = Losses::parse("time")?;
    let options = WriteOptions { format: Some(format.to_owned()), lossy };
    let mut writer = TraceWriter::create(path, &options, None)?;
    let round_ns = requests.last().map_or(0, |request| request.at_ns);
    let mut batch = Vec::with_capacity(requests.len());
    for round in 0..LINES.div_ceil(requests.len()) as u64 {
        batch.clear();
        batch.extend(requests.iter().map(|request| TraceEntry {
            request: Request { at_ns: BEGIN_NS + round * round_ns + request.at_ns, ..*request },
            response_ns: matches!(format, "msr" | "systor17").then_some(283_300),
        }));
        writer.write(&batch, &[])?;
    }
    writer.finish(&TraceOrigin::default(), &[])?;
    Ok(())
}
