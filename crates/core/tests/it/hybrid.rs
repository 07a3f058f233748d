//! The regions of `qlc-only` and `dwa`: their costs to the nanosecond, their sizes, and that whatever
//! the host does they find room.

use crate::it::common::*;

const PAGE: u64 = 16384;
const UNIT: u64 = 4096;
const NEVER: u64 = 1 << 40;

/// The learning paper's chip with fewer blocks: SLC 30/160 us, QLC 140/3102 us, erase 3 and 3.5 ms.
fn chip(blocks: u32) -> PoolConfig {
    let mut chip = free_bus(pool(1, 1, blocks, 256, PAGE as u32));
    chip.plane_parallelism = PlaneParallelism::Serial;
    chip.slc = Some(mode(30_000, 160_000, 3_000_000));
    chip.tlc = None;
    chip.qlc = Some(mode(140_000, 3_102_000, 3_500_000));
    chip
}

/// One request at a time on that chip, without power-loss protection: a flush programs what is held.
fn paper(scheme: &str, blocks: u32, user_bytes: u64, values: &[(&str, Value)]) -> Setup {
    let mut setup = closed(setup(device(chip(blocks), user_bytes), scheme), 1);
    setup.device.plp = false;
    with(setup, values)
}

fn write(at: u64, bytes: u64) -> Request {
    request(0, HostOp::Write, at, bytes)
}

/// Service time of what was done for `cause`, ns.
fn time_ns(sim: &Simulation, cause: Cause) -> u64 {
    sim.counters().iter().filter(|row| row.cause == cause).map(|row| row.totals.time_ns).sum()
}

#[test]
fn a_full_live_slc_block_is_migrated_in_0_805_s_and_its_write_waits_for_it() {
    // 35 SLC blocks, 2 of them kept free: the write that opens the one after 34 pays.
    let writes: Vec<Request> = (0..34 * 256 + 1).map(|page| write(page * PAGE, PAGE)).collect();
    let (sim, _) = ended(&paper("dwa", 64, 512 << 20, &[("window_bytes", NEVER.into())]), &writes);
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
        let writes: Vec<Request> = (0..1000).map(|i| write(i * 37 % 1000 * UNIT, UNIT)).collect();
        let (sim, report) = ended(&paper(scheme, 64, 512 << 20, &[]), &writes);
        let waited: Vec<u64> = sim.log().iter().map(|entry| entry.1).collect();
        assert!(waited.chunks(4).all(|four| four == [0, 0, 0, program_ns]), "{scheme}");
        // 102.4 MB/s and 5.28 MB/s: a page in the time of its program.
        assert_eq!(report.host.duration_ns, 250 * program_ns, "{scheme}");
    }
}

/// Small and large writes all over the device and over each other, the last ones made durable: nothing is held
/// when the flush is done.
fn churn(setup: &Setup) -> Vec<Request> {
    let writes =
        |count, units, seed| random(count, setup.device.user_bytes, units, 0.0, 1.0, seed).into_iter();
    let mixed = writes(6_000, 4, 3).zip(writes(6_000, 64, 4)).flat_map(|(small, large)| [small, large]);
    mixed.chain([request(0, HostOp::Flush, 0, 0)]).collect()
}

/// `ust` on a die of blocks of 4 wordlines, 12 logical blocks of 12 pages; the writes come to two of them.
fn ust() -> (Setup, Vec<Request>) {
    let mut chips = free_bus(pool(1, 1, 36, 4, PAGE as u32));
    chips.plane_parallelism = PlaneParallelism::Serial;
    let mut setup = closed(setup(device(chips, 144 * PAGE), "ust"), 1);
    setup.device.plp = false;
    let writes = |blocks: u64| random(4_000, blocks * 12 * PAGE, 8, 0.0, 1.0, 3);
    (setup, [writes(12), writes(2), vec![request(0, HostOp::Flush, 0, 0)]].concat())
}

#[test]
fn the_parts_of_the_time_add_up_to_the_duration_of_the_run() {
    let window = [("window_bytes", Value::from(8u64 << 20))];
    let [dwa, qlc_only] = [("dwa", &window[..]), ("qlc-only", &[])].map(|(scheme, values)| {
        let mut setup = paper(scheme, 64, 832 << 20, values);
        setup.precondition.fill = 0.9;
        let requests = churn(&setup);
        (setup, requests)
    });
    for ((setup, requests), occur) in [
        (dwa, [true, true, true, true, false]),
        (qlc_only, [false, true, false, true, false]),
        (ust(), [true, false, true, true, true]),
    ] {
        let (sim, report) = ended(&setup, &requests);
        let part = |part: &str| report.scheme.figures.get(&format!("t_{part}_ns")).map_or(0, |ns| *ns as u64);
        let parts = ["slc_write", "dense_write", "slc_to_dense", "dense_to_dense", "slc_to_slc"].map(part);
        let scheme = setup.scheme.name();
        assert_eq!(parts.iter().sum::<u64>(), report.host.duration_ns, "{scheme}: {parts:?}");
        assert_eq!(parts.map(|ns| ns > 0), occur, "{scheme}: {parts:?}");
        // The table of times, and nothing else.
        for row in sim.counters().iter() {
            let times = setup.device.pool[0].mode(row.mode).unwrap();
            let each = match row.kind {
                OpKind::Read => times.read_ns[0],
                OpKind::Program => times.program_ns[0],
                _ => times.erase_ns,
            };
            assert_eq!(row.totals.time_ns, row.totals.count * u64::from(each), "{scheme}: {row:?}");
        }
    }
}

/// Four planes, dense pages programmed a wordline at a time.
fn small(scheme: &str, user_bytes: u64, values: &[(&str, Value)]) -> Setup {
    let mut flash = pool(2, 2, 24, 16, PAGE as u32);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    with(setup(device(flash, user_bytes), scheme), values)
}

#[test]
fn without_a_threshold_dwa_is_qlc_only_operation_for_operation() {
    let user_bytes = 4 * 18 * 48 * PAGE;
    let requests = random(8_000, user_bytes, 8, 0.2, 400_000.0, 9);
    let none = [("theta_bytes", 0.into()), ("window_bytes", (1u64 << 20).into())];
    let [dwa, qlc_only] = [("dwa", &none[..]), ("qlc-only", &[])].map(|(scheme, values)| {
        let (sim, report) = ended(&small(scheme, user_bytes, values), &requests);
        assert!(report.scheme.figures["dense_blocks_cleaned"] > 20.0);
        format!("{:?}", sim.ops())
    });
    assert!(dwa == qlc_only);
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
    let values = [("window_bytes", (256u64 << 10).into()), ("theta_bytes", (64u64 << 10).into())];
    let mut sim = watched(&small("dwa", user_bytes, &values));
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
    let setup = small("dwa", user_bytes, &[("window_bytes", NEVER.into())]);
    // The size is never set anew: 13 of 24 SLC blocks leave room for less than half the data.
    let small = (0..2000).map(|i| write(i * UNIT, UNIT));
    let large = (0..user_bytes / (16 * UNIT)).map(|i| write(i * 16 * UNIT, 16 * UNIT));
    let (sim, report) = ended(&setup, &small.chain(large).collect::<Vec<_>>());
    let figure = |name: &str| report.scheme.figures[name];
    assert!(figure("forced_shrink_blocks") >= 7.0 && figure("slc_blocks") <= 6.0);
    assert_eq!(figure("slc_blocks") + figure("forced_shrink_blocks"), 13.0);
    assert_eq!(sim.media().mapped() * UNIT, user_bytes);
}

#[test]
fn a_unit_that_waits_and_is_written_again_is_absorbed_and_may_change_sides() {
    // Units 0, 1 and 60 wait for SLC; a request of 48 KiB takes the last along to QLC.
    let writes = [(0, 1), (1, 1), (0, 1), (60, 1), (56, 12), (2, 1), (3, 1)];
    let writes = writes.map(|(unit, units)| write(unit * UNIT, units * UNIT));
    let (sim, report) = ended(&paper("dwa", 64, 512 << 20, &[]), &writes);
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
    // Six pages at once are more than the buffer's 20 units; the timer set then is for what is
    // programmed when it goes off, and not for the write that comes 0.1 ms later.
    let at_once = (0..24).map(|i| write(i * UNIT, UNIT));
    let alone = request(100_000, HostOp::Write, 100 * UNIT, UNIT);
    let much_later = request(10_000_000_000, HostOp::Read, 0, UNIT);
    let requests: Vec<Request> = at_once.chain([alone, much_later]).collect();
    let (sim, report) = ended(&setup(device(chip(64), 512 << 20), "dwa"), &requests);
    let waited = |at_ns| sim.log().iter().filter(move |entry| entry.0.at_ns == at_ns).map(|entry| entry.1);
    assert_eq!(waited(100_000).collect::<Vec<_>>(), [1_000_000 + 160_000]);
    assert_eq!(waited(0).max(), Some(6 * 160_000));
    assert_eq!(report.scheme.figures["padded_units"], 3.0);
}
