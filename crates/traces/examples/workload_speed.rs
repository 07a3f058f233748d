//! Processor time per request of the workload generators.
//!
//! `cargo run --release -p slcache-traces --example workload_speed [REQUESTS]`

use slcache_traces::workload::{presets, Workload};
use std::collections::BTreeMap;
use std::hint::black_box;

/// Processor time of this process so far, in seconds: unlike wall time, it does
/// not grow while others run. Ticks of a hundredth of a second.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("processor time is read from /proc");
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}

fn main() {
    let count: usize =
        std::env::args().nth(1).map_or(20_000_000, |text| text.parse().expect("REQUESTS is a number"));
    for preset in presets() {
        let workload = Workload::load(preset.name, &BTreeMap::new()).expect("a preset loads");
        let start = cpu_seconds();
        let made = workload.generate(1).take(count).fold(0u64, |made, request| {
            black_box(request);
            made + 1
        });
        let seconds = cpu_seconds() - start;
        println!(
            "{:<20} {:>6.1} M/s ({made} requests, {seconds:.2} s)",
            preset.name,
            made as f64 / seconds / 1e6
        );
    }
}
