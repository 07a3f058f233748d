//! Parsing speed: makes files of about 50 MB in a temporary folder and prints
//! MB/s and ns per line for each format, the best of five passes, by the wall
//! clock and by the CPU time of the only thread (Linux; the wall clock elsewhere).
//!
//! `cargo run --release -p slcache-traces --example parse_speed`

use slcache_traces::synthetic::{synth1m, SYNTH1M_REQUESTS};
use slcache_traces::{open, write_mqsim, HostOp, Request, TraceOptions};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

const PASSES: usize = 5;
const BATCH: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let requests = synth1m(SYNTH1M_REQUESTS);
    for (format, write) in [
        ("msr", write_msr as fn(&[Request], &Path) -> std::io::Result<()>),
        ("blkparse", write_blkparse),
        ("mqsim", write_mqsim_twice),
    ] {
        let path = folder.path().join(format);
        write(&requests, &path)?;
        measure(format, path.to_str().ok_or("the path is not UTF-8")?)?;
    }
    Ok(())
}

fn measure(format: &str, path: &str) -> Result<(), Box<dyn Error>> {
    let (mut wall_s, mut cpu_s) = (f64::INFINITY, f64::INFINITY);
    let mut lines = 0;
    for _ in 0..PASSES {
        let (started, started_s) = (Instant::now(), thread_cpu_s());
        let mut reader = open(path, &TraceOptions::with_format(format))?;
        let mut batch = Vec::with_capacity(BATCH);
        while reader.next_batch(&mut batch, BATCH)? {}
        lines = reader.summary().lines;
        wall_s = wall_s.min(started.elapsed().as_secs_f64());
        cpu_s = thread_cpu_s().zip(started_s).map_or(wall_s, |(end, start)| cpu_s.min(end - start));
    }
    let bytes = std::fs::metadata(path)?.len() as f64;
    println!(
        "{format:9} {lines:8} lines {:6.1} MB  wall {:6.1} MB/s {:6.1} ns/line  CPU {:6.1} MB/s {:6.1} ns/line",
        bytes / 1e6,
        bytes / 1e6 / wall_s,
        wall_s * 1e9 / lines as f64,
        bytes / 1e6 / cpu_s,
        cpu_s * 1e9 / lines as f64
    );
    Ok(())
}

/// Seconds the main thread has run, where the kernel says so.
fn thread_cpu_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let run_ns: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(run_ns as f64 / 1e9)
}

fn write_msr(requests: &[Request], path: &Path) -> std::io::Result<()> {
    let mut output = BufWriter::new(File::create(path)?);
    for request in requests {
        let ticks = 128_166_385_295_514_663 + request.at_ns / 100;
        let op = if request.op == HostOp::Read { "Read" } else { "Write" };
        writeln!(output, "{ticks},hm,0,{op},{},{},2833", request.sector * 512, request.bytes())?;
    }
    output.flush()
}

fn write_blkparse(requests: &[Request], path: &Path) -> std::io::Result<()> {
    let mut output = BufWriter::new(File::create(path)?);
    for (number, request) in requests.iter().enumerate() {
        let (s, ns) = (request.at_ns / 1_000_000_000, request.at_ns % 1_000_000_000);
        let op = if request.op == HostOp::Read { "RS" } else { "WS" };
        let (sector, sectors) = (request.sector, request.sectors);
        writeln!(
            output,
            "  7,0    0 {number:8} {s:5}.{ns:09} 17560  D {op:>3} {sector} + {sectors} [mariadbd]"
        )?;
    }
    output.flush()
}

fn write_mqsim_twice(requests: &[Request], path: &Path) -> std::io::Result<()> {
    let mut output = File::create(path)?;
    let later_ns = requests.last().map_or(0, |request| request.at_ns);
    let second = requests.iter().map(|request| Request { at_ns: request.at_ns + later_ns, ..*request });
    let all: Vec<Request> = requests.iter().copied().chain(second).collect();
    write_mqsim(&all, &mut output).map_err(std::io::Error::other)
}
