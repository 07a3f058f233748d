//! Uniform requests of one size, for tests and simple benches.

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

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
