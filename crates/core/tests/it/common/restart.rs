//! Whether a restored device does what the original does.

use super::*;
use slcache_core::device::RunError;
use slcache_core::ftl::op_log::LoggedDiskOp;
use slcache_core::metrics::counters::OpTotals;
use std::fmt::Debug;

/// What is counted and measured since time 0 in a way that no difference of two reports tells; the
/// operations and latencies that it comes from are compared one by one.
const NO_DIFFERENCE: [&str; 15] = [
    "latency_us",
    "requests_beyond",
    "cdf",
    "iops",
    "duration_ns",
    "backlog",
    "flash",
    "ops",
    "wear",
    "waf",
    "series",
    "curves",
    "state",
    "mean_power_w",
    "cells",
];
/// Figures that are a share of counts.
const SHARES: [&str; 10] = [
    "hot_units_share",
    "fast_share",
    "per_host_page",
    "waf_all",
    "waf_extra",
    "l2_share",
    "_mean",
    "hit_rate",
    "miss_rate",
    "gc_time_share",
];

type Counts = BTreeMap<String, [u64; 5]>;

fn counts(sim: &Simulation) -> Counts {
    let of = |row: OpTotals| {
        let (name, c) = (format!("{} {:?} {:?} {:?}", row.pool, row.kind, row.mode, row.cause), row.totals);
        (name, [c.count, c.pages, c.bytes, c.time_ns, c.slots])
    };
    sim.counters().iter().map(of).collect()
}

fn since(now: &Counts, before: &Counts) -> Counts {
    let difference = |(name, count): (&String, &[u64; 5])| {
        let old = before.get(name).copied().unwrap_or_default();
        (name.clone(), std::array::from_fn(|i| count[i] - old[i]))
    };
    now.iter().map(difference).filter(|(_, count)| *count != [0; 5]).collect()
}

fn report_value(report: &Report) -> Value {
    serde_json::to_value(report).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

/// Every number of the restored device's report is the original's, or what it grew by since; the most
/// there ever was is the greater of before and since.
fn compare_reports(place: &str, restored: &Value, original: &Value, before: &Value) {
    let last = place.rsplit('.').next().unwrap_or("");
    if NO_DIFFERENCE.contains(&last) || SHARES.iter().any(|share| last.ends_with(share)) {
        return;
    }
    match (restored, original) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()) {
                let of = |value: &Value| value.get(key).cloned().unwrap_or(Value::from(0));
                compare_reports(&format!("{place}.{key}"), &of(restored), &of(original), &of(before));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                compare_reports(&format!("{place}.{i}"), a, b, before.get(i).unwrap_or(&Value::Null));
            }
        }
        (Value::Number(_), _) | (_, Value::Number(_)) => {
            let (restored, original, before) = (number(restored), number(original), number(before));
            let alike = match last.ends_with("share_max") {
                true => near(original, before.max(restored)),
                false => near(restored, original) || near(restored, original - before),
            };
            assert!(alike, "{place}: restored {restored}, original {original} after {before}");
        }
        _ => assert_eq!(restored, original, "{place}"),
    }
}

/// What a device did with some requests; times count from when the first of them could come.
pub struct Part {
    /// Flash operations.
    ops: Vec<LoggedOp>,
    /// Operations of the disk.
    disk_ops: Vec<LoggedDiskOp>,
    /// Requests with their latencies.
    log: Vec<(Request, u64)>,
    counts: Counts,
    report: Report,
    state: String,
    map: Vec<Option<u32>>,
}

/// Lets `sim` serve `requests`, whose times count from the present, and ends the run.
pub fn serve(sim: &mut Simulation, requests: &[Request]) -> Part {
    let (start_ns, before) = (sim.now_ns(), counts(sim));
    sim.keep_ops();
    sim.keep_log();
    let later = |request: &Request| Request { at_ns: request.at_ns + start_ns, ..*request };
    sim.feed(&requests.iter().map(later).collect::<Vec<_>>()).unwrap();
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    let op = |op: &LoggedOp| LoggedOp { at_ns: op.at_ns - start_ns, ..*op };
    let disk_op = |op: &LoggedDiskOp| LoggedDiskOp { at_ns: op.at_ns - start_ns, ..*op };
    let request = |(r, ns): &(Request, u64)| (Request { at_ns: r.at_ns - start_ns.min(r.at_ns), ..*r }, *ns);
    Part {
        ops: sim.ops().iter().map(op).collect(),
        disk_ops: sim.disk_ops().iter().map(disk_op).collect(),
        log: sim.log().iter().map(request).collect(),
        counts: since(&counts(sim), &before),
        report,
        state: serde_json::to_string(&sim.save()).unwrap(),
        map: (0..sim.media().mus()).map(|mu| sim.media().lookup(Mu(mu)).map(|slot| slot.0)).collect(),
    }
}

/// A device of `setup` in the state in the text.
pub fn restore(setup: &Setup, text: &str) -> Result<Simulation, RunError> {
    Simulation::restore(setup, &mut serde_json::Deserializer::from_str(text))
}

/// What was saved of `sim`, as a new device.
pub fn again(setup: &Setup, sim: &Simulation) -> Simulation {
    let text = serde_json::to_string(&sim.save()).unwrap();
    let restored = restore(setup, &text).unwrap();
    assert!(serde_json::to_string(&restored.save()).unwrap() == text, "what is saved is what was loaded");
    restored
}

fn first_difference<T: Debug + PartialEq>(what: &str, restored: &[T], original: &[T]) {
    let place = restored.iter().zip(original).position(|(a, b)| a != b);
    let place = place.unwrap_or(restored.len().min(original.len()));
    let (ours, theirs) = (restored.get(place), original.get(place));
    assert!(restored == original, "{what} {place} of {}: {ours:?}, original {theirs:?}", original.len());
}

/// Serves `first`, turns knobs, saves, restores, and serves `second` on both devices: the restored one
/// must do what the original does, operation by operation and request by request.
pub fn goes_on_alike(
    setup: &Setup,
    sim: &mut Simulation,
    first: &[Request],
    second: &[Request],
    turn: impl FnOnce(&mut Simulation),
) {
    crate::it::common::foresee(sim, &[first, second].concat());
    // Before time 0 nothing was counted: the reports are the same to the last figure.
    let mut fresh = again(setup, sim);
    let (a, b) = (serve(&mut fresh, first), serve(sim, first));
    first_difference("operation", &a.ops, &b.ops);
    first_difference("operation of the disk", &a.disk_ops, &b.disk_ops);
    let texts = [&a, &b].map(|part| serde_json::to_string_pretty(&part.report).unwrap());
    let lines = texts.map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    first_difference("line of the report", &lines[0], &lines[1]);
    turn(sim);
    // What turning set going is done before anything is saved.
    let before = report_value(&sim.finish().unwrap());
    let mut restored = again(setup, sim);
    assert_eq!(restored.knobs(), sim.knobs());
    let (a, b) = (serve(&mut restored, second), serve(sim, second));
    first_difference("operation", &a.ops, &b.ops);
    first_difference("operation of the disk", &a.disk_ops, &b.disk_ops);
    first_difference("request", &a.log, &b.log);
    assert_eq!(a.counts, b.counts);
    assert!(a.map == b.map, "the maps differ");
    compare_reports("report", &report_value(&a.report), &report_value(&b.report), &before);
    assert!(a.state == b.state, "the states differ");
}
