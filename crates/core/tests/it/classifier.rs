//! `classifier` and `bypass-oracle`: what goes past the cache, and that it is worth it.

use crate::it::common::*;

const PAGE: u64 = 4096;
/// Two planes of 12 SLC and 60 TLC blocks; pages are mapping units.
const BLOCKS: u32 = 72;
const WORDLINES: u32 = 16;
const USER_PAGES: u64 = 4000;

fn run(scheme: &str, sets: &[(&str, serde_json::Value)], requests: &[Request]) -> Report {
    let chip = pool(1, 2, BLOCKS, WORDLINES, PAGE as u32);
    let mut setup = closed(setup(device(chip, USER_PAGES * PAGE), scheme), 1);
    configure(&mut setup, &[("slc_blocks", json!(12))]);
    ended(&with(setup, sets), requests).1
}

fn writes(pages: impl Iterator<Item = u64>) -> Vec<Request> {
    pages.map(|page| request(0, HostOp::Write, page * PAGE, PAGE)).collect()
}

/// Pages by popularity, the n-th as often as 1/n, scattered over the device.
fn zipf(count: usize, seed: u64) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "zipf");
    let mut all = 0.0;
    let mut add = |n| {
        all += 1.0 / n as f64;
        all
    };
    let shares: Vec<f64> = (1..=USER_PAGES).map(&mut add).collect();
    let page = |_| {
        let rank = shares.partition_point(|&sum| sum < rng.fraction() * all) as u64;
        rank * 1_103 % USER_PAGES
    };
    writes((0..count).map(page))
}

#[test]
fn a_stream_that_is_written_once_goes_past_the_cache() {
    // The cache holds 192 pages of either plane; what leaves it teaches.
    let requests = writes(0..USER_PAGES);
    let learned = run("classifier", &[], &requests);
    assert!(figure(&learned, "direct_pages") > 0.85 * USER_PAGES as f64, "{:?}", learned.scheme.figures);
    let foreseen = run("bypass-oracle", &[], &requests);
    assert_eq!(figure(&foreseen, "direct_pages"), USER_PAGES as f64);
    assert_eq!(figure(&foreseen, "slc_pages_migrated"), 0.0);
}

#[test]
fn less_is_migrated_by_the_classifier_and_least_by_who_never_errs() {
    for seed in (1..=3).step_by(few(3)) {
        let requests = zipf(30_000, seed);
        let migrated = ["baseline", "classifier", "bypass-oracle"]
            .map(|scheme| figure(&run(scheme, &[], &requests), "slc_pages_migrated"));
        assert!(migrated[2] < migrated[1] && migrated[1] < migrated[0], "seed {seed}: {migrated:?}");
    }
}

#[test]
fn who_learns_nothing_is_the_baseline_and_every_write_is_counted_once() {
    let requests = random(4000, USER_PAGES * PAGE, 6, 0.3, 0.0, 5);
    let (still, baseline) =
        (run("classifier", &[("rate", json!(0.0))], &requests), run("baseline", &[], &requests));
    assert_eq!(figure(&still, "direct_pages"), 0.0);
    assert_eq!(format!("{:?}", (still.host, still.flash)), format!("{:?}", (baseline.host, baseline.flash)));
    let learned = run("classifier", &[("rate", json!(0.5))], &requests);
    let pages: u64 =
        requests.iter().filter(|r| r.op == HostOp::Write).map(|r| u64::from(r.sectors) / 8).sum();
    assert_eq!(figure(&learned, "slc_pages_written") + figure(&learned, "direct_pages"), pages as f64);
    assert!(figure(&learned, "labels") <= pages as f64);
}

/// The measure is the pages of the cache until a block is reclaimed, and then how long it lasted. Half of the
/// cache is kept free, so that what comes back within half of it never meets a reclamation.
#[test]
fn the_oracle_keeps_what_comes_back_within_a_turnover() {
    let cache = 2 * 12 * u64::from(WORDLINES);
    let loops = |span: u64| writes((0..4 * span).map(move |i| i % span));
    let kept = |span| figure(&run("bypass-oracle", &[], &loops(span)), "slc_pages_written");
    // The last round is never rewritten.
    assert_eq!(kept(150), 3.0 * 150.0);
    assert_eq!(kept(cache + 1), 0.0);
}
