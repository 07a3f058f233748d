//! `client` against closed forms: where its phases begin, how fast they are, what comes back.
//!
//! One plane, one operation at a time: SLC 30/200 us, one-shot wordlines of 1,500 us, erase 300 us, 8.192 us
//! on the channel for a page of 4 KiB. Below, W wordlines make a block, b bits a cell; K blocks are kept free.

use crate::it::common::*;
use slcache_core::hw::config::{FoldTimes, ModeConfig};

const PAGE: u64 = 4096;
const BLOCKS: u32 = 96;
const X_NS: f64 = 8192.0;
const SLC_NS: f64 = 200_000.0;
const SHOT_NS: f64 = 1_500_000.0;
const READ_NS: f64 = 30_000.0;
const ERASE_NS: f64 = 300_000.0;
/// Requests by the clock come so far apart that each finds the plane free.
const GAP_NS: u64 = 250_000;

/// So many planes on a channel each, blocks and wordlines, one-shot in mode `dense`.
pub fn chips((planes, blocks, wordlines): (u32, u32, u32), dense: CellMode, in_chip: bool) -> PoolConfig {
    let mut chips = free_bus(pool(planes, 1, blocks, wordlines, PAGE as u32));
    chips.bus.ps_per_byte = 2000;
    chips.slc = Some(mode(READ_NS as u32, SLC_NS as u32, ERASE_NS as u32));
    let fold = in_chip.then(FoldTimes::default);
    let shots = mode(60_000, SHOT_NS as u32, ERASE_NS as u32);
    let shots = Some(ModeConfig { program: ProgramRule::OneShot, fold, ..shots });
    chips.tlc = None;
    match dense {
        CellMode::Mlc => chips.mlc = shots,
        CellMode::Qlc => chips.qlc = shots,
        _ => chips.tlc = shots,
    }
    chips
}

/// What is varied.
#[derive(Clone, Copy, Debug)]
struct Case {
    dense: CellMode,
    wordlines: u32,
    cap: u32,
    keep: u32,
    host: &'static str,
    in_chip: bool,
}

impl Case {
    fn bits(&self) -> f64 {
        f64::from(self.dense.bits())
    }

    fn dense_block(&self) -> u64 {
        u64::from(self.wordlines * self.dense.bits())
    }

    fn user_pages(&self) -> u64 {
        u64::from(BLOCKS - self.keep - 1) * self.dense_block()
    }

    fn setup(&self, values: &[(&str, Value)]) -> Setup {
        let chips = chips((1, BLOCKS, self.wordlines), self.dense, self.in_chip);
        let setup = setup(device(chips, self.user_pages() * PAGE), "client");
        let own = [
            ("dynamic.max_bytes", json!(u64::from(self.cap * self.wordlines) * PAGE)),
            ("fold.keep_blocks", json!(self.keep)),
            ("fold.host", json!(self.host)),
        ];
        closed(with(setup, &[&own[..], values].concat()), 1)
    }

    /// Time of a page in SLC, past the cache and folded, ns.
    fn sigma_delta_phi(&self) -> (f64, f64, f64) {
        let through_controller = if self.in_chip { 0.0 } else { 2.0 * X_NS };
        let fold =
            READ_NS + SHOT_NS / self.bits() + ERASE_NS / f64::from(self.wordlines) + through_controller;
        (X_NS + SLC_NS, X_NS + SHOT_NS / self.bits(), fold)
    }
}

/// Writes pages in order, round and round; how long it takes, ns.
pub fn write(sim: &mut Simulation, pages: std::ops::Range<u64>, user_pages: u64) -> f64 {
    let begin_ns = sim.now_ns();
    for page in pages {
        sim.feed(&[request(begin_ns, HostOp::Write, page % user_pages * PAGE, PAGE)]).unwrap();
    }
    rest(sim, begin_ns);
    (sim.now_ns() - begin_ns) as f64
}

fn is_host(op: &LoggedOp, dense: bool) -> bool {
    op.cause == Cause::Host && op.kind == OpKind::Program && (op.mode != CellMode::Slc) == dense
}

/// Time that all operations take on the one plane, ns: the host may be ahead of what is folded for it.
fn busy_ns(sim: &Simulation) -> f64 {
    sim.counters().iter().map(|row| row.totals.time_ns as f64).sum()
}

/// Pages of the host before the first operation for which `found` holds.
fn host_pages_before(ops: &[LoggedOp], found: impl Fn(&LoggedOp) -> bool) -> u64 {
    let end = ops.iter().position(found).expect("an operation of this kind");
    ops[..end].iter().filter(|op| is_host(op, true) || is_host(op, false)).count() as u64
}

fn cases() -> impl Iterator<Item = Case> {
    let modes = [CellMode::Mlc, CellMode::Tlc, CellMode::Qlc];
    let shapes = [(12, 60, 2), (24, 40, 7)];
    modes.into_iter().flat_map(move |dense| {
        shapes.into_iter().flat_map(move |(wordlines, cap, keep)| {
            [("slc", true), ("slc", false), ("dense", true), ("dense", false)].map(|(host, in_chip)| Case {
                dense,
                wordlines,
                cap,
                keep,
                host,
                in_chip,
            })
        })
    })
}

/// D1 = cap W, D2 = (N - K) b W - (b - 1) D1, exactly; v1 and v2 exactly; v3 within 2 %.
#[test]
fn phases_begin_and_go_on_as_the_closed_forms_say() {
    for case in cases() {
        let mut sim = watched(&case.setup(&[]));
        let (sigma, delta, phi) = case.sigma_delta_phi();
        let (b, full) = (case.bits(), case.dense_block());
        let d1 = u64::from(case.cap * case.wordlines);
        let d2 = u64::from(BLOCKS - case.keep) * full - (u64::from(case.dense.bits()) - 1) * d1;
        assert_eq!(write(&mut sim, 0..d1, case.user_pages()), d1 as f64 * sigma, "{case:?}");
        let direct_ns = write(&mut sim, d1..d2, case.user_pages());
        assert_eq!(direct_ns, (d2 - d1) as f64 * delta, "{case:?}");
        assert!(!sim.ops().iter().any(|op| op.cause == Cause::Migration), "{case:?}");
        write(&mut sim, d2..case.user_pages(), case.user_pages());
        assert_eq!(host_pages_before(sim.ops(), |op| is_host(op, true)), d1, "{case:?}");
        assert_eq!(host_pages_before(sim.ops(), |op| op.cause == Cause::Migration), d2, "{case:?}");
        let (own, r) = if case.host == "slc" { (sigma, b / (b - 1.0)) } else { (delta, 1.0 / (b - 1.0)) };
        let want_ns = (case.user_pages() - d2) as f64 * (own + r * phi);
        let got_ns = busy_ns(&sim) - d1 as f64 * sigma - direct_ns;
        assert!((got_ns / want_ns - 1.0).abs() < 0.02, "{case:?}: {got_ns} ns, not {want_ns}");
        sim.audit().unwrap();
    }
}

const TLC: Case = Case { dense: CellMode::Tlc, wordlines: 12, cap: 20, keep: 2, host: "slc", in_chip: false };

/// Half as many pages are folded as the host writes past the cache: it opens after two caches of them.
#[test]
fn a_busy_flush_brings_the_cache_back() {
    for ratio in [0.5, 2.0] {
        let mut sim = watched(&TLC.setup(&[("flush.busy_ratio", json!(ratio))]));
        let d1 = u64::from(TLC.cap * TLC.wordlines);
        write(&mut sim, 0..4 * d1, TLC.user_pages());
        let first = sim.ops().iter().position(|op| is_host(op, true)).unwrap();
        let past = host_pages_before(&sim.ops()[first..], |op| is_host(op, false));
        let want = d1 as f64 / ratio;
        let late = past as f64 - want;
        // The cache is looked at when a dense block is full.
        assert!(late >= 0.0 && late <= TLC.dense_block() as f64, "{past} pages past the cache, not {want}");
        let never = [("flush.busy_ratio", json!(ratio)), ("reopen", json!("never"))];
        let mut sim = watched(&TLC.setup(&never));
        write(&mut sim, 0..4 * d1, TLC.user_pages());
        assert_eq!(sim.ops().iter().filter(|op| is_host(op, false)).count() as u64, d1);
    }
}

/// A page past the cache takes delta + ratio phi, however many requests wait.
#[test]
fn a_busy_flush_slows_the_host_by_what_it_folds() {
    for (depth, in_chip, ratio) in [(1, false, 0.5), (32, false, 0.5), (32, true, 0.25), (32, false, 2.0)] {
        let case = Case { in_chip, cap: 60, ..TLC };
        let mut setup = case.setup(&[("flush.busy_ratio", json!(ratio))]);
        setup.host.queue_depth = depth;
        let mut sim = watched(&setup);
        let d1 = u64::from(case.cap * case.wordlines);
        let pages = (0.9 * d1 as f64 / ratio).min(1100.0) as u64;
        // At first the host is ahead by what the queue holds.
        write(&mut sim, 0..d1 + pages / 2, case.user_pages());
        let took_ns = write(&mut sim, d1 + pages / 2..d1 + pages, case.user_pages());
        let (_, delta, phi) = case.sigma_delta_phi();
        let got = took_ns / (pages - pages / 2) as f64;
        let want = delta + ratio * phi;
        assert!((got / want - 1.0).abs() < 0.03, "depth {depth}, {in_chip}, {ratio}: {got} ns, not {want}");
    }
}

/// The cache ends where the table gives the data held no more than they take: D1 = cap(D1 / user).
#[test]
fn a_table_by_fill_ends_the_cache_at_its_fixed_point() {
    let slc_bytes = |blocks: u32| u64::from(blocks * TLC.wordlines) * PAGE;
    let case = Case { cap: BLOCKS, ..TLC };
    let table = json!([[0.0, slc_bytes(80)], [0.6, slc_bytes(8)]]);
    let mut sim = watched(&case.setup(&[("dynamic.rule", json!("table")), ("dynamic.table", table)]));
    write(&mut sim, 0..case.user_pages() / 2, case.user_pages());
    let d1 = host_pages_before(sim.ops(), |op| is_host(op, true)) as f64;
    let (user, block) = (case.user_pages() as f64, f64::from(case.wordlines));
    // cap(u) = 80 - 120 u blocks below 0.6, and u = D1 / user.
    let want = 80.0 * block / (1.0 + 120.0 * block / user);
    assert!((d1 - want).abs() <= block, "{d1} pages, not {want}");
    assert!(!sim.ops().iter().any(|op| op.cause == Cause::Migration), "a falling cap moves nothing");
}

/// A device whose requests come by the clock, after the first `pages` pages were written, and when.
fn filled(values: &[(&str, Value)], pages: u64) -> (Simulation, u64) {
    let mut setup = TLC.setup(values);
    setup.host.replay = Replay::Open;
    let mut sim = watched(&setup);
    sim.feed(&page_writes(0, GAP_NS, 0..pages)).unwrap();
    (sim, (pages - 1) * GAP_NS + (X_NS + SLC_NS) as u64)
}

/// A cache that was full takes data again as soon as a pause has folded enough of it for `flush.reopen`, as much
/// as was folded, within a block.
#[test]
fn a_pause_opens_a_full_cache_by_what_it_folded() {
    let (d1, block) = (u64::from(TLC.cap * TLC.wordlines), f64::from(TLC.wordlines));
    let block_ns = block * TLC.sigma_delta_phi().2;
    for (when, from) in
        [(json!(1.0), 1.0), (json!(0.5), 0.5), (json!(null), 0.0), (json!("never"), f64::NEG_INFINITY)]
    {
        for folded in [3.5, 7.5, 11.5, 40.0] {
            let values = [("flush.reopen", when.clone())];
            let values = if when.is_null() { &[][..] } else { &values[..] };
            let mut setup = TLC.setup(values);
            (setup.host.replay, setup.host.queue_depth) = (Replay::Open, 32);
            setup.device.stage_timeout_ns = 10 * GAP_NS;
            let mut sim = watched(&setup);
            sim.feed(&page_writes(0, 3 * GAP_NS, 0..d1 + 50)).unwrap();
            let begin_ns = (d1 + 49) * 3 * GAP_NS + 10 * GAP_NS + (SHOT_NS + X_NS) as u64;
            rest(&mut sim, begin_ns + (50e6 + folded * block_ns) as u64);
            let before = sim.ops().len();
            sim.feed(&page_writes(sim.now_ns(), GAP_NS, d1..3 * d1)).unwrap();
            let back = host_pages_before(&sim.ops()[before..], |op| !is_host(op, false)) as f64;
            let cap = f64::from(TLC.cap);
            let is_open = (cap - folded).max(0.0) <= from * cap;
            let want = if is_open { folded.min(cap) * block } else { 0.0 };
            assert!((back - want).abs() <= block, "{when}, {folded} blocks: {back} pages, not {want}");
        }
    }
}

/// After a third phase a long pause folds all; the cache that the blocks left allow is there at once.
#[test]
fn a_long_pause_gives_the_cache_back_after_every_phase() {
    let (user, d1) = (TLC.user_pages(), u64::from(TLC.cap * TLC.wordlines));
    let d2 = u64::from(BLOCKS - TLC.keep) * TLC.dense_block() - 2 * d1;
    for host in ["slc", "dense"] {
        let written = [d1 + 50, d2 - 1, d2 + 1, d2 + 100, d2 + 222, user].map(|pages| (pages, 0.0));
        for (pages, reopen) in [&written[..], &[(d2 + 100, 0.5)]].concat() {
            let values = [("fold.host", json!(host)), ("reopen", json!(reopen))];
            let mut setup = TLC.setup(&values);
            // No wordline is padded between two requests.
            (setup.host.replay, setup.host.queue_depth) = (Replay::Open, 32);
            setup.device.stage_timeout_ns = 10 * GAP_NS;
            let mut sim = watched(&setup);
            sim.feed(&page_writes(0, 3 * GAP_NS, 0..pages)).unwrap();
            rest(&mut sim, 100_000_000_000);
            let before = sim.ops().len();
            sim.feed(&page_writes(sim.now_ns(), GAP_NS, 0..2 * d1)).unwrap();
            let back = host_pages_before(&sim.ops()[before..], |op| !is_host(op, false)) as f64;
            let dense = pages.div_ceil(TLC.dense_block());
            let cap = u64::from(TLC.cap).min(u64::from(BLOCKS - TLC.keep) - dense);
            let want = (cap * u64::from(TLC.wordlines)) as f64;
            assert!(
                (back - want).abs() <= f64::from(TLC.wordlines),
                "{host}, {pages} pages: {back} pages, not {want}"
            );
        }
    }
}

#[test]
fn a_lazy_flush_works_between_its_marks_and_a_demand_flush_not_at_all() {
    let left = |values: &[(&str, Value)], filled: u64| {
        let (mut sim, _) = self::filled(values, filled * u64::from(TLC.wordlines));
        rest(&mut sim, 100_000_000_000);
        let array = sim.media().array();
        let is_slc = |block: &BlockId| {
            let record = array.block(*block);
            record.mode() == CellMode::Slc && record.state() != BlockState::Free
        };
        array.used_blocks().filter(is_slc).count()
    };
    let lazy = [("flush.when", json!("lazy")), ("flush.high", json!(0.8)), ("flush.low", json!(0.3))];
    assert_eq!([15, 16, 20].map(|filled| left(&lazy, filled)), [15, 6, 6]);
    assert_eq!([15, 20].map(|filled| left(&[("flush.when", json!("demand"))], filled)), [15, 20]);
    assert_eq!([15, 20].map(|filled| left(&[], filled)), [0, 0]);
}
