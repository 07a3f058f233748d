//! What a request costs as the work grows: devices from 8 GiB to 8 TiB, and a device that is asked for
//! twice what it manages. Every point is measured in a process of its own.

use super::{cases, Size};
use serde::{Deserialize, Serialize};
use slcache_core::device::request::Request;
use slcache_sim::resources::{peak_rss_bytes, Stopwatch};
use slcache_traces::synthetic::UniformWorkload;
use std::process::Command;

const DEVICE: &str = "mqsim-512g";
/// Blocks of a plane, of 256 MiB on all planes: 8 GiB to 8 TiB.
const BLOCKS: [u32; 11] = [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768];
const PLANES: u64 = 128;
const PAGES_PER_BLOCK: u64 = 256;
const PAGE_BYTES: u64 = 8192;
const SAME_FOOTPRINT_BYTES: u64 = 4 << 30;
const REQUESTS: usize = 200_000;
/// A load that the device serves with little waiting.
const LIGHT_GAP_NS: f64 = 50_000.0;
/// At twice what the device manages, a quarter of them wait when the last one comes: reads go first.
const OVERLOADING: usize = 4_000_000;

/// A device of some size, and requests to part of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Grown {
    pub device_bytes: u64,
    pub footprint_bytes: u64,
    pub requests: usize,
    /// Of CPU time, when nearly every request touches memory that nothing has touched before.
    pub first_ns_per_request: f64,
    /// When memory has been touched before: the requests once more.
    pub ns_per_request: f64,
    pub peak_rss_bytes: u64,
}

/// A growing workload at some rate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loaded {
    pub requests: usize,
    /// Requests per second that came and that were served, of simulated time.
    pub offered_iops: f64,
    pub served_iops: f64,
    pub waiting_max: u64,
    pub ns_per_request: f64,
    pub peak_rss_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Growth {
    pub same_footprint: Vec<Grown>,
    pub half_of_device: Vec<Grown>,
    /// At half of what the device manages, and at twice that.
    pub half_load: Loaded,
    pub overload: Loaded,
    /// Cost of a request under overload over that under half load.
    pub overload_ratio: f64,
    /// More memory at the peak, for each request waiting.
    pub bytes_per_waiting_request: f64,
}

/// Measures every point; of several rounds the cheapest stands for it.
pub fn measure(size: Size) -> Result<Growth, String> {
    let sizes = || BLOCKS.iter().map(|&blocks| u64::from(blocks));
    let requests = size.of(REQUESTS);
    let grown = |blocks: u64, footprint: u64| {
        cheapest(size, &format!("size:{blocks}:{footprint}:{requests}"), |p: &Grown| p.ns_per_request)
    };
    let same_footprint =
        sizes().map(|blocks| grown(blocks, SAME_FOOTPRINT_BYTES)).collect::<Result<_, _>>()?;
    let half_of_device =
        sizes().map(|blocks| grown(blocks, raw_bytes(blocks) / 2)).collect::<Result<_, _>>()?;
    let saturated: Loaded = start(&format!("load:0:{}", size.of(OVERLOADING)))?;
    let loaded = |load: f64| {
        let gap_ns = 1e9 / (saturated.served_iops * load);
        let what = format!("load:{gap_ns}:{}", size.of(OVERLOADING));
        cheapest(size, &what, |p: &Loaded| p.ns_per_request)
    };
    let (half_load, overload) = (loaded(0.5)?, loaded(2.0)?);
    let more_bytes = overload.peak_rss_bytes.saturating_sub(half_load.peak_rss_bytes);
    Ok(Growth {
        same_footprint,
        half_of_device,
        overload_ratio: overload.ns_per_request / half_load.ns_per_request,
        bytes_per_waiting_request: more_bytes as f64 / overload.waiting_max as f64,
        half_load,
        overload,
    })
}

fn cheapest<T: serde::de::DeserializeOwned>(
    size: Size,
    what: &str,
    cost: impl Fn(&T) -> f64,
) -> Result<T, String> {
    let rounds = (0..size.rounds).map(|_| start(what)).collect::<Result<Vec<T>, _>>()?;
    rounds.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).ok_or_else(|| "no rounds".to_owned())
}

/// The figures of a process of this program that does `what`.
fn start<T: serde::de::DeserializeOwned>(what: &str) -> Result<T, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).args(["--child", "growth", what]).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn raw_bytes(blocks: u64) -> u64 {
    PLANES * blocks * PAGES_PER_BLOCK * PAGE_BYTES
}

/// What one process does: its figures.
pub fn child(what: &str) -> Result<serde_json::Value, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
    match what.split(':').collect::<Vec<_>>()[..] {
        ["size", blocks, footprint, count] => {
            let grown = grown(number(blocks)?, number(footprint)?, number(count)? as usize)?;
            Ok(serde_json::json!(grown))
        }
        ["load", gap_ns, count] => {
            let gap_ns: f64 = gap_ns.parse().map_err(|_| format!("{gap_ns} is no time"))?;
            Ok(serde_json::json!(loaded(gap_ns, number(count)? as usize)?))
        }
        _ => Err(format!("unknown work {what}")),
    }
}

fn grown(blocks: u64, footprint_bytes: u64, count: usize) -> Result<Grown, String> {
    // The smallest device leaves the user 28 of 32 blocks.
    let pages = PLANES * blocks * PAGES_PER_BLOCK / 8 * 7;
    let sets =
        [format!("device.pool[0].blocks={blocks}"), format!("device.user_bytes={}", pages * PAGE_BYTES)];
    let mut simulation = cases::device(&cases::config(DEVICE, "tlc-only", &sets)?)?;
    let mut requests = requests(footprint_bytes, LIGHT_GAP_NS, count);
    let mut pass = |requests: &[Request]| {
        let stopwatch = Stopwatch::start();
        cases::feed(&mut simulation, requests)?;
        Ok::<_, String>(stopwatch.cpu_s() * 1e9 / count as f64)
    };
    let first_ns_per_request = pass(&requests)?;
    let later_ns = requests.last().map_or(0, |request| request.at_ns);
    requests.iter_mut().for_each(|request| request.at_ns += later_ns);
    let ns_per_request = pass(&requests)?;
    Ok(Grown {
        device_bytes: raw_bytes(blocks),
        footprint_bytes,
        requests: count,
        first_ns_per_request,
        ns_per_request,
        peak_rss_bytes: peak_rss_bytes().unwrap_or(0),
    })
}

/// Requests `gap_ns` apart on average, or all at once.
fn loaded(gap_ns: f64, count: usize) -> Result<Loaded, String> {
    let mut simulation = cases::device(&cases::config(DEVICE, "tlc-only", &[])?)?;
    let requests = requests(SAME_FOOTPRINT_BYTES, gap_ns, count);
    let stopwatch = Stopwatch::start();
    cases::feed(&mut simulation, &requests)?;
    let report = simulation.finish().map_err(|error| error.to_string())?;
    let ns_per_request = stopwatch.cpu_s() * 1e9 / count as f64;
    let last_ns = requests.last().map_or(0, |request| request.at_ns);
    Ok(Loaded {
        requests: count,
        offered_iops: if last_ns > 0 { count as f64 * 1e9 / last_ns as f64 } else { 0.0 },
        served_iops: report.host.iops,
        waiting_max: report.host.backlog.map_or(0, |backlog| backlog.requests_max),
        ns_per_request,
        peak_rss_bytes: peak_rss_bytes().unwrap_or(0),
    })
}

/// Reads and writes of a page, half each, at uniformly drawn places.
fn requests(footprint_bytes: u64, mean_gap_ns: f64, requests: usize) -> Vec<Request> {
    let (size_bytes, read_share, seed) = (PAGE_BYTES as u32, 0.5, 1);
    UniformWorkload { requests, footprint_bytes, size_bytes, read_share, mean_gap_ns, seed }.make()
}
