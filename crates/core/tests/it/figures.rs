//! The table of figures gives what a report holds, in closed forms.

use crate::it::common::*;
use slcache_core::metrics::figures::{figures, Value};

const PAGE: u64 = 16384;
const USER: u64 = 24 << 20;

/// Writes that overwrite all of the device several times, with reads between them.
fn report(requests: u64) -> Report {
    let places = USER / PAGE;
    let one = |i: u64| {
        let op = if i % 5 == 4 { HostOp::Read } else { HostOp::Write };
        request(i * 400_000, op, i * 7919 % places * PAGE, PAGE)
    };
    ended(&small("baseline"), &(0..requests).map(one).collect::<Vec<Request>>()).1
}

fn value(report: &Report, name: &str) -> Option<f64> {
    let table = figures();
    let figure = table.iter().find(|figure| figure.name == name).unwrap_or_else(|| panic!("{name}"));
    figure.value(report).map(|value| match value {
        Value::Whole(value) => value as f64,
        Value::Real(value) => value,
    })
}

#[track_caller]
fn assert_near(found: Option<f64>, law: f64) {
    let found = found.unwrap();
    assert!((found - law).abs() <= 1e-9 * law.abs(), "{found}, not {law}");
}

#[test]
fn figures_are_sums_and_quotients_of_what_was_counted() {
    let report = report(6000);
    let rows = |kinds: &'static [&str]| report.flash.ops.iter().filter(|row| kinds.contains(&row.kind));
    let programmed: u64 = rows(&["program", "reprogram", "copy-back"]).map(|row| row.bytes).sum();
    let erased: u64 = rows(&["erase"]).map(|row| row.count).sum();
    let (host_bytes, seconds) = (4800 * PAGE, report.host.duration_ns as f64 / 1e9);
    assert!(erased > 0 && programmed > host_bytes);
    assert_near(value(&report, "waf"), programmed as f64 / host_bytes as f64);
    assert_near(value(&report, "erases"), erased as f64);
    assert_near(value(&report, "iops"), 6000.0 / seconds);
    assert_near(value(&report, "bytes_per_s"), (6000 * PAGE) as f64 / seconds);
    let flash_ns: f64 = report.flash.ops.iter().map(|row| row.time_us * 1e3).sum();
    assert_near(value(&report, "flash_time_ns"), flash_ns.round());
    // Two channels with two planes that work alone.
    assert_near(value(&report, "utilisation"), flash_ns / (4 * report.flash.ops_until_ns) as f64);
}

#[test]
fn what_a_run_has_not_is_none() {
    let report = report(0);
    let names: BTreeSet<_> = figures().into_iter().map(|figure| figure.name).collect();
    assert_eq!(names.len(), figures().len(), "each has a name of its own");
    for figure in figures() {
        let none = figure.part || figure.name.starts_with("read_") || figure.name.starts_with("write_");
        assert!(!none || figure.value(&report).is_none(), "{}", figure.name);
    }
    for name in ["waf", "iops", "bytes_per_s", "utilisation", "energy_j", "miss_rate", "dense_bytes"] {
        assert_eq!(value(&report, name), None, "{name}");
    }
}

#[test]
fn no_figure_is_less_than_nothing() {
    for entry in CATALOG {
        // Reads of what was never written do nothing at all.
        let (_, report) = ended(&small(entry.name), &[request(0, HostOp::Read, 0, PAGE)]);
        for figure in figures() {
            let Some(Value::Real(value)) = figure.value(&report) else { continue };
            assert!(!(value == 0.0 && value.is_sign_negative()), "{}: {} is -0", entry.name, figure.name);
        }
    }
}
