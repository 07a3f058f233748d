//! Latency and bandwidth in closed form, in exact nanoseconds.
//!
//! The pool of `common`: SLC reads 20,000 ns and programs 200,000 ns; commands take 100 ns, read
//! data start 10 ns after the array, a byte takes 1 ns on the channel. Pages are 4,096 bytes here, so
//! an unloaded page read takes 100 + 20,000 + 10 + 4,096 ns and a page program 100 + 4,096 + 200,000.

use crate::it::common::*;

pub(super) const PAGE: u64 = 4096;
pub(super) const READ: u64 = 100 + 20_000 + 10 + PAGE;
pub(super) const PROGRAM: u64 = 100 + PAGE + 200_000;
/// Long after everything before is over.
pub(super) const LATER: u64 = 1_000_000_000;

fn slc_pool(channels: u32, planes: u32, page_bytes: u32) -> PoolConfig {
    pool(channels, planes, 64, 64, page_bytes)
}

/// `flash` in SLC mode throughout, without a cache; half of it is the host's.
pub(super) fn slc_only(flash: PoolConfig) -> Setup {
    let user = flash.raw_bytes(CellMode::Slc) / 2;
    let mut setup = setup(device(flash, user), "tlc-only");
    configure(&mut setup, &[("mode", "slc".into())]);
    setup
}

/// Runs the requests; their latencies in order of arrival (equal times: of completion).
fn latencies(setup: &Setup, requests: &[Request]) -> Vec<u64> {
    let mut log = ended(setup, requests).0.log().to_vec();
    log.sort_by_key(|(request, _)| request.at_ns);
    log.iter().map(|(_, ns)| *ns).collect()
}

/// The latency of a write and of a later read of `bytes` at address 0 of an idle device.
fn unloaded(setup: &Setup, bytes: u64) -> (u64, u64) {
    let all =
        latencies(setup, &[request(0, HostOp::Write, 0, bytes), request(LATER, HostOp::Read, 0, bytes)]);
    (all[0], all[1])
}

#[test]
fn unloaded_latency_is_command_plus_array_plus_transfer() {
    // One 16 KiB page: only the bytes asked for cross the channel. 12,288 bytes at 333 ps are 4,091,904 ps, rounded up
    // once, not three times 1,364 ns.
    for (ps_per_byte, bytes, transfer_ns) in [
        (1000, 4096, 4096),
        (1000, 8192, 8192),
        (1000, 12288, 12288),
        (1000, 16384, 16384),
        (333, 12288, 4092),
    ] {
        let mut flash = slc_pool(1, 1, 16384);
        flash.bus.ps_per_byte = ps_per_byte;
        let law = (100 + transfer_ns + 200_000, 100 + 20_000 + 10 + transfer_ns);
        assert_eq!(unloaded(&slc_only(flash), bytes), law);
    }
}

#[test]
fn a_part_of_a_mapping_unit_is_read_alone_and_written_after_its_rest_is_read() {
    let setup = slc_only(slc_pool(1, 1, 16384));
    let requests = [
        request(0, HostOp::Write, 0, 16384),
        request(LATER, HostOp::Read, 512, 1024),
        request(2 * LATER, HostOp::Write, 512, 1024),
    ];
    let all = latencies(&setup, &requests);
    assert_eq!(all[1], 100 + 20_000 + 10 + 1024);
    // The whole old page is read, then the whole merged page is written.
    assert_eq!(all[2], (100 + 20_000 + 10 + 16384) + (100 + 16384 + 200_000));
}

#[test]
fn planes_run_in_series_or_merge_or_run_alone() {
    let mut flash = slc_pool(1, 2, 4096);
    (flash.bus.extra_plane_read_ns, flash.bus.extra_plane_program_ns) = (30, 50);
    let with = |parallelism, pages| {
        let flash = PoolConfig { plane_parallelism: parallelism, ..flash.clone() };
        unloaded(&slc_only(flash), pages * PAGE)
    };
    assert_eq!(with(PlaneParallelism::Serial, 2), (2 * PROGRAM, 2 * READ));
    // One command and one array phase for both; both pages' data, and an extra cycle. A third page, on the first plane
    // again, does not merge.
    let merged = (PROGRAM + PAGE + 50, READ + 30 + 10 + PAGE);
    assert_eq!(with(PlaneParallelism::MultiPlane, 2), merged);
    assert_eq!(with(PlaneParallelism::MultiPlane, 3), (merged.0 + PROGRAM, merged.1 + READ));
    // Second transfer after the first; second read command 100 ns after the first, but its data wait.
    assert_eq!(with(PlaneParallelism::Independent, 2), (PROGRAM + 100 + PAGE, READ + 10 + PAGE));
    assert_eq!(unloaded(&slc_only(slc_pool(2, 1, 4096)), 2 * PAGE), (PROGRAM, READ));
}

#[test]
fn an_erase_in_the_way_costs_its_full_time() {
    // Every write fills one of 8 blocks of one page and kills the block before.
    let mut setup = slc_only(pool(1, 1, 8, 1, 4096));
    setup.device.user_bytes = 2 * PAGE;
    let mut requests: Vec<_> = (0..8).map(|i| request(i * LATER, HostOp::Write, 0, PAGE)).collect();
    requests.push(request(7 * LATER + PROGRAM, HostOp::Read, 0, PAGE));
    let all = latencies(&setup, &requests);
    // The eighth write finds one block free, less than the two wanted, and has a dead block erased.
    // Its program goes first, and the read finds the erase just begun: 100 + 3,000,000 ns.
    assert_eq!(all[7], PROGRAM);
    assert_eq!(all[8], 3_000_100 + READ);
}

#[test]
fn the_host_link_carries_writes_in_and_reads_out() {
    let mut setup = slc_only(slc_pool(1, 1, 4096));
    setup.host.link = Some(LinkConfig {
        lanes: 4,
        lane_mb_per_s: 1000,
        payload_bytes: 256,
        header_bytes: 26,
        read_overhead_ns: 11,
        write_overhead_ns: 17,
    });
    // 4,096 bytes are 16 packets of 282 bytes: 4,512 bytes over 4 lanes of a byte per ns.
    assert_eq!(unloaded(&setup, PAGE), (17 + 1128 + PROGRAM, READ + 11 + 1128));
    // 512 bytes are 2 packets: 564 bytes, 141 ns. A short read still pays its packets' headers.
    let link = setup.host.link.unwrap();
    assert_eq!([link.transfer_ns(512), link.transfer_ns(1), link.transfer_ns(257)], [141, 7, 78]);
    // Two writes at once share the link: the second starts 1,145 ns later, while the first programs.
    let both = [request(0, HostOp::Write, 0, PAGE), request(0, HostOp::Write, PAGE, PAGE)];
    assert_eq!(latencies(&setup, &both), [1145 + PROGRAM, 1145 + 2 * PROGRAM]);
}

#[test]
fn a_page_still_being_programmed_is_read_from_the_buffer_or_waited_for() {
    let requests = [request(0, HostOp::Write, 0, PAGE), request(1000, HostOp::Read, 0, PAGE)];
    let mut setup = slc_only(slc_pool(1, 1, 4096));
    assert_eq!(latencies(&setup, &requests), [PROGRAM, 0]);
    setup.device.inflight_read = InflightRead::Wait;
    assert_eq!(latencies(&setup, &requests), [PROGRAM, PROGRAM - 1000 + READ]);
}

/// Closed replay of `requests` after the device holds their data; from the first start to the last end.
fn makespan(flash: PoolConfig, op: HostOp, pages: u64, depth: u32) -> u64 {
    let mut setup = slc_only(flash);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, depth);
    let mut sim = Simulation::new(&setup).unwrap();
    if op == HostOp::Read {
        sim.preload(&[(0, pages as u32)]).unwrap();
    }
    let requests: Vec<_> = (0..pages).map(|i| request(0, op, i * PAGE, PAGE)).collect();
    sim.feed(&requests).unwrap();
    sim.finish().unwrap().host.duration_ns
}

#[test]
fn peak_bandwidth_is_set_by_the_array_or_the_bus() {
    // One die per channel: each reads or programs page after page without a gap.
    for channels in [1, 4] {
        let (pages, depth) = (1000 * u64::from(channels), 4 * channels);
        assert_eq!(makespan(slc_pool(channels, 1, 4096), HostOp::Read, pages, depth), 1000 * READ);
        assert_eq!(makespan(slc_pool(channels, 1, 4096), HostOp::Write, pages, depth), 1000 * PROGRAM);
    }
    // Four dies: transfers (4,196 ns each) end long before a program does; the last die starts last.
    let span = makespan(slc_pool(1, 4, 4096), HostOp::Write, 4000, 16);
    assert_eq!(span, 3 * 4196 + 1000 * PROGRAM);
    // Eight dies that program in 20,000 ns: seven further transfers of 4,196 ns cover it, so the
    // channel never rests until the last program runs.
    let mut flash = slc_pool(1, 8, 4096);
    flash.slc = Some(mode(20_000, 20_000, 3_000_000));
    assert_eq!(makespan(flash.clone(), HostOp::Write, 8000, 32), 8000 * 4196 + 20_000);
    // The array takes less than one command: always some die has data or wants a command, so the
    // channel never rests: each page costs its command and its data.
    flash.slc = Some(mode(60, 200_000, 3_000_000));
    assert_eq!(makespan(flash, HostOp::Read, 8000, 32), 8000 * (100 + 10 + PAGE));
    // Data first: the eight dies of a channel march in step. A round is a command, the array time
    // and eight transfers (the other commands hide behind the first array time).
    let span = makespan(slc_pool(1, 8, 4096), HostOp::Read, 8000, 32);
    assert_eq!(span, 1000 * (100 + 20_000 + 8 * (10 + PAGE)));
}

/// With commands first no die waits for the data of all others before it reads again: a channel moves pages
/// as long as its dies can read meanwhile, or each die reads without a pause.
#[test]
fn with_commands_first_a_channel_or_its_dies_never_rest() {
    let mut faster = 0;
    for dies in [1, 2, 3, 4, 8, 16] {
        for (command_ns, array_ns) in
            [0, 100, 300].into_iter().flat_map(|c| [500, 5_000, 13_000, 20_000, 70_000].map(|a| (c, a)))
        {
            let mut flash = slc_pool(1, dies, 4096);
            flash.slc = Some(mode(array_ns, 200_000, 3_000_000));
            flash.bus.read_command_ns = command_ns;
            let pages = 500 * u64::from(dies);
            let spans = [false, true].map(|first| {
                flash.bus.commands_first = first;
                makespan(flash.clone(), HostOp::Read, pages, 4 * dies)
            });
            let of_channel = f64::from(command_ns + 10) + PAGE as f64;
            let of_die = of_channel + f64::from(array_ns);
            let law_ns = (pages as f64 * of_channel).max(500.0 * of_die);
            let ratio = spans[1] as f64 / law_ns;
            let what = format!("{dies} dies, {command_ns} and {array_ns} ns: {spans:?} ns, not {law_ns}");
            assert!((0.97..1.03).contains(&ratio), "{what}");
            assert!(spans[1] <= spans[0] + spans[0] / 50, "{what}");
            faster += u32::from(spans[1] < spans[0] - spans[0] / 5);
        }
    }
    assert!(faster > 10, "{faster}");
}

/// Programs carry data: they take their turn behind read data that wait, also with commands first.
#[test]
fn with_commands_first_programs_wait_for_read_data_as_without() {
    let mut flash = slc_pool(1, 2, 4096);
    let of = |flash: &PoolConfig| {
        let mut setup = slc_only(flash.clone());
        setup.device.inflight_read = InflightRead::Wait;
        let mut sim = Simulation::new(&setup).unwrap();
        sim.preload(&[(0, 2)]).unwrap();
        sim.keep_log();
        let reads = [request(0, HostOp::Read, 0, PAGE), request(1, HostOp::Read, PAGE, PAGE)];
        sim.feed(&reads).unwrap();
        sim.feed(&[request(2, HostOp::Write, 2 * PAGE, PAGE)]).unwrap();
        sim.finish().unwrap();
        sim.log().to_vec()
    };
    let plain = of(&flash);
    flash.bus.commands_first = true;
    assert_eq!(of(&flash), plain);
}

/// Mean wait of Poisson reads on one die over the service time.
fn mean_wait(load: f64, reads: usize) -> f64 {
    let mut flash = slc_pool(1, 1, 4096);
    flash.bus.ps_per_byte = 1;
    let setup = slc_only(flash);
    let mut sim = Simulation::new(&setup).unwrap();
    let pages = (setup.device.user_bytes / PAGE) as u32;
    sim.preload(&[(0, pages)]).unwrap();
    // 4,096 bytes at 1 ps: 5 ns.
    let service = 100.0 + 20_000.0 + 10.0 + 5.0;
    let mut rng = RngStream::new(11, "poisson");
    let mut at = 0.0;
    for _ in 0..reads / 1000 {
        let batch: Vec<_> = (0..1000)
            .map(|_| {
                at += rng.exponential(service / load);
                request(at as u64, HostOp::Read, u64::from(rng.below(pages)) * PAGE, PAGE)
            })
            .collect();
        sim.feed(&batch).unwrap();
    }
    sim.finish().unwrap().host.read.latency_us.unwrap().mean * 1000.0 / service - 1.0
}

#[test]
fn poisson_reads_on_one_die_wait_as_in_m_d_1() {
    for load in [0.6, 0.3, 0.8].into_iter().step_by(few(2)) {
        let (got, want) = (mean_wait(load, 2_000_000), load / (2.0 * (1.0 - load)));
        let error = got / want - 1.0;
        println!("load {load}: mean wait {got:.4} service times, {:+.2} %", error * 100.0);
        assert!(error.abs() < 0.02, "load {load}: {got} where {want} is expected");
    }
}
