//! Real traces, against the figures published or recorded beside them.

use crate::it::common::{read_path, shared};
use slcache_traces::{detect, info, CoarseTime, TraceInfo, TraceOptions, Unsorted, VolumeChoice};

fn figures(path: &str, options: &TraceOptions) -> Option<TraceInfo> {
    Some(info(&shared(path)?, options).unwrap())
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

#[test]
fn hm_0() {
    let Some(info) = figures("public/hm_0_first1000.csv.zst", &TraceOptions::default()) else {
        return;
    };
    assert_eq!((info.format, info.requests), ("msr", 1000));
    close(info.write_share, 0.492, 1e-9);
    assert_eq!(info.summary.volumes[0].name, "hm_0");
    assert_eq!(info.summary.first_ns, Some(0));
    assert_eq!(info.summary.rebased_by_ns, 12_816_638_529_551_466_300);
}

/// What a plain count in another language says of the pieces of MSR volumes.
#[rustfmt::skip]
const FOLLOWING: [(&str, FollowingRow); 4] = [
    ("hm_0_6900", ([0.571, 0.118, 0.088, 0.132, 0.068, 0.018, 0.005], 0.8879, 0.8777, 0.9528, 4.489, 23, 0.8763, 648, 0.8194, 1.4066)),
    ("rsrch_1_full", ([0.413, 0.310, 0.055, 0.003, 0.018, 0.089, 0.113], 0.8178, 0.6464, 0.6884, 4.493, 9, 0.9976, 9_406, 0.9646, 1.3624)),
    ("wdev_1_full", ([0.341, 0.139, 0.045, 0.0, 0.002, 0.044, 0.430], 0.3580, 0.2786, 0.0, 2.102, 3, 1.0, 873, 0.9920, 2.3608)),
    ("mds_0_first1000", ([0.004, 0.031, 0.183, 0.452, 0.166, 0.037, 0.126], 0.2202, 0.0000, 0.8382, 1.279, 1, 1.0, 815, 0.9828, 1.5263)),
];

type FollowingRow = ([f64; 7], f64, f64, f64, f64, u64, f64, u64, f64, f64);

#[test]
fn how_requests_of_msr_volumes_follow_one_another() {
    for (name, row) in FOLLOWING {
        let (
            classes,
            short_runs,
            tight_runs,
            pauses,
            mean,
            median,
            after_write,
            overwriting,
            repeated,
            writers,
        ) = row;
        let Some(info) = figures(&format!("public/{name}.csv.zst"), &TraceOptions::default()) else {
            return;
        };
        for (class, share) in info.gap_classes.iter().zip(classes) {
            close(class.share, share, 0.000_51);
        }
        close(info.short_gap_runs, short_runs, 0.000_051);
        close(info.tight_gap_runs, tight_runs, 0.000_051);
        close(info.short_pause_runs, pauses, 0.000_051);
        close(info.mean_burst_requests, mean, 0.000_51);
        close(info.write_after_write_share, after_write, 0.000_051);
        close(info.repeated_extent_share, repeated, 0.000_051);
        close(info.writers_per_16kib_page, writers, 0.000_051);
        assert_eq!((info.median_burst_requests, info.overwriting_writes), (median, overwriting), "{name}");
    }
}

#[test]
fn mqsim_traces() {
    for (name, requests, write_percent) in [("tpcc", 6_999, 37.4), ("wsrch", 24_783, 0.02)] {
        let path = format!("public/{name}-small.trace.zst");
        let Some(file) = shared(&path) else { return };
        let error = detect(&file).unwrap_err().to_string();
        assert!(error.contains("format = \"mqsim\" or \"ssdsim\" or \"disksim\""), "{error}");
        let info = figures(&path, &crate::it::common::mqsim()).unwrap();
        assert_eq!(info.requests, requests);
        close(info.write_share * 100.0, write_percent, 0.05);
    }
}

#[test]
fn bursts() {
    let Some(info) = figures("recorded/bursts.blkparse.zst", &TraceOptions::default()) else {
        return;
    };
    assert_eq!((info.format, info.requests), ("blkparse", 6_158));
    assert_eq!((info.reads, info.writes, info.flushes, info.trims), (1_153, 5_005, 31, 86));
    assert_eq!((info.read_bytes, info.write_bytes), (580_677_632, 5_906_718_720));
    assert_eq!(info.trim_bytes, 9_889_161_216);
    assert_eq!((info.written_4kib_pages, info.touched_4kib_pages), (1_442_007, 1_442_009));
    close(info.update_ratio, 63.0 / 1_442_070.0, 1e-12);
    assert_eq!((info.interarrival.idle[2].gaps, info.interarrival.idle[3].gaps), (10, 9));
    assert_eq!(info.end_address_bytes, 12_854_616 * 512);
    assert_eq!(info.not_4kib_aligned_share, 0.0);
    close(info.interarrival.us.unwrap().max / 1e3, 30_620.0, 10.0);
    close(info.duration_s, 162.0, 0.05);
    close(info.mean_iops, 38.02, 0.01);
    close(info.sequential_share, 0.9764, 0.0002);
}

#[test]
fn desktop() {
    let Some(info) = figures("recorded/desktop.blkparse.zst", &TraceOptions::default()) else {
        return;
    };
    assert_eq!((info.reads, info.writes, info.flushes, info.trims), (9_654, 70_042, 32_130, 20_122));
    assert_eq!((info.read_bytes, info.write_bytes), (49_664_000, 4_220_891_136));
    assert_eq!(info.trim_bytes, 802_425_675_776);
    assert_eq!((info.written_4kib_pages, info.touched_4kib_pages), (788_109, 788_118));
    close(info.update_ratio, 242_382.0 / 1_030_491.0, 1e-12);
    assert_eq!((info.interarrival.idle[2].gaps, info.interarrival.idle[3].gaps), (364, 66));
    close(info.sequential_share, 0.3314, 0.0001);
    close(info.duration_s, 378.7, 0.05);
}

type DatabaseRow = (&'static str, u64, f64, u64, u64, u64, u64, f64, u64);

#[rustfmt::skip]
const DATABASES: [DatabaseRow; 4] = [
    ("oltp", 892_853, 28.6, 32_210, 10, 280_737, 420_713, 0.849, 21_300),
    ("tpcc", 897_864, 35.9, 26_938, 1, 301_710, 336_833, 0.877, 11_751),
    ("linkbench", 718_842, 45.7, 76_762, 2, 185_086, 220_905, 0.920, 36_389),
    ("ycsb", 937_344, 0.8, 340, 348, 1_724_060, 2_086_529, 0.006, 0),
];

#[test]
fn the_database_traces() {
    for (name, requests, write_percent, flushes, trims, written, touched, updates, unaligned) in DATABASES {
        let path = format!("recorded/{name}.blkparse.zst");
        let Some(info) = figures(&path, &TraceOptions::default()) else {
            return;
        };
        assert_eq!((info.requests, info.flushes, info.trims), (requests, flushes, trims), "{name}");
        assert_eq!((info.written_4kib_pages, info.touched_4kib_pages), (written, touched), "{name}");
        close(info.not_4kib_aligned_share * info.requests as f64, unaligned as f64, 1e-6);
        close(info.write_share * 100.0, write_percent, 0.051);
        close(info.update_ratio, updates, 0.000_51);
    }
}

#[test]
fn completions_of_bursts() {
    let options = TraceOptions { action: slcache_traces::BlkparseAction::C, ..TraceOptions::default() };
    let Some(info) = figures("recorded/bursts.blkparse.zst", &options) else {
        return;
    };
    assert_eq!((info.requests, info.flushes, info.trims), (6_158, 31, 86));
    let skipped = |reason: &str| {
        let found = info.summary.skipped.iter().find(|skipped| skipped.reason.contains(reason));
        found.map_or(0, |skipped| skipped.count)
    };
    assert_eq!((skipped("without sectors"), skipped("event D")), (16, 6_275));
}

#[test]
fn phone_traces() {
    for (name, requests, write_percent) in
        [("telegram", 251_879, 90.4), ("you_cut", 313_826, 13.0), ("diablo", 337_415, 12.4)]
    {
        let path = format!("public/{name}_exec.csv.zst");
        let Some(info) =
            figures(&path, &TraceOptions { unsorted: Unsorted::Keep, ..TraceOptions::default() })
        else {
            return;
        };
        assert_eq!((info.format, info.requests), ("mobileblockio", requests), "{name}");
        close(info.write_share * 100.0, write_percent, 0.05);
        let backwards = if name == "diablo" { 7 } else { 0 };
        assert_eq!(info.summary.kept_unsorted, backwards, "{name}");
        assert_eq!((&*info.summary.skipped[0].reason, info.summary.skipped[0].count), ("header line", 1));
        assert_eq!(info.summary.volumes[0].name, "8388608", "{name}");
        assert_eq!(info.not_4kib_aligned_share, 0.0, "{name}");
    }
}

#[test]
fn time_backwards_in_a_real_trace() {
    let Some(path) = shared("public/diablo_exec.csv.zst") else {
        return;
    };
    let options = TraceOptions::default();
    let error = read_path(&path, &options, 1000).error.expect("an error").to_string();
    assert!(error.contains("diablo_exec.csv.zst:") && error.contains("time runs backwards"), "{error}");
    let report = slcache_traces::lint(&path, &options, 3).unwrap();
    assert_eq!((report.counts["time backwards"], report.problems.len()), (7, 3));
}

#[test]
fn several_volumes_in_a_real_trace() {
    let mut options = TraceOptions::with_format("ssdsim");
    let Some(path) = shared("public/Financial1_first10000.ssdsim.ascii.zst") else {
        return;
    };
    let error = read_path(&path, &options, 1000).error.expect("an error").to_string();
    assert!(
        error.contains(":2: a second volume") && error.contains("22 volumes: 19 (1435 requests)"),
        "{error}"
    );
    assert!(error.contains(" and 10 more. Allowed:"), "{error}");
    options.volume = Some(VolumeChoice::Each);
    let outcome = read_path(&path, &options, 1000);
    assert!(outcome.error.is_none());
    assert_eq!(outcome.requests.len(), 10_000);
    assert_eq!(outcome.requests.iter().map(|request| request.stream).max(), Some(21));
    close(
        figures("public/Financial1_first10000.ssdsim.ascii.zst", &options).unwrap().write_share,
        0.592,
        5e-4,
    );
}

#[test]
fn msn_file_server() {
    let path = "public/MSN-FS-30s-ms.trace.zst";
    let Some(file) = shared(path) else { return };
    let error = detect(&file).unwrap_err().to_string();
    assert!(error.contains("format = \"disksim\","), "{error}");
    let info = figures(path, &TraceOptions::with_format("disksim")).unwrap();
    assert_eq!((info.requests, info.summary.volumes[0].name.as_str()), (149_999, "5"));
    close(info.write_share, 0.130, 5e-4);
    close(info.duration_s, 143.0, 0.5);
}

#[test]
fn systor17() {
    // Times run back by up to 68 ms in these lines, as published.
    let options = TraceOptions { unsorted: Unsorted::Sort(1000), ..TraceOptions::default() };
    let Some(info) = figures("public/systor17-traces-sample.csv.zst", &options) else { return };
    assert_eq!((info.format, info.requests), ("systor17", 999));
    close(info.write_share, 0.173, 5e-4);
    assert_eq!(info.summary.reordered, 287);
    assert_eq!(info.summary.volumes[0].name, "0");
}

#[test]
fn tencent() {
    let path = "public/cloud_storage-sample.csv.zst";
    let Some(file) = shared(path) else { return };
    assert!(detect(&file).unwrap_err().to_string().contains("format = \"tencent\","));
    let named = TraceOptions { unsorted: Unsorted::Sort(50_000), ..TraceOptions::with_format("tencent") };
    let error = read_path(&file, &named, 1000).error.expect("an error").to_string();
    assert!(error.contains("the file holds 2038 volumes"), "{error}");
    let each = TraceOptions { volume: Some(VolumeChoice::Each), ..named };
    let info = figures(path, &each).unwrap();
    assert_eq!(info.requests, 50_000);
    close(info.write_share, 0.510, 5e-4);
    let spread = figures(path, &TraceOptions { coarse_time: CoarseTime::Spread, ..each }).unwrap();
    assert_eq!((spread.requests, spread.write_bytes), (50_000, info.write_bytes));
    let seconds = info.duration_s as u64 + 1;
    assert_eq!(spread.summary.spread_inside_seconds, 50_000 - seconds);
    assert!(spread.duration_s < seconds as f64 && spread.duration_s > seconds as f64 - 0.01);
}

#[test]
fn files_that_only_declared_columns_read() {
    let cloud_physics = r#"{"format": "generic", "generic": {"header": true, "time": "time", "time_unit": "s",
        "address": "lbn", "address_unit": "sector", "size": "size", "size_unit": "byte", "op": "op",
        "ops": {"28": "read", "2a": "write"}}}"#;
    let home = r#"{"format": "generic", "generic": {"delimiter": "whitespace", "time": 1, "time_unit": "ns",
        "address": 3, "address_unit": "sector", "size": 4, "size_unit": "sector", "op": 5,
        "ops": {"0": "write"}}}"#;
    for (path, options, requests, write_share) in [
        ("public/cloudPhysicsIO.csv.zst", cloud_physics, 113_872, 0.5875),
        ("public/home-sample.ascii.zst", home, 1000, 1.0),
    ] {
        let options = TraceOptions { unsorted: Unsorted::Keep, ..serde_json::from_str(options).unwrap() };
        let Some(info) = figures(path, &options) else { return };
        assert_eq!(info.requests, requests, "{path}");
        close(info.write_share, write_share, 5e-5);
    }
}
