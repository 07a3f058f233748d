//! Workloads made on the spot for tests and benches, the same for the same arguments everywhere.

use rand_core::Rng;
use rand_mt::Mt;
use rand_pcg::Pcg64Mcg;
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

const HEAVY_GC_SEED: u32 = 7;
const HEAVY_GC_MEAN_GAP_NS: f64 = 4_000_000.0;
const PAGE_SECTORS: u32 = 8;
/// 4 KiB pages of nine tenths of 8 GiB.
const HEAVY_GC_PAGES: u32 = ((8u64 << 30) * 9 / 10 / 4096) as u32;

/// `count` uniform 4 KiB writes to 7.2 GiB, 4 ms apart on average.
pub fn heavy_gc(count: usize) -> Vec<Request> {
    let mut random = PythonRandom::new(HEAVY_GC_SEED);
    let mut at_ns = 0;
    let mut request = || {
        at_ns += random.exponential(HEAVY_GC_MEAN_GAP_NS);
        let sector = u64::from(random.randrange(HEAVY_GC_PAGES)) * u64::from(PAGE_SECTORS);
        Request { at_ns, sector, sectors: PAGE_SECTORS, stream: 0, hint: 0, op: HostOp::Write }
    };
    (0..count).map(|_| request()).collect()
}

/// A `random.Random` seeded with a small integer.
struct PythonRandom {
    twister: Mt,
}

impl PythonRandom {
    /// `random.Random(seed)` for a seed below 2^32: a key of one word.
    fn new(seed: u32) -> Self {
        Self { twister: Mt::new_with_key([seed]) }
    }

    /// `random()`: 53 bits in [0, 1).
    fn random(&mut self) -> f64 {
        let high = f64::from(self.twister.next_u32() >> 5);
        let low = f64::from(self.twister.next_u32() >> 6);
        (high * 67_108_864.0 + low) * (1.0 / 9_007_199_254_740_992.0)
    }

    /// `randrange(end)` for 0 < end < 2^32, by `_randbelow_with_getrandbits`.
    fn randrange(&mut self, end: u32) -> u32 {
        let unused_bits = end.leading_zeros();
        loop {
            let drawn = self.twister.next_u32() >> unused_bits;
            if drawn < end {
                return drawn;
            }
        }
    }

    /// `int(expovariate(1.0 / mean))`.
    fn exponential(&mut self, mean: f64) -> u64 {
        let rate = 1.0 / mean;
        (-libm::log(1.0 - self.random()) / rate) as u64
    }
}

/// Requests of the workload as the benches run it.
pub const SYNTH1M_REQUESTS: usize = 1_000_000;

const SYNTH1M_SEED: u32 = 20_240_601;
const MEAN_GAP_NS: f64 = 200_000.0;
const FOOTPRINT_SECTORS: u64 = (4 << 30) / 512;
const SYNTH1M_PAGES: u32 = (4u64 << 30 >> 12) as u32;
/// The hot fifth of the pages takes four fifths of the requests.
const HOT_PAGES: u32 = SYNTH1M_PAGES / 5;
const EXTENT_PAGES_LOG2: u32 = 8;

/// The first `n` requests of synth1m: 70 % writes, 4 to 64 KiB, 80 % of them to
/// 20 % of 4 GiB, Poisson arrivals 200 µs apart on average.
pub fn synth1m(n: usize) -> Vec<Request> {
    let mut random = PythonRandom::new(SYNTH1M_SEED);
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
        HOT_PAGES + random.randrange(SYNTH1M_PAGES - HOT_PAGES)
    }
}

/// Spreads 1 MiB extents over the footprint, so that hot ones are not together.
fn spread(page: u32) -> u32 {
    let extents = SYNTH1M_PAGES >> EXTENT_PAGES_LOG2;
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformWorkload {
    pub requests: usize,
    /// Bytes from address 0 that requests fall into; a multiple of the size.
    pub footprint_bytes: u64,
    /// Size of every request in bytes; a multiple of 512.
    pub size_bytes: u32,
    /// Share of reads, from 0 to 1; the rest are writes.
    pub read_share: f64,
    /// Mean time between Poisson arrivals in nanoseconds; at 0 all come at time 0.
    pub mean_gap_ns: f64,
    /// Same seed, same requests.
    pub seed: u64,
}

impl UniformWorkload {
    /// Its requests, at uniformly drawn places, each aligned to its size.
    pub fn make(&self) -> Vec<Request> {
        let places = self.footprint_bytes / u64::from(self.size_bytes);
        let sectors = self.size_bytes / SECTOR_BYTES as u32;
        let mut random = Pcg64Mcg::new(u128::from(self.seed));
        let mut at_ns = 0u64;
        let mut request = || {
            if self.mean_gap_ns > 0.0 {
                at_ns += (-libm::log(1.0 - unit(&mut random)) * self.mean_gap_ns) as u64;
            }
            let sector = below(&mut random, places) * u64::from(sectors);
            let read = unit(&mut random) < self.read_share;
            let op = if read { HostOp::Read } else { HostOp::Write };
            Request { at_ns, sector, sectors, stream: 0, hint: 0, op }
        };
        (0..self.requests).map(|_| request()).collect()
    }
}

/// 53 bits in [0, 1).
fn unit(random: &mut Pcg64Mcg) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Uniform below `end`, without bias (Lemire's multiplication with rejection).
fn below(random: &mut Pcg64Mcg, end: u64) -> u64 {
    let threshold = end.wrapping_neg() % end;
    loop {
        let product = u128::from(random.next_u64()) * u128::from(end);
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values printed by CPython 3.11.
    #[test]
    fn draws_what_python_draws() {
        let mut random = PythonRandom::new(7);
        assert_eq!(random.random(), 0.323_832_764_833_162_37);
        assert_eq!(random.randrange(1000), 154);
        assert_eq!(random.exponential(4_000_000.0), 2_008_940);
    }

    #[test]
    fn means_and_bounds() {
        let workload = UniformWorkload {
            requests: 20_000,
            footprint_bytes: 1 << 20,
            size_bytes: 4096,
            read_share: 0.25,
            mean_gap_ns: 1000.0,
            seed: 1,
        };
        let requests = workload.make();
        let reads = requests.iter().filter(|request| request.op == HostOp::Read).count();
        assert!((4_700..5_300).contains(&reads), "{reads}");
        let last_ns = requests.last().unwrap().at_ns;
        assert!((19_400_000..20_600_000).contains(&last_ns), "{last_ns}");
        assert!(requests.iter().all(|request| request.end_sector() <= 2048 && request.sector % 8 == 0));
        assert_eq!(workload.make(), requests);
        let closed = UniformWorkload { mean_gap_ns: 0.0, ..workload };
        assert!(closed.make().iter().all(|request| request.at_ns == 0));
    }
}
