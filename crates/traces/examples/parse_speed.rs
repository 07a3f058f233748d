//! Parsing speed: makes files of about 50 MB in a temporary folder and prints
//! MB/s and ns per line for each text format, the best of several passes, by the
//! wall clock and by the CPU time of the parsing thread, and MB/s by the CPU time
//! of all threads over all passes, which takes in the hashing (Linux; the wall
//! clock elsewhere).
//!
//! `cargo run --release -p slcache-traces --example parse_speed [FORMAT ...]`

use slcache_traces::synthetic::{synth1m, SYNTH1M_REQUESTS};
use slcache_traces::{open, HostOp, Request, TraceOptions, VolumeChoice};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

const PASSES: usize = 5;
const BATCH: usize = 4096;
/// Bytes of a file, from which the number of its lines follows.
const FILE_BYTES: u64 = 50_000_000;

/// Name of a format, the line before the requests, and a request as a line.
type Lines = (&'static str, &'static str, fn(&Request, &mut dyn Write) -> std::io::Result<()>);

const FORMATS: [Lines; 13] = [
    ("msr", "", msr),
    ("spc", "", spc),
    ("systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n", systor17),
    ("alicloud", "", alicloud),
    ("tencent", "", tencent),
    ("fiu", "", fiu),
    ("k5cloud", "", k5cloud),
    ("mobileblockio", "proces,device,rw_flag,sector,size,timestamp\n", mobileblockio),
    ("blkparse", "", blkparse),
    ("fio", "fio version 3 iolog\n", fio),
    ("mqsim", "", mqsim),
    ("ssdsim", "", ssdsim),
    ("disksim", "", disksim),
];

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let folder = tempfile::tempdir()?;
    let requests = synth1m(SYNTH1M_REQUESTS);
    for (format, header, line) in FORMATS {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == format) {
            continue;
        }
        let path = folder.path().join(format);
        write_file(&path, &requests, header, line)?;
        measure(format, path.to_str().ok_or("the path is not UTF-8")?)?;
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
fn write_file(
    path: &Path,
    requests: &[Request],
    header: &str,
    line: fn(&Request, &mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 18, File::create(path)?);
    output.write_all(header.as_bytes())?;
    let round_ns = requests.last().map_or(0, |request| request.at_ns);
    let mut later_ns = 0;
    loop {
        for request in requests {
            line(&Request { at_ns: request.at_ns + later_ns, ..*request }, &mut output)?;
        }
        later_ns += round_ns;
        if output.get_ref().metadata()?.len() >= FILE_BYTES {
            return output.flush();
        }
    }
}

/// `R` or `W`.
fn letter(request: &Request) -> char {
    if request.op == HostOp::Read {
        'R'
    } else {
        'W'
    }
}

fn seconds(request: &Request) -> (u64, u64) {
    (request.at_ns / 1_000_000_000, request.at_ns % 1_000_000_000)
}

fn is_read(request: &Request) -> u8 {
    u8::from(request.op == HostOp::Read)
}

fn msr(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let ticks = 128_166_385_295_514_663 + request.at_ns / 100;
    let op = if request.op == HostOp::Read { "Read" } else { "Write" };
    writeln!(output, "{ticks},hm,0,{op},{},{},2833", request.sector * 512, request.bytes())
}

fn spc(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let (s, ns) = seconds(request);
    let (sector, bytes, op) = (request.sector, request.bytes(), letter(request));
    writeln!(output, "0,{sector},{bytes},{op},{s}.{:06}", ns / 1000)
}

fn systor17(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let (s, ns) = seconds(request);
    let (offset, bytes, op) = (request.sector * 512, request.bytes(), letter(request));
    writeln!(output, "{}.{ns:09},0.000806000,{op},0,{offset},{bytes}", 1_456_095_145 + s)
}

fn alicloud(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let (offset, bytes, op) = (request.sector * 512, request.bytes(), letter(request));
    writeln!(output, "419,{op},{offset},{bytes},{}", 1_577_808_144_360_767 + request.at_ns / 1000)
}

fn tencent(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let Request { sector, sectors, .. } = *request;
    let second = 1_538_323_199 + seconds(request).0;
    // Neighbouring lines of the published files name different volumes.
    let volume = 1000 + sector % 2000;
    writeln!(output, "{second},{sector},{sectors},{},{volume}", 1 - is_read(request))
}

fn fiu(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let Request { at_ns, sector, sectors, .. } = *request;
    let op = letter(request);
    writeln!(
        output,
        "{} 20782 gzip {sector} {sectors} {op} 6 0 56f11b711d91a065a2b6458eca924523",
        89_968_195_792_462 + at_ns
    )
}

fn k5cloud(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let (s, ns) = seconds(request);
    let (offset, bytes, op) = (request.sector * 512, request.bytes(), letter(request));
    writeln!(output, "1283,{s}.{:06},{op},{offset},{bytes}", ns / 1000)
}

fn mobileblockio(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let Request { sector, sectors, .. } = *request;
    let (s, ns) = seconds(request);
    let op = letter(request);
    writeln!(
        output,
        "kworker/u17:3-7403,8388608,{op},{sector},{sectors},{}.{:06}\r",
        5_218_127 + s,
        ns / 1000
    )
}

fn blkparse(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let Request { sector, sectors, .. } = *request;
    let (s, ns) = seconds(request);
    let op = letter(request);
    writeln!(output, "  7,0    0 {sector:8} {s:5}.{ns:09} 17560  D  {op}S {sector} + {sectors} [mariadbd]")
}

fn fio(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let action = if request.op == HostOp::Read { "read" } else { "write" };
    let (offset, bytes) = (request.sector * 512, request.bytes());
    writeln!(output, "{} /dev/nvme0n1 {action} {offset} {bytes}", request.at_ns / 1000)
}

fn mqsim(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let Request { at_ns, sector, sectors, .. } = *request;
    writeln!(output, "{at_ns} 0 {sector} {sectors} {}", is_read(request))
}

fn ssdsim(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    mqsim(request, output)
}

fn disksim(request: &Request, output: &mut dyn Write) -> std::io::Result<()> {
    let Request { at_ns, sector, sectors, .. } = *request;
    writeln!(
        output,
        "{}.{:06} 0 {sector} {sectors} {:x}",
        at_ns / 1_000_000,
        at_ns % 1_000_000,
        is_read(request)
    )
}
