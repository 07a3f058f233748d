//! Twins keep the classes of their gaps, their bursts and their runs of writes,
//! as `trace info` measures them.

use crate::it::common::*;
use crate::it::workload_presets::measured;

/// A busy piece of a server volume: dense bursts with a long tail, a sixth writes.
const DENSE: &str = r#"
    short_gap_runs = 0.8879
    tight_gap_runs = 0.878
    median_burst_requests = 23
    write_after_write_share = 0.876
    gap_classes = [
        { to_ns = "10us", share = 0.5712, mean_ns = 1459 },
        { to_ns = "100us", share = 0.118, mean_ns = 34230 },
        { to_ns = "1ms", share = 0.0881, mean_ns = "410.9us" },
        { to_ns = "10ms", share = 0.1316, mean_ns = "3.847ms" },
        { to_ns = "100ms", share = 0.0679, mean_ns = "20.13ms" },
        { to_ns = "1s", share = 0.0182, mean_ns = "487.5ms" },
        { share = 0.005, mean_ns = "2.074s" },
    ]"#;
/// Single requests and short bursts; a duration says how long the longest gaps are.
const SPARSE: &str = r#"
    short_gap_runs = 0.22
    write_after_write_share = 0.3
    duration_ns = "4000s"
    gap_classes = [
        { to_ns = "100us", share = 0.035, mean_ns = "45us" },
        { to_ns = "1ms", share = 0.184, mean_ns = "0.53ms" },
        { to_ns = "100ms", share = 0.62, mean_ns = "6.7ms" },
        { share = 0.161 },
    ]"#;
/// Bursts that are less spread than geometric ones.
const EVEN: &str = r#"
    short_gap_runs = 0.358
    median_burst_requests = 3
    write_after_write_share = 0.9
    gap_classes = [
        { to_ns = "1ms", share = 0.525, mean_ns = "0.9ms" },
        { to_ns = "1s", share = 0.06, mean_ns = "0.65s" },
        { share = 0.415, mean_ns = "1300s" },
    ]"#;

fn text(requests: u64, write_share: f64, figures: &str) -> String {
    format!(
        r#"[twin]
        of = "x"
        from = "a table"
        requests = {requests}
        write_share = {write_share}
        mean_write_bytes = "4KiB"
        mean_read_bytes = "4KiB"
        max_write_bytes = "4KiB"
        max_read_bytes = "4KiB"
        update_ratio = 0.5
        {figures}"#
    )
}

fn workload(text: &str, scaled: Option<u64>) -> Result<Workload, TraceError> {
    let set = scaled.map(|requests| ("requests".to_owned(), requests.to_string()));
    Workload::parse("w.toml", text, &set.into_iter().collect::<BTreeMap<_, _>>())
}

fn loaded(text: &str, scaled: Option<u64>) -> Workload {
    workload(text, scaled).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn assert_near(what: &str, measured: f64, stated: f64, part: f64, slack: f64) {
    assert!((measured - stated).abs() <= part * stated + slack, "{what}: {measured}, stated {stated}");
}

/// Shares and means within 1 % or a request, the median within 5 %.
fn assert_met(workload: &Workload, seed: u64) {
    let info = measured(workload, seed);
    // With what a class of volumes says filled in.
    let stated = loaded(&workload.canonical(), None);
    let twin = stated.spec().twin.as_ref().unwrap();
    let gaps = info.requests as f64 - 1.0;
    let mut classes = BTreeMap::new();
    for class in info.gap_classes.iter().filter(|_| !twin.gap_classes.is_empty()) {
        // Classes of the trace lie inside those stated.
        let inside = |to: f64| class.to_ns.is_some_and(|to_ns| to_ns as f64 <= to);
        let place = twin.gap_classes.iter().position(|stated| stated.to_ns.is_none_or(|to| inside(to.0)));
        let (share, sum) = classes.entry(place.unwrap()).or_insert((0.0, 0.0));
        *share += class.share;
        *sum += class.share * class.mean_ns;
    }
    let total: f64 = twin.gap_classes.iter().map(|class| class.share).sum();
    for (place, stated) in twin.gap_classes.iter().enumerate() {
        let (share, sum) = classes[&place];
        assert_near("share", share, stated.share / total, 0.01, 1.01 / gaps);
        if let Some(mean_ns) = stated.mean_ns.filter(|_| share > 0.0) {
            assert_near("mean_ns", sum / share, mean_ns.0, 0.01, 1.0);
        }
    }
    let short = gaps * info.gap_classes[..3].iter().map(|class| class.share).sum::<f64>();
    if let Some(stated) = twin.short_gap_runs {
        assert_near("short_gap_runs", info.short_gap_runs, stated, 0.01, 1.5 / short);
    }
    if let Some(stated) = twin.short_pause_runs {
        let long = gaps * info.gap_classes[5..].iter().map(|class| class.share).sum::<f64>();
        let pauses = gaps - short - long;
        assert_near("short_pause_runs", info.short_pause_runs, stated, 0.01, 1.5 / pauses);
    }
    if let Some(stated) = twin.tight_gap_runs {
        // Which gap of a burst is tight is left to chance.
        let slack = 3.0 * (stated * (1.0 - stated) / (gaps * info.gap_classes[0].share)).sqrt();
        assert_near("tight_gap_runs", info.tight_gap_runs, stated, 0.01, slack);
    }
    if let Some(stated) = twin.median_burst_requests {
        let medians = info.median_burst_requests as f64;
        assert_near("median_burst_requests", medians, stated, 0.05, 0.5);
    }
    if let Some(stated) = twin.write_after_write_share {
        let writes = info.writes as f64;
        assert_near("write_after_write_share", info.write_after_write_share, stated, 0.01, 1.5 / writes);
    }
    if let Some(duration) = twin.duration_ns {
        let scale = workload.describe().scale;
        assert_near("duration_ns", info.duration_s * 1e9, duration.0 * scale, 0.01, 0.0);
    }
}

#[test]
fn arrivals_are_met_at_any_seed_and_length() {
    for (requests, write_share, figures) in
        [(7016, 0.17, DENSE), (5000, 0.5, SPARSE), (20_000, 0.6, EVEN), (300, 0.4, SPARSE)]
    {
        for scaled in [None, Some(requests / 2), Some(200)] {
            let twin = loaded(&text(requests, write_share, figures), scaled);
            assert_eq!(twin.generate(1).count() as u64, scaled.unwrap_or(requests));
            (0..5).for_each(|seed| assert_met(&twin, seed));
        }
    }
}

#[test]
fn each_figure_is_met_over_its_range() {
    let median =
        |median| DENSE.replace("median_burst_requests = 23", &format!("median_burst_requests = {median}"));
    let pauses = |figures: &str, share| format!("{figures}\nshort_pause_runs = {share}");
    let dense = [12, 20, 40, 90].map(median).into_iter();
    let dense = dense.chain(["0.95", "0.9"].map(|share| pauses(DENSE, share)));
    let sparse = ["0.85", "1"].map(|share| pauses(SPARSE, share));
    for figures in dense.chain(sparse) {
        // Pauses in runs also where a part is made.
        let lengths = [None, Some(700)].into_iter().take(1 + usize::from(figures.contains("pause")));
        for scaled in lengths {
            let twin = loaded(&text(7016, 0.17, &figures), scaled);
            (0..3).for_each(|seed| assert_met(&twin, seed));
        }
    }
    // From alternation to a single run.
    for share in ["0", "0.2", "0.5", "0.95", "1"] {
        let twin = loaded(&text(4000, 0.5, &format!("write_after_write_share = {share}")), None);
        (0..3).for_each(|seed| assert_met(&twin, seed));
    }
}

#[test]
fn classes_of_volumes_are_met_at_any_load() {
    for (class, writes, short) in [("dense", 0.955, 0.853), ("sparse", 0.85, 0.403)] {
        // Of 20,000 gaps: from 2 ms to 42 s each.
        for duration in ["40s", "162s", "5400s", "840000s"] {
            let figures = format!("class = \"{class}\"\nduration_ns = \"{duration}\"");
            let twin = loaded(&text(20_000, 0.7, &figures), Some(9000));
            (0..3).for_each(|seed| assert_met(&twin, seed));
            let info = measured(&twin, 1);
            assert_near("write_after_write_share", info.write_after_write_share, writes, 0.01, 0.0);
            // Independent gaps: by chance alone, of 4,000.
            assert_near("short_gap_runs", info.short_gap_runs, short, 0.01, 0.02);
            for scaled in [200, 500, 2000] {
                assert_met(&loaded(&text(20_000, 0.7, &figures), Some(scaled)), 1);
            }
            let again = loaded(&twin.canonical(), None);
            assert!(again.generate(1).eq(twin.generate(1)));
            assert_eq!(again.canonical(), twin.canonical());
        }
    }
}

#[test]
fn what_a_class_of_volumes_says_can_be_overridden() {
    let figures =
        "class = \"dense\"\nduration_ns = \"300s\"\nshort_gap_runs = 0.9\nwrite_after_write_share = 0.5";
    let twin = loaded(&text(20_000, 0.5, figures), None);
    assert_met(&twin, 1);
    assert_near("short_gap_runs", measured(&twin, 1).short_gap_runs, 0.9, 0.01, 0.0);
    for (figures, message) in [
        ("class = \"dense\"", "duration_ns"),
        ("class = \"dense\"\nduration_ns = \"1s\"", "478787 ns at least"),
        ("class = \"dense\"\nduration_ns = \"1h\"\nburst_requests = 3", "burst_requests = 3 and class"),
        ("class = \"busy\"", "must be one of dense, sparse"),
    ] {
        let error = workload(&text(20_000, 0.5, figures), None).unwrap_err().to_string();
        assert!(error.contains("twin.class") && error.contains(message), "{error}");
    }
}

#[test]
fn gaps_fill_their_class() {
    let figures = r#"gap_classes = [{ to_ns = "10us", share = 1, mean_ns = "5us" },
        { to_ns = "20us", share = 1, mean_ns = "18us" }]"#;
    let twin = loaded(&text(10_000, 0.5, figures), None);
    let times: Vec<u64> = twin.generate(1).map(|request| request.at_ns).collect();
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let between = |from: u64, to: u64| gaps.iter().filter(|gap| (from..to).contains(gap)).count();
    assert_eq!(between(0, 20_000), gaps.len());
    // Even where the mean is in the middle, more at the upper end where it is near.
    for from in [0, 2000, 4000, 6000, 8000] {
        assert!((980..1020).contains(&between(from, from + 2000)), "{from}: {}", between(from, from + 2000));
    }
    assert!(between(19_000, 20_000) > 3 * between(14_000, 15_000) && between(10_000, 14_000) > 50);
}

#[test]
fn figures_that_cannot_be_are_refused_with_what_can() {
    let classes = r#"gap_classes = [{ to_ns = "1ms", share = 0.8, mean_ns = "0.1ms" },
        { share = 0.2, mean_ns = "5ms" }]"#;
    let with = |more: &str| format!("{classes}\n{more}");
    let open = classes.replace(", mean_ns = \"5ms\"", "");
    let runs = DENSE.split_once("0.876").unwrap().1;
    for (figures, key, message) in [
        (
            with("burst_requests = 5\nidle_share = 0.9\nidle_over_ns = 1e6"),
            "burst_requests",
            "gap_classes both say",
        ),
        (classes.replace("0.1ms", "1.1ms"), "gap_classes.0.mean_ns", "allowed: between 0 and 1000000 ns"),
        (open.clone(), "gap_classes.1.mean_ns", "missing"),
        (classes.replace("to_ns = \"1ms\", ", ""), "gap_classes.0.to_ns", "missing"),
        (with("duration_ns = \"10s\""), "gap_classes", "but the duration is 1.0000e10 ns"),
        (format!("{open}\nduration_ns = \"0.2s\""), "gap_classes", "for 200 gaps longer than 1000000 ns"),
        (classes.replace("0.8", "0").replace("0.2", "0"), "gap_classes", "all 0"),
        (classes.replace("0.8", "-1"), "gap_classes.0.share", "-1 is not allowed; allowed: 0 or more"),
        (with("short_gap_runs = 0.5"), "short_gap_runs", "800 gaps up to 1 ms in 201 bursts; possible: 0.7"),
        (
            with("short_gap_runs = 0.8\nmedian_burst_requests = 900"),
            "median_burst_requests",
            "900 conflicts with",
        ),
        (with("short_pause_runs = 0.5"), "short_pause_runs", "needs short_gap_runs"),
        (with("short_gap_runs = 0.8\nshort_pause_runs = 0.5"), "short_pause_runs", "told apart at 100 ms"),
        (
            format!("{runs}\nshort_gap_runs = 0.88\nshort_pause_runs = 0.2"),
            "short_pause_runs",
            "0.2 is not possible",
        ),
        (with("short_gap_runs = 0.8\ntight_gap_runs = 0.7"), "tight_gap_runs", "told apart at 10 us"),
        (
            DENSE.replace("tight_gap_runs = 0.878", "tight_gap_runs = 0.2"),
            "tight_gap_runs",
            "571 gaps up to 10 us in these bursts; possible: ",
        ),
        (with("tight_gap_runs = 0.7"), "tight_gap_runs", "needs short_gap_runs"),
        (with("median_burst_requests = 9"), "median_burst_requests", "needs short_gap_runs"),
        (
            classes.replace("\"1ms\"", "\"2ms\"") + "\nshort_gap_runs = 0.8",
            "short_gap_runs",
            "told apart at 1 ms",
        ),
        ("short_gap_runs = 0.8".to_owned(), "short_gap_runs", "told apart at 1 ms"),
        (
            "write_after_write_share = 0.1".to_owned(),
            "write_after_write_share",
            "200 reads and 801 writes; possible: 0.7",
        ),
    ] {
        let error = workload(&text(1001, 0.8, &figures), None).unwrap_err().to_string();
        assert!(error.contains(&format!("twin.{key}")) && error.contains(message), "{figures}\n{error}");
        let told = error.lines().filter(|line| line.contains(": twin.")).count();
        assert_eq!(told, if figures.contains("idle_share") { 3 } else { 1 }, "{error}");
    }
}
