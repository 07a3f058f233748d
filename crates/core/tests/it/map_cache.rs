//! The mapping cache: which look-ups hit, what misses cost, and that nothing of the map is lost.

use crate::it::common::*;
use crate::it::conservation::mapped;
use slcache_core::hw::map_config::{MapConfig, MapMoves};

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

pub(super) fn cached(scheme: &str, pages: u64) -> Setup {
    let mut setup = small(scheme);
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
            let (_, report) = ended(&cached("tlc-only", capacity), &requests);
            let map = report.map.unwrap();
            assert_eq!((map.hits, map.look_ups), within(&requests, capacity as usize), "{capacity}");
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
        ended(&setup, &requests).0.log().iter().map(|&(_, ns)| ns).collect()
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

#[test]
fn a_full_home_is_cleaned_with_the_fewest_blocks_it_may_have() {
    for plp in [true, false] {
        let mut setup = cached("baseline", 3);
        setup.device.plp = plp;
        setup.device.pool[0].wordlines = 16;
        setup.device.map.as_mut().unwrap().blocks = Some(2);
        let (_, report) = ended(&setup, &mixed(20_000, 300_000, 8));
        let map = report.map.unwrap();
        mapped(if plp { "plp" } else { "no plp" }, &map, &report);
        assert!(map.erases > 3, "{map:?}");
    }
}

/// Sequential pages, folded block by block in a pause: each block asks for the translation pages it touches.
#[test]
fn moves_ask_for_each_translation_page_once_a_block() {
    for (pages, blocks) in [(1_u64, 16_u64), (48, 16), (1, 11)] {
        let setup = with(charged("client", pages), &[("dynamic.max_bytes", Value::Null)]);
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
