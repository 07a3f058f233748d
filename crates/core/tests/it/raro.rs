//! `raro`: without errors it is a QLC device, and what it converts follows hotness and retries.

use crate::it::common::*;

const PAGE: u64 = 4096;
const BLOCKS: u32 = 60;
const USER_PAGES: u64 = 2 * 50 * 16 * 4;

/// Two planes of blocks in three modes: reads take 30, 66 and 140 us.
fn chip() -> PoolConfig {
    let mut chip = pool(1, 2, BLOCKS, 16, PAGE as u32);
    chip.slc = Some(mode(30_000, 160_000, 3_000_000));
    chip.tlc = Some(mode(66_000, 900_000, 3_000_000));
    chip.qlc = Some(mode(140_000, 3_102_000, 3_500_000));
    chip
}

/// Cells with so many cycles behind them, or none that err.
fn on(scheme: &str, cycles: Option<u32>, sets: &[(&str, serde_json::Value)]) -> Setup {
    let mut setup = setup(device(chip(), USER_PAGES * PAGE), scheme);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Open, 64);
    if let Some(cycles) = cycles {
        let start = json!({ "cycles": cycles, "days": 30.0 });
        let cells = json!({ "start": { "slc": start, "tlc": start, "qlc": start } });
        setup.device.cells = Some(serde_json::from_value(cells).unwrap());
        setup.device.settle();
    }
    setup.precondition.fill = 1.0;
    with(setup, sets)
}

/// Hot pages are read most, with pauses.
fn readers(count: u64, seed: u64) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "readers");
    let reads = (0..count).map(move |i| {
        let hot = rng.fraction() < 0.9;
        let page = if hot { rng.below(200) } else { rng.below(USER_PAGES as u32) };
        let at = i * 2_000_000 + i / 100 * 300_000_000;
        let op = if rng.fraction() < 0.02 { HostOp::Write } else { HostOp::Read };
        request(at, op, u64::from(page) * PAGE, PAGE)
    });
    reads.collect()
}

fn promoted(report: &Report) -> f64 {
    figure(report, "promoted_to_slc_pages") + figure(report, "promoted_to_tlc_pages")
}

#[test]
fn without_errors_it_is_a_device_of_qlc_in_every_operation() {
    let requests: Vec<Request> = random(6000, USER_PAGES * PAGE, 6, 0.5, 400_000.0, 3);
    let sets = [("mode", json!("qlc"))];
    let [raro, qlc] =
        [on("raro", None, &[]), on("tlc-only", None, &sets)].map(|setup| ended(&setup, &requests).1);
    assert_eq!(format!("{:?}", (raro.host, raro.flash)), format!("{:?}", (qlc.host, qlc.flash)));
}

#[test]
fn conversions_rise_with_wear_and_never_with_what_is_asked_of_retries() {
    let requests = readers(6000, 1);
    let of = |cycles, retries: [u32; 2]| {
        promoted(&ended(&on("raro", Some(cycles), &[("min_retries", json!(retries))]), &requests).1)
    };
    // Unworn cells of thirty days take 2 retries.
    assert_eq!(of(0, [4, 8]), 0.0);
    let by_wear = [0, 500, 900].map(|cycles| of(cycles, [4, 8]));
    assert!(by_wear[1] > 100.0 && by_wear[2] >= by_wear[1], "{by_wear:?}");
    let by_retries = [[0, 0], [2, 4], [4, 8], [8, 16], [30, 30]].map(|retries| of(500, retries));
    assert!(by_retries.is_sorted_by(|more, less| more >= less), "{by_retries:?}");
    assert_eq!(by_retries[4], 0.0);
}

#[test]
fn worn_devices_are_read_faster() {
    let requests = readers(6000, 2);
    let mean = |scheme: &str, sets: &[(&str, serde_json::Value)]| {
        ended(&on(scheme, Some(900), sets), &requests).1.host.read.latency_us.unwrap().mean
    };
    let (raro, qlc) = (mean("raro", &[]), mean("tlc-only", &[("mode", json!("qlc"))]));
    assert!(raro < 0.5 * qlc, "{raro} of {qlc} us");
}

#[test]
fn the_budget_holds_and_a_full_device_that_is_written_goes_on() {
    for share in [0.0, 0.05, 0.1] {
        let setup =
            on("raro", Some(900), &[("converted_share", json!(share)), ("min_retries", json!([0, 0]))]);
        let mut requests = readers(4000, 3);
        let end = requests.last().unwrap().at_ns;
        let over = random(6000, USER_PAGES * PAGE, 4, 0.4, 300_000.0, 4);
        requests.extend(over.into_iter().map(|r| Request { at_ns: end + r.at_ns, ..r }));
        let report = ended(&setup, &requests).1;
        let converted = figure(&report, "slc_blocks") + figure(&report, "tlc_blocks");
        assert!(converted <= 2.0 * (share * f64::from(BLOCKS)).floor() + 1e-9, "{share}: {converted} blocks");
        assert_eq!(promoted(&report) > 0.0, share > 0.0);
    }
}
