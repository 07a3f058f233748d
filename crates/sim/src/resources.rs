//! What a run costs: wall time, CPU time, memory.

use rustix::time::{clock_gettime, ClockId};
use std::time::Instant;

/// Measures wall and CPU time from its start.
#[derive(Clone)]
pub struct Stopwatch {
    start: Instant,
    cpu_start_s: f64,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self { start: Instant::now(), cpu_start_s: process_cpu_s() }
    }

    /// Wall time since the start, seconds.
    pub fn wall_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// CPU time of all threads of this process since the start, seconds.
    pub fn cpu_s(&self) -> f64 {
        process_cpu_s() - self.cpu_start_s
    }
}

fn process_cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The most memory this process has held so far, bytes; `None` where the system does not tell.
pub fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
