//! synth1m: skewed mixed requests over 4 GiB with Poisson arrivals.

use super::python_random::PythonRandom;
use slcache_base::request::{HostOp, Request};

/// Requests of the workload as the benches run it.
pub const SYNTH1M_REQUESTS: usize = 1_000_000;

const SEED: u32 = 20_240_601;
const MEAN_GAP_NS: f64 = 200_000.0;
const FOOTPRINT_SECTORS: u64 = (4 << 30) / 512;
const PAGES: u32 = (4u64 << 30 >> 12) as u32;
/// The hot fifth of the pages takes four fifths of the requests.
const HOT_PAGES: u32 = PAGES / 5;
const EXTENT_PAGES_LOG2: u32 = 8;

/// The first `n` requests of synth1m: 70 % writes, 4 to 64 KiB, 80 % of them to
/// 20 % of 4 GiB, Poisson arrivals 200 µs apart on average.
pub fn synth1m(n: usize) -> Vec<Request> {
    let mut random = PythonRandom::new(SEED);
    let mut at_ns = 0;
    (0..n)
        .map(|_| {
            at_ns += random.exponential(MEAN_GAP_NS);
            let page = spread(draw_page(&mut random));
            let sectors = draw_sectors(&mut random);
            let sector = (u64::from(page) * 8).min(FOOTPRINT_SECTORS - u64::from(sectors));
            let write = random.random() < 0.7;
            let op = if write { HostOp::Write } else { HostOp::Read };
            Request { at_ns, sector, sectors, stream: 0, hint: 0, op }
        })
        .collect()
}

fn draw_page(random: &mut PythonRandom) -> u32 {
    if random.random() < 0.8 {
        random.randrange(HOT_PAGES)
    } else {
        HOT_PAGES + random.randrange(PAGES - HOT_PAGES)
    }
}

/// Spreads 1 MiB extents over the footprint, so that hot ones are not together.
fn spread(page: u32) -> u32 {
    let extents = PAGES >> EXTENT_PAGES_LOG2;
    let extent = (page >> EXTENT_PAGES_LOG2) * 2531 % extents;
    (extent << EXTENT_PAGES_LOG2) | (page & ((1 << EXTENT_PAGES_LOG2) - 1))
}

fn draw_sectors(random: &mut PythonRandom) -> u32 {
    let drawn = random.random();
    match drawn {
        _ if drawn < 0.45 => 8,
        _ if drawn < 0.80 => 16,
        _ if drawn < 0.92 => 32,
        _ if drawn < 0.97 => 64,
        _ => 128,
    }
}
