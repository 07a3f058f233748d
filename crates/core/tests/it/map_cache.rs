//! The mapping cache: which look-ups hit, what misses cost, and that nothing of the map is lost.

use crate::it::common::{configure, device, foresee, pool, request, rest, setup, versatile_pool};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::base::CellMode;
use slcache_core::device::config::Replay;
use slcache_core::device::{Setup, Simulation};
use slcache_core::hw::map_config::{MapConfig, MapMoves};
use slcache_core::metrics::report::{MapReport, Report};
use slcache_core::schemes::CATALOG;

const UNIT: u64 = 4096;
const USER: u64 = 24 << 20;

/// A cache of `pages` translation pages of 128 entries: 512 KiB of data each, 48 in all.
fn map(pages: u64) -> MapConfig {
    MapConfig {
        cache_bytes: 512 * pages,
        entry_bytes: 4,
        page_bytes: 512,
        access_ns: 0,
        mode: CellMode::Slc,
        blocks: None,
        moves: MapMoves::Free,
    }
}

fn plain(scheme: &str) -> Setup {
    let mut setup = setup(device(versatile_pool(2, 2, 24, 16, 16384), USER), scheme);
    configure(&mut setup, &[("slc_blocks", 6.into())]);
    setup
}

pub(super) fn cached(scheme: &str, pages: u64) -> Setup {
    let mut setup = plain(scheme);
    setup.device.map = Some(map(pages));
    setup
}

fn charged(scheme: &str, pages: u64) -> Setup {
    let mut setup = cached(scheme, pages);
    setup.device.map.as_mut().unwrap().moves = MapMoves::Charged;
    setup
}

/// A device whose map is cached in part; half of the schemes look up what they move.
pub(super) fn in_part(scheme: &str, _: u64) -> Setup {
    if scheme.len() % 2 == 0 {
        charged(scheme, 5)
    } else {
        cached(scheme, 5)
    }
}

/// Reads and writes of 1 to 200 sectors over all of the device, `gap_ns` apart.
fn mixed(count: usize, gap_ns: u64, seed: u64) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "map");
    let one = |i: usize| {
        let sectors = 1 + rng.below(200);
        let first = u64::from(rng.below((USER / 512) as u32 - sectors));
        let op = if rng.below(2) == 0 { HostOp::Read } else { HostOp::Write };
        request(i as u64 * gap_ns, op, first * 512, u64::from(sectors) * 512)
    };
    (0..count).map(one).collect()
}

fn run(setup: &Setup, requests: &[Request]) -> (Simulation, Report) {
    let mut simulation = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    simulation.keep_log();
    foresee(&mut simulation, requests);
    simulation.feed(requests).unwrap();
    let report = simulation.finish().unwrap();
    simulation.audit().unwrap();
    (simulation, report)
}

/// Look-ups whose stack distance is below `capacity`: distinct pages used since the page was used last.
fn within(requests: &[Request], capacity: usize) -> (u64, u64) {
    let (mut stack, mut hits, mut all) = (Vec::new(), 0, 0);
    for request in requests {
        let page = |byte: u64| byte / UNIT / 128;
        let (first, end) = (request.sector * 512, request.end_sector() * 512);
        for page in page(first)..=page(end - 1) {
            let depth = stack.iter().rev().position(|&other| other == page);
            hits += u64::from(depth.is_some_and(|depth| depth < capacity));
            stack.retain(|&other| other != page);
            stack.push(page);
            all += 1;
        }
    }
    (hits, all)
}

#[test]
fn hits_are_the_look_ups_whose_stack_distance_is_below_the_capacity() {
    for capacity in [1, 2, 7, 20, 47, 48] {
        for (seed, gap_ns) in [(1, 100_000), (2, 2_000_000)] {
            let requests = mixed(2000, gap_ns, seed);
            let (_, report) = run(&cached("tlc-only", capacity), &requests);
            let map = report.map.unwrap();
            assert_eq!((map.hits, map.look_ups), within(&requests, capacity as usize), "{capacity}");
        }
    }
}

const MOVES: [&str; 4] = ["migration", "gc", "agc", "promote"];

fn conserved(name: &str, map: &MapReport, report: &Report) {
    assert_eq!(map.hits + map.misses, map.look_ups, "{name}");
    assert!(map.reads <= map.misses && map.cached <= map.capacity, "{name} {map:?}");
    assert_eq!(map.evicted_clean + map.evicted_dirty, map.misses - map.cached, "{name} {map:?}");
    let of =
        |kind: &'static str| report.flash.ops.iter().filter(move |op| op.kind == kind && op.cause == "map");
    let (programs, pages): (u64, u64) = of("program").fold((0, 0), |(n, p), op| (n + op.count, p + op.pages));
    assert_eq!(programs, pages, "{name}");
    // A page that is changed again while it waits to be programmed is programmed once.
    assert!(programs <= map.evicted_dirty + map.moved, "{name} {map:?} {programs}");
    let amplified = report.waf.by_cause.get("map").copied().unwrap_or(0.0);
    let bytes = pages as f64 * 16384.0 / report.host.write.bytes as f64;
    assert!((amplified - bytes).abs() < 1e-9, "{name}: {amplified} {bytes}");
    let parts: f64 = report.waf.by_cause.values().sum();
    assert!((parts - report.waf.total).abs() < 1e-9, "{name}");
    let erases: u64 = of("erase").map(|op| op.count).sum();
    assert_eq!(erases, map.erases, "{name}");
}

#[test]
fn what_the_cache_does_adds_up_under_every_scheme() {
    for entry in CATALOG {
        for pages in [1, 6, 30] {
            let (_, report) = run(&charged(entry.name, pages), &mixed(3000, 300_000, 3));
            let map = report.map.unwrap();
            conserved(&format!("{} {pages}, charged", entry.name), &map, &report);
            let moved = report.flash.ops.iter().any(|op| op.kind == "program" && MOVES.contains(&op.cause));
            assert_eq!(map.look_ups_for_moves > 0, moved, "{} {map:?}", entry.name);
            let (_, report) = run(&cached(entry.name, pages), &mixed(3000, 300_000, 3));
            let map = report.map.unwrap();
            conserved(&format!("{} {pages}", entry.name), &map, &report);
            assert_eq!(map.look_ups_for_moves, 0);
            let distinct = 48.min(map.pages);
            assert!(map.misses >= distinct, "{} {map:?}", entry.name);
        }
    }
}

#[test]
fn a_cache_of_the_whole_map_changes_the_time_of_a_look_up_alone() {
    // One outstanding: every request takes one look-up longer, or two where it lies in two pages.
    let requests: Vec<_> = (0..500).map(|i| request(0, HostOp::Write, i * 3 % 5000 * UNIT, UNIT)).collect();
    let latencies = |access_ns: u32| -> Vec<u64> {
        let mut setup = cached("tlc-only", 48);
        (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 1);
        setup.device.map.as_mut().unwrap().access_ns = access_ns;
        run(&setup, &requests).0.log().iter().map(|&(_, ns)| ns).collect()
    };
    let (none, some) = (latencies(0), latencies(1000));
    let longer = none.iter().zip(&some).filter(|(none, some)| **some == **none + 1000).count();
    let same = none.iter().zip(&some).filter(|(none, some)| some == none).count();
    let (hits, _) = within(&requests, 48);
    assert_eq!((longer as u64, same as u64), (hits, 500 - hits), "a miss has no page to find");
}

/// One die, SLC throughout, a translation page of 512 entries to a flash page.
fn one_die(pages: u64, cached: u64) -> Setup {
    let mut setup = setup(device(pool(1, 1, 1400, 32, 4096), pages * 512 * UNIT), "tlc-only");
    configure(&mut setup, &[("mode", "slc".into())]);
    let entry_bytes = 8;
    setup.device.map =
        Some(MapConfig { cache_bytes: cached * 4096, page_bytes: 4096, entry_bytes, ..map(1) });
    setup
}

#[test]
fn a_read_that_misses_takes_the_read_of_its_translation_page_longer() {
    let mut setup = one_die(8, 2);
    setup.precondition.fill = 1.0;
    let mut simulation = Simulation::new(&setup).unwrap();
    simulation.precondition(&mut |_, _| true).unwrap();
    simulation.keep_log();
    let pages = [7u64, 6, 0, 0, 1, 0, 2, 1];
    let requests: Vec<_> =
        (0..).zip(pages).map(|(i, p)| request(i * 10_000_000, HostOp::Read, p * 512 * UNIT, UNIT)).collect();
    simulation.feed(&requests).unwrap();
    let report = simulation.finish().unwrap();
    let read = 100 + 20_000 + 10 + 4096;
    let latencies: Vec<u64> = simulation.log().iter().map(|&(_, ns)| ns).collect();
    // The last two pages of the fill are in the cache; 0 and 1, then 0 and 2 take their place.
    let misses = [0, 0, 1, 0, 1, 0, 1, 1];
    assert_eq!(latencies, misses.map(|miss| read + miss * read));
    let look_up = report.host.read.attribution_us.wait["look-up"];
    assert!((look_up - 4.0 * read as f64 / 1000.0).abs() < 1e-9, "{look_up}");
}

/// A filled device of 64 translation pages, some of them cached, under random writes of single units.
fn written_at_random(cached: u64, moves: MapMoves, gap_ns: u64) -> Report {
    let mut setup = one_die(64, cached);
    setup.precondition.fill = 1.0;
    setup.device.map.as_mut().unwrap().moves = moves;
    let mut simulation = Simulation::new(&setup).unwrap();
    simulation.precondition(&mut |_, _| true).unwrap();
    let mut rng = RngStream::new(9, "writes");
    let mut write = |i| request(i * gap_ns, HostOp::Write, u64::from(rng.below(64 * 512)) * UNIT, UNIT);
    simulation.feed(&(0..WRITES).map(&mut write).collect::<Vec<_>>()).unwrap();
    let report = simulation.finish().unwrap();
    simulation.audit().unwrap();
    report
}

const WRITES: u64 = 40_000;

fn programs(report: &Report, cause: &str) -> u64 {
    let rows = report.flash.ops.iter().filter(|op| op.kind == "program" && op.cause == cause);
    rows.map(|op| op.pages).sum()
}

#[test]
fn random_writes_read_and_program_the_share_of_the_map_that_is_not_cached() {
    for (cached, share) in [(16, 0.75), (40, 0.375)] {
        let report = written_at_random(cached, MapMoves::Free, 2_000_000);
        let map = report.map.unwrap();
        for count in [map.misses, map.evicted_dirty] {
            let found = count as f64 / WRITES as f64;
            assert!((found - share).abs() < 0.01, "{found} for {share}");
        }
        let programs = programs(&report, "map");
        assert_eq!(programs, map.evicted_dirty + map.moved, "a flash page holds one translation page");
        assert!(map.erases > 100 && map.moved > 0, "{map:?}");
    }
}

#[test]
fn a_full_home_is_cleaned_with_the_fewest_blocks_it_may_have() {
    for plp in [true, false] {
        let mut setup = cached("baseline", 3);
        setup.device.plp = plp;
        setup.device.pool[0].wordlines = 16;
        setup.device.map.as_mut().unwrap().blocks = Some(2);
        let (_, report) = run(&setup, &mixed(20_000, 300_000, 8));
        let map = report.map.unwrap();
        conserved(if plp { "plp" } else { "no plp" }, &map, &report);
        assert!(map.erases > 3, "{map:?}");
    }
}

#[test]
fn what_no_map_can_be_is_refused() {
    type Change = fn(&mut MapConfig);
    let changes: [(Change, &str); 7] = [
        (|map| map.cache_bytes = 511, "cache_bytes = 511"),
        (|map| map.cache_bytes = (1 << 38) + 1, "cache_bytes = 274877906945: must be between"),
        (|map| map.page_bytes = 3000, "page_bytes = 3000"),
        (|map| map.page_bytes = 32768, "page_bytes = 32768"),
        (|map| map.entry_bytes = 0, "entry_bytes = 0"),
        (|map| map.mode = CellMode::Qlc, "mode = qlc"),
        (|map| map.blocks = Some(1), "blocks = 1: must be between 2 and"),
    ];
    for (change, told) in changes {
        let mut setup = cached("tlc-only", 4);
        change(setup.device.map.as_mut().unwrap());
        let found = setup.check()[0].to_string();
        assert!(found.contains(&format!("device.map.{told}")), "{found}");
    }
}

/// Sequential pages, folded block by block in a pause: each block asks for the translation pages it touches.
#[test]
fn moves_ask_for_each_translation_page_once_a_block() {
    for (pages, blocks) in [(1_u64, 16_u64), (48, 16), (1, 11)] {
        let mut setup = charged("client", pages);
        setup.device.user_bytes = USER;
        let mut simulation = Simulation::new(&setup).unwrap();
        // A block of 16 wordlines holds 64 units in SLC mode, and there are four planes: each gets every
        // fourth page of four units.
        let units = blocks * 64 * 4;
        let writes: Vec<_> = (0..units / 4)
            .map(|page| request(page * 1_000_000, HostOp::Write, page * 4 * UNIT, 4 * UNIT))
            .collect();
        simulation.feed(&writes).unwrap();
        let end_ns = simulation.now_ns() + 100_000_000_000;
        rest(&mut simulation, end_ns);
        let map = simulation.finish().unwrap().map.unwrap();
        // A block's units span 256: two translation pages of 128.
        let folded = map.look_ups_for_moves / 2;
        assert_eq!(map.look_ups_for_moves % 2, 0, "{map:?}");
        assert!((4 * blocks - 4..=4 * blocks).contains(&folded), "{blocks}: {map:?}");
        if pages == 48 {
            assert_eq!(map.misses, units / 128, "{map:?}");
        }
    }
}

/// Where the map is cached in part, moves miss as often as writes do, and what they change is written as well.
#[test]
fn random_moves_miss_the_share_of_the_map_that_is_not_cached() {
    let [free, charged] =
        [MapMoves::Free, MapMoves::Charged].map(|moves| written_at_random(16, moves, 8_000_000));
    let moved = programs(&free, "gc");
    assert_eq!(moved, programs(&charged, "gc"), "the map changes nothing of what is moved");
    let (free, map) = (free.map.unwrap(), charged.map.unwrap());
    assert_eq!(map.look_ups - map.look_ups_for_moves, free.look_ups);
    // Victims of what was filled in order have one translation page, those written at random many.
    let erases = WRITES / 96;
    assert!((erases..=moved).contains(&map.look_ups_for_moves), "{map:?}, {moved} moved");
    let missed = map.misses as f64 / map.look_ups as f64;
    assert!((missed - 0.75).abs() < 0.02, "{missed}");
}
