//! What every scheme of the catalogue owes its user, whatever its policy.

use crate::it::common::{
    begin, configure, device, few, foresee, pool, random, request, restart, setup, turning, versatile_pool,
};
use crate::it::{cells, map_cache, retirement, upkeep};
use serde_json::{json, Value};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::base::Mu;
use slcache_core::device::config::{BufferConfig, LinkConfig, Prefill, Replay};
use slcache_core::device::{RunError, Setup, Simulation, Stop};
use slcache_core::hw::config::{ModeCells, ProgramRule};
use slcache_core::metrics::report::{Report, TableReport};
use slcache_core::schemes::{CatalogEntry, CATALOG};

/// What tlc-only can offer at most: of 24 blocks per plane, two frontiers and two free are held back.
const TLC_ONLY_MOST: u64 = 4 * (24 - 4) * 48 * 16384;

/// A device of `user_bytes` under `scheme`, dense pages programmed a wordline at a time.
pub fn small(scheme: &str, user_bytes: u64) -> Setup {
    let mut flash = versatile_pool(2, 2, 24, 16, 16384);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let mut setup = setup(device(flash, user_bytes), scheme);
    let short = [("period_writes", 200.into()), ("force_after_writes", 100.into())];
    let cache = [("slc_blocks", 6.into()), ("dynamic.max_bytes", (4 * 6 * 16 * 16384).into())];
    configure(&mut setup, &[&cache, &short[..]].concat());
    setup
}

/// Schemes whose data are at home in flash.
pub(super) fn in_flash() -> impl Iterator<Item = &'static CatalogEntry> {
    CATALOG.iter().filter(|entry| !entry.on_disk)
}

/// Schemes that write to flash: one leaves it alone.
pub fn using_flash() -> impl Iterator<Item = &'static CatalogEntry> {
    CATALOG.iter().filter(|entry| entry.name != "disk-only")
}

/// The largest user capacity `scheme` accepts, found by asking.
fn largest(scheme: &str) -> Setup {
    let mut bytes = TLC_ONLY_MOST;
    while !small(scheme, bytes).check().is_empty() {
        bytes -= 16384;
    }
    small(scheme, bytes)
}

fn run(sim: &mut Simulation, requests: &[Request]) -> Report {
    foresee(sim, requests);
    sim.feed(requests).unwrap();
    sim.finish().unwrap()
}

fn text(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

#[test]
fn figures_do_not_depend_on_how_the_trace_is_cut() {
    for entry in CATALOG {
        let setup = small(entry.name, 24 << 20);
        let requests = random(5000, 24 << 20, 8, 0.4, 300_000.0, 6);
        let whole = run(&mut Simulation::new(&setup).unwrap(), &requests);
        let mut sim = Simulation::new(&setup).unwrap();
        foresee(&mut sim, &requests);
        requests.chunks(7).for_each(|batch| sim.feed(batch).unwrap());
        assert_eq!(text(&whole), text(&sim.finish().unwrap()), "{}", entry.name);
    }
}

#[test]
fn a_full_device_takes_every_overwrite() {
    for entry in in_flash() {
        let setup = largest(entry.name);
        let bytes = setup.device.user_bytes;
        let mut sim = Simulation::new(&setup).unwrap();
        sim.track_versions();
        let fill: Vec<_> = (0..bytes / 16384).map(|i| request(0, HostOp::Write, i * 16384, 16384)).collect();
        let overwrites = random(12_000, bytes, 4, 0.1, 500_000.0, 8);
        foresee(&mut sim, &[&fill[..], &overwrites].concat());
        sim.feed(&fill).unwrap();
        assert_eq!(sim.media().mapped(), bytes / 4096);
        for batch in overwrites.chunks(1000) {
            sim.feed(batch).unwrap();
            sim.audit().unwrap();
        }
        sim.finish().unwrap();
        sim.audit().unwrap();
        assert_eq!((sim.media().mapped(), sim.timing().ops_in_flight()), (bytes / 4096, 0), "{}", entry.name);
    }
}

/// Reads, writes, trims and flushes in `user_bytes`, with pauses long enough for idle work.
pub fn mixed(user_bytes: u64, seed: u64) -> Vec<Request> {
    let requests = random(3000, user_bytes, 8, 0.4, 300_000.0, seed);
    let mix = |(i, request): (usize, Request)| {
        let op = match i % 100 {
            20 => HostOp::Trim,
            40 => HostOp::Flush,
            _ => request.op,
        };
        Request { at_ns: request.at_ns + i as u64 / 500 * 80_000_000, op, ..request }
    };
    requests.into_iter().enumerate().map(mix).collect()
}

/// The device with a second pool, an acknowledging DRAM buffer, no power-loss protection, data before
/// time 0 and data placed at their first read.
fn all_at_once(scheme: &str, user_bytes: u64) -> Setup {
    let mut setup = small(scheme, user_bytes);
    let mut other = pool(1, 2, 6, 4, 16384);
    (other.name, other.tlc) = ("other".into(), None);
    if setup.device.disk.is_some() {
        // A disk has room for all that the flash can hold.
        setup.device.user_bytes += other.raw_bytes(other.densest());
    }
    setup.device.pool.insert(0, other);
    setup.device.plp = false;
    setup.buffer = Some(BufferConfig { access_ns: 1000, ..BufferConfig::new(8 * 16384) });
    (setup.precondition.fill, setup.precondition.overwrite) = (0.5, 1.0);
    setup.trace.prefill = Prefill::OnRead;
    setup
}

/// The device behind a host link, many requests at a time: some cross the link at the same time.
fn behind_a_link(scheme: &str, user_bytes: u64) -> Setup {
    let mut setup = small(scheme, user_bytes);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 32);
    setup.host.link = Some(LinkConfig {
        lanes: 1,
        lane_mb_per_s: 500,
        payload_bytes: 256,
        header_bytes: 24,
        read_overhead_ns: 1000,
        write_overhead_ns: 1000,
    });
    setup
}

/// The device with cells that err, whose blocks move because of them where the scheme lets them.
fn ageing(scheme: &str, _: u64) -> Setup {
    let with = |mut config: Value| {
        config["mode"] = ["expected", "sampled"][scheme.len() % 2].into();
        cells::small(scheme, config)
    };
    let busy = with(upkeep::busy());
    if busy.check().is_empty() {
        busy
    } else {
        with(cells::worn())
    }
}

/// Everything that `sim` did and holds, after `rest`.
fn whole_story(mut sim: Simulation, rest: &[Request]) -> [String; 4] {
    let report = text(&run(&mut sim, rest));
    sim.audit().unwrap();
    let state = serde_json::to_string(&sim.save()).unwrap();
    [format!("{:?}", sim.ops()), format!("{:?}", sim.log()), report, state]
}

#[test]
fn a_clone_in_mid_run_goes_on_as_the_original_does() {
    for entry in CATALOG {
        for make in [small, all_at_once, behind_a_link] {
            let setup = make(entry.name, 24 << 20);
            let mut sim = Simulation::new(&setup).unwrap();
            sim.precondition(&mut |_, _| true).unwrap();
            sim.keep_ops();
            sim.keep_log();
            let requests = mixed(setup.device.user_bytes, 11);
            // Cut where much is under way: at least ten requests behind the last pause.
            foresee(&mut sim, &requests);
            let mut cut = 2010;
            sim.feed(&requests[..cut]).unwrap();
            while sim.backlog() == 0 || sim.timing().ops_in_flight() == 0 {
                assert!(cut < 2500, "{}: at rest", entry.name);
                sim.feed(&requests[cut..=cut]).unwrap();
                cut += 1;
            }
            let second = &requests[cut..];
            let (clone, other) = (sim.clone(), sim.clone());
            let original = whole_story(sim, second);
            // What happens to one copy is nothing to the others.
            let changed = whole_story(other, &mixed(setup.device.user_bytes, 12)[cut..]);
            assert!(original == whole_story(clone, second), "{}", entry.name);
            assert!(original[3] != changed[3], "{}: other requests left the same state", entry.name);
        }
    }
}

#[test]
fn a_restored_device_goes_on_as_the_original_does() {
    for (i, entry) in CATALOG.iter().enumerate() {
        let makes = [all_at_once, small, behind_a_link, ageing, map_cache::in_part];
        for make in makes.into_iter().skip(i % few(3)).step_by(few(3)) {
            let setup = make(entry.name, 24 << 20);
            let mut sim = Simulation::new(&setup).unwrap();
            sim.precondition(&mut |_, _| true).unwrap();
            let [first, second] = [9, 10].map(|seed| mixed(setup.device.user_bytes, seed));
            let mut rng = RngStream::new(11, "turns");
            let turn = |sim: &mut Simulation| (0..3).for_each(|_| turning::turn_one(sim, &mut rng));
            restart::goes_on_alike(&setup, &mut sim, &first, &second, turn);
        }
    }
}

/// Setups of `scheme` in which something is there and never happens, beside those without it; and the parts of a
/// report that only the first have.
fn idle_features(scheme: &str) -> Vec<(Setup, Setup, &'static [&'static str])> {
    let mut flawless = cells::small(scheme, cells::worn());
    for chips in &mut flawless.device.pool {
        let never = ModeCells { eps: Some(0.0), senses: None };
        for mode in [&mut chips.slc, &mut chips.tlc].into_iter().flatten() {
            mode.cells = Some(never.clone());
        }
    }
    let mut plain = cells::small(scheme, json!({}));
    plain.device.cells = None;
    let cells = &["/cells", "/host/read_errors", "/wear/rule", "/wear/by_rule"];
    let pages = small(scheme, 24 << 20).device.user_bytes / (512 << 10) + 1;
    let whole_map = map_cache::cached(scheme, pages);
    let mut no_map = whole_map.clone();
    no_map.device.map = None;
    let mut features = vec![(flawless, plain, &cells[..]), (whole_map, no_map, &["/map"])];
    if !upkeep::REFUSE.contains(&scheme) {
        let mut never = cells::worn();
        never["reclaim"] = json!({ "reads": 2_000_000_000 });
        never["refresh"] = json!({ "steps": 63 });
        never["levelling"] = json!({ "threshold": 10_000_000 });
        let [never, worn] = [never, cells::worn()].map(|config| cells::small(scheme, config));
        features.push((never, worn, &["/cells/upkeep"]));
    }
    let young = retirement::small(scheme, 3000, json!({ "retire": true, "spare_blocks": 1 }));
    if young.device.disk.is_none() {
        let mut lasting = young.clone();
        lasting.device.cells.as_mut().unwrap().bad_blocks = None;
        features.push((young, lasting, &["/cells/bad_blocks"]));
    }
    features
}

#[test]
fn what_never_happens_changes_nothing() {
    for entry in CATALOG.iter().step_by(few(3)) {
        for (with, without, own) in idle_features(entry.name) {
            let requests = mixed(with.device.user_bytes.min(24 << 20), 5);
            let [told, expected] = [with, without].map(|setup| {
                let mut report = serde_json::to_value(run(&mut begin(&setup), &requests)).unwrap();
                for part in own {
                    let (at, key) = part.rsplit_once('/').unwrap();
                    report.pointer_mut(at).and_then(|at| at.as_object_mut()?.remove(key));
                }
                report
            });
            assert_eq!(told, expected, "{} without {own:?}", entry.name);
        }
    }
}

#[test]
fn a_snapshot_of_another_device_is_refused() {
    for entry in CATALOG {
        let mut sim = Simulation::new(&small(entry.name, 24 << 20)).unwrap();
        run(&mut sim, &random(500, 24 << 20, 8, 0.4, 300_000.0, 9));
        let mut other = small(entry.name, 24 << 20);
        other.device.user_bytes = match entry.on_disk {
            true => 2 * other.device.user_bytes,
            false => 12 << 20,
        };
        let refused = restart::restore(&other, &serde_json::to_string(&sim.save()).unwrap());
        assert!(matches!(refused, Err(RunError::Snapshot(_))), "{}", entry.name);
    }
}

#[test]
fn preconditioning_fills_overwrites_and_finds_the_steady_state() {
    for entry in in_flash() {
        let mut setup = largest(entry.name);
        (setup.precondition.fill, setup.precondition.steady) = (0.9, true);
        // A window is a quarter of the fill, here 4 or 5 rounds of cleaning over all planes.
        setup.precondition.tolerance = 0.25;
        let mut sim = Simulation::new(&setup).unwrap();
        let done = sim.precondition(&mut |_, _| true).unwrap();
        let pages = setup.device.user_bytes / 16384;
        assert_eq!(done.filled, (pages as f64 * 0.9).round() as u64);
        assert_eq!(sim.media().mapped(), done.filled * 4);
        assert!(done.steady && done.overwritten >= done.filled, "{}: {done:?}", entry.name);
        assert!(done.write_amplification >= 1.0 && done.programs >= done.filled + done.overwritten);
        // Nothing of this is the run's: no time, no operation, no wear.
        assert_eq!((sim.now_ns(), sim.counters().iter().count()), (0, 0));
        let array = sim.media().array();
        assert!(array.used_blocks().all(|block| array.wear(block) == 0));
        sim.audit().unwrap();
        let report = run(&mut sim, &random(3000, setup.device.user_bytes, 8, 0.4, 500_000.0, 2));
        sim.audit().unwrap();
        assert!(report.waf.total > 1.0, "{}: cleaning goes on where preconditioning stopped", entry.name);
    }
}

#[test]
fn the_mapping_table_is_as_large_as_before_a_trim() {
    for entry in using_flash() {
        let setup = small(entry.name, 24 << 20);
        let writes = (0..64).map(|page| request(0, HostOp::Write, page * 16384, 16384));
        let trim = request(1_000_000_000, HostOp::Trim, 0, 48 * 16384);
        let requests: Vec<Request> = writes.chain([trim]).collect();
        let report = run(&mut Simulation::new(&setup).unwrap(), &requests);
        // By page, or by unit where a page holds any four of them.
        let entries = |name: &str| match name {
            "page mapping table" => 64,
            "unit mapping table" => 64 * 4,
            _ => 0,
        };
        let table = |t: &TableReport| t.entries > 0 && t.entries == entries(&t.name);
        assert!(report.scheme.tables.iter().any(table), "{}", entry.name);
    }
}

/// Whole pages, several times the SLC cache, with room enough in every plane.
#[test]
fn static_placement_keeps_a_page_on_its_plane_for_life() {
    for entry in in_flash() {
        let mut setup = small(entry.name, 24 << 20);
        if configure(&mut setup, &[("placement", "static".into())]) == 0 {
            assert_eq!(entry.name, "ust", "its logical blocks have their planes anyway");
            continue;
        }
        let mut sim = Simulation::new(&setup).unwrap();
        let page = |i: u64| request(i * 1_000, HostOp::Write, i * 7 % 1000 * 16384, 16384);
        run(&mut sim, &(0..2000).map(page).collect::<Vec<_>>());
        let geometry = &sim.media().array().geometry;
        let plane = |page: u32| {
            let slot = sim.media().lookup(Mu(page * 4)).unwrap();
            geometry.plane_of(geometry.block_of(geometry.page_of(slot)))
        };
        let strayed = (4..1000).filter(|&page| plane(page) != plane(page % 4)).count();
        assert_eq!(strayed, 0, "{}: pages away from the plane of their number", entry.name);
    }
}

#[test]
fn an_order_to_stop_ends_every_part_of_a_run() {
    for entry in CATALOG {
        let mut setup = small(entry.name, 24 << 20);
        setup.precondition.fill = 0.5;
        let requests = random(2000, setup.device.user_bytes, 8, 0.2, 1000.0, 3);
        let ordered = || {
            let (mut sim, stop) = (Simulation::new(&setup).unwrap(), Stop::default());
            sim.stop_by(stop.clone());
            sim.feed(&requests).unwrap();
            stop.order();
            sim
        };
        let cancelled = Err(RunError::Cancelled);
        assert_eq!(ordered().feed(&requests), cancelled, "{}", entry.name);
        assert_eq!(ordered().finish().map(|_| ()), cancelled, "{}", entry.name);
        assert_eq!(ordered().preload(&[(0, 100)]), cancelled, "{}", entry.name);
        assert_eq!(ordered().precondition(&mut |_, _| true).map(|_| ()), cancelled, "{}", entry.name);
        let mut sim = Simulation::new(&setup).unwrap();
        assert_eq!(
            sim.precondition(&mut |_, _| false).map(|_| ()),
            cancelled,
            "{}: by its caller",
            entry.name
        );
    }
}
