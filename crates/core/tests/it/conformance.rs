//! What every scheme of the catalogue owes its user, whatever its policy.

use crate::it::common::*;
use crate::it::common::{restart, turning};
use crate::it::{cells, common, map_cache, retirement, upkeep};
use slcache_core::device::{RunError, Stop};
use slcache_core::hw::config::ModeCells;
use slcache_core::schemes::CatalogEntry;

/// What tlc-only can offer at most: of 24 blocks per plane, two frontiers and two free are held back.
const TLC_ONLY_MOST: u64 = 4 * (24 - 4) * 48 * 16384;

/// A device of `user_bytes` under `scheme`, dense pages programmed a wordline at a time.
pub fn small(scheme: &str, user_bytes: u64) -> Setup {
    let mut setup = common::small(scheme);
    setup.device.pool[0].tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    if setup.device.disk.is_none() {
        setup.device.user_bytes = user_bytes;
    }
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

pub(super) fn run(sim: &mut Simulation, requests: &[Request]) -> Report {
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
pub(super) fn all_at_once(scheme: &str, user_bytes: u64) -> Setup {
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
pub(super) fn behind_a_link(scheme: &str, user_bytes: u64) -> Setup {
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
pub(super) fn ageing(scheme: &str, _: u64) -> Setup {
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

#[test]
fn a_restored_device_goes_on_as_the_original_does() {
    for (i, entry) in CATALOG.iter().enumerate() {
        let makes = [all_at_once, small, behind_a_link, ageing, map_cache::in_part, retirement::worn];
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

/// What lies there before costs no program, and pads no wordline, which seven pages do not fill: not at the end of
/// a run, not for the first writes, and not where data come into being with their first read.
#[test]
fn what_was_there_before_costs_nothing_later() {
    let rules = [ProgramRule::PerPage, ProgramRule::OneShot];
    for (entry, rule) in CATALOG.iter().flat_map(|entry| rules.map(|rule| (entry, rule))) {
        let mut setup = small(entry.name, 24 << 20);
        setup.device.pool[0].tlc.as_mut().unwrap().program = rule;
        let programs = |setup: &Setup, cause: &str, requests: &[Request], place: &dyn Fn(&mut Simulation)| {
            let mut sim = Simulation::new(setup).unwrap();
            place(&mut sim);
            let ops = run(&mut sim, requests).flash.ops;
            let found = ops.iter().filter(|row| row.kind != "read" && row.cause.contains(cause));
            found.map(|row| row.pages).sum::<u64>()
        };
        let what = format!("{} {rule:?}", entry.name);
        let pages = |sim: &mut Simulation| sim.preload(&[(0, 7)]).unwrap();
        let of = |op| move |i: u64| request(i * 1_000_000_000, op, (100 + i) * 16384, 16384);
        let two: Vec<_> = (0..2).map(of(HostOp::Write)).collect();
        if !entry.on_disk {
            let placed = programs(&setup, "", &[], &|sim| {
                pages(sim);
                sim.preload_units(&[(224, 227)]).unwrap();
            });
            assert_eq!(placed, 0, "{what}");
            // The fast tier of one scheme destages what lay there before.
            let none = programs(&setup, "pad", &two, &|_| ());
            let some = programs(&setup, "pad", &two, &pages);
            assert!(none == some || entry.name == "hyssd", "{what}: {none} and {some}");
            let mut on_read = setup.clone();
            on_read.trace.prefill = Prefill::OnRead;
            let reads: Vec<_> = (0..7).map(of(HostOp::Read)).collect();
            assert_eq!(programs(&on_read, "pad", &reads, &|_| ()), 0, "{what}");
        }
        setup.precondition.fill = 7.0 * 16384.0 / setup.device.user_bytes as f64;
        let filled = programs(&setup, "pad", &[], &|sim| {
            sim.precondition(&mut |_, _| true).unwrap();
        });
        assert_eq!(filled, 0, "{what}");
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
