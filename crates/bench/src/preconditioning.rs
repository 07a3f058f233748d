//! How fast a device is brought into a used state.

use super::engine;
use super::figures::{Preconditioning, Spread};
use super::size::Size;
use slcache_sim::resources::Stopwatch;

/// Fills a 32 GiB device and overwrites all of it at random once.
pub fn measure(size: Size) -> Result<Preconditioning, String> {
    // mqsim-512g with a sixteenth of its blocks: 32 GiB raw, 93 % of them user data.
    let pages = (1u64 << 22) * 93 / 100 / 128 * 128;
    let sets = [
        "device.pool[0].blocks=128".to_owned(),
        format!("device.user_bytes={}", pages * 8192),
        format!("precondition.fill={}", if size.quick { "0.02" } else { "1.0" }),
        "precondition.overwrite=1.0".to_owned(),
    ];
    let config = engine::config("mqsim-512g", "tlc-only", &sets)?;
    let mut times = Vec::new();
    let mut page_programs = 0;
    for _ in 0..size.rounds.min(3) {
        let mut simulation = engine::device(&config)?;
        let stopwatch = Stopwatch::start();
        let done = simulation.precondition(&mut |_, _| true);
        times.push(stopwatch.cpu_s());
        page_programs = done.map_err(|error| error.to_string())?.programs;
    }
    let cpu_s = Spread::of(times);
    let page_programs_per_cpu_s = page_programs as f64 / cpu_s.median;
    Ok(Preconditioning { page_programs, cpu_s, page_programs_per_cpu_s })
}
