//! Memory and start-up, each in a fresh process of this program; what such a process does.

use super::engine;
use super::figures::{LargeDevice, Memory};
use super::growth::{self, GROWN};
use super::instructions::{self, COUNTED};
use super::process::start;
use super::size::Size;
use slcache_core::device::request::{HostOp, Request};
use slcache_sim::resources::peak_rss_bytes;
use std::process::ExitCode;
use std::time::Instant;

const LARGE_REQUESTS: usize = 10_000;

/// Runs every measurement in a process of its own.
pub fn measure(size: Size) -> Result<(Vec<Memory>, LargeDevice), String> {
    let share = if size.quick { "0.002" } else { "0.0625" };
    let memory = [
        start(&format!("memory:mqsim-512g:precondition.fill={share}"))?,
        start("memory:gc-8g:precondition.fill=1.0:precondition.overwrite=0.5")?,
    ];
    Ok((memory.to_vec(), start("large")?))
}

/// What the child process does: prints its figures as JSON.
pub fn run(what: &str) -> ExitCode {
    let mut parts = what.split(':');
    let result = match (parts.next(), parts.next()) {
        (Some("memory"), Some(device)) => {
            let sets: Vec<String> = parts.map(str::to_owned).collect();
            memory(device, &sets).map(|figures| serde_json::json!(figures))
        }
        _ if what.starts_with(GROWN) => growth::child(&what[GROWN.len()..]),
        (Some("large"), None) => large().map(|figures| serde_json::json!(figures)),
        _ if what.starts_with(COUNTED) => {
            instructions::child(&what[COUNTED.len()..]).map(|()| serde_json::Value::Null)
        }
        _ => Err(format!("unknown measurement {what}")),
    };
    match result {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Memory grown by a device, per mapping unit that is touched or programmed.
fn memory(device: &str, sets: &[String]) -> Result<Memory, String> {
    let config = engine::config(device, "tlc-only", sets)?;
    let before = peak_rss_bytes().unwrap_or(0);
    let mut simulation = engine::device(&config)?;
    let done = simulation.precondition(&mut |_, _| true).map_err(|error| error.to_string())?;
    let peak = peak_rss_bytes().unwrap_or(0);
    let device = &config.device;
    let pool = &device.pool[0];
    let page_mus = u64::from(device.piece_bytes() / device.mu_bytes);
    let raw_mus = pool.raw_bytes(pool.densest()) / u64::from(device.mu_bytes);
    let programmed = (done.programs * page_mus).min(raw_mus);
    let mapping_units = programmed.max(done.filled * page_mus);
    let blocks = u64::from(pool.plane_count()) * u64::from(pool.blocks);
    let grown_bytes = peak - before;
    Ok(Memory {
        device: device.name.clone(),
        mapping_units,
        blocks,
        grown_bytes,
        bytes_per_mapping_unit: grown_bytes as f64 / mapping_units as f64,
        budget_bytes: 12 * mapping_units + (64 << 20) + 32 * blocks,
        peak_rss_bytes: peak,
    })
}

/// A 4 TiB device: time to its first request, and its memory after writes all over it.
fn large() -> Result<LargeDevice, String> {
    let pages = (1u64 << 29) * 93 / 100 / 128 * 128;
    let sets = ["device.pool[0].blocks=16384".to_owned(), format!("device.user_bytes={}", pages * 8192)];
    let config = engine::config("mqsim-512g", "tlc-only", &sets)?;
    let start = Instant::now();
    let mut simulation = engine::device(&config)?;
    let start_s = start.elapsed().as_secs_f64();
    let requests: Vec<Request> = (0..LARGE_REQUESTS as u64)
        .map(|i| Request {
            hint: 0,
            at_ns: i * 1_000_000,
            // An odd stride spreads the writes over the whole address space.
            sector: (i * 2_654_435_761 % pages) * 16,
            sectors: 16,
            stream: 0,
            op: HostOp::Write,
        })
        .collect();
    simulation.feed(&requests).map_err(|error| error.to_string())?;
    simulation.finish().map_err(|error| error.to_string())?;
    let peak_rss_bytes = peak_rss_bytes().unwrap_or(0);
    Ok(LargeDevice { start_s, requests: LARGE_REQUESTS, peak_rss_bytes })
}
