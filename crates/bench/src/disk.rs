//! A disk behind flash and DRAM: what the bench asks of it, and under which schemes.

use slcache_core::device::request::Request;
use slcache_traces::workload::Workload;
use std::collections::BTreeMap;

pub const DEVICE: &str = "nvc-hdd";
/// Both regions of flash, one of them, none.
pub const SCHEMES: [&str; 3] = ["nvc", "nvc-mlc-only", "disk-only"];
const WORKLOAD: &str = "nvc-financial1";
const REQUESTS: usize = 1_000_000;
/// As far apart as in the twin's 12 hours.
const MEAN_GAP_NS: usize = 8_100_000;

/// The first so many requests, of 4 KiB, of a twin of a million: fewer could not touch its footprint.
pub fn requests(count: usize) -> Result<Vec<Request>, String> {
    let unit_bytes = "4096".to_owned();
    let settings = BTreeMap::from([
        ("twin.requests".to_owned(), REQUESTS.to_string()),
        ("twin.duration_ns".to_owned(), (REQUESTS * MEAN_GAP_NS).to_string()),
        ("twin.mean_write_bytes".to_owned(), unit_bytes.clone()),
        ("twin.max_write_bytes".to_owned(), unit_bytes.clone()),
        ("twin.mean_read_bytes".to_owned(), unit_bytes.clone()),
        ("twin.max_read_bytes".to_owned(), unit_bytes),
    ]);
    let workload = Workload::load(WORKLOAD, &settings).map_err(|error| error.to_string())?;
    Ok(workload.generate(1).take(count).collect())
}
