//! The device against a naive flash translation layer, under everything that can be chosen: chips,
//! host, controller, scheme, what was there before time 0, and knobs that are turned all the while.
//!
//! Where writes take effect at once, each must give its units a version newer than any before, and
//! reads must return it until the next. Where they wait, in a buffer, a queue or on the link, the
//! audit proves that each unit maps to its newest version, and in the end the right units must hold
//! data. What no flash page holds lies on the disk, if there is one, and the audit looks for it there;
//! pauses let the disk fall asleep. The cases are others in every run; `make soak` runs them for as long as one likes.

mod bounded;
mod cases;
mod choice;
mod keys;
mod oracle;

use crate::it::common::*;
use crate::it::common::{restart, turning};
use cases::{one, several, Tally};
use choice::{choices, disk_choices, Choice};
use oracle::Oracle;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseResult, TestRunner};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A request: operation, place, length, alignment, time after the one before.
type Draw = (u8, u32, u32, bool, u8);

fn draws(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Draw>> {
    prop::collection::vec((0..14u8, any::<u32>(), any::<u32>(), any::<bool>(), any::<u8>()), n)
}

/// Requests somewhere on the device; bursts, backlog and idle time between them.
fn requests(draws: &[Draw], setup: &Setup) -> Vec<Request> {
    let mut at_ns = 0;
    let sectors = (setup.device.user_bytes / 512) as u32;
    let unit = setup.device.mu_bytes / 512;
    let page = setup.device.piece_bytes() / 512;
    let request = |&(kind, place, len, aligned, gap): &Draw| {
        at_ns += match gap {
            0..=99 => 0,
            100..=199 => u64::from(gap) * 500,
            200..=249 => u64::from(gap) * 10_000,
            // A disk takes seconds to fall asleep.
            _ if setup.device.disk.is_some() => u64::from(gap - 249) * u64::from(gap - 249) * 500_000_000,
            _ => u64::from(gap) * 1_000_000,
        };
        let op = match kind {
            0..=7 => HostOp::Write,
            8..=10 => HostOp::Read,
            11..=12 => HostOp::Trim,
            _ => HostOp::Flush,
        };
        if op == HostOp::Flush {
            return request(at_ns, op, 0, 0);
        }
        let most = if len % 8 == 0 { 3 * page } else { (2 * unit).max(page / 2) };
        let step = if aligned { unit } else { 1 };
        let len = (1 + len / 8 % most).next_multiple_of(step).min(sectors / step * step);
        let first = place % (sectors - len + 1) / step * step;
        Request { at_ns, sector: u64::from(first), sectors: len, stream: (kind % 2).into(), hint: 0, op }
    };
    draws.iter().map(request).collect()
}

/// Two of three mapping units below `end`, and now and then a longer run.
fn with_holes(end: u32) -> Vec<(u32, u32)> {
    let run = |i: u32| (i * 3, end.min(i * 3 + if i % 7 == 0 { 6 } else { 2 }));
    (0..end / 3).filter(|i| i % 7 != 1).map(run).collect()
}

/// A device of `setup`, with what it holds before time 0.
fn prepared(choice: &Choice, setup: &Setup, versions: bool) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    if versions {
        sim.track_versions();
    }
    let pages = setup.device.user_bytes / u64::from(setup.device.piece_bytes());
    let done = sim.precondition(&mut |_, _| true).unwrap();
    let mus_per_page = u64::from(setup.device.piece_bytes() / setup.device.mu_bytes);
    let mapped = sim.media().mapped();
    // Of what is written to a disk the flash in front of it has a part.
    assert!(mapped == done.filled * mus_per_page || choice.on_disk() && mapped < done.filled * mus_per_page);
    let preloaded = (pages as f64 * choice.preload) as u32;
    match choice.by_unit {
        false => sim.preload(&[(0, preloaded)]).unwrap(),
        true => sim.preload_units(&with_holes(preloaded * mus_per_page as u32)).unwrap(),
    }
    sim.audit().unwrap();
    sim
}

/// What the audits of one case look at, a second of them or two.
const AUDITED_UNITS_MOST: u64 = 50_000_000;

/// What a device has done, and what it holds.
fn told(report: &Report, sim: &Simulation) -> [String; 2] {
    [serde_json::to_string(report).unwrap(), serde_json::to_string(&sim.save()).unwrap()]
}

/// Feeds `requests`, turning knobs and auditing as it goes, and finishes.
fn play(sim: &mut Simulation, choice: &Choice, setup: &Setup, requests: &[Request], tally: &Tally) {
    crate::it::common::foresee(sim, requests);
    let immediate = choice.is_immediate();
    // An audit walks the whole device: of a large one that is asked much there are fewer.
    let units = setup.device.user_bytes / u64::from(setup.device.mu_bytes);
    let least = (requests.len() as u64 * units).div_ceil(AUDITED_UNITS_MOST) as usize;
    let audit_every = (choice.audit_every * tally.audit_spacing).max(least);
    let mut oracle = Oracle::of(sim, immediate, choice.may_overtake(), choice.maps_on_read());
    let mut rng = RngStream::new(requests.len() as u64, "turns");
    sim.measure_bound();
    // A copy in mid-run, with which the same happens.
    let mut copied = None;
    for (i, request) in requests.iter().enumerate() {
        if i == requests.len() / 2 && choice.turn_every == 0 {
            copied = Some((sim.clone(), i));
        }
        if choice.turn_every > 0 && i % choice.turn_every == 0 {
            turning::turn_one(sim, &mut rng);
            Tally::add(&tally.turns, 1);
        }
        sim.feed(std::slice::from_ref(request)).unwrap();
        oracle.apply(request, sim);
        if i % audit_every == 0 {
            sim.audit().unwrap();
            // Without versions, what waits to be packed is seen in flash only in the end.
            if immediate && sim.media().versions().is_some() {
                oracle.check(sim);
            }
        }
    }
    let reads_and_writes = requests.iter().filter(|r| matches!(r.op, HostOp::Read | HostOp::Write)).count();
    let report = sim.finish().unwrap();
    assert_eq!(report.host.requests, reads_and_writes as u64, "a request never completed");
    assert_eq!(sim.timing().ops_in_flight(), 0);
    let units = sim.media().array().geometry.units;
    assert!((0..units).all(|unit| sim.timing().load_ns(unit) == 0), "an idle unit is loaded");
    if let Some((mut copy, from)) = copied {
        copy.feed(&requests[from..]).unwrap();
        assert!(told(&copy.finish().unwrap(), &copy) == told(&report, sim), "a copy goes on otherwise");
    }
    sim.audit().unwrap();
    oracle.check(sim);
    // Pieces that wait for the DRAM buffer enter it later, one by one.
    let whole = choice.keeps_order() && choice.turn_every == 0 && setup.buffer.is_none();
    let unit_sectors = u64::from(setup.device.mu_bytes) / 512;
    // Reads that map what they read make versions of data that nobody wrote.
    let in_dense = sim.versions_in_dense().filter(|_| !choice.maps_on_read());
    bounded::check(&report, whole.then_some(requests), unit_sectors, in_dense);
    Tally::add(&tally.cases, 1);
    Tally::add(&tally.requests, requests.len() as u64);
    Tally::add(&tally.operations, sim.counters().iter().map(|row| row.totals.count).sum());
    Tally::add(&tally.audits, requests.len().div_ceil(audit_every) as u64 + 1);
}

fn loses_nothing((choice, draws): (Choice, Vec<Draw>), tally: &Tally) -> TestCaseResult {
    let Some(setup) = choice.setup() else { return Ok(()) };
    let mut sim = prepared(&choice, &setup, true);
    play(&mut sim, &choice, &setup, &requests(&draws, &setup), tally);
    Ok(())
}

fn stays_full((choice, seed): (Choice, u64), tally: &Tally) -> TestCaseResult {
    let Some(setup) = choice.setup() else { return Ok(()) };
    let mut sim = prepared(&choice, &setup, true);
    let bytes = setup.device.user_bytes;
    let page = u64::from(setup.device.piece_bytes());
    let whole = |i| request(0, HostOp::Write, i * page, page);
    let mut all: Vec<_> = (0..bytes / page).map(whole).collect();
    let mut rng = RngStream::new(seed, "overwrites");
    let mut at_ns = 0.0;
    for _ in 0..2 * all.len() {
        at_ns += rng.exponential(50_000.0);
        let op = if rng.below(10) == 0 { HostOp::Read } else { HostOp::Write };
        all.push(Request { at_ns: at_ns as u64, op, ..all[rng.below((bytes / page) as u32) as usize] });
    }
    play(&mut sim, &choice, &setup, &all, tally);
    let all_in_flash = sim.media().mapped() == bytes / u64::from(setup.device.mu_bytes);
    prop_assert!(all_in_flash || choice.on_disk());
    Ok(())
}

fn goes_on_alike((choice, draws): (Choice, Vec<Draw>), tally: &Tally) -> TestCaseResult {
    let Some(mut setup) = choice.setup() else { return Ok(()) };
    // The second half comes at the same times after the first, to the ns.
    setup.host.time_scale = 1.0;
    let mut sim = prepared(&choice, &setup, false);
    let requests = requests(&draws, &setup);
    let (first, second) = requests.split_at(requests.len() / 2);
    let rest_ns = first.last().map_or(0, |request| request.at_ns);
    let from_rest = |request: &Request| Request { at_ns: request.at_ns - rest_ns, ..*request };
    let second: Vec<Request> = second.iter().map(from_rest).collect();
    let mut rng = RngStream::new(draws.len() as u64, "turns");
    let turn = |sim: &mut Simulation| (0..choice.turn_every).for_each(|_| turning::turn_one(sim, &mut rng));
    restart::goes_on_alike(&setup, &mut sim, first, &second, turn);
    Tally::add(&tally.cases, 1);
    Tally::add(&tally.requests, requests.len() as u64);
    Tally::add(&tally.operations, sim.counters().iter().map(|row| row.totals.count).sum());
    Tally::add(&tally.turns, choice.turn_every as u64);
    Ok(())
}

/// Of every key of every scheme, the values that devices were made with.
#[test]
fn every_key_of_every_scheme_is_drawn() {
    let (mut runner, strategy) = (TestRunner::deterministic(), choices());
    let mut seen: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    let keys: usize = CATALOG.iter().map(|entry| keys::drawn(entry.name).len()).sum();
    let all_vary =
        |seen: &BTreeMap<_, BTreeSet<_>>| seen.len() == keys && seen.values().all(|values| values.len() > 1);
    for _ in 0..200 * CATALOG.len() {
        if all_vary(&seen) {
            return;
        }
        let choice = strategy.new_tree(&mut runner).unwrap().current();
        let Some(setup) = choice.setup() else { continue };
        let config = serde_json::to_value(&setup.scheme).unwrap();
        let name = setup.scheme.name();
        for (key, _) in keys::drawn(name) {
            let value = &config.pointer(&format!("/{name}/{}", key.replace('.', "/")));
            seen.entry((name, key)).or_default().insert(value.expect("a key").to_string());
        }
    }
    assert_eq!(seen.len(), keys, "no device was made of some scheme");
    let constant: Vec<_> = seen.iter().filter(|(_, values)| values.len() < 2).collect();
    assert!(constant.is_empty(), "{constant:?}");
}

#[test]
fn every_unit_reads_its_last_version() {
    several("every_unit_reads_its_last_version", 150, &(choices(), draws(50..600)), loses_nothing);
}

#[test]
fn a_full_device_overwritten_many_times_loses_nothing() {
    let test = "a_full_device_overwritten_many_times_loses_nothing";
    several(test, 60 / few(2) as u64, &(choices(), any::<u64>()), stays_full);
}

#[test]
fn a_restored_device_goes_on_as_the_original_does() {
    let test = "a_restored_device_goes_on_as_the_original_does";
    several(test, 100 / few(2) as u64, &(choices(), draws(100..800)), goes_on_alike);
}

#[test]
fn a_flash_cache_in_front_of_a_disk_loses_nothing() {
    let test = "a_flash_cache_in_front_of_a_disk_loses_nothing";
    several(test, 400 / few(4) as u64, &(disk_choices(), draws(50..900)), loses_nothing);
}

#[test]
fn a_disk_overwritten_many_times_loses_nothing() {
    let test = "a_disk_overwritten_many_times_loses_nothing";
    several(test, 20 / few(2) as u64, &(disk_choices(), any::<u64>()), stays_full);
}

#[test]
fn a_restored_disk_goes_on_as_the_original_does() {
    let test = "a_restored_disk_goes_on_as_the_original_does";
    several(test, 100 / few(2) as u64, &(disk_choices(), draws(100..800)), goes_on_alike);
}

/// Times as many requests between two audits in the soak: it is to see many operations.
const SOAK_SPACING: usize = 40;
/// How one case of the soak is repeated.
const SOAK: &str = "soak -- --ignored # with SLCACHE_SOAK_SECONDS=1";

/// The cases of all three for `SLCACHE_SOAK_SECONDS` on every core, `make soak`.
#[test]
#[ignore = "runs for as long as one likes"]
fn soak() {
    let seconds = std::env::var("SLCACHE_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.expect("SLCACHE_SOAK_SECONDS, a number"));
    let next = AtomicU64::new(cases::first_seed("soak"));
    let (tally, failed) = (Tally::new(SOAK_SPACING), AtomicBool::new(false));
    cases::say(&format!("model tests from SLCACHE_SEED={} on", next.load(Ordering::Relaxed)));
    let work = || {
        let by_draws = (choices(), draws(500..5000));
        let by_seed = (choices(), any::<u64>());
        while Instant::now() < end && !failed.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match seed % 4 {
                0 => one(SOAK, seed, &by_seed, |value| stays_full(value, &tally)),
                1 => one(SOAK, seed, &by_draws, |value| goes_on_alike(value, &tally)),
                _ => one(SOAK, seed, &by_draws, |value| loses_nothing(value, &tally)),
            }));
            if let Err(panic) = done {
                failed.store(true, Ordering::Relaxed);
                std::panic::resume_unwind(panic);
            }
        }
    };
    std::thread::scope(|scope| {
        (1..std::thread::available_parallelism().map_or(1, |n| n.get()))
            .for_each(|_| drop(scope.spawn(work)));
        work();
    });
    tally.tell("model tests");
}
