//! Bad workload files list every problem with file, line, key and value.

use crate::it::common::*;
use crate::it::workload_presets::overrides;
use slcache_traces::workload::WorkloadProblem;

fn problems(text: &str, set: &[(&str, &str)]) -> Vec<WorkloadProblem> {
    match Workload::parse("w.toml", text, &overrides(set)) {
        Err(TraceError::Workload(problems)) => problems.problems,
        other => panic!("not refused: {other:?}"),
    }
}

fn message(text: &str, set: &[(&str, &str)]) -> String {
    Workload::parse("w.toml", text, &overrides(set)).unwrap_err().to_string()
}

#[test]
fn all_problems_are_listed_with_their_lines() {
    let text = r#"footprint_bytes = "1GB1"
requests = -3

[global]
rw = "randrw"
rwmixread = 130
bz = "4k"
random_distribution = "zipf:-1"

[arrivals]
process = "poisson"
rate_iops = 10
mean_gap_ns = "1ms"
"#;
    let found = problems(text, &[]);
    let at: Vec<(&str, Option<usize>)> = found.iter().map(|p| (p.key.as_str(), p.line)).collect();
    for expected in [
        ("footprint_bytes", Some(1)),
        ("requests", Some(2)),
        ("global.rwmixread", Some(6)),
        ("global.bz", Some(7)),
        ("arrivals.rate_iops", Some(12)),
    ] {
        assert!(at.contains(&expected), "{expected:?} not in {found:#?}");
    }
    let footprint: Vec<_> = found.iter().filter(|problem| problem.key == "footprint_bytes").collect();
    assert_eq!(footprint.len(), 1, "a faulty key is not missing as well: {footprint:?}");
    assert!(message(text, &[]).contains("w.toml:7: global.bz: "));
    let found = problems("footprint_bytes = 1\n[global\n", &[]);
    assert_eq!((found.len(), found[0].line), (1, Some(2)), "what is no TOML");
}

#[test]
fn each_fault_says_what_is_allowed() {
    let base = "footprint_bytes = \"1GiB\"\n[global]\nrw = \"randwrite\"\n";
    for (key, value, expected) in [
        ("global.rw", "sideways", "allowed: read, write"),
        ("global.bs", "1000", "multiple of 512"),
        ("global.bs", "2GiB", "hold no request"),
        ("global.bssplit", "4k/1:8k", "SIZE/WEIGHT"),
        ("global.random_distribution", "gauss", "zipf:SKEW"),
        ("global.offset", "2GiB", "inside the footprint"),
        ("global.size", "2GiB", "left in the footprint"),
        ("global.trim_share", "1.5", "from 0 to 1"),
        ("global.rwmixread", "10", "no meaning"),
        ("arrivals.process", "sometimes", "closed"),
        ("arrivals.process", "bursts", "burst_requests"),
        ("arrivals.burst_requests", "7", "bursts"),
        ("duration_ns", "1s", "closed"),
        ("requests", "0", "1 or more"),
        ("offset_bytes", "100", "multiple of 512"),
        ("stream.0.bs", "4k", "stream"),
        ("arrivals.hourly", "[1,2]", "24 numbers"),
    ] {
        let message = message(base, &[(key, value)]);
        assert!(message.contains(expected), "{key}={value}: {message}");
        assert!(message.contains("w.toml"), "{message}");
    }
}

#[test]
fn conflicting_figures_are_both_named() {
    let twin = r#"[twin]
of = "x"
from = "a table"
requests = 100000
write_share = 0.5
mean_write_bytes = "8KiB"
mean_read_bytes = "8KiB"
update_ratio = 0.9
"#;
    let duration = ("twin.duration_ns", "100s");
    let (burst, idle) = (("twin.burst_requests", "10"), ("twin.idle_share", "0.5"));
    for (set, named) in [
        (&[("twin.footprint_written_bytes", "200MiB")][..], "update_ratio footprint_written_bytes"),
        (&[("twin.footprint_written_bytes", "2GiB")], "footprint_written_bytes pages"),
        (&[("twin.write_bytes", "1GiB")], "write_bytes mean_write_bytes requests write_share"),
        (&[("twin.write_bytes_share", "0.7")], "write_bytes_share write_share mean_read_bytes"),
        (&[("twin.max_write_bytes", "4KiB")], "mean_write_bytes max_write_bytes"),
        (&[("twin.small_write_share", "0.999")], "mean_write_bytes small_write_share"),
        (&[("twin.footprint_touched_bytes", "1MiB")], "footprint_touched_bytes written"),
        (&[burst], "burst_requests duration_ns"),
        (&[("twin.idle_over_ns", "0")], "idle_over_ns 0"),
        (&[("twin.free.colour.reason", "blue")], "colour figure"),
        (&[("requests", "200000")], "requests 200000 100000"),
        (&[("requests", "10")], "requests 10"),
        (&[duration, burst, idle, ("twin.idle_over_ns", "1s")], "duration_ns 1000000000 idle_over_ns"),
        (
            &[("twin.sequential_share", "0.8"), ("twin.not_4kib_aligned_share", "0.5")],
            "sequential_share alignment",
        ),
    ] {
        let message = message(twin, set);
        for name in named.split(' ') {
            assert!(message.contains(name), "{set:?} should name {name}: {message}");
        }
    }
}

#[test]
fn none_takes_away_only_what_is_there() {
    let error = Workload::load("no-such-workload", &BTreeMap::new()).unwrap_err().to_string();
    assert!(error.contains("no-such-workload") && error.contains("hierarchy-hm_0"), "{error}");
    let loaded = |key: &str| Workload::load("hierarchy-web_1", &overrides(&[(key, "none")]));
    let error = loaded("twin.clas").unwrap_err().to_string();
    assert!(error.contains("twin.clas=none") && error.contains("this one is not"), "{error}");
    assert!(loaded("twin.update_ratio").unwrap_err().to_string().contains("twin.update_ratio"));
    let without = loaded("twin.writers_per_16kib_page").unwrap();
    let twin = without.spec().twin.as_ref().unwrap();
    assert!(twin.writers_per_16kib_page.is_none() && !twin.free.contains_key("writers_per_16kib_page"));
    assert!(Workload::load("mixed-oltp", &overrides(&[("stream.0", "none")])).is_err());
}
