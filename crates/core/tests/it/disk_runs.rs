//! Does a whole device with a disk take the times and the energy that closed forms give?

use crate::it::common::*;
use slcache_core::metrics::report::DiskReport;

const PAGE: u64 = 4096;
const CAPACITY: u64 = 8 << 30;
const SECOND: u64 = 1_000_000_000;
/// From parked heads: an average seek of 8 ms, half a turn of 10 ms, a page of 40.96 us.
const FIRST_NS: u64 = 8_000_000 + 5_000_000 + 40_960;

fn disk_only() -> Setup {
    setup(device(pool(1, 1, 4, 4, PAGE as u32), CAPACITY), "disk-only")
}

fn energy_j(disk: &DiskReport) -> f64 {
    let states: f64 = disk.states.iter().map(|row| row.energy_j).sum();
    assert!((states - disk.energy_j).abs() < 1e-9, "{states} and {}", disk.energy_j);
    disk.energy_j
}

#[test]
fn sequential_reads_run_at_the_transfer_rate() {
    let bytes = 64 << 10;
    let requests: Vec<Request> = (0..1000).map(|i| request(0, HostOp::Read, i * bytes, bytes)).collect();
    let (_, report) = ended(&disk_only(), &requests);
    // 10 ns a byte.
    assert_eq!(report.host.duration_ns, FIRST_NS + (1000 * bytes - PAGE) * 10);
}

/// Poisson arrivals and one server: the mean wait is that of Pollaczek and Khinchine. The seek's part of
/// the second moment is that of the root of the distance of two random places, 1/3 - (8/15)^2.
#[test]
fn random_reads_wait_as_long_as_pollaczek_and_khinchine_say() {
    let (mean_ms, seek_range_ms) = (FIRST_NS as f64 / 1e6, 7.0 * 15.0 / 8.0);
    let variance = seek_range_ms * seek_range_ms * (1.0 / 3.0 - 64.0 / 225.0);
    for load in [0.6, 0.3].into_iter().step_by(few(2)) {
        let requests = random(200_000, CAPACITY, 1, 1.0, mean_ms * 1e6 / load, 7);
        let (_, report) = ended(&disk_only(), &requests);
        let served_ms = report.disk.unwrap().ops.iter().map(|row| row.time_us).sum::<f64>() / 1e3 / 2e5;
        assert!((served_ms / mean_ms - 1.0).abs() < 0.005, "{served_ms} ms, not {mean_ms}");
        let waited_ms = report.host.read.latency_us.unwrap().mean / 1e3 - served_ms;
        let want_ms = load / mean_ms * (mean_ms * mean_ms + variance) / (2.0 * (1.0 - load));
        assert!((waited_ms / want_ms - 1.0).abs() < 0.03, "load {load}: {waited_ms} ms, not {want_ms}");
    }
}

#[test]
fn two_reads_far_apart_take_the_energy_worked_out_by_hand() {
    let reads = [0, 20 * SECOND].map(|at_ns| request(at_ns, HostOp::Read, 0, PAGE));
    let (_, report) = ended(&disk_only(), &reads);
    let disk = report.disk.unwrap();
    // Active 1 s longer than the first read takes, idle for 3 s, in standby from 6.81304096 s to 20 s.
    let active_s = 1.0 + 2.0 * FIRST_NS as f64 / 1e9;
    let standby_s = 20.0 - (1.0 + 0.5 + 3.0 + 2.3 + FIRST_NS as f64 / 1e9);
    let want_j = 2.5 * active_s + 1.15 + 0.8 * 3.0 + 2.94 + 0.25 * standby_s + 5.0;
    assert!((energy_j(&disk) - want_j).abs() < 1e-9, "{} J, not {want_j}", disk.energy_j);
    assert_eq!((disk.spin_ups, disk.spin_downs), (1, 1));
    assert_eq!(disk.until_ns, 20 * SECOND + 1_600_000_000 + FIRST_NS);
    assert!((disk.mean_power_w - want_j * 1e9 / disk.until_ns as f64).abs() < 1e-12);
    let waited_us = report.host.read.attribution_us.wait["spin-up"];
    assert!((waited_us - 1.6e6).abs() < 1e-3, "{waited_us} us");
}

/// What the DRAM buffer holds at the end is written to the disk, and wakes it for nobody.
#[test]
fn what_is_written_back_at_the_end_counts_as_operations_only() {
    let buffer = BufferConfig {
        acknowledge: Acknowledge::OnBuffer,
        ..serde_json::from_value(serde_json::json!({ "bytes": 1 << 20 })).unwrap()
    };
    let setup = Setup { buffer: Some(buffer), ..disk_only() };
    let (_, report) = ended(&setup, &[request(20 * SECOND, HostOp::Write, 0, PAGE)]);
    let found = report.disk.unwrap();
    assert_eq!((found.until_ns, found.spin_ups, found.spin_downs), (20 * SECOND, 0, 1));
    let power = disk().power;
    let asleep_s = 20.0 - (1.0 + 0.5 + 3.0 + 2.3);
    let want_j = 2.5 + 1.15 + 0.8 * 3.0 + 2.94 + power.standby_mw as f64 / 1e3 * asleep_s;
    assert!((energy_j(&found) - want_j).abs() < 1e-9, "{} J, not {want_j}", found.energy_j);
    let ops: Vec<_> = found.ops.iter().map(|row| (row.kind, row.cause, row.count, row.bytes)).collect();
    assert_eq!(ops, [("write", "flush", 1, PAGE)]);
}
