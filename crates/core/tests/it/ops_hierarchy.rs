//! `hierarchy` operation for operation, and the invariants of its tables.
//!
//! Pages of 4 mapping units, SLC blocks of 8 pages, TLC blocks of 24 pages programmed three at a time.

use crate::it::common::ops::*;
use crate::it::common::*;
use slcache_core::metrics::report::SchemeReport;

/// `channels` channels with a plane each; per plane 6 SLC blocks of which 4 may be used, and 12 TLC.
pub fn hierarchy(channels: u32) -> Setup {
    cached("hierarchy", channels, 6)
}

/// Latencies of writes in the order of their completion, ns.
fn write_latencies(sim: &Simulation) -> Vec<u64> {
    sim.log().iter().filter(|(r, _)| r.op == HostOp::Write).map(|&(_, ns)| ns).collect()
}

/// Four updates of one unit each, of these logical pages.
fn updates(at_ns: u64, pages: [u64; 4]) -> Vec<Request> {
    partial(at_ns, &pages.map(|page| (page, 0, 1)))
}

#[test]
fn four_partial_updates_share_a_page_and_read_nothing() {
    let sim = after(&hierarchy(1), 8, &updates(0, [0, 1, 2, 3]));
    assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
    assert_eq!((slots(&sim, Cause::Host), slots(&sim, Cause::Rmw)), (4, 0));
    let l1 = homes(&sim, 0)[0];
    assert!((0..4).all(|page| homes(&sim, page)[0] == l1));
    assert!((0..4).all(|page| modes(&sim, page)[1..] == [CellMode::Tlc; 3]));
    // All are complete when the page is programmed: 100 ns of command, 16 KiB at 1 ns a byte, 200 us.
    assert_eq!(write_latencies(&sim).into_iter().max(), Some(3000 + 100 + 16384 + 200_000));
}

#[test]
fn pieces_that_fill_a_page_exactly_go_together() {
    // 3 + 1 is the first that fits; the 2 waits for its time and goes alone.
    let sim = after(&hierarchy(1), 8, &partial(0, &[(0, 0, 3), (1, 0, 2), (2, 0, 1)]));
    assert_eq!(counters(&sim), [("program", "slc", "host", 2, 2)]);
    assert_eq!(homes(&sim, 0)[0], homes(&sim, 2)[0]);
    assert_ne!(homes(&sim, 0)[0], homes(&sim, 1)[0]);
}

#[test]
fn a_piece_without_company_waits_its_time_and_is_padded() {
    let sim = after(&hierarchy(1), 8, &partial(0, &[(0, 1, 1)]));
    assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
    assert_eq!(slots(&sim, Cause::Host), 1);
    assert_eq!(write_latencies(&sim), [100_000 + 100 + 4096 + 200_000]);
}

#[test]
fn a_held_piece_is_read_from_the_controller() {
    let reads = [request(10, HostOp::Read, MU, MU), request(11, HostOp::Read, 0, 2 * MU)];
    let sim = after(&hierarchy(1), 8, &[&partial(0, &[(0, 1, 1)])[..], &reads].concat());
    // The unit itself costs no flash time; with its neighbour, that one is read.
    let reads = sim.log().iter().filter(|(r, _)| r.op == HostOp::Read);
    assert_eq!(reads.map(|&(_, ns)| ns).collect::<Vec<_>>(), [0, 100 + 60_000 + 10 + 4096]);
}

#[test]
fn two_halves_become_a_full_page_of_l2() {
    let sim = after(&hierarchy(1), 8, &partial(0, &[(5, 0, 2), (5, 2, 2)]));
    assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
    assert!(homes(&sim, 5).windows(2).all(|pair| pair[0] == pair[1]));
    // The first half's write passed its token on: both end together.
    let mut latencies = write_latencies(&sim);
    latencies.sort_unstable();
    assert_eq!(latencies, [216_484, 216_484 + 1000]);
}

#[test]
fn a_full_write_supersedes_what_waits_and_what_lies_in_l1() {
    let mut requests = updates(0, [0, 1, 2, 3]);
    requests.extend(partial(LATER, &[(0, 3, 1)]));
    requests.push(request(LATER + 5, HostOp::Write, 0, PAGE));
    let mut sim = after(&hierarchy(1), 8, &requests);
    assert_eq!(counters(&sim), [("program", "slc", "host", 2, 2)]);
    assert!(homes(&sim, 0).windows(2).all(|pair| pair[0] == pair[1]));
    let table = sim.finish().unwrap().scheme.tables.remove(1);
    // Four entries after the updates; then that of page 0 is gone.
    assert_eq!((table.name.as_str(), table.entries), ("sector mapping table", 4));
}

#[test]
fn a_partial_update_lands_on_a_channel_without_conflict() {
    // Wordlines are filled one channel after the other: pages 0-2 are in TLC on channel 0, 3-5 on
    // channel 1, 6-8 on 2, 9-11 on 3, 12-14 on 0.
    let sim = after(&hierarchy(4), 16, &updates(0, [0, 1, 2, 12]));
    assert_eq!(channels(&sim, 0)[1..], [0; 3]);
    assert_ne!(channels(&sim, 0)[0], 0);
    for (pages, free) in [([0, 3, 6, 1], 3), ([0, 3, 9, 1], 2), ([0, 6, 9, 1], 1), ([3, 6, 9, 4], 0)] {
        let sim = after(&hierarchy(4), 16, &updates(0, pages));
        assert_eq!(channels(&sim, pages[0] as u32)[0], free);
    }
}

#[test]
fn where_every_channel_conflicts_the_fewest_pages_decide_and_parts_in_l1_count() {
    // Unit 0 of page 0 goes to some channel; then pages with their bases on each of the four channels
    // and that part of page 0 make it the only one with two conflicts.
    for unit in 1..4 {
        let mut requests = updates(0, [0, 1, 2, 12]);
        requests.extend(partial(LATER, &[0, 3, 6, 9].map(|page| (page, unit, 1))));
        let at = channels(&after(&hierarchy(4), 16, &requests), 0);
        assert_ne!(at[unit as usize], at[0]);
    }
    // The pages lie on channel 0; each update goes to one more channel.
    let update = |unit: u64| partial(unit * LATER, &[0, 1, 2, 12].map(|page| (page, unit, 1)));
    let sim = after(&hierarchy(4), 16, &[update(0), update(1), update(2)].concat());
    let mut all = channels(&sim, 0);
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3]);
}

#[test]
fn a_read_after_an_update_reads_two_pages_on_two_channels_at_once() {
    let mut requests = vec![request(0, HostOp::Write, 0, PAGE)];
    requests.extend(updates(LATER, [0, 1, 2, 3]));
    requests.push(read(2 * LATER, 0));
    let sim = after(&hierarchy(4), 16, &requests);
    let want = [("read", "slc", "host", 2, 2), ("program", "slc", "host", 2, 2)];
    assert_eq!(counters(&sim), want);
    assert_ne!(channels(&sim, 0)[0], channels(&sim, 0)[1]);
    // The longer of both: three units of the base.
    let read_ns = sim.log().iter().find(|(r, _)| r.op == HostOp::Read).unwrap().1;
    assert_eq!(read_ns, 100 + 20_000 + 10 + 3 * 4096);
}

#[test]
fn a_base_whose_every_unit_is_newer_in_l1_is_dead() {
    let mut requests = vec![request(0, HostOp::Write, 0, PAGE)];
    for unit in 0..4 {
        let at = (unit + 1) * LATER;
        requests.extend(partial(at, &[(0, unit, 1), (1, unit, 1), (2, unit, 1), (3, unit, 1)]));
    }
    let sim = after(&hierarchy(1), 8, &requests);
    let array = sim.media().array();
    // The page of L2 is dead, and so are the TLC pages of all four.
    let live: u32 = array
        .used_blocks()
        .filter(|&b| array.block(b).mode() == CellMode::Slc)
        .map(|b| array.live_pages(b))
        .sum();
    assert_eq!(live, 4);
    assert!((0..4).all(|page| modes(&sim, page) == [CellMode::Slc; 4]));
}

/// Fills blocks of L1 with updates of one unit of pages `first` on, four to a page, a block's 8
/// pages per round.
pub fn fill_l1(at_ns: u64, first: u64, unit: u64) -> Vec<Request> {
    let page = |i: u64| updates_of(at_ns + i * 10_000_000, first + i * 4, unit);
    (0..8).flat_map(page).collect()
}

pub fn updates_of(at_ns: u64, first: u64, unit: u64) -> Vec<Request> {
    partial(at_ns, &[0, 1, 2, 3].map(|i| (first + i, unit, 1)))
}

#[test]
fn reclaiming_l1_merges_each_page_with_its_rest_in_l2_and_in_tlc() {
    // Pages 0-7 are in L2, 8-31 in TLC. Unit 0 of pages 0-31 fills a block of L1, unit 1 a second
    // one, its quota; the next page of L1 needs a third.
    let mut requests = writes(0..8);
    requests.extend(fill_l1(20 * LATER, 0, 0));
    requests.extend(fill_l1(40 * LATER, 0, 1));
    requests.extend(updates_of(60 * LATER, 100, 0));
    let mut sim = after(&hierarchy(1), 192, &requests);
    // The first block's 8 pages are read once, the second's 8 too since their units come along, and
    // the rest of each page from its base: 8 in L2, 24 in TLC. 32 pages are written.
    let want = [
        ("read", "slc", "migration", 8 + 8 + 8, 8 + 8 + 8),
        ("read", "tlc", "migration", 24, 24),
        ("program", "slc", "host", 8 + 8 + 8 + 1, 8 + 8 + 8 + 1),
        ("program", "tlc", "migration", 10, 32),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    // T7: one home, none in L1.
    for page in 0..32 {
        assert_eq!(modes(&sim, page), [CellMode::Tlc; 4]);
        assert!(homes(&sim, page).windows(2).all(|pair| pair[0] == pair[1]));
    }
    let report = sim.finish().unwrap();
    assert_eq!(report.scheme.figures["l1_pages_migrated"], 32.0);
    assert_eq!(report.scheme.tables[1].entries, 64);
}

/// The planes of two pages merged one after the other on a channel of two planes, of which a read
/// keeps that of logical page 1 busy.
fn planes_of_merged_pages(rule: &str) -> [PlaneId; 2] {
    let mut setup = with(hierarchy(1), &[("l1_planes", json!(rule))]);
    setup.device.pool[0].planes = 2;
    let mut requests: Vec<Request> = (0..8).map(|_| request(0, HostOp::Read, PAGE, PAGE)).collect();
    requests.extend(updates(1, [0, 2, 4, 6]));
    requests.extend(updates(2, [8, 10, 12, 14]));
    let sim = after(&setup, 16, &requests);
    let geometry = &sim.media().array().geometry;
    let plane = |page| geometry.plane_of(geometry.block_of(homes(&sim, page)[0].unwrap()));
    [plane(0), plane(8)]
}

#[test]
fn merged_pages_take_the_least_loaded_plane_of_a_channel_or_each_in_turn() {
    let [first, second] = planes_of_merged_pages("least-loaded");
    assert_eq!(first, second);
    let [first, second] = planes_of_merged_pages("in-turn");
    assert_ne!(first, second);
}

#[test]
fn reclaiming_only_the_victims_units_leaves_the_others_in_l1() {
    let setup = with(hierarchy(1), &[("l1_gather", json!("victim-only"))]);
    let mut requests = fill_l1(0, 0, 0);
    requests.extend(fill_l1(20 * LATER, 0, 1));
    requests.extend(updates_of(40 * LATER, 100, 0));
    let sim = after(&setup, 192, &requests);
    let want = [
        ("read", "slc", "migration", 8, 8),
        ("read", "tlc", "migration", 32, 32),
        ("program", "slc", "host", 17, 17),
        ("program", "tlc", "migration", 10, 32),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    for page in 0..32 {
        assert_eq!(modes(&sim, page), [CellMode::Tlc, CellMode::Slc, CellMode::Tlc, CellMode::Tlc]);
    }
}

#[test]
fn reclaiming_l2_moves_bases_as_they_are_and_leaves_what_is_newer_in_l1() {
    // Two blocks of L2 are its quota; unit 0 of the first block's pages is newer in L1. The
    // seventeenth full page reclaims a block of L2.
    let mut requests = writes(0..16);
    requests.extend(updates_of(20 * LATER, 0, 0));
    requests.extend(updates_of(21 * LATER, 4, 0));
    requests.push(request(30 * LATER, HostOp::Write, 100 * PAGE, PAGE));
    let sim = after(&hierarchy(1), 192, &requests);
    let want = [
        ("read", "slc", "migration", 8, 8),
        ("program", "slc", "host", 19, 19),
        ("program", "tlc", "migration", 2, 8),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    // Three units of each page were moved, and the newer ones stayed (T8).
    assert_eq!(slots(&sim, Cause::Migration), 24);
    assert_eq!(bytes(&sim, OpKind::Read, Cause::Migration), 24 * MU);
    for page in 0..8 {
        assert_eq!(modes(&sim, page), [CellMode::Slc, CellMode::Tlc, CellMode::Tlc, CellMode::Tlc]);
    }
}

/// Pages programmed for the host's writes by `hierarchy` and `baseline`, and what the former tells of itself.
fn beside_baseline(writes: &[Request]) -> ([u64; 2], SchemeReport) {
    let hierarchy = hierarchy(4);
    let mut plain = setup(hierarchy.device.clone(), "baseline");
    configure(&mut plain, &[("slc_blocks", 6.into()), ("dense.start_free_ratio", 0.0.into())]);
    let mut schemes = Vec::new();
    let pages = [hierarchy, plain].map(|setup| {
        let mut sim = Simulation::new(&setup).unwrap();
        sim.preload(&[(0, 192)]).unwrap();
        sim.feed(writes).unwrap();
        schemes.push(sim.finish().unwrap().scheme);
        counters(&sim).iter().filter(|c| c.0 == "program" && c.2 == "host").map(|c| c.4).sum()
    });
    (pages, schemes.swap_remove(0))
}

#[test]
fn one_mapping_unit_writes_take_a_quarter_of_baselines_pages_and_full_ones_as_many() {
    // T5: 400 updates of one unit each, dense enough that none waits too long.
    let small = (0..400).map(|i| request(i * 10_000, HostOp::Write, (i * 7 % 192) * PAGE, MU));
    assert_eq!(beside_baseline(&small.collect::<Vec<_>>()).0, [100, 400]);
    // T4: the same host programs, nothing in L1, and the share of L2 rises.
    let full = (0..4096).map(|i| request(i * 3_000_000, HostOp::Write, (i * 13 % 500) * PAGE, PAGE));
    let (pages, scheme) = beside_baseline(&full.collect::<Vec<_>>());
    assert_eq!((pages, scheme.tables[1].entries), ([4096; 2], 0));
    assert_eq!(scheme.figures["windows"], 3.0);
    assert!(scheme.figures["l2_share"] > 0.5 && scheme.series[0].values.len() == 3);
    assert!(scheme.series[0].values.windows(2).all(|pair| pair[0] <= pair[1]));
}
