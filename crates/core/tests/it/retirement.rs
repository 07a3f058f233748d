//! Blocks that retire, spare ones, and the end of a device's life.

use crate::it::common::{restart, *};
use crate::it::conformance::in_flash;
use slcache_core::metrics::cells::{BadBlocksReport, EndOfLife, EndReport};

const PAGE: u64 = 16_384;
const USER: u64 = 16 << 20;

/// A device with all of the catalogue's needs whose blocks stand so many cycles.
pub(super) fn small(scheme: &str, endurance_cycles: u32, bad_blocks: Value) -> Setup {
    let mut chips = versatile_pool(2, 2, 24, 8, PAGE as u32);
    chips.slc.as_mut().unwrap().endurance_cycles = Some(3 * endurance_cycles);
    chips.tlc.as_mut().unwrap().endurance_cycles = Some(endurance_cycles);
    let mut setup = setup(device(chips, USER), scheme);
    let short = [("period_writes", 200.into()), ("force_after_writes", 100.into())];
    let cache = [("slc_blocks", 6.into()), ("dynamic.max_bytes", (4 * 6 * 8 * PAGE).into())];
    configure(&mut setup, &[&cache, &short[..]].concat());
    setup.device.cells = Some(serde_json::from_value(json!({ "bad_blocks": bad_blocks })).unwrap());
    setup
}

/// A device some of whose blocks are bad and more become so, if it has no disk.
pub(super) fn worn(scheme: &str, _: u64) -> Setup {
    let bad_blocks = json!({ "retire": true, "spare_blocks": 1, "factory_bad": 0.02 });
    let mut worn = small(scheme, 16, bad_blocks);
    worn.device.cells = worn.device.cells.filter(|_| worn.device.disk.is_none());
    worn
}

fn bad_blocks(report: &Report) -> BadBlocksReport {
    report.cells.as_ref().unwrap().bad_blocks.clone().unwrap()
}

fn end(report: &Report) -> EndReport {
    bad_blocks(report).end.expect("the device has ended")
}

/// Map and array agree always; what a scheme counts beside them does until a write finds no room.
fn audit(sim: &Simulation) {
    let bad = sim.media().array().bad_blocks().unwrap();
    match bad.end().is_some_and(|end| end.reason == EndOfLife::Full) {
        true => slcache_core::ftl::audit::audit(sim.media()).unwrap(),
        false => sim.audit().unwrap(),
    }
}

/// Serves requests until the device has ended and some more have come; what it did.
fn wear_out(setup: &Setup, requests: &[Request]) -> Report {
    let mut sim = begin(setup);
    foresee(&mut sim, requests);
    let mut fed = 0;
    for batch in requests.chunks(500) {
        let had_ended = sim.has_ended();
        sim.feed(batch).unwrap();
        audit(&sim);
        fed += batch.len() as u64;
        if had_ended {
            break;
        }
    }
    let report = sim.finish().unwrap();
    audit(&sim);
    let [read, write] = [&report.host.read, &report.host.write].map(|side| side.requests);
    assert_eq!(read + write + end(&report).unserved_requests, fed);
    report
}

const ENDS: [&str; 2] = ["full", "first-plane-without-spare"];

/// A worn device ends as it should: without spares or with, some blocks bad, closed or open, filled or with a
/// buffer.
fn ends_with_results(scheme: &str, case: usize) {
    let (has_spares, has_buffer) = (case / 2 % 2 == 1, case / 4 == 1);
    let mut setup = small(
        scheme,
        4,
        json!({
            "retire": true,
            "end_of_life": ENDS[case % 2],
            "spare_blocks": if has_spares { 2 } else { 0 },
            "factory_bad": if has_buffer { 0.02 } else { 0.0 },
        }),
    );
    if has_spares {
        (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 4);
    }
    if has_buffer {
        let buffer = json!({ "bytes": 256 << 10, "acknowledge": "on-buffer" });
        setup.buffer = Some(serde_json::from_value(buffer).unwrap());
        setup.host.queue_depth = 8;
    } else {
        setup.precondition.fill = 0.5;
    }
    let bytes = setup.device.user_bytes.min(2 * USER);
    let report = wear_out(&setup, &random(40_000, bytes, 8, 0.2, 300_000.0, case as u64));
    let (bad, end) = (bad_blocks(&report), end(&report));
    assert_eq!(end.reason.name(), ENDS[case % 2]);
    assert!(end.unserved_requests > 0 && end.at_ns > 0, "{bad:?}");
    assert_eq!(end.host_bytes, report.host.write.bytes);
    assert!(bad.mean_damage.is_some_and(|damage| (0.05..2.0).contains(&damage)), "{bad:?}");
    // What ends the run for want of a spare block stays in use.
    assert!(case % 2 == 0 || bad.without_spare <= u64::from(bad.factory_bad), "{bad:?}");
}

#[test]
fn every_scheme_reaches_its_end_with_results() {
    let mut failed = Vec::new();
    let schemes = in_flash().map(|entry| entry.name);
    for (i, scheme) in schemes.enumerate() {
        for case in (i % few(4)..8).step_by(few(4)) {
            if std::panic::catch_unwind(|| ends_with_results(scheme, case)).is_err() {
                failed.push((scheme, case));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// The blocks of all planes that are out of use, and those that hold data or are to be opened.
fn in_use(sim: &Simulation) -> (u64, u64) {
    let array = sim.media().array();
    let lost = array.bad_blocks().unwrap().lost().count() as u64;
    let used =
        array.used_blocks().filter(|&b| array.block(b).state() != BlockState::Free && !array.is_lost(b));
    let free: u64 = sim
        .media()
        .banks()
        .iter()
        .flat_map(|bank| bank.planes().map(|p| u64::from(bank.free(slcache_core::base::PlaneId(p)))))
        .sum();
    (lost, used.count() as u64 + free)
}

#[test]
fn a_spare_block_takes_the_place_and_without_one_the_plane_shrinks() {
    let retire = |spares: u32| json!({ "retire": true, "spare_blocks": spares });
    let requests = random(6000, USER, 8, 0.0, 300_000.0, 3);
    for spares in [0, 24] {
        let setup = small("tlc-only", 4, retire(spares));
        let mut sim = begin(&setup);
        for batch in requests.chunks(20) {
            sim.feed(batch).unwrap();
            let (lost, used) = in_use(&sim);
            assert_eq!(lost + used, 4 * 24);
            let bad = sim.media().array().bad_blocks().unwrap();
            let gone: u64 = bad.left().iter().map(|&left| u64::from(spares - left)).sum();
            assert_eq!(bad.retired(), lost + gone);
            assert_eq!(lost > 0, gone < bad.retired());
            if bad.retired() > 20 {
                break;
            }
        }
        let report = sim.finish().unwrap();
        let bad = bad_blocks(&report);
        assert!(bad.retired > 20 && bad.end.is_none(), "{bad:?}");
        assert_eq!(bad.without_spare, if spares == 0 { bad.retired } else { 0 });
        assert_eq!(bad.spares_left, 4 * u64::from(spares) - (bad.retired - bad.without_spare));
        // Every erase is one of a block that is told of.
        let erased: u64 =
            report.flash.ops.iter().filter(|row| row.kind == "erase").map(|row| row.count).sum();
        let told: u64 = report.wear.pools.iter().map(|row| row.erases).sum();
        assert_eq!(told, erased);
        let most = report.wear.pools.iter().map(|row| row.max).max().unwrap();
        assert!(most <= 8, "a block stands 4 cycles times what it differs by: {most}");
    }
}

#[test]
fn blocks_bad_from_the_start_are_used_by_nobody() {
    for entry in in_flash() {
        let setup = small(entry.name, 3000, json!({ "factory_bad": 0.02 }));
        let mut sim = begin(&setup);
        let bad: Vec<BlockId> = sim.media().array().bad_blocks().unwrap().lost().collect();
        assert!((1..=6).contains(&bad.len()), "{bad:?}");
        let requests = random(4000, setup.device.user_bytes.min(USER), 8, 0.2, 300_000.0, 4);
        foresee(&mut sim, &requests);
        for batch in requests.chunks(400) {
            sim.feed(batch).unwrap();
            sim.audit().unwrap_or_else(|what| panic!("{}: {what}", entry.name));
        }
        let report = sim.finish().unwrap();
        assert!(bad.iter().all(|&block| !sim.media().array().was_used(block)), "{}", entry.name);
        let told = bad_blocks(&report);
        assert_eq!(
            (told.factory_bad, told.without_spare, told.retired),
            (bad.len() as u32, bad.len() as u64, 0)
        );
    }
    let share = |share: f64| {
        let sim = begin(&small("tlc-only", 3000, json!({ "factory_bad": share })));
        sim.media().array().bad_blocks().unwrap().factory_bad()
    };
    assert_eq!(share(0.0), 0);
    assert!((5..=20).contains(&share(0.1)), "{}", share(0.1));
}

/// One plane whose blocks are all alike: they retire together.
fn alike(end_of_life: &str, spares: u32) -> Setup {
    let mut chips = pool(1, 1, 16, 4, PAGE as u32);
    chips.tlc.as_mut().unwrap().endurance_cycles = Some(3);
    let mut setup = setup(device(chips, 2 << 20), "tlc-only");
    let bad_blocks = json!({ "retire": true, "spare_blocks": spares, "end_of_life": end_of_life });
    let cells = json!({ "variation": 0.0, "bad_blocks": bad_blocks });
    setup.device.cells = Some(serde_json::from_value(cells).unwrap());
    setup
}

fn rewrite(n: u64) -> Vec<Request> {
    (0..n).map(|i| request(i * 5_000_000, HostOp::Write, i % 128 * PAGE, PAGE)).collect()
}

#[test]
fn a_device_that_has_ended_serves_nothing_and_stays_so() {
    for (end_of_life, spares, retired) in
        [("first-plane-without-spare", 0, 0), ("first-plane-without-spare", 3, 3), ("full", 0, 4)]
    {
        let setup = alike(end_of_life, spares);
        let mut sim = begin(&setup);
        sim.feed(&rewrite(4000)).unwrap();
        let report = sim.finish().unwrap();
        let (bad, end) = (bad_blocks(&report), end(&report));
        assert_eq!((end.reason.name(), end.pool.as_str(), end.plane), (end_of_life, "nand", 0));
        match end_of_life {
            "full" => assert!(bad.retired >= retired, "{bad:?}"),
            _ => assert_eq!((bad.retired, bad.spares_left), (retired, 0), "{bad:?}"),
        }
        assert_eq!(end.host_bytes, (4000 - end.unserved_requests) * PAGE);
        assert!(end.at_ns <= (4000 - end.unserved_requests) * 5_000_000, "{end:?}");
        let mut restored = restart::again(&setup, &sim);
        restored.feed(&rewrite(10)).unwrap();
        let after = bad_blocks(&restored.finish().unwrap());
        let told = after.end.unwrap();
        assert_eq!((told.at_ns, told.unserved_requests, told.host_bytes), (0, 10, 0));
        assert_eq!(after.retired, bad.retired);
    }
}
