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
    pub size_bytes: u64,
    /// Share of reads, from 0 to 1; the rest are writes.
    pub read_share: f64,
    /// When requests arrive.
    pub arrivals: Arrivals,
    /// Same seed, same requests.
    pub seed: u64,
}

/// When requests arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Poisson arrivals with this mean time between them, in nanoseconds.
    Poisson {
        /// Mean time between requests in nanoseconds; positive.
        mean_gap_ns: f64,
    },
    /// All at time 0: the queue depth of the host paces them.
    Closed,
}

/// Arguments that make no workload.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("uniform workload: {key} = {value} is not allowed; allowed: {allowed}")]
pub struct UniformError {
    /// The argument.
    pub key: &'static str,
    pub value: String,
    pub allowed: &'static str,
}

/// Makes requests at uniformly drawn places, each aligned to its size.
pub fn uniform(workload: &UniformWorkload) -> Result<Vec<Request>, UniformError> {
    let sectors = check(workload)?;
    let places = workload.footprint_bytes / workload.size_bytes;
    let mut random = Pcg64Mcg::new(u128::from(workload.seed));
    let mut at_ns = 0u64;
    let mut requests = Vec::with_capacity(workload.requests);
    for _ in 0..workload.requests {
        if let Arrivals::Poisson { mean_gap_ns } = workload.arrivals {
            let gap_ns = -libm::log(1.0 - unit(&mut random)) * mean_gap_ns;
            // The cast saturates; a sum past 64 bits is refused, not wrapped.
            at_ns = at_ns
                .checked_add(gap_ns as u64)
                .ok_or_else(|| refused("mean_gap_ns", mean_gap_ns, "arrivals that end before 2^64 ns"))?;
        }
        let sector = below(&mut random, places) * u64::from(sectors);
        let read = unit(&mut random) < workload.read_share;
        let op = if read { HostOp::Read } else { HostOp::Write };
        requests.push(Request { at_ns, sector, sectors, stream: 0, hint: 0, op });
    }
    Ok(requests)
}

/// Refuses what makes no sense; the size in sectors.
fn check(workload: &UniformWorkload) -> Result<u32, UniformError> {
    let UniformWorkload { footprint_bytes, size_bytes, read_share, .. } = *workload;
    if size_bytes == 0 || size_bytes % SECTOR_BYTES != 0 {
        return Err(refused("size_bytes", size_bytes, "a positive multiple of 512"));
    }
    let sectors = u32::try_from(size_bytes / SECTOR_BYTES)
        .map_err(|_| refused("size_bytes", size_bytes, "less than 2 TiB"))?;
    if footprint_bytes == 0 || footprint_bytes % size_bytes != 0 {
        return Err(refused("footprint_bytes", footprint_bytes, "a positive multiple of size_bytes"));
    }
    if !(0.0..=1.0).contains(&read_share) {
        return Err(refused("read_share", read_share, "a number from 0 to 1"));
    }
    match workload.arrivals {
        Arrivals::Poisson { mean_gap_ns } if !(mean_gap_ns > 0.0 && mean_gap_ns.is_finite()) => {
            Err(refused("mean_gap_ns", mean_gap_ns, "a positive number"))
        }
        _ => Ok(sectors),
    }
}

fn refused(key: &'static str, value: impl ToString, allowed: &'static str) -> UniformError {
    UniformError { key, value: value.to_string(), allowed }
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

    const WORKLOAD: UniformWorkload = UniformWorkload {
        requests: 20_000,
        footprint_bytes: 1 << 20,
        size_bytes: 4096,
        read_share: 0.25,
        arrivals: Arrivals::Poisson { mean_gap_ns: 1000.0 },
        seed: 1,
    };

    #[test]
    fn means_and_bounds() {
        let requests = uniform(&WORKLOAD).unwrap();
        let reads = requests.iter().filter(|request| request.op == HostOp::Read).count();
        assert!((4_700..5_300).contains(&reads), "{reads}");
        let last_ns = requests.last().unwrap().at_ns;
        assert!((19_400_000..20_600_000).contains(&last_ns), "{last_ns}");
        assert!(requests.iter().all(|request| request.end_sector() <= 2048 && request.sector % 8 == 0));
        assert_eq!(uniform(&WORKLOAD).unwrap(), requests);
        let closed = UniformWorkload { arrivals: Arrivals::Closed, ..WORKLOAD };
        assert!(uniform(&closed).unwrap().iter().all(|request| request.at_ns == 0));
    }

    #[test]
    fn bad_arguments_are_refused() {
        for workload in [
            UniformWorkload { size_bytes: 0, ..WORKLOAD },
            UniformWorkload { size_bytes: 1000, ..WORKLOAD },
            UniformWorkload { footprint_bytes: 5000, ..WORKLOAD },
            UniformWorkload { read_share: 1.5, ..WORKLOAD },
            UniformWorkload { read_share: f64::NAN, ..WORKLOAD },
            UniformWorkload { arrivals: Arrivals::Poisson { mean_gap_ns: 0.0 }, ..WORKLOAD },
            UniformWorkload { arrivals: Arrivals::Poisson { mean_gap_ns: 1e19 }, ..WORKLOAD },
        ] {
            assert!(uniform(&workload).is_err(), "{workload:?}");
        }
    }
}
