//! A device of two pools, and what the analyser that divides the data among them costs.

use super::engine;
use super::figures::{Analyser, Spread};
use super::size::Size;
use slcache_core::device::request::{HostOp, Request};
use slcache_traces::synthetic::{synth1m, SYNTH1M_REQUESTS};

pub const DEVICE: &str = "hyssd-st";
const FOOTPRINT_BYTES: u64 = 4 << 30;
/// The device keeps up with synth1m when its requests come this much slower.
const SLOWER: u64 = 25;
/// Write requests of a period: as the scheme has it, and for the analyser to work a hundred times as
/// much.
const PERIOD_WRITES: [usize; 2] = [10_000, 100];

/// What the bench asks of the device.
pub fn requests(count: usize) -> Vec<Request> {
    let mut requests = synth1m(count);
    requests.iter_mut().for_each(|request| request.at_ns *= SLOWER);
    requests
}

/// Runs `hyssd-static` with periods of both lengths in turn: the flash does the same under both.
pub fn measure(size: Size) -> Result<Analyser, String> {
    let requests = requests(size.of(SYNTH1M_REQUESTS));
    let config = |period: usize| {
        let set = format!("scheme.hyssd-static.period_writes={period}");
        engine::config(DEVICE, "hyssd-static", &[set])
    };
    let configs = [config(PERIOD_WRITES[0])?, config(PERIOD_WRITES[1])?];
    let pages = (FOOTPRINT_BYTES / u64::from(configs[0].device.piece_bytes())) as u32;
    let mut runs = [Vec::new(), Vec::new()];
    for _ in 0..size.rounds {
        for (config, runs) in configs.iter().zip(&mut runs) {
            runs.push(engine::run(config, &requests, 0, &[(0, pages)])?);
        }
    }
    if runs[0][0].flash_operations != runs[1][0].flash_operations {
        return Err("the analyser of hyssd-static changed what the flash did".into());
    }
    let [run, busier] = runs.map(|runs| Spread::of(runs.iter().map(|run| run.cpu_s).collect()));
    let writes = requests.iter().filter(|request| request.op == HostOp::Write).count();
    let [windows, more] = PERIOD_WRITES.map(|period| writes / period);
    let window_s = (busier.median - run.median) / (more - windows) as f64;
    Ok(Analyser {
        device: DEVICE.into(),
        windows,
        window_us: window_s * 1e6,
        run_cpu_s: run,
        busier_cpu_s: busier,
        share: window_s * windows as f64 / run.median,
    })
}
