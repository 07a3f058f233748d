//! Real traces, against the figures published or recorded beside them.

use crate::it::common::*;
use slcache_traces::TraceInfo;

fn figures(path: &str, options: &TraceOptions) -> Option<TraceInfo> {
    Some(info(&shared(path)?, options).unwrap())
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

/// Traces by the figures that are told of them: options, format, requests, share of writes in percent and how near
/// that is, the first volume. A format that the lines do not tell has to be named.
#[test]
fn requests_writes_and_volumes_are_those_published() {
    let named = TraceOptions::with_format;
    let keep = || TraceOptions { unsorted: Unsorted::Keep, ..TraceOptions::default() };
    let sort = || TraceOptions { unsorted: Unsorted::Sort(1000), ..TraceOptions::default() };
    let cloud_physics = r#"{"format": "generic", "unsorted": "keep", "generic": {"header": true, "time": "time",
        "time_unit": "s", "address": "lbn", "address_unit": "sector", "size": "size", "size_unit": "byte",
        "op": "op", "ops": {"28": "read", "2a": "write"}}}"#;
    let home = r#"{"format": "generic", "unsorted": "keep", "generic": {"delimiter": "whitespace", "time": 1,
        "time_unit": "ns", "address": 3, "address_unit": "sector", "size": 4, "size_unit": "sector", "op": 5,
        "ops": {"0": "write"}}}"#;
    let generic = |json| serde_json::from_str(json).unwrap();
    for (name, options, format, requests, write_percent, near, volume) in [
        ("hm_0_first1000.csv", TraceOptions::default(), "msr", 1000, 49.2, 1e-7, "hm_0"),
        ("tpcc-small.trace", named("mqsim"), "mqsim", 6_999, 37.4, 0.05, ""),
        ("wsrch-small.trace", named("mqsim"), "mqsim", 24_783, 0.02, 0.05, ""),
        ("telegram_exec.csv", keep(), "mobileblockio", 251_879, 90.4, 0.05, "8388608"),
        ("you_cut_exec.csv", keep(), "mobileblockio", 313_826, 13.0, 0.05, "8388608"),
        ("diablo_exec.csv", keep(), "mobileblockio", 337_415, 12.4, 0.05, "8388608"),
        ("MSN-FS-30s-ms.trace", named("disksim"), "disksim", 149_999, 13.0, 0.05, "5"),
        // Times run back by up to 68 ms in these lines, as published.
        ("systor17-traces-sample.csv", sort(), "systor17", 999, 17.3, 0.05, "0"),
        ("cloudPhysicsIO.csv", generic(cloud_physics), "generic", 113_872, 58.75, 0.005, ""),
        ("home-sample.ascii", generic(home), "generic", 1000, 100.0, 0.005, ""),
    ] {
        let path = format!("public/{name}.zst");
        let Some(info) = figures(&path, &options) else { return };
        let told = detect(&shared(&path).unwrap()).map_err(|error| error.to_string());
        match options.format.is_none() {
            true => assert_eq!(told, Ok(format), "{name}"),
            false if format == "generic" => {}
            false => assert!(told.unwrap_err().contains(&format!("\"{format}\"")), "{name}"),
        }
        assert_eq!((info.format, info.requests), (format, requests), "{name}");
        close(info.write_share * 100.0, write_percent, near);
        assert!(volume.is_empty() || info.summary.volumes[0].name == volume, "{name}");
        // How far times ran back: in files that are sorted, and in one that is kept as it is.
        let moved = (info.summary.reordered, info.summary.kept_unsorted);
        let backwards = [("systor17", (287, 0)), ("diablo", (0, 7))];
        if let Some((_, expected)) = backwards.iter().find(|(begin, _)| name.starts_with(begin)) {
            assert_eq!(moved, *expected, "{name}");
        }
    }
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
        let (classes, short, tight, pauses, mean, median, after_write, overwriting, repeated, writers) = row;
        let path = format!("public/{name}.csv.zst");
        let Some(info) = figures(&path, &TraceOptions::default()) else { return };
        for (class, share) in info.gap_classes.iter().zip(classes) {
            close(class.share, share, 0.000_51);
        }
        close(info.short_gap_runs, short, 0.000_051);
        close(info.tight_gap_runs, tight, 0.000_051);
        close(info.short_pause_runs, pauses, 0.000_051);
        close(info.mean_burst_requests, mean, 0.000_51);
        close(info.write_after_write_share, after_write, 0.000_051);
        close(info.repeated_extent_share, repeated, 0.000_051);
        close(info.writers_per_16kib_page, writers, 0.000_051);
        assert_eq!((info.median_burst_requests, info.overwriting_writes), (median, overwriting), "{name}");
    }
}

#[test]
fn bursts() {
    let Some(info) = figures("recorded/bursts.blkparse.zst", &TraceOptions::default()) else { return };
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

/// Requests, flushes and trims, share of writes in percent, pages of 4 KiB written and touched, updates, requests
/// that are not aligned; and by how much the shares may differ.
type RecordedRow = (&'static str, [u64; 3], f64, u64, u64, f64, u64, [f64; 2]);

#[rustfmt::skip]
const RECORDED: [RecordedRow; 3] = [
    ("desktop", [79_696, 32_130, 20_122], 7_004_200.0 / 79_696.0, 788_109, 788_118, 242_382.0 / 1_030_491.0, 0, [1e-9, 1e-12]),
    ("linkbench", [718_842, 76_762, 2], 45.7, 185_086, 220_905, 0.920, 36_389, [0.051, 0.000_51]),
    ("ycsb", [937_344, 340, 348], 0.8, 1_724_060, 2_086_529, 0.006, 0, [0.051, 0.000_51]),
];

#[test]
fn recordings_have_the_figures_counted_elsewhere() {
    for (name, counts, write_percent, written, touched, updates, unaligned, near) in RECORDED {
        let path = format!("recorded/{name}.blkparse.zst");
        let Some(info) = figures(&path, &TraceOptions::default()) else { return };
        assert_eq!([info.requests, info.flushes, info.trims], counts, "{name}");
        assert_eq!((info.written_4kib_pages, info.touched_4kib_pages), (written, touched), "{name}");
        close(info.write_share * 100.0, write_percent, near[0]);
        close(info.update_ratio, updates, near[1]);
        close(info.not_4kib_aligned_share * info.requests as f64, unaligned as f64, 1e-6);
    }
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
