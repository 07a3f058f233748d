//! Copy-back: what it is counted as, what it takes, what waits for it, and what it never does.
//!
//! The pool of `common` in SLC mode: reads 20,000 ns, programs 200,000 ns, erases 3,000,000 ns; commands
//! 100 ns, 1 ns per byte on the channel. A copy-back takes 210,000 ns here.

use crate::it::common::ops::{counters, slots};
use crate::it::common::*;
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::{OpSpec, Timing};

const PAGE: u64 = 4096;
const READ: u64 = 100 + 20_000 + 10 + PAGE;
const PROGRAM: u64 = 100 + PAGE + 200_000;
const COPY: u64 = 210_000;
const ERASE: u64 = 100 + 3_000_000;
/// Long after everything before is over.
const LATER: u64 = 1_000_000_000;

/// The chips, which copy back in SLC mode.
fn chips(planes: u32, blocks: u32, wordlines: u32, page_bytes: u32) -> PoolConfig {
    let mut chips = pool(1, planes, blocks, wordlines, page_bytes);
    chips.slc.as_mut().unwrap().copyback_ns = Some(COPY as u32);
    chips
}

/// One region in SLC mode on 8 blocks of 4 pages, of which the host has 16.
fn eight_blocks(page_bytes: u32) -> Setup {
    let setup = setup(device(chips(1, 8, 4, page_bytes), 16 * u64::from(page_bytes)), "tlc-only");
    with(setup, &[("mode", "slc".into())])
}

/// The requests so far apart that each finds everything before it over.
fn spaced(mut requests: Vec<Request>) -> Vec<Request> {
    requests.iter_mut().enumerate().for_each(|(i, request)| request.at_ns = i as u64 * LATER);
    requests
}

/// Writes logical pages, `gap_ns` apart from `start_ns` on.
fn write(sim: &mut Simulation, start_ns: u64, gap_ns: u64, pages: &[u64]) {
    let bytes = u64::from(sim.piece_bytes());
    for (i, page) in pages.iter().enumerate() {
        let at_ns = start_ns + i as u64 * gap_ns;
        sim.feed(&[request(at_ns, HostOp::Write, page * bytes, bytes)]).unwrap();
    }
}

/// Seven full blocks: pages 2 and 3 live in block 0, 6 and 7 in block 1, two each in the next four, four
/// in block 6. The next write opens the eighth block, for which blocks 0 and 1 are emptied.
const SEVEN_BLOCKS: [u64; 28] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 4, 5, 8, 9, 12, 13, 0, 4, 8, 12];
const NEXT: u64 = 28 * LATER;

fn seven_blocks(setup: &Setup) -> Simulation {
    let mut sim = watched(setup);
    write(&mut sim, 0, LATER, &SEVEN_BLOCKS);
    sim
}

#[test]
fn cleaning_copies_live_pages_back_and_erases() {
    let mut sim = seven_blocks(&eight_blocks(4096));
    write(&mut sim, NEXT, 0, &[1]);
    let expected = [
        "copy-back gc 0/7 page 0",
        "copy-back gc 0/7 page 1",
        "erase gc 0/0",
        "copy-back gc 0/7 page 2",
        "copy-back gc 0/7 page 3",
        "erase gc 0/1",
        "program host 0/0 page 0",
    ];
    assert_eq!(story(&sim, 28, 8), expected);
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    let counted =
        [("program", "slc", "host", 29, 29), ("erase", "slc", "gc", 2, 0), ("copy-back", "slc", "gc", 4, 4)];
    assert_eq!(counters(&sim), counted);
    let row = report.flash.ops.iter().find(|row| row.kind == "copy-back").unwrap();
    assert_eq!((row.bytes, row.time_us), (4 * PAGE, 4.0 * COPY as f64 / 1000.0));
    assert_eq!(report.waf.by_cause["gc"], 4.0 / 29.0);
    // The host's program waits for the erase of its block, and that for the two copies out of it.
    assert_eq!(sim.log()[28].1, 2 * COPY + ERASE + PROGRAM);
    let gc_us = report.host.write.attribution_us.wait["gc"];
    assert!((gc_us - (2 * COPY + ERASE) as f64 / 1000.0).abs() < 1e-6, "{gc_us}");
    assert_eq!(sim.now_ns(), NEXT + 4 * COPY + 2 * ERASE + PROGRAM);
}

#[test]
fn data_lie_where_reads_and_programs_would_have_put_them() {
    let places = |copyback_ns| {
        let mut setup = eight_blocks(4096);
        setup.device.pool[0].slc.as_mut().unwrap().copyback_ns = copyback_ns;
        let (sim, _) = ended(&setup, &spaced(random(3000, 16 * PAGE, 1, 0.3, 1.0, 5)));
        let moved = counters(&sim).into_iter().filter(|row| row.2 == "gc" && row.0 != "erase");
        let kinds: Vec<_> = moved.map(|row| (row.0, row.4)).collect();
        let places: Vec<_> = (0..16).map(|mu| sim.media().lookup(Mu(mu))).collect();
        (kinds, places)
    };
    let (apart, copied) = (places(None), places(Some(COPY as u32)));
    // What is moved twice in one round of cleaning is still in the controller, where nothing is read.
    let [("read", read), ("program", programmed)] = apart.0[..] else { panic!("{:?}", apart.0) };
    let [("program", in_flight), ("copy-back", copies)] = copied.0[..] else { panic!("{:?}", copied.0) };
    assert_eq!((read, programmed), (copies, copies + in_flight));
    assert!(copies > 50 * in_flight, "{copies} copies, {in_flight} programs");
    assert_eq!(apart.1, copied.1);
}

#[test]
fn a_page_that_is_not_yet_programmed_is_programmed_from_the_controller() {
    let mut setup = eight_blocks(4096);
    for (inflight, reads) in [(InflightRead::Buffer, 0), (InflightRead::Wait, 2)] {
        setup.device.inflight_read = inflight;
        let mut sim = watched(&setup);
        write(&mut sim, 0, 0, &SEVEN_BLOCKS);
        // Of the programs one after the other, those of block 0 are over, those of block 1 not.
        write(&mut sim, 5 * PROGRAM, 0, &[1]);
        let story = story(&sim, 28, 8);
        assert_eq!(story[..3], ["copy-back gc 0/7 page 0", "copy-back gc 0/7 page 1", "erase gc 0/0"]);
        let of = |what: &str| story.iter().filter(|line| line.starts_with(what)).count();
        assert_eq!((of("read gc"), of("program gc"), of("copy-back")), (reads, 2, 2), "{story:?}");
        sim.finish().unwrap();
        sim.audit().unwrap();
    }
}

#[test]
fn dead_units_are_copied_along_and_not_counted() {
    let mut sim = seven_blocks(&eight_blocks(16384));
    // The second unit of page 2 dies where it lies.
    sim.feed(&[request(NEXT, HostOp::Trim, 2 * 16384 + PAGE, PAGE)]).unwrap();
    write(&mut sim, NEXT, 0, &[1]);
    sim.finish().unwrap();
    sim.audit().unwrap();
    assert_eq!(counters(&sim).last(), Some(&("copy-back", "slc", "gc", 4, 4)));
    assert_eq!(slots(&sim, Cause::Gc), 15);
    let homes = [8, 9, 10, 11].map(|mu| sim.media().lookup(Mu(mu)).map(|slot| slot.0 % 4));
    assert_eq!(homes, [Some(0), None, Some(2), Some(3)]);
}

#[test]
fn a_host_read_suspends_a_copy_back_as_it_does_a_program() {
    let mut setup = eight_blocks(4096);
    let suspend = &mut setup.device.pool[0].suspend;
    (suspend.program, suspend.max_suspends) = (true, 1);
    (suspend.suspend_ns, suspend.resume_ns) = (5_000, 7_000);
    let mut sim = seven_blocks(&setup);
    write(&mut sim, NEXT, 0, &[1]);
    sim.feed(&[request(NEXT + 100_000, HostOp::Read, 10 * PAGE, PAGE)]).unwrap();
    sim.finish().unwrap();
    assert_eq!(sim.log()[28].1, 5_000 + READ);
    assert_eq!(sim.log()[29].1, 2 * COPY + ERASE + PROGRAM + 5_000 + READ + 7_000);
}

/// When `first` and `second`, emitted at once on the two planes of a die, end.
fn both(parallelism: PlaneParallelism, ops: [OpSpec; 2]) -> [u64; 2] {
    let mut chips = chips(2, 16, 8, 4096);
    chips.plane_parallelism = parallelism;
    let mut timing = Timing::new(&Geometry::new(&[chips], 4096).unwrap(), 0);
    let ids = ops.map(|spec| {
        let id = timing.emit(spec, &[]);
        (id, timing.serial(id))
    });
    let mut ends = [0; 2];
    timing.kick();
    while timing.ops_in_flight() > 0 {
        timing.step();
        for (end, (id, serial)) in ends.iter_mut().zip(ids) {
            if *end == 0 && !timing.is_in_flight(id, serial) {
                *end = timing.now_ns();
            }
        }
    }
    ends
}

/// A copy-back, or another operation that takes as long, on page `page` of `plane`.
fn spec(kind: OpKind, class: Class, plane: u8, page: u16, unit: u32) -> OpSpec {
    let op = OpSpec::new(kind, Cause::Gc, class, BlockId(16 * u32::from(plane)), unit);
    OpSpec { plane_in_die: plane, page, array_ns: COPY as u32, ..op }
}

#[test]
fn planes_copy_back_side_by_side_or_in_turn_and_leave_the_channel_to_others() {
    use PlaneParallelism::{Independent, MultiPlane, Serial};
    let (copy, program) = (OpKind::CopyBack, OpKind::Program);
    for (parallelism, class, other, page, together) in [
        (Independent, Class::Urgent, copy, 5, true),
        (Serial, Class::Urgent, copy, 3, false),
        // Cleaning takes nothing along; raised by a host that waits, a copy-back takes its like.
        (MultiPlane, Class::Urgent, copy, 3, false),
        (MultiPlane, Class::HostWrite, copy, 3, true),
        (MultiPlane, Class::HostWrite, copy, 5, false),
        (MultiPlane, Class::HostWrite, program, 3, false),
    ] {
        let unit = u32::from(parallelism == Independent);
        let ends = both(parallelism, [spec(copy, class, 0, 3, 0), spec(other, class, 1, page, unit)]);
        assert_eq!(ends, [COPY, if together { COPY } else { 2 * COPY }], "{parallelism:?} {class:?} {page}");
    }
    let copy = spec(copy, Class::Urgent, 0, 0, 0);
    let program = OpSpec { in_ns: 4196, array_ns: 200_000, ..spec(program, Class::HostWrite, 1, 0, 1) };
    assert_eq!(both(Independent, [copy, program]), [COPY, PROGRAM]);
    // A command is given only while nothing crosses the channel.
    assert_eq!(both(Independent, [program, copy]), [PROGRAM, 4196 + COPY]);
}

#[test]
fn data_that_change_their_mode_are_not_copied_back() {
    let mut chips = chips(2, 24, 16, 16384);
    chips.tlc.as_mut().unwrap().copyback_ns = Some(860_000);
    let user_bytes = 20 << 20;
    let mut setup = with(setup(device(chips, user_bytes), "baseline"), &[("slc_blocks", 6.into())]);
    let moved = |setup: &Setup| {
        let (sim, _) = ended(setup, &spaced(random(6000, user_bytes, 8, 0.2, 1.0, 3)));
        let moved = counters(&sim).into_iter().filter(|row| ["gc", "migration"].contains(&row.2));
        moved.map(|row| (row.0, row.1, row.2)).filter(|row| row.0 != "erase").collect::<Vec<_>>()
    };
    let expected =
        [("read", "slc", "migration"), ("program", "tlc", "migration"), ("copy-back", "tlc", "gc")];
    assert_eq!(moved(&setup), expected);
    let tlc = setup.device.pool[0].tlc.as_mut().unwrap();
    (tlc.copyback_ns, tlc.program) = (None, ProgramRule::OneShot);
    assert!(moved(&setup).iter().all(|row| row.0 != "copy-back"));
}

/// Live units, pages with nothing dead and pages with something live of each block, where pages have two units.
fn layouts(sim: &Simulation) -> BTreeMap<BlockId, [usize; 3]> {
    let array = sim.media().array();
    let layout = |block: BlockId| {
        let pages = (0..array.block(block).write_ptr()).map(|index| array.geometry.page(block, index));
        let live = pages.map(|page| array.page_tags(page).iter().filter(|&&tag| tag != 0).count());
        let live: Vec<usize> = live.collect();
        let with = |n: usize| live.iter().filter(|&&units| units >= n).count();
        (block, [live.iter().sum(), with(2), with(1)])
    };
    array.used_blocks().map(layout).collect()
}

/// The first dense block that `ops` clean, and what was copied back, read and programmed for it.
fn first_cleaned(sim: &Simulation, ops: &[LoggedOp]) -> Option<(BlockId, [usize; 3])> {
    let cleaning = |op: &&LoggedOp| op.cause == Cause::Gc && op.mode == CellMode::Tlc;
    let ops: Vec<&LoggedOp> = ops.iter().filter(cleaning).collect();
    let end = ops.iter().position(|op| op.kind == OpKind::Erase)?;
    let of = |kind| ops[..end].iter().filter(|op| op.kind == kind).count();
    let did = [of(OpKind::CopyBack), of(OpKind::Read), of(OpKind::Program)];
    Some((sim.media().array().geometry.block_of(ops[end].page), did))
}

#[test]
fn compaction_copies_full_pages_back_and_packs_the_rest() {
    let user_bytes = 80 * 8192;
    let mut chips = chips(1, 12, 4, 8192);
    chips.tlc.as_mut().unwrap().copyback_ns = Some(860_000);
    let mut sim = watched(&setup(device(chips, user_bytes), "qlc-only"));
    let (mut seen, mut both) = (0, 0);
    // One unit waits for another in vain and gets a page of its own; two of one page fill it.
    for write in spaced(random(3000, user_bytes, 2, 0.0, 1.0, 4)) {
        let until = Request { at_ns: write.at_ns + LATER / 2, sectors: 0, op: HostOp::Flush, ..write };
        for request in [write, until] {
            let (before, from) = (layouts(&sim), sim.ops().len());
            sim.feed(&[request]).unwrap();
            let Some((block, did)) = first_cleaned(&sim, &sim.ops()[from..]) else { continue };
            let [units, full, pages] = before[&block];
            let packed = (units - 2 * full).div_ceil(2);
            assert_eq!(did, [full, pages - full, packed], "{:?} of {block:?}", before[&block]);
            seen += 1;
            both += usize::from(full > 0 && packed > 0);
        }
    }
    sim.finish().unwrap();
    sim.audit().unwrap();
    assert!(both > 20, "{both} of {seen} blocks had both kinds of pages");
}
