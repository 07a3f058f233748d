//! heavy_gc: fill most of an 8 GiB device, then random 4 KiB writes.

use super::python_random::PythonRandom;
use slcache_base::request::{HostOp, Request};

/// Random writes of the workload as the benches run it.
pub const HEAVY_GC_RANDOM_WRITES: usize = 2_000_000;
/// Mean time between its random writes, in nanoseconds.
pub const HEAVY_GC_MEAN_GAP_NS: u64 = 4_000_000;

const SEED: u32 = 7;
const PAGE_SECTORS: u64 = 8;
/// 4 KiB pages of nine tenths of 8 GiB.
const PAGES: u32 = ((8u64 << 30) * 9 / 10 / 4096) as u32;
const FILL_PAGES: u32 = 16;
/// Far enough apart that the fill never queues.
const FILL_GAP_NS: u64 = 16_000_000;
const FILL_REST_GAP_NS: u64 = 4_000_000;

/// A sequential fill of 7.2 GiB in 64 KiB writes (when asked for), then
/// `random_writes` uniform 4 KiB writes, `mean_gap_ns` apart on average.
pub fn heavy_gc(random_writes: usize, mean_gap_ns: u64, fill: bool) -> Vec<Request> {
    let mut requests = Vec::with_capacity(random_writes + (PAGES / FILL_PAGES) as usize + 16);
    let mut at_ns = 0;
    if fill {
        at_ns = push_fill(&mut requests);
    }
    let mut random = PythonRandom::new(SEED);
    for _ in 0..random_writes {
        at_ns += random.exponential(mean_gap_ns as f64);
        requests.push(write(at_ns, random.randrange(PAGES), 1));
    }
    requests
}

/// The sequential fill; the time of its last write.
fn push_fill(requests: &mut Vec<Request>) -> u64 {
    let mut at_ns = 0;
    let mut page = 0;
    while page < PAGES {
        let whole = page + FILL_PAGES <= PAGES;
        let (pages, gap_ns) = if whole { (FILL_PAGES, FILL_GAP_NS) } else { (1, FILL_REST_GAP_NS) };
        at_ns += gap_ns;
        requests.push(write(at_ns, page, pages));
        page += pages;
    }
    at_ns
}

fn write(at_ns: u64, page: u32, pages: u32) -> Request {
    Request {
        at_ns,
        sector: u64::from(page) * PAGE_SECTORS,
        sectors: pages * PAGE_SECTORS as u32,
        stream: 0,
        hint: 0,
        op: HostOp::Write,
    }
}
