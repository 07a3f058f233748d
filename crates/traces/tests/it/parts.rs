//! A part of a trace: by time, by number of requests, and its times by a factor.

use crate::it::common::*;

/// A request every 10 ns from 1,000 ns on; the sector tells which one it is.
fn trace(count: u64) -> tempfile::NamedTempFile {
    let lines: String = (0..count).map(|i| format!("{} 0 {i} 1 0\n", 1000 + i * 10)).collect();
    file(lines.as_bytes())
}

fn options(json: &str) -> TraceOptions {
    let mut options: TraceOptions =
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    options.format = Some("mqsim".to_owned());
    options
}

fn taken(count: u64, json: &str) -> Outcome {
    read_path(path(&trace(count)), &options(json), 7)
}

fn places(outcome: &Outcome) -> Vec<(u64, u64)> {
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    outcome.requests.iter().map(|request| (request.sector, request.at_ns)).collect()
}

#[test]
fn by_time_and_by_number() {
    let outcome = taken(1000, r#"{"from_ns": 1100, "to_ns": 1200}"#);
    assert_eq!(places(&outcome), (10..20).map(|i| (i, (i - 10) * 10)).collect::<Vec<_>>());
    let skipped: BTreeMap<&str, u64> =
        outcome.summary.skipped.iter().map(|skipped| (&*skipped.reason, skipped.count)).collect();
    let expected = [("before the part taken", 10), ("behind the part taken", 980)];
    assert_eq!(skipped, BTreeMap::from(expected));
    let summary = outcome.summary;
    assert_eq!((summary.writes, summary.first_ns, summary.last_ns), (10, Some(0), Some(90)));
    assert_eq!((summary.lines, summary.volumes[0].requests), (1000, 1000));
    assert!(summary.sha256.is_some());

    let kept = taken(1000, r#"{"from_ns": 1105, "rebase": false}"#);
    assert_eq!(places(&kept)[0], (11, 1110));
    assert_eq!(kept.requests.len(), 989);
    assert_eq!(places(&taken(1000, r#"{"from_ns": 1105, "take": null}"#))[0], (11, 5));
    assert_eq!(places(&taken(1000, r#"{"skip": 3, "take": 2}"#)), [(3, 0), (4, 10)]);
    assert_eq!(places(&taken(1000, r#"{"take": 2}"#)), [(0, 0), (1, 10)]);
    assert_eq!(places(&taken(5, r#"{"skip": 3, "take": 18446744073709551615}"#)), [(3, 0), (4, 10)]);
    // Times of a trace that is rebased count from its first request.
    assert_eq!(places(&taken(5, r#"{"from_ns": 20, "rebase": true}"#)), [(2, 0), (3, 10), (4, 20)]);
}

#[test]
fn times_by_a_factor() {
    assert_eq!(places(&taken(3, r#"{"time_scale": "1/3"}"#)), [(0, 333), (1, 336), (2, 340)]);
    assert_eq!(places(&taken(3, r#"{"time_scale": 2, "skip": 1}"#)), [(1, 0), (2, 20)]);
    let late = taken(3, r#"{"time_scale": 1e3}"#);
    assert_eq!(places(&late)[2].1, 1_020_000);
}

#[test]
fn copies_follow_each_other() {
    let twice_and_a_half = taken(1000, r#"{"skip": 2, "take": 2, "copies": 2.5}"#);
    assert_eq!(places(&twice_and_a_half), [(2, 0), (3, 10), (2, 10), (3, 20), (2, 20)]);
    assert_eq!(twice_and_a_half.summary.writes, 5);
    assert_eq!(twice_and_a_half.summary.skipped.iter().map(|skipped| skipped.count).sum::<u64>(), 998);
    let scaled = taken(2, r#"{"copies": "3", "time_scale": 2}"#);
    assert_eq!(places(&scaled), [(0, 2000), (1, 2020), (0, 2020), (1, 2040), (0, 2040), (1, 2060)]);
    let made = TraceOptions { copies: serde_json::from_str("2").unwrap(), ..TraceOptions::default() };
    let made =
        TraceOptions { workload: [("requests".to_owned(), "20".to_owned())].into(), take: Some(9), ..made };
    let outcome = read_path("zipf-4k", &made, 7);
    assert_eq!(outcome.requests.len(), 18);
    assert_eq!(outcome.requests[0].sector, outcome.requests[9].sector);
}

/// The window is that of the trace, and the draw one of the window.
#[test]
fn a_draw_is_one_of_the_part() {
    let drawn = taken(1000, r#"{"skip": 100, "take": 50, "resample": 1, "resample_block_ns": 60}"#);
    assert!(places(&drawn).iter().all(|(sector, at_ns)| (100..150).contains(sector) && *at_ns < 500));
    assert!(drawn.summary.label.unwrap().starts_with("draw 1 of"));
}

#[test]
fn what_makes_no_part_is_refused() {
    for (key, value) in [
        ("skip", r#"5, "from_ns": 1"#),
        ("take", r#"5, "to_ns": 1"#),
        ("take", "0"),
        ("to_ns", r#"7, "from_ns": 7"#),
        ("from_ns", "100000"),
        ("skip", "10"),
        ("time_scale", r#""5000000000000000""#),
        ("copies", "0.5"),
    ] {
        let outcome = taken(10, &format!("{{\"{key}\": {value}}}"));
        let error = outcome.error.map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(&format!("trace option {key}:")), "{value}: {error}");
    }
}

#[test]
fn faults_outside_are_found() {
    let bad = file(b"0 0 0 1 0\n5 0 0 1 0\nx 0 0 1 0\n7 0 0 1 0\n");
    let outcome = read_path(path(&bad), &options(r#"{"take": 1}"#), 10);
    assert_eq!(outcome.requests.len(), 1);
    assert!(outcome.error.unwrap().to_string().contains(":3:"));
    let report = lint(path(&bad), &options(r#"{"skip": 1}"#), 10).unwrap();
    assert_eq!((report.problems.len(), report.summary.writes), (1, 2));
}
