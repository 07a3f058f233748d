//! Blocks that move because of their cells: which, when, and that nothing is lost by it.

use crate::it::cells::{cells, small, PAGE, USER};
use crate::it::common::*;
use slcache_core::metrics::cells::UpkeepReport;

/// Schemes that know more of where data lie than regions and map do.
pub(super) const REFUSE: [&str; 13] = [
    "clairvoyant",
    "classifier",
    "bypass-oracle",
    "ips",
    "ips-agc",
    "ips-coop",
    "slc-share",
    "ust",
    "nvc",
    "nvc-slc-only",
    "nvc-mlc-only",
    "disk-only",
    "custom",
];

/// Feeds requests, audited now and then, and ends the run.
fn run(sim: &mut Simulation, requests: &[Request]) -> Report {
    foresee(sim, requests);
    for part in requests.chunks(500) {
        sim.feed(part).unwrap();
        sim.audit().unwrap();
    }
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    report
}

/// Requests with a pause after every 400.
pub(super) fn mix(n: usize, gap_ns: f64) -> Vec<Request> {
    let mut requests = random(n, USER, 8, 0.7, gap_ns, 5);
    for (pauses, part) in (0..).zip(requests.chunks_mut(400)) {
        part.iter_mut().for_each(|request| request.at_ns += pauses * 400_000_000);
    }
    requests
}

fn upkeep(report: &Report) -> UpkeepReport {
    report.cells.as_ref().and_then(|cells| cells.upkeep).expect("blocks move because of their cells")
}

fn count(sim: &Simulation, kind: OpKind, cause: Cause) -> u64 {
    let rows = sim.counters().iter().filter(|row| row.kind == kind && row.cause == cause);
    rows.map(|row| row.totals.count).sum()
}

/// One plane whose first block, of 48 pages, is closed.
fn one_plane(config: Value) -> Simulation {
    let mut setup = setup(device(pool(1, 1, 16, 16, PAGE as u32), 4 << 20), "tlc-only");
    setup.device.cells = cells(config);
    setup.precondition.fill = 48.0 * PAGE as f64 / f64::from(4 << 20);
    begin(&setup)
}

fn reads(n: u64, gap_ns: u64) -> Vec<Request> {
    (0..n).map(|i| request(i * gap_ns, HostOp::Read, 5 * PAGE, PAGE)).collect()
}

#[test]
fn a_page_read_k_times_the_limit_moves_its_block_k_times() {
    // Each read comes when the move before it is over.
    let gap_ns = 80_000_000;
    for k in [1, 2, 5] {
        let mut sim = one_plane(json!({ "reclaim": { "reads": 250 } }));
        let before = sim.media().lookup(Mu(20));
        let report = run(&mut sim, &reads(k * 250, gap_ns));
        assert_eq!(upkeep(&report), UpkeepReport { reclaimed_blocks: k, ..UpkeepReport::default() });
        assert_eq!(count(&sim, OpKind::Erase, Cause::Reclaim), k);
        assert_eq!(count(&sim, OpKind::Program, Cause::Reclaim), 48 * k);
        assert_ne!(sim.media().lookup(Mu(20)), before);
        // One read less, one move less.
        let mut sim = one_plane(json!({ "reclaim": { "reads": 250 } }));
        let report = run(&mut sim, &reads(k * 250 - 1, gap_ns));
        assert_eq!(upkeep(&report).reclaimed_blocks, k - 1);
    }
    // Where the device is never idle too. What is being programmed, behind the host's reads, comes from the controller,
    // and is no read.
    let mut sim = one_plane(json!({ "reclaim": { "reads": 250 } }));
    let told = upkeep(&run(&mut sim, &reads(5000, 100_000)));
    assert!((5..20).contains(&told.reclaimed_blocks), "{told:?}");
    // Reads before time 0 count: five of each of 48 pages.
    let start = json!({ "tlc": { "reads": 5.0 } });
    for (more, moved) in [(9, 0), (10, 1)] {
        let mut sim = one_plane(json!({ "reclaim": { "reads": 250 }, "start": start }));
        assert_eq!(upkeep(&run(&mut sim, &reads(more, 200_000))).reclaimed_blocks, moved);
    }
}

/// A worn plane of which 5 blocks are closed; a second is 100,000.
fn ageing(refresh: Value) -> Simulation {
    let mut setup = setup(device(pool(1, 1, 16, 16, PAGE as u32), 4 << 20), "tlc-only");
    let start = json!({ "tlc": { "cycles": 1000 } });
    setup.device.cells = cells(json!({ "age_scale": 1e5, "start": start, "refresh": refresh }));
    setup.precondition.fill = 1.0;
    begin(&setup)
}

/// How many steps more each closed block with data takes to read than if it were fresh; its pages are alike.
fn aged(sim: &Simulation) -> Vec<u32> {
    let array = &sim.media().array();
    let closed = array.used_blocks().filter(|&block| array.is_closed(block) && array.live_pages(block) > 0);
    closed.map(|block| array.aged_steps(block, sim.now_ns())).collect()
}

/// A read now and then, of a block that is hardly aged.
fn glances(seconds: u64) -> Vec<Request> {
    (0..seconds * 10).map(|i| request(i * 100_000_000, HostOp::Read, 250 * PAGE, PAGE)).collect()
}

#[test]
fn after_a_pass_no_block_has_aged() {
    // Data age by 92 days.
    let mut sim = ageing(json!({ "steps": 63 }));
    run(&mut sim, &glances(80));
    assert!(aged(&sim).iter().filter(|&&steps| steps >= 6).count() >= 4, "{:?}", aged(&sim));
    // Of blocks that nobody reads only a patrol tells.
    let mut sim = ageing(json!({}));
    let told = upkeep(&run(&mut sim, &glances(80)));
    assert!(told.refreshed_blocks <= 1 && told.patrol_reads == 0, "{told:?}");
    let mut sim = ageing(json!({ "scrub": "patrol", "patrol_days": 1.0 }));
    let told = upkeep(&run(&mut sim, &glances(80)));
    assert!(told.refreshed_blocks >= 4 && told.patrol_reads > 100, "{told:?}");
    assert_eq!(count(&sim, OpKind::Erase, Cause::Refresh), told.refreshed_blocks);
    assert!(aged(&sim).iter().all(|&steps| steps < 6), "{:?}", aged(&sim));
}

/// What is no better freshly written is left alone.
#[test]
fn worn_blocks_do_not_move_in_circles() {
    for cycles in [3000, 6000, 20_000] {
        let mut setup = setup(device(pool(1, 1, 16, 16, PAGE as u32), 4 << 20), "tlc-only");
        let start = json!({ "tlc": { "cycles": cycles } });
        let refresh = json!({ "scrub": "patrol", "patrol_days": 0.5 });
        // The steps of the ladder that are left are too few.
        let retry = json!({ "max_steps": 5 });
        setup.device.cells =
            cells(json!({ "age_scale": 1e5, "start": start, "refresh": refresh, "retry": retry }));
        setup.precondition.fill = 1.0;
        let mut sim = begin(&setup);
        let told = upkeep(&run(&mut sim, &glances(20)));
        assert!(told.patrol_reads > 100, "{told:?}");
        // Each at most once, where it is nearly lost.
        assert!(told.refreshed_blocks <= 16, "{cycles}: {told:?}");
    }
}

/// What every scheme is asked to do: a second is a day, and data of the time before are old.
pub(super) fn busy() -> Value {
    json!({
        "age_scale": 86_400.0,
        "start": { "slc": { "cycles": 500, "days": 30.0 }, "tlc": { "cycles": 1500, "days": 30.0 } },
        "reclaim": { "reads": 60 },
        "refresh": { "steps": 3, "scrub": "patrol", "patrol_days": 2.0 },
        "levelling": { "threshold": 1 },
    })
}

#[test]
fn every_scheme_moves_blocks_or_refuses_to() {
    for (i, entry) in CATALOG.iter().enumerate() {
        let mut config = busy();
        config["mode"] = ["expected", "sampled"][i % 2].into();
        let setup = small(entry.name, config);
        if REFUSE.contains(&entry.name) {
            let problems: Vec<_> = setup.check().iter().map(ToString::to_string).collect();
            let told = format!("must be left out with {}: ", entry.name);
            for section in setup.device.cells.iter().flat_map(|cells| cells.upkeep()) {
                let key = format!("device.cells.{section} = present");
                let is_told = |text: &String| text.starts_with(&key) && text.contains(&told);
                assert!(problems.iter().any(is_told), "{problems:?}");
            }
            continue;
        }
        let mut sim = begin(&setup);
        let report = run(&mut sim, &mix(4000, 300_000.0));
        let upkeep = upkeep(&report);
        for (cause, told) in [
            (Cause::Reclaim, upkeep.reclaimed_blocks),
            (Cause::Refresh, upkeep.refreshed_blocks),
            (Cause::Wear, upkeep.levelled_blocks),
        ] {
            assert!(told > 0, "{}: {upkeep:?}", entry.name);
            assert_eq!(count(&sim, OpKind::Erase, cause), told, "{}", entry.name);
        }
    }
}

/// Blocks of a plane, of which so many hold data that are never written again, and of which so many have room for
/// more than the data.
const BLOCKS: u64 = 72;
const COLD: u64 = 40;
const SPARE: u64 = 8;
const PAGES: u64 = 48;

/// How far the erases of blocks lie apart, and the most.
fn spread(sim: &Simulation) -> (f64, f64) {
    let array = &sim.media().array();
    let worn = array.used_blocks().map(|block| array.worn_cycles(block));
    let (least, most) = worn.fold((f64::INFINITY, 0.0), |(least, most), n| (n.min(least), n.max(most)));
    (most - least, most)
}

/// Writes pages of the hot data until 6,000 blocks were erased for them; `look` sees the spread of erases after
/// every few. `clean` are further keys of the store.
fn wear_out(levelling: Option<Value>, clean: &Value, mut look: impl FnMut(f64)) -> (Simulation, Report) {
    let user = (BLOCKS - SPARE) * PAGES * PAGE;
    let mut setup = setup(device(pool(1, 1, BLOCKS as u32, 16, PAGE as u32), user), "tlc-only");
    let mut scheme = serde_json::to_value(&setup.scheme).unwrap();
    for (key, value) in clean.as_object().unwrap() {
        scheme["tlc-only"]["clean"][key] = value.clone();
    }
    setup.scheme = serde_json::from_value(scheme).unwrap();
    setup.device.cells = cells(levelling.map_or(json!({}), |own| json!({ "levelling": own })));
    setup.precondition.fill = 1.0;
    let mut sim = begin(&setup);
    let hot = (BLOCKS - SPARE - COLD) * PAGES;
    let mut next = (0..).map(|i: u64| COLD * PAGES + (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % hot);
    let mut at_ns = 0;
    while others(&sim) < 6000 {
        let writes = next.by_ref().take(16).map(|page| {
            at_ns += 4_000_000;
            request(at_ns, HostOp::Write, page * PAGE, PAGE)
        });
        sim.feed(&writes.collect::<Vec<_>>()).unwrap();
        look(spread(&sim).0);
    }
    sim.audit().unwrap();
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    (sim, report)
}

/// Blocks erased, but for those that were levelled.
fn others(sim: &Simulation) -> u64 {
    let rows = sim.counters().iter().filter(|row| row.kind == OpKind::Erase && row.cause != Cause::Wear);
    rows.map(|row| row.totals.count).sum()
}

#[test]
fn blocks_with_cold_data_take_their_part_of_the_wear() {
    let (sim, report) = wear_out(None, &json!({}), |_| ());
    let (unlevelled, most_unlevelled) = spread(&sim);
    // 6,000 by 32.
    assert!(unlevelled > 180.0, "{unlevelled}");
    assert!(report.cells.unwrap().upkeep.is_none());
    let moves = ["fifo", "dynamic"].map(|rule| {
        let mut widest: f64 = 0.0;
        let levelling = Some(json!({ "threshold": 10 }));
        let (sim, report) =
            wear_out(levelling, &json!({ "wear_levelling": rule }), |now| widest = widest.max(now));
        let (levelled, most) = spread(&sim);
        let told = upkeep(&report).levelled_blocks;
        assert!((8.0..=12.0).contains(&levelled) && widest <= 12.0, "{levelled}, at most {widest}");
        assert!(most < 0.67 * most_unlevelled, "{most} of {most_unlevelled}");
        assert_eq!(count(&sim, OpKind::Erase, Cause::Wear), told);
        assert!(told >= COLD && told <= others(&sim), "{told}");
        told
    });
    // Where the least worn are opened first, data that die soon come to them.
    assert!(moves[1] < moves[0], "{moves:?}");
    // Unless given, the threshold is a share of the endurance: 5 % of what TLC stands, 3,000 cycles.
    let mut widest: f64 = 0.0;
    wear_out(Some(json!({})), &json!({}), |now| widest = widest.max(now));
    assert!((150.0..=152.0).contains(&widest), "{widest}");
}

/// SimpleSSD's rule: few erases are never even, so it moves often at first, and keeps blocks apart by some cycles.
#[test]
fn evenness_levels_by_a_share_of_the_wear() {
    let (sim, report) = wear_out(Some(json!({ "evenness": 0.7 })), &json!({}), |_| ());
    let told = upkeep(&report).levelled_blocks;
    assert!(told >= COLD && told <= others(&sim), "{told}");
    let evenness = |erases: &[f64]| {
        let (sum, squares) = erases.iter().fold((0.0, 0.0), |(sum, squares), n| (sum + n, squares + n * n));
        sum * sum / (erases.len() as f64 * squares)
    };
    let array = &sim.media().array();
    let worn: Vec<f64> = array.used_blocks().map(|block| array.worn_cycles(block)).collect();
    // An erase comes between two looks.
    assert!(evenness(&worn) > 0.69, "{}", evenness(&worn));
}

/// What a class rarely writes to stays open, and is not moved.
#[test]
fn separated_data_stay_in_their_class() {
    let clean = json!({ "separation": { "streams": { "classes": 3 } } });
    let (sim, report) = wear_out(Some(json!({ "threshold": 10 })), &clean, |_| ());
    assert_eq!(report.scheme.figures["separation_lent_blocks"], 0.0);
    let told = upkeep(&report).levelled_blocks;
    assert!(told >= COLD && told <= others(&sim), "{told}");
}
