//! The regions of `qlc-only` and `dwa`: their costs to the nanosecond, their sizes, and that whatever
//! the host does they find room.

use crate::it::common::{configure, device, mode, pool, random, request, setup};
use slcache_core::base::op::{Cause, OpKind};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::{BlockId, CellMode, PlaneId};
use slcache_core::device::config::Replay;
use slcache_core::device::{Setup, Simulation};
use slcache_core::hw::config::{BusConfig, PlaneParallelism, PoolConfig, ProgramRule};
use slcache_core::metrics::report::Report;

const PAGE: u64 = 16384;
const UNIT: u64 = 4096;
const NEVER: u64 = 1 << 40;

/// The learning paper's chip with fewer blocks: SLC 30/160 us, QLC 140/3102 us, erase 3 and 3.5 ms.
fn chip(blocks: u32) -> PoolConfig {
    let mut chip = pool(1, 1, blocks, 256, PAGE as u32);
    chip.bus = BusConfig {
        ps_per_byte: 0,
        read_command_ns: 0,
        read_data_ns: 0,
        program_command_ns: 0,
        erase_command_ns: 0,
        ..chip.bus
    };
    chip.plane_parallelism = PlaneParallelism::Serial;
    chip.slc = Some(mode(30_000, 160_000, 3_000_000));
    chip.tlc = None;
    chip.qlc = Some(mode(140_000, 3_102_000, 3_500_000));
    chip
}

/// One request at a time on that chip, without power-loss protection: a flush programs what is held.
fn paper(scheme: &str, blocks: u32, user_bytes: u64) -> Setup {
    let mut setup = setup(device(chip(blocks), user_bytes), scheme);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 1);
    setup.device.plp = false;
    setup
}

fn write(at: u64, bytes: u64) -> Request {
    request(0, HostOp::Write, at, bytes)
}

fn run(sim: &mut Simulation, requests: &[Request]) -> Report {
    sim.feed(requests).unwrap();
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    report
}

/// Service time of what was done for `cause`, ns.
fn time_ns(sim: &Simulation, cause: Cause) -> u64 {
    sim.counters().iter().filter(|row| row.cause == cause).map(|row| row.totals.time_ns).sum()
}

#[test]
fn a_full_live_slc_block_is_migrated_in_0_805_s_and_its_write_waits_for_it() {
    let mut setup = paper("dwa", 64, 512 << 20);
    assert_eq!(configure(&mut setup, &[("window_bytes", NEVER.into())]), 1);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.keep_log();
    // 35 SLC blocks, 2 of them kept free: the write that opens the one after 34 pays.
    let writes: Vec<Request> = (0..34 * 256 + 1).map(|page| write(page * PAGE, PAGE)).collect();
    run(&mut sim, &writes);
    let migration = 256 * (30_000 + 3_102_000) + 3_000_000;
    assert_eq!(time_ns(&sim, Cause::Migration), migration);
    assert_eq!(migration, 804_792_000);
    let (paid, others): (Vec<u64>, Vec<u64>) =
        sim.log().iter().map(|entry| entry.1).partition(|&ns| ns > 160_000);
    assert_eq!((paid, others.len()), (vec![migration + 160_000], 34 * 256));
}

#[test]
fn four_writes_share_a_page_and_the_fourth_waits_for_it() {
    for (scheme, program_ns) in [("dwa", 160_000), ("qlc-only", 3_102_000)] {
        let mut sim = Simulation::new(&paper(scheme, 64, 512 << 20)).unwrap();
        sim.keep_log();
        let writes: Vec<Request> = (0..1000).map(|i| write(i * 37 % 1000 * UNIT, UNIT)).collect();
        let report = run(&mut sim, &writes);
        let waited: Vec<u64> = sim.log().iter().map(|entry| entry.1).collect();
        assert!(waited.chunks(4).all(|four| four == [0, 0, 0, program_ns]), "{scheme}");
        // 102.4 MB/s and 5.28 MB/s: a page in the time of its program.
        assert_eq!(report.host.duration_ns, 250 * program_ns, "{scheme}");
    }
}

/// Small and large writes all over the device and over each other, the last ones made durable.
fn churn(setup: &Setup, seed: u64) -> Vec<Request> {
    let bytes = setup.device.user_bytes;
    let mut requests: Vec<Request> = random(12_000, bytes, 4, 0.0, 1.0, seed)
        .into_iter()
        .zip(random(12_000, bytes, 64, 0.0, 1.0, seed + 1))
        .flat_map(|(small, large)| [small, large])
        .collect();
    requests.push(request(0, HostOp::Flush, 0, 0));
    requests
}

#[test]
fn the_four_times_add_up_to_the_duration_of_the_run() {
    for scheme in ["dwa", "qlc-only"] {
        let mut setup = paper(scheme, 64, 832 << 20);
        configure(&mut setup, &[("window_bytes", (8u64 << 20).into())]);
        let mut sim = Simulation::new(&setup).unwrap();
        let report = run(&mut sim, &churn(&setup, 3));
        let figure = |name: &str| report.scheme.figures[name] as u64;
        let parts = ["slc_write", "dense_write", "slc_to_dense", "dense_to_dense"];
        let parts = parts.map(|part| figure(&format!("t_{part}_ns")));
        assert_eq!(parts.iter().sum::<u64>(), report.host.duration_ns, "{scheme}: {parts:?}");
        assert!(figure("dense_blocks_cleaned") > 0 && parts[3] > 0, "{scheme} never cleaned");
        // The table of times, and nothing else.
        for row in sim.counters().iter() {
            let each = match (row.kind, row.mode) {
                (OpKind::Read, CellMode::Slc) => 30_000,
                (OpKind::Read, _) => 140_000,
                (OpKind::Program, CellMode::Slc) => 160_000,
                (OpKind::Program, _) => 3_102_000,
                (_, CellMode::Slc) => 3_000_000,
                _ => 3_500_000,
            };
            assert_eq!(row.totals.time_ns, row.totals.count * each, "{scheme}: {row:?}");
        }
    }
}

/// Four planes, dense pages programmed a wordline at a time.
fn small(scheme: &str, user_bytes: u64) -> Setup {
    let mut flash = pool(2, 2, 24, 16, PAGE as u32);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    setup(device(flash, user_bytes), scheme)
}

#[test]
fn without_a_threshold_dwa_is_qlc_only_operation_for_operation() {
    let user_bytes = 4 * 18 * 48 * PAGE;
    let requests = random(20_000, user_bytes, 8, 0.2, 400_000.0, 9);
    let mut stories = ["dwa", "qlc-only"].map(|scheme| {
        let mut setup = small(scheme, user_bytes);
        configure(&mut setup, &[("theta_bytes", 0.into()), ("window_bytes", (1u64 << 20).into())]);
        let mut sim = Simulation::new(&setup).unwrap();
        sim.keep_ops();
        let report = run(&mut sim, &requests);
        assert!(report.scheme.figures["dense_blocks_cleaned"] > 100.0);
        format!("{:?}", sim.ops())
    });
    let qlc_only = std::mem::take(&mut stories[1]);
    assert!(stories[0] == qlc_only);
}

/// Blocks of `plane` that are not free, by cell mode.
fn used(sim: &Simulation, plane: u32, cell: CellMode) -> u32 {
    let array = sim.media().array();
    let mine = |block: &BlockId| {
        let record = array.block(*block);
        let open = record.state() != slcache_core::hw::array::BlockState::Free;
        open && record.mode() == cell && array.geometry.plane_of(*block) == PlaneId(plane)
    };
    array.used_blocks().filter(mine).count() as u32
}

#[test]
fn the_slc_region_follows_the_data_and_both_regions_share_all_blocks() {
    let user_bytes = 4 * 16 * 48 * PAGE;
    let mut setup = small("dwa", user_bytes);
    configure(&mut setup, &[("window_bytes", (256u64 << 10).into()), ("theta_bytes", (64u64 << 10).into())]);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.track_versions();
    let mut sizes = Vec::new();
    // The device fills, is overwritten, and is emptied again by trims.
    let fill = (0..user_bytes / (8 * UNIT)).map(|i| write(i * 8 * UNIT, 8 * UNIT));
    let over = random(3000, user_bytes, 24, 0.0, 1.0, 4).into_iter();
    let empty = (0..48).flat_map(|i| {
        let trim = request(0, HostOp::Trim, i * user_bytes / 48, user_bytes / 48);
        [trim].into_iter().chain((0..40).map(|page| write(page * PAGE, PAGE)))
    });
    let requests: Vec<Request> = fill.chain(over).chain(empty).collect();
    for (i, batch) in requests.chunks(16).enumerate() {
        let later = |request: &Request| Request { at_ns: i as u64 * 100_000_000, ..*request };
        sim.feed(&batch.iter().map(later).collect::<Vec<_>>()).unwrap();
        let slc = (sim.signals()[0] * 24.0).round() as u32;
        sizes.push(slc);
        for plane in 0..4 {
            assert!(used(&sim, plane, CellMode::Slc) <= slc, "batch {i}: {slc} SLC blocks");
            assert!(used(&sim, plane, CellMode::Tlc) <= 24 - slc, "batch {i}: {slc} SLC blocks");
        }
    }
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    // 56 % of 24 blocks, 10 % and 56 % again.
    assert_eq!((sizes.first(), sizes.iter().min(), sizes.last()), (Some(&13), Some(&2), Some(&13)));
    assert_eq!(report.scheme.figures["slc_blocks"], 13.0);
    let series = &report.scheme.series[0];
    assert!(series.name == "slc_blocks" && series.values.contains(&2.0) && series.values.contains(&13.0));
}

#[test]
fn where_the_data_need_the_room_the_slc_region_gives_it_up() {
    let user_bytes = 4 * 18 * 48 * PAGE;
    let mut setup = small("dwa", user_bytes);
    configure(&mut setup, &[("window_bytes", NEVER.into())]);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.track_versions();
    // The size is never set anew: 13 of 24 SLC blocks leave room for less than half the data.
    let small = (0..2000).map(|i| write(i * UNIT, UNIT));
    let large = (0..user_bytes / (16 * UNIT)).map(|i| write(i * 16 * UNIT, 16 * UNIT));
    let report = run(&mut sim, &small.chain(large).collect::<Vec<_>>());
    let figure = |name: &str| report.scheme.figures[name];
    assert!(figure("forced_shrink_blocks") >= 7.0 && figure("slc_blocks") <= 6.0);
    assert_eq!(figure("slc_blocks") + figure("forced_shrink_blocks"), 13.0);
    assert_eq!(sim.media().mapped() * UNIT, user_bytes);
}

#[test]
fn a_unit_that_waits_and_is_written_again_is_absorbed_and_may_change_sides() {
    let mut sim = Simulation::new(&paper("dwa", 64, 512 << 20)).unwrap();
    sim.track_versions();
    // Units 0, 1 and 60 wait for SLC; a request of 48 KiB takes the last along to QLC.
    let writes = [write(0, UNIT), write(UNIT, UNIT), write(0, UNIT), write(60 * UNIT, UNIT)];
    sim.feed(&writes).unwrap();
    sim.feed(&[write(56 * UNIT, 12 * UNIT)]).unwrap();
    let report = run(&mut sim, &[write(2 * UNIT, UNIT), write(3 * UNIT, UNIT)]);
    assert_eq!(report.scheme.figures["absorbed_units"], 2.0);
    // Units 0 to 3 as one SLC page, twelve units as three of QLC.
    let programs = |cell| {
        let rows = sim.counters().iter().filter(|row| row.kind == OpKind::Program && row.mode == cell);
        rows.map(|row| row.totals.count).sum::<u64>()
    };
    assert_eq!((programs(CellMode::Slc), programs(CellMode::Qlc)), (1, 3));
    assert_eq!(report.scheme.figures["padded_units"], 0.0);
}

#[test]
fn a_write_that_finds_the_buffer_full_waits_a_millisecond_for_company_and_no_longer() {
    let mut sim = Simulation::new(&setup(device(chip(64), 512 << 20), "dwa")).unwrap();
    sim.keep_log();
    // Six pages at once are more than the buffer's 20 units; the timer set then is for what is
    // programmed when it goes off, and not for the write that comes 0.1 ms later.
    let at_once = (0..24).map(|i| write(i * UNIT, UNIT));
    let alone = request(100_000, HostOp::Write, 100 * UNIT, UNIT);
    let much_later = request(10_000_000_000, HostOp::Read, 0, UNIT);
    let requests: Vec<Request> = at_once.chain([alone, much_later]).collect();
    let report = run(&mut sim, &requests);
    let waited = |at_ns| sim.log().iter().filter(move |entry| entry.0.at_ns == at_ns).map(|entry| entry.1);
    assert_eq!(waited(100_000).collect::<Vec<_>>(), [1_000_000 + 160_000]);
    assert_eq!(waited(0).max(), Some(6 * 160_000));
    assert_eq!(report.scheme.figures["padded_units"], 3.0);
}
