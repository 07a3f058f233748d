//! `client` operation for operation: the phases of a cache that fills, on one plane of eight blocks.
//!
//! Two wordlines a block, pages of 4 KiB, one operation at a time: SLC 30/200 us, TLC in one shot of
//! 1,500 us, erase 300 us, 8.192 us on the channel for a page. Two blocks are kept free, the cache has at
//! most three.

use crate::it::client_laws::{chips, write};
use crate::it::common::ops::counters;
use crate::it::common::*;
use slcache_core::hw::config::FoldTimes;
use std::ops::Range;

const PAGE: u64 = 4096;
const USER_PAGES: u64 = 30;
/// A page on the channel, and the times of the array, ns.
const X: u64 = 8_192;
const SLC: u64 = 200_000;
const SHOT: u64 = 1_500_000;
const READ: u64 = 30_000;
const ERASE: u64 = 300_000;

/// The device of the example, with `values` of the scheme beside a cap of three blocks.
fn client(wordlines: u32, values: &[(&str, Value)]) -> Setup {
    let user_bytes = USER_PAGES / 2 * u64::from(wordlines) * PAGE;
    let setup = setup(device(chips((1, 8, wordlines), CellMode::Tlc, false), user_bytes), "client");
    let cap = ("dynamic.max_bytes", json!(3 * u64::from(wordlines) * PAGE));
    closed(with(setup, &[&[cap, ("fold.keep_blocks", json!(2))], values].concat()), 1)
}

/// Time that all operations take on the one plane, ns.
fn busy_ns(sim: &Simulation) -> u64 {
    sim.counters().iter().map(|row| row.totals.time_ns).sum()
}

/// Programs, reads and erases as the story tells them: of `pages` of `block`.
fn told(what: &str, block: u32, pages: Range<u32>) -> Vec<String> {
    pages.map(|page| format!("{what} 0/{block} page {page}")).collect()
}

fn erase(block: u32) -> Vec<String> {
    vec![format!("erase migration 0/{block}")]
}

fn phases_one_and_two() -> Vec<String> {
    let slc = (0..3).map(|block| told("program host", block, 0..2));
    let dense = (3..6).map(|block| told("program host", block, 0..6));
    slc.chain(dense).flatten().collect()
}

/// Folding `block`, its pages read and put behind the first `begun` of the block `to`.
fn fold(block: u32, to: u32, begun: u32) -> Vec<String> {
    let page = |page: u32| {
        [
            format!("read migration 0/{block} page {page}"),
            format!("program migration 0/{to} page {}", begun + page),
        ]
    };
    let mut all: Vec<String> = (0..2).flat_map(page).collect();
    all.extend(erase(block));
    all
}

#[test]
fn the_host_goes_on_in_slc_blocks_that_folding_frees() {
    let mut sim = watched(&client(2, &[]));
    assert_eq!(write(&mut sim, 0..6, USER_PAGES) as u64, 6 * (X + SLC));
    assert_eq!(write(&mut sim, 6..24, USER_PAGES) as u64, 6 * (3 * X + SHOT));
    assert_eq!(sim.ops().len(), 24);
    write(&mut sim, 24..26, USER_PAGES);
    let before_ns = busy_ns(&sim);
    write(&mut sim, 26..30, USER_PAGES);
    let story = story(&sim, 0, 8);
    let want = [
        phases_one_and_two(),
        [fold(0, 6, 0), fold(1, 6, 2), told("program host", 7, 0..2)].concat(),
        [fold(2, 6, 4), told("program host", 0, 0..2)].concat(),
        [fold(7, 1, 0), fold(0, 1, 2), told("program host", 2, 0..2)].concat(),
    ];
    assert_eq!(story, want.concat());
    // What a page costs in this phase: itself, and b / (b - 1) pages folded through the controller.
    let phi = READ + 2 * X + SHOT / 3 + ERASE / 2;
    assert_eq!(busy_ns(&sim) - before_ns, 4 * (X + SLC) + 6 * phi);
    let want = [
        ("read", "slc", "migration", 10, 10),
        ("program", "slc", "host", 12, 12),
        ("program", "tlc", "host", 6, 18),
        ("program", "tlc", "migration", 3, 10),
        ("erase", "slc", "migration", 5, 0),
    ];
    assert_eq!(counters(&sim), want);
}

#[test]
fn or_in_dense_blocks() {
    let mut sim = watched(&client(2, &[("fold.host", json!("dense"))]));
    write(&mut sim, 0..24, USER_PAGES);
    let before_ns = busy_ns(&sim);
    write(&mut sim, 24..30, USER_PAGES);
    let want = [phases_one_and_two(), fold(0, 6, 0), fold(1, 6, 2), told("program host", 7, 0..6)];
    assert_eq!(story(&sim, 0, 8), want.concat());
    // The fourth page that is folded has crossed the channel to its wordline, a third of which it is.
    let folds = 4 * (READ + X) + 4 * X + SHOT + SHOT / 3 + 2 * ERASE;
    assert_eq!(busy_ns(&sim) - before_ns, folds + 2 * (3 * X + SHOT));
    // Block 2 is left, with pages 4 and 5.
    let array = sim.media().array();
    let slc = array.used_blocks().map(|block| array.block(block));
    let slc = slc.filter(|block| block.mode() == CellMode::Slc && block.state() != BlockState::Free);
    assert_eq!(slc.map(|block| block.live()).collect::<Vec<_>>(), [2]);
}

/// Where it has none, the overhead lengthens the shot.
#[test]
fn a_chip_folds_a_wordline_in_one_operation_without_the_channel() {
    for in_chip in [true, false] {
        let mut setup = client(3, &[("fold.overhead_ns", json!(1000))]);
        setup.device.pool[0].tlc.as_mut().unwrap().fold = in_chip.then(FoldTimes::default);
        let mut sim = watched(&setup);
        write(&mut sim, 0..36, USER_PAGES * 3 / 2);
        let before_ns = busy_ns(&sim);
        write(&mut sim, 36..39, USER_PAGES * 3 / 2);
        // Two blocks of three pages each are folded, and one page goes to a block of its own.
        let channel_ns = if in_chip { 0 } else { 6 * X };
        let fold_ns = 3 * READ + channel_ns + SHOT + 1000 + ERASE;
        assert_eq!(busy_ns(&sim) - before_ns, 2 * fold_ns + 3 * (X + SLC), "{in_chip}");
        if in_chip {
            let fold =
                |block, first| [told("copy-back migration", 6, first..first + 3), erase(block)].concat();
            let want = [fold(0, 0), fold(1, 3), told("program host", 7, 0..3)].concat();
            assert_eq!(story(&sim, 36, 8), want);
            let folds = counters(&sim).into_iter().find(|row| row.0 == "copy-back");
            assert_eq!(folds, Some(("copy-back", "tlc", "migration", 2, 6)));
        }
        sim.audit().unwrap();
    }
}

#[test]
fn a_full_cache_that_is_the_only_way_takes_every_page() {
    let settings = [("full", json!("through")), ("dynamic.max_bytes", json!(0))];
    let mut sim = watched(&client(2, &settings));
    write(&mut sim, 0..30, USER_PAGES);
    let host: Vec<_> = counters(&sim).into_iter().filter(|row| row.2 == "host").collect();
    assert_eq!(host, [("program", "slc", "host", 30, 30)]);
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "slc_blocks_max"), 1.0);
    assert_eq!(figure(&report, "direct_pages_written"), 0.0);
}

#[test]
fn a_trimmed_cache_is_erased_and_nothing_of_it_is_moved() {
    let mut setup = client(2, &[]);
    setup.host.replay = Replay::Open;
    let mut sim = watched(&setup);
    sim.feed(&page_writes(0, 1_000_000, 0..6)).unwrap();
    sim.feed(&[request(10_000_000, HostOp::Trim, 0, USER_PAGES * PAGE)]).unwrap();
    rest(&mut sim, 10_000_000_000);
    let moved: Vec<_> = counters(&sim).into_iter().filter(|row| row.2 == "migration").collect();
    assert_eq!(moved, [("erase", "slc", "migration", 3, 0)]);
    // All of the cache is there again.
    sim.feed(&page_writes(sim.now_ns(), 1_000_000, 0..7)).unwrap();
    rest(&mut sim, 11_000_000_000);
    let host: Vec<_> = counters(&sim).into_iter().filter(|row| row.2 == "host").collect();
    assert_eq!(host, [("program", "slc", "host", 12, 12), ("program", "tlc", "host", 0, 1)]);
}
