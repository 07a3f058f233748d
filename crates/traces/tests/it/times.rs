//! Every time given out lies below 2^62 ns, whatever the trace, the options,
//! the workload or the transformation make of it.

use crate::it::common::*;

fn lines(times: &[u64]) -> Vec<u8> {
    times.iter().map(|at_ns| format!("{at_ns} 0 8 8 0\n")).collect::<String>().into_bytes()
}

#[test]
fn the_last_time_and_the_first_behind_it() {
    let last = TIME_END_NS - 1;
    let fine = read(&lines(&[0, last]), &mqsim());
    assert_eq!((fine.requests.len(), fine.requests[1].at_ns), (2, last));
    for late in [TIME_END_NS, 1 << 63, u64::MAX] {
        let told = message(&lines(&[0, late]), &mqsim());
        let expected = format!(":2: the request comes at {late} ns; allowed: times below 2^62 ns");
        assert!(told.starts_with(&expected), "{told}");
        for unsorted in [Unsorted::Keep, Unsorted::Sort(5)] {
            let options = TraceOptions { unsorted, ..mqsim() };
            assert!(message(&lines(&[late, 0]), &options).contains("the request comes at"));
        }
        // What counts is the time given out.
        let rebased = TraceOptions { rebase: Some(true), ..mqsim() };
        assert_eq!(read(&lines(&[late - 5, late]), &rebased).requests[1].at_ns, 5);
    }
}

#[test]
fn file_times_have_to_be_rebased() {
    let text = msr_lines(3);
    assert!(read(text.as_bytes(), &TraceOptions::default()).error.is_none());
    let kept = TraceOptions { rebase: Some(false), ..TraceOptions::default() };
    // Volumes that were recorded together are merged by the times of their files; a run takes none.
    assert_eq!(read(text.as_bytes(), &kept).requests[0].at_ns, 12_816_638_529_551_466_300);
    let generic = r#"{"format": "generic", "generic": {"time": 1, "time_unit": "filetime", "address": 2,
        "address_unit": "sector", "size": 3, "size_unit": "sector", "op": 4, "ops": {"R": "read"}}}"#;
    let options: TraceOptions = serde_json::from_str(generic).unwrap();
    assert!(message(b"128166385295514663,8,8,R\n", &options).contains("rebase = true"));
}

#[test]
fn whole_seconds_spread_over_the_last_one() {
    let last_s = TIME_END_NS / 1_000_000_000;
    let text = format!("{last_s}000000000 0 8 8 0\n").repeat(1000);
    let spread = TraceOptions { coarse_time: CoarseTime::Spread, ..mqsim() };
    let outcome = read(text.as_bytes(), &spread);
    assert!(outcome.error.is_some_and(|error| error.to_string().contains("the request comes at")));
    assert!(outcome.requests.iter().all(|request| request.at_ns < TIME_END_NS));
    let before = text.replace(&last_s.to_string(), &(last_s - 1).to_string());
    assert_eq!(read(before.as_bytes(), &spread).requests.len(), 1000);
}

#[test]
fn a_scaled_time_is_bound_too() {
    let scaled = |time_scale: &str| {
        let time_scale = serde_json::from_str(time_scale).unwrap();
        read(&lines(&[0, 864_000_000_000_000]), &TraceOptions { time_scale, ..mqsim() }).error
    };
    let told = scaled("1000000").unwrap().to_string();
    assert!(told.contains("time_scale: \"1000000\"") && told.contains("2^62 ns"), "{told}");
    assert!(scaled("5337").is_none());
}

const PATTERN: &str = "footprint_bytes = \"1MiB\"\n[global]\nrw = \"randwrite\"\n";

fn problem(text: &str) -> String {
    Workload::parse("w.toml", text, &BTreeMap::new()).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn workloads_are_refused_before_they_run() {
    let slow = format!("requests = 10\n{PATTERN}[arrivals]\nprocess = \"constant\"\nrate_iops = 1e-12\n");
    let many = slow.replace("1e-12", "1e-6").replace("= 10\n", "= 1_000_000\n");
    let twin =
        "[twin]\nof = \"x\"\nfrom = \"y\"\nrequests = 1000\nwrite_share = 0.5\nmean_write_bytes = 4096\n\
        mean_read_bytes = 4096\nupdate_ratio = 0.5\n";
    for (text, told) in [
        (slow.clone(), "w.toml:7: arrivals.rate_iops: 0.000000000001 is not allowed"),
        (many.clone(), "w.toml:1: requests: 1000000 is not allowed with these arrivals"),
        (many.replace("constant", "poisson"), "2^62"),
        (format!("duration_ns = 1e30\n{many}"), "w.toml:1: duration_ns: "),
        (format!("{twin}duration_ns = 1e30\n"), "twin.duration_ns: the 1000 requests would last 1.000e30 ns"),
        (format!("{twin}duration_ns = 1e20\n"), "twin.duration_ns: "),
    ] {
        let found = problem(&text);
        assert!(found.contains(told), "{text}: {found}");
    }
    // A duration ends them in time.
    assert_eq!(problem(&format!("duration_ns = \"1h\"\n{many}")), "");
    assert_eq!(problem(&format!("{twin}duration_ns = \"1h\"\n")), "");
}

#[test]
fn drawn_times_that_come_too_late_are_no_silent_end() {
    for rhythm in ["", "daily_amplitude = 0.9\n"] {
        let text = format!(
            "requests = 1000\n{PATTERN}[arrivals]\nprocess = \"bursts\"\nburst_requests = 2\n\
             idle_ns = 1e18\nidle_distribution = \"fixed\"\n{rhythm}"
        );
        let folder = tempfile::tempdir().unwrap();
        let workload = folder.path().join("w.toml");
        std::fs::write(&workload, text).unwrap();
        let mut reader = open(workload.to_str().unwrap(), &TraceOptions::default()).unwrap();
        let mut batch = Vec::new();
        assert!(reader.next_batch(&mut batch, 5000).unwrap());
        assert!(batch.len() < 1000 && batch.iter().all(|request| request.at_ns < TIME_END_NS));
        let error = reader.next_batch(&mut batch, 5000).unwrap_err().to_string();
        assert!(error.contains(": row ") && error.contains("the request comes at"), "{error}");
    }
}
