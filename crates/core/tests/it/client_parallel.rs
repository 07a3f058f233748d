//! `client` where few planes fold, or take writes past the cache, at a time: four planes, a channel each.
//!
//! SLC 30/200 us, one-shot wordlines of 1,500 us, erase 300 us, 8.192 us on the channel for a page of 4 KiB.

use crate::it::client_laws::{chips, write};
use crate::it::common::*;
use slcache_core::hw::controller_config::ControllerConfig;

const PAGE: u64 = 4096;
const PLANES: u64 = 4;
const BLOCKS: u64 = 48;
const WORDLINES: u64 = 48;
const CAP: u64 = 16;
const KEEP: u64 = 2;
const BITS: u64 = 3;
const USER: u64 = (BLOCKS - KEEP - 1) * WORDLINES * BITS * PLANES;
const D1: u64 = CAP * WORDLINES * PLANES;
const D2: u64 = (BLOCKS - KEEP) * WORDLINES * BITS * PLANES - (BITS - 1) * D1;
const X_NS: f64 = 8192.0;
const SIGMA_NS: f64 = X_NS + 200_000.0;
const DELTA_NS: f64 = X_NS + 500_000.0;

/// Time of a folded page, ns.
fn phi_ns(in_chip: bool) -> f64 {
    30_000.0 + 500_000.0 + 300_000.0 / WORDLINES as f64 + if in_chip { 0.0 } else { 2.0 * X_NS }
}

fn client(in_chip: bool, depth: u32, values: &[(&str, Value)]) -> Setup {
    let chips = chips((PLANES as u32, BLOCKS as u32, WORDLINES as u32), CellMode::Tlc, in_chip);
    let own =
        [("dynamic.max_bytes", json!(CAP * WORDLINES * PLANES * PAGE)), ("fold.keep_blocks", json!(KEEP))];
    let setup = setup(device(chips, USER * PAGE), "client");
    let mut setup = closed(with(setup, &[&own[..], values].concat()), depth);
    // No wordline is padded between two requests.
    setup.device.stage_timeout_ns = 10_000_000_000;
    setup
}

/// As `write`, until all of it is in flash.
fn write_through(sim: &mut Simulation, pages: std::ops::Range<u64>) -> f64 {
    let begin_ns = sim.now_ns();
    write(sim, pages, USER);
    sim.finish().unwrap();
    (sim.now_ns() - begin_ns) as f64
}

fn is_direct(op: &LoggedOp) -> bool {
    op.cause == Cause::Host && op.kind == OpKind::Program && op.mode == CellMode::Tlc
}

fn host_programs(ops: &[LoggedOp]) -> u64 {
    let is_host = |op: &&LoggedOp| op.cause == Cause::Host && op.kind == OpKind::Program;
    ops.iter().filter(is_host).count() as u64
}

/// v2 = n G / delta; each plane has its part; the third phase begins where it does without a limit, within
/// the blocks that are being written.
#[test]
fn so_many_planes_write_past_the_cache_at_a_time() {
    for most in 1..=PLANES {
        let mut sim = watched(&client(false, 6 * most as u32, &[("dense.parallel", json!(most))]));
        write(&mut sim, 0..D1, USER);
        let (begin, end) = (sim.ops().len(), D2 - 2 * PLANES * WORDLINES * BITS);
        let took_ns = write(&mut sim, D1..end, USER);
        let want_ns = (end - D1) as f64 * DELTA_NS / most as f64;
        assert!((0.97..1.03).contains(&(took_ns / want_ns)), "{most} planes: {took_ns} ns, not {want_ns}");
        let geometry = &sim.media().array().geometry;
        let plane_of = |op: &LoggedOp| geometry.plane_of(geometry.block_of(op.page)).0;
        let written: Vec<u32> = sim.ops()[begin..].iter().filter(|op| is_direct(op)).map(plane_of).collect();
        let of = |plane| written.iter().filter(|&&p| p == plane).count() as u64;
        let counts: Vec<u64> = (0..PLANES as u32).map(of).collect();
        let spread = counts.iter().max().unwrap() - counts.iter().min().unwrap();
        assert!(spread <= WORDLINES * BITS, "{most} planes: {counts:?} pages in each");
        // Between the ends of two blocks no other planes write.
        for pages in written.chunks((WORDLINES * BITS) as usize / 2) {
            let mut planes = pages.to_vec();
            planes.sort_unstable();
            planes.dedup();
            assert!(planes.len() as u64 <= 2 * most, "{most} planes: {planes:?}");
        }
        write(&mut sim, end..USER, USER);
        let third = sim.ops().iter().position(|op| op.cause == Cause::Migration).unwrap();
        let early = D2.abs_diff(host_programs(&sim.ops()[..third]));
        assert!(early <= PLANES * WORDLINES * BITS, "{most} planes: off by {early} pages");
        sim.audit().unwrap();
    }
}

/// Depths and buffers under which a limit in time holds, in pages.
fn pressures() -> impl Iterator<Item = (u32, u64)> {
    [1u32, 4, 32, 1024].into_iter().flat_map(|depth| [0, 16, 512, 65_536].map(|pages| (depth, pages)))
}

/// Under a queue of `depth` and a write buffer of so many pages; idle planes fold nothing, nor does the end.
fn pressed(setup: Setup, depth: u32, pages: u64) -> Setup {
    let mut setup = closed(setup, depth);
    configure(&mut setup, &[("flush.when", json!("demand")), ("drain", json!(false))]);
    setup.device.stage_timeout_ns = 10_000_000;
    setup.buffer = (pages > 0)
        .then(|| BufferConfig { write_back: WriteBack::AtOnce, ..BufferConfig::new(pages * PAGE) });
    setup
}

/// A striped buffer has room again as each wordline ends, not when all do whose pages came together.
#[test]
fn a_wordline_that_ends_makes_room_for_what_it_held() {
    let own = [("placement", json!("striped")), ("dynamic.max_bytes", json!(0))];
    let stripe = PLANES * BITS;
    let mut setup = pressed(client(false, 1, &own), 1, 2 * stripe);
    setup.device.controller = Some(ControllerConfig { write_ns: 20_000, ..ControllerConfig::default() });
    let mut sim = watched(&setup);
    sim.keep_log();
    // What the controller stages has left the buffer.
    for page in 0..2 * stripe + PLANES * BITS {
        sim.feed(&[request(0, HostOp::Write, page * PAGE, PAGE)]).unwrap();
    }
    sim.finish().unwrap();
    let waited = sim.log().iter().position(|&(_, ns)| ns > 20_000).unwrap();
    let end_ns = sim.log()[..=waited].iter().map(|(_, ns)| ns).sum::<u64>() as f64;
    // The first wordline is full with the first page of the third round.
    let full_ns = 20_000.0 * ((BITS - 1) * PLANES + 1) as f64;
    assert!(waited as u64 >= 2 * stripe, "{waited}");
    assert_eq!(end_ns, full_ns + BITS as f64 * X_NS + 1_500_000.0);
    sim.audit().unwrap();
}

/// v2 = n G / delta, however much waits in front of the planes, however their programs differ, and whether
/// their wordlines fill one after the other or side by side.
#[test]
fn a_limit_of_planes_holds_in_time_under_every_depth_and_buffer() {
    let ways = [(0.0, "round-robin"), (0.05, "round-robin"), (0.3, "round-robin"), (0.05, "striped")];
    for (i, (most, (variation, placement))) in
        (1..=PLANES).flat_map(|most| ways.map(|way| (most, way))).enumerate()
    {
        // Each of 16 devices under a pressure of its own, or all.
        for (depth, pages) in pressures().skip(i * 7 % few(16)).step_by(few(16)) {
            let own = [("dense.parallel", json!(most)), ("placement", json!(placement))];
            let mut setup = client(false, depth, &own);
            setup.device.pool[0].tlc.as_mut().unwrap().program_variation = variation;
            let mut sim = watched(&pressed(setup, depth, pages));
            write_through(&mut sim, 0..D1 + PLANES * WORDLINES);
            let (begin, end) = (D1 + PLANES * WORDLINES, D2 - 2 * PLANES * WORDLINES * BITS);
            let ratio = write_through(&mut sim, begin..end) * most as f64 / ((end - begin) as f64 * DELTA_NS);
            let what = format!(
                "{most} planes, depth {depth}, buffer of {pages} pages, {variation}, {placement}: {ratio}"
            );
            // Out of step, a plane sometimes has nothing to do where little waits, and the last to end is late.
            let near = if variation > 0.0 { 0.05 } else { 0.03 };
            assert!(ratio > 1.0 - near, "{what}");
            // Without a buffer, a short queue keeps fewer planes busy.
            let is_fed = pages >= 8 * most * BITS || u64::from(depth) >= 4 * most * BITS;
            assert!(ratio < 1.0 + near || !is_fed, "{what}");
        }
    }
}

/// Once the cache is full, each page of the host waits for the fold of another.
#[test]
fn a_cap_that_all_goes_through_holds_in_time_under_every_depth_and_buffer() {
    for (depth, pages) in pressures().step_by(few(3)) {
        let mut sim = watched(&pressed(client(false, depth, &[("full", json!("through"))]), depth, pages));
        let begin = D1 + PLANES * WORDLINES;
        write_through(&mut sim, 0..begin);
        let end = D2 - 2 * PLANES * WORDLINES * BITS;
        let law_ns = (SIGMA_NS + phi_ns(false)) * (end - begin) as f64 / PLANES as f64;
        let ratio = write_through(&mut sim, begin..end) / law_ns;
        let what = format!("depth {depth}, buffer of {pages} pages: {ratio}");
        // What still waits for its program is folded without a read: 30 of 760 us.
        assert!(ratio > 0.955, "{what}");
        assert!(ratio < 1.03 || (depth == 1 && pages == 0), "{what}");
    }
}

/// What is overwritten fills no cache: over half of it, at any length, all is written to SLC.
#[test]
fn data_that_die_in_the_cache_never_fill_it() {
    for (span, closes) in [(D1 / 2, false), (D1 / 2 + D1 / 4, false), (D1 + D1 / 2, true)] {
        let mut sim = watched(&client(false, 32, &[("flush.when", json!("demand"))]));
        for _ in 0..8 {
            write(&mut sim, 0..span, USER);
        }
        assert_eq!(sim.ops().iter().any(is_direct), closes, "{span} of {D1} pages");
        let is_moved = |op: &LoggedOp| op.cause == Cause::Migration && op.kind == OpKind::Program;
        assert!(
            closes || !sim.ops().iter().any(is_moved),
            "{span} of {D1} pages: nothing lives to be folded"
        );
        sim.audit().unwrap();
    }
}

/// So many pages are folded for each page in the open cache, if there is time, and none without it.
#[test]
fn an_open_cache_is_folded_beside_the_host_by_its_ratio() {
    for ratio in [0.0, 0.25, 0.5] {
        let mut setup =
            client(false, 4, &[("flush.inside_ratio", json!(ratio)), ("flush.when", json!("demand"))]);
        setup.host.replay = Replay::Open;
        let mut sim = watched(&setup);
        // A plane has four times what its programs take.
        let gap_ns = SIGMA_NS as u64;
        sim.feed(&page_writes(0, gap_ns, 0..D1)).unwrap();
        let moved = |op: &&LoggedOp| op.cause == Cause::Migration && op.kind == OpKind::Read;
        let folded = sim.ops().iter().filter(moved).count() as f64;
        // The first blocks have to be full before one can be folded.
        let want = ratio * D1 as f64;
        assert!((folded - want).abs() <= 2.0 * (PLANES * WORDLINES) as f64, "{ratio}: {folded}, not {want}");
        sim.audit().unwrap();
    }
}

/// A full device that is overwritten: cleaned beside the host's writes, no write waits for a block, and no more
/// is moved than with as many blocks kept free.
#[test]
fn what_is_cleaned_ahead_holds_up_no_write_for_a_block() {
    let cases = [(1, false, 0.0), (4, false, 0.0), (32, true, 0.3), (4, true, 0.0)];
    for (depth, cached, busy_ratio) in cases.into_iter().step_by(few(2)) {
        let overwritten = |ahead: bool| {
            let most = if cached { CAP / 4 } else { 0 } * WORDLINES * PLANES * PAGE;
            let values = [
                ("dense.clean_ahead", json!(ahead)),
                ("fold.keep_blocks", json!(KEEP + if ahead { 0 } else { 2 })),
                ("dynamic.max_bytes", json!(most)),
                ("flush.busy_ratio", json!(busy_ratio)),
                ("fold.host", json!("dense")),
            ];
            let mut setup = client(false, depth, &values);
            let user = USER * 85 / 100 / PLANES * PLANES;
            setup.device.user_bytes = user * PAGE;
            (setup.precondition.fill, setup.precondition.overwrite) = (1.0, 1.0);
            let mut sim = watched(&setup);
            sim.precondition(&mut |_, _| true).unwrap();
            sim.log_requests();
            for i in 0..user {
                sim.feed(&[request(0, HostOp::Write, i * 7919 % user * PAGE, PAGE)]).unwrap();
            }
            sim.audit().unwrap();
            let report = sim.finish().unwrap();
            let mut log = Vec::new();
            sim.take_logged(&mut log);
            let longest = log.iter().map(|r| r.completed_ns - r.request.at_ns).max().unwrap();
            (longest as f64, report.waf.total, report.scheme.figures["padded_units"])
        };
        let what = format!("depth {depth}, cache {cached}, {busy_ratio}");
        let ((at_once_ns, at_once_waf, _), (ahead_ns, ahead_waf, padded)) =
            (overwritten(false), overwritten(true));
        assert!(ahead_ns < 0.6 * at_once_ns, "{what}: {ahead_ns} of {at_once_ns} ns");
        assert!(ahead_waf < 1.05 * at_once_waf, "{what}: {ahead_waf}, {at_once_waf}");
        assert!(padded < 0.02 * USER as f64, "{what}: {padded} padded");
    }
}

/// max(sigma / P, r phi / J) <= time of a page in the third phase <= sigma / P + r phi ceil(P/J) / P,
/// r = 3/2, but for the kept blocks by which the host is ahead.
#[test]
fn so_many_planes_fold_at_a_time() {
    for (in_chip, most) in [(false, 1), (false, 2), (false, 3), (true, 1), (true, 2), (true, 4)] {
        let mut sim = watched(&client(in_chip, 64, &[("fold.parallel", json!(most))]));
        write(&mut sim, 0..D2, USER);
        let took_ns = write(&mut sim, D2..USER, USER) / (USER - D2) as f64;
        let host_ns = SIGMA_NS / PLANES as f64;
        let fold_ns = 1.5 * phi_ns(in_chip) / most as f64;
        // Planes fold in rounds, and the host waits for the last one.
        let rounds_ns = 1.5 * phi_ns(in_chip) * PLANES.div_ceil(most) as f64 / PLANES as f64;
        let bounds = 0.9 * host_ns.max(fold_ns)..1.05 * (host_ns + rounds_ns);
        assert!(bounds.contains(&took_ns), "{in_chip}, {most} planes: {took_ns} ns, not within {bounds:?}");
        sim.audit().unwrap();
    }
}
