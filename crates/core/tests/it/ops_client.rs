//! `client` operation for operation: the phases of a cache that fills, on one plane of eight blocks.
//!
//! Two wordlines a block, pages of 4 KiB, one operation at a time: SLC 30/200 us, TLC in one shot of
//! 1,500 us, erase 300 us, 10.24 us on the channel for a page. Two blocks are kept free, the cache has at
//! most three.

use crate::it::common::ops::counters;
use crate::it::common::{configure, device, figure, mode, page_writes, pool, request, rest, setup, story};
use serde_json::{json, Value};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::CellMode;
use slcache_core::device::config::Replay;
use slcache_core::device::{Setup, Simulation};
use slcache_core::hw::array::BlockState;
use slcache_core::hw::config::{BusConfig, FoldTimes, ModeConfig, PoolConfig, ProgramRule};
use std::ops::Range;

const PAGE: u64 = 4096;
const USER_PAGES: u64 = 30;
/// A page on the channel, and the times of the array, ns.
const X: u64 = 10_240;
const SLC: u64 = 200_000;
const SHOT: u64 = 1_500_000;
const READ: u64 = 30_000;
const ERASE: u64 = 300_000;

fn chips(wordlines: u32) -> PoolConfig {
    let mut chips = pool(1, 1, 8, wordlines, PAGE as u32);
    let bus = BusConfig { ps_per_byte: 2500, read_command_ns: 0, read_data_ns: 0, ..chips.bus };
    chips.bus = BusConfig { program_command_ns: 0, erase_command_ns: 0, ..bus };
    chips.slc = Some(mode(READ as u32, SLC as u32, ERASE as u32));
    let shots = ModeConfig { program: ProgramRule::OneShot, ..mode(60_000, SHOT as u32, ERASE as u32) };
    chips.tlc = Some(shots);
    chips
}

/// The device of the example, with `values` of the scheme beside a cap of three blocks.
fn client(wordlines: u32, values: &[(&str, Value)]) -> Setup {
    let user_bytes = USER_PAGES / 2 * u64::from(wordlines) * PAGE;
    let mut setup = setup(device(chips(wordlines), user_bytes), "client");
    let cap = ("dynamic.max_bytes", json!(3 * u64::from(wordlines) * PAGE));
    let all = [&[cap, ("fold.keep_blocks", json!(2))], values].concat();
    assert_eq!(configure(&mut setup, &all), all.len());
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 1);
    setup
}

fn new(setup: &Setup) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.track_versions();
    sim.keep_ops();
    sim
}

/// Writes logical pages in order; returns when the last is complete.
fn write(sim: &mut Simulation, pages: Range<u64>) -> u64 {
    for page in pages {
        sim.feed(&[request(sim.now_ns(), HostOp::Write, page * PAGE, PAGE)]).unwrap();
        sim.audit().unwrap();
    }
    // An empty flush is complete behind everything that the host waits for.
    sim.feed(&[Request { at_ns: 0, sector: 0, sectors: 0, stream: 0, hint: 0, op: HostOp::Flush }]).unwrap();
    sim.now_ns()
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
    let mut sim = new(&client(2, &[]));
    assert_eq!(write(&mut sim, 0..6), 6 * (X + SLC));
    assert_eq!(write(&mut sim, 6..24), 6 * (X + SLC) + 6 * (3 * X + SHOT));
    assert_eq!(sim.ops().len(), 24);
    write(&mut sim, 24..26);
    let before_ns = busy_ns(&sim);
    write(&mut sim, 26..30);
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
    let mut sim = new(&client(2, &[("fold.host", json!("dense"))]));
    write(&mut sim, 0..24);
    let before_ns = busy_ns(&sim);
    write(&mut sim, 24..30);
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

#[test]
fn a_chip_folds_a_wordline_in_one_operation_without_the_channel() {
    let mut setup = client(3, &[("fold.overhead_ns", json!(1000))]);
    setup.device.pool[0].tlc.as_mut().unwrap().fold = Some(FoldTimes::default());
    let mut sim = new(&setup);
    write(&mut sim, 0..36);
    let before_ns = busy_ns(&sim);
    write(&mut sim, 36..39);
    // Two blocks of three pages each are folded, and one page goes to a block of its own.
    let fold = |block, first: u32| [told("copy-back migration", 6, first..first + 3), erase(block)].concat();
    let want = [fold(0, 0), fold(1, 3), told("program host", 7, 0..3)].concat();
    assert_eq!(story(&sim, 36, 8), want);
    assert_eq!(busy_ns(&sim) - before_ns, 2 * (3 * READ + SHOT + 1000 + ERASE) + 3 * (X + SLC));
    let folds = counters(&sim).into_iter().find(|row| row.0 == "copy-back");
    assert_eq!(folds, Some(("copy-back", "tlc", "migration", 2, 6)));
}

#[test]
fn without_a_fold_of_the_chip_overhead_lengthens_the_shot() {
    let mut sim = new(&client(3, &[("fold.overhead_ns", json!(1000))]));
    write(&mut sim, 0..36);
    let before_ns = busy_ns(&sim);
    write(&mut sim, 36..39);
    let fold = 3 * (READ + X) + 3 * X + SHOT + 1000 + ERASE;
    assert_eq!(busy_ns(&sim) - before_ns, 2 * fold + 3 * (X + SLC));
}

#[test]
fn a_full_cache_that_is_the_only_way_takes_every_page() {
    let settings = [("full", json!("through")), ("dynamic.max_bytes", json!(0))];
    let mut sim = new(&client(2, &settings));
    write(&mut sim, 0..30);
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
    let mut sim = new(&setup);
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
