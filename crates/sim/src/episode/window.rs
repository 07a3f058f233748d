//! What one window came to, for whoever turns knobs: counts, latencies, flash work, wear.

use slcache_base::latency::rank;
use slcache_core::base::{Cause, CellMode, OpKind};
use slcache_core::device::window::CompletedLatencies;
use slcache_core::device::Simulation;
use slcache_core::ftl::window::WindowCounters;

/// Latencies of the requests of one kind that were completed in a window, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latencies {
    pub requests: u64,
    /// Arithmetic mean.
    pub mean_ns: f64,
    /// Median: the least latency that half of them do not exceed.
    pub p50_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// Longest.
    pub max_ns: f64,
}

impl Latencies {
    /// Of a list, whose order is lost. No request: all zero.
    fn of(list: &mut [u64]) -> Self {
        let count = list.len();
        if count == 0 {
            return Self::default();
        }
        let sum: u128 = list.iter().map(|&ns| u128::from(ns)).sum();
        let max = list.iter().copied().max().unwrap_or(0);
        let [p50, p99] = [5_000, 9_900].map(|share| rank(count as u64, share) as usize - 1);
        let (_, &mut p50_ns, above) = list.select_nth_unstable(p50);
        let p99_ns = match p99 - p50 {
            0 => p50_ns,
            further => *above.select_nth_unstable(further - 1).1,
        };
        Self {
            requests: count as u64,
            mean_ns: sum as f64 / count as f64,
            p50_ns: p50_ns as f64,
            p99_ns: p99_ns as f64,
            max_ns: max as f64,
        }
    }
}

/// A window just over.
#[derive(Clone, Debug)]
pub struct Window {
    /// What arrived in it and which flash operations it brought.
    pub counters: WindowCounters,
    /// Reads completed in it.
    pub reads: Latencies,
    /// Writes completed in it.
    pub writes: Latencies,
    /// Whether it has its full length; the last one of a trace may end early.
    pub is_complete: bool,
    /// Requests that had arrived and were not complete at its end.
    pub backlog: u64,
    /// Bytes of the device that hold data at its end.
    pub mapped_bytes: u64,
    /// Share of what the device can hold that holds data at its end.
    pub utilisation: f64,
    /// The share of the flash's life that its erases took, if the endurance of all modes erased is
    /// known.
    pub life_used: Option<f64>,
}

impl Window {
    /// The window that `counters` tell of, on a device at its end.
    pub fn of(
        simulation: &Simulation,
        counters: WindowCounters,
        completed: &mut CompletedLatencies,
        is_complete: bool,
    ) -> Self {
        let media = simulation.media();
        Self {
            reads: Latencies::of(&mut completed.reads_ns),
            writes: Latencies::of(&mut completed.writes_ns),
            is_complete,
            backlog: simulation.backlog(),
            mapped_bytes: media.mapped() * u64::from(media.array().geometry.mu_bytes),
            utilisation: media.mapped() as f64 / f64::from(media.mus()),
            life_used: life_used(simulation, &counters),
            counters,
        }
    }

    /// Bytes that the host read or wrote per second of simulated time.
    pub fn bytes_per_s(&self) -> f64 {
        let bytes = self.counters.reads.bytes + self.counters.writes.bytes;
        ratio(bytes as f64 * 1e9, self.counters.duration_ns as f64)
    }

    /// Bytes programmed per byte that the host wrote.
    pub fn waf(&self) -> f64 {
        ratio(self.bytes_programmed(|_| true) as f64, self.counters.writes.bytes as f64)
    }

    /// Bytes programmed for the causes that `which` picks.
    pub fn bytes_programmed(&self, which: impl Fn(Cause) -> bool) -> u64 {
        let ops = self.counters.ops.iter();
        ops.filter(|row| row.kind.stores() && which(row.cause)).map(|row| row.totals.bytes).sum()
    }

    /// Service time of the flash operations of the causes that `which` picks, ns.
    pub fn flash_ns(&self, which: impl Fn(Cause) -> bool) -> u64 {
        self.counters.ops.iter().filter(|row| which(row.cause)).map(|row| row.totals.time_ns).sum()
    }

    /// Service time of the host's writes to blocks in SLC mode, or to the others, ns. What they cover
    /// only in part is read first; this counts, the host's own reads do not.
    pub fn write_flash_ns(&self, slc: bool) -> u64 {
        let is_write = |kind, cause| match cause {
            Cause::Host => kind != OpKind::Read,
            Cause::Migration | Cause::Gc | Cause::Agc | Cause::Promote | Cause::Fill | Cause::Map => false,
            Cause::Refresh | Cause::Reclaim | Cause::Wear => false,
            Cause::Rmw | Cause::Flush | Cause::Pad => true,
        };
        let ops = self.counters.ops.iter();
        ops.filter(|row| (row.mode == CellMode::Slc) == slc && is_write(row.kind, row.cause))
            .map(|row| row.totals.time_ns)
            .sum()
    }

    /// Blocks erased.
    pub fn erases(&self) -> u64 {
        let ops = self.counters.ops.iter();
        ops.filter(|row| row.kind == OpKind::Erase).map(|row| row.totals.count).sum()
    }
}

/// `a / b`, or 0 where nothing was.
pub fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 {
        0.0
    } else {
        a / b
    }
}

/// An erase takes 1 / endurance of its block's life, by the mode it was used in; a pool's life is that
/// of its mean block, and the pool that ages fastest counts.
fn life_used(simulation: &Simulation, counters: &WindowCounters) -> Option<f64> {
    let pools = &simulation.media().array().geometry.pools;
    let mut used = vec![0.0; pools.len()];
    for row in counters.ops.iter().filter(|row| row.kind == OpKind::Erase) {
        let pool = &pools[row.pool];
        let cycles = pool.modes[row.mode as usize].as_ref()?.endurance_cycles?;
        let blocks = u64::from(pool.config.plane_count()) * u64::from(pool.config.blocks);
        used[row.pool] += row.totals.count as f64 / (f64::from(cycles) * blocks as f64);
    }
    Some(used.into_iter().fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_definition() {
        for count in [1, 2, 3, 99, 100, 101, 1000] {
            let sorted: Vec<u64> = (0..count).map(|i| i * i + 7).collect();
            let mut list: Vec<u64> = (0..count).map(|i| (i * 7919 % count).pow(2) + 7).collect();
            list.sort_unstable_by_key(|ns| ns * 31 % 101);
            let at_least = |share: f64| {
                let least = sorted.iter().position(|&ns| {
                    sorted.iter().filter(|&&other| other <= ns).count() as f64 >= share * count as f64
                });
                sorted[least.unwrap()] as f64
            };
            // The counts share no factor with 7919, so the list is the sorted one in another order.
            let found = Latencies::of(&mut list);
            assert_eq!((found.p50_ns, found.p99_ns), (at_least(0.5), at_least(0.99)), "{count}");
            assert_eq!((found.requests, found.max_ns), (count, sorted[sorted.len() - 1] as f64));
        }
        assert_eq!(Latencies::of(&mut []), Latencies::default());
    }
}
