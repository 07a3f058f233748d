//! Folding in a die that runs multi-plane commands, in closed form: how long does it take to empty a block of SLC
//! pages in each of its planes?
//!
//! The pool of `common`: SLC reads 20 us, TLC programs 800 us, erase 3 ms; commands take 100 ns, read data start
//! 10 ns after the array, a byte takes 1 ns on the channel unless a test says otherwise.

use crate::it::common::*;
use slcache_core::hw::config::BusConfig;

const PAGE: u64 = 4096;
/// Pages of an SLC block.
const PAGES: u64 = 12;
const IDLE_NS: u64 = 1_000_000;
/// Long after everything is over.
const LATER: u64 = 100_000_000_000;
const READ_NS: u64 = 20_000;
const PROGRAM_NS: u64 = 800_000;
const ERASE_NS: u64 = 3_000_000;

/// A die of `planes` planes whose cache `turbo-write` empties block by block once it is idle.
fn die(planes: u32, one_shot: bool, parallelism: PlaneParallelism, bus: Option<BusConfig>) -> PoolConfig {
    let mut chips = pool(1, planes, 16, PAGES as u32, PAGE as u32);
    chips.plane_parallelism = parallelism;
    if one_shot {
        chips.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    }
    match bus {
        Some(bus) => chips.bus = bus,
        None => chips = free_bus(chips),
    }
    chips
}

fn folding(chips: PoolConfig) -> Setup {
    let user = chips.raw_bytes(CellMode::Tlc) / 4;
    let values = [("slc_blocks", json!(4)), ("idle.threshold_ns", json!(IDLE_NS))];
    with(setup(device(chips, user), "turbo-write"), &values)
}

fn write(at_ns: u64, page: u64) -> Request {
    request(at_ns, HostOp::Write, page * PAGE, PAGE)
}

/// How long the die is at folding when a block of every plane is full, as a write has to wait for its end, ns.
fn folds_for_ns(chips: &PoolConfig) -> u64 {
    let setup = folding(chips.clone());
    let pages = u64::from(chips.planes) * PAGES;
    let writes: Vec<Request> = (0..pages).map(|page| write(0, page)).collect();
    let last_ns = |requests: &[Request]| {
        let (sim, _) = ended(&setup, requests);
        let last = sim.log().iter().max_by_key(|(request, ns)| request.at_ns + ns);
        last.unwrap().1
    };
    let idle_ns = last_ns(&writes) + IDLE_NS;
    let with = |at_ns| [&writes[..], &[write(at_ns, pages)]].concat();
    last_ns(&with(idle_ns + 1)) + 1 - last_ns(&with(LATER))
}

/// What a die of `planes` planes takes for it where commands are shared: the array's times once, those of the
/// channel once for each plane.
fn shared_ns(planes: u64, one_shot: bool, bus: &BusConfig) -> u64 {
    let data_ns = planes * PAGE * u64::from(bus.ps_per_byte) / 1000;
    let read_ns = u64::from(bus.read_command_ns) + READ_NS + planes * u64::from(bus.read_data_ns) + data_ns;
    let command_ns = u64::from(bus.program_command_ns) + PROGRAM_NS;
    let programs_ns = match one_shot {
        true => PAGES / 3 * (command_ns + 3 * data_ns),
        false => PAGES * (command_ns + data_ns),
    };
    PAGES * read_ns + programs_ns + u64::from(bus.erase_command_ns) + ERASE_NS
}

#[test]
fn planes_of_a_die_fold_together_until_the_channel_binds() {
    for one_shot in [false, true] {
        let plain = pool(1, 1, 1, 1, PAGE as u32).bus;
        let slow = BusConfig { ps_per_byte: 500_000, ..plain };
        let free = free_bus(pool(1, 1, 1, 1, PAGE as u32)).bus;
        for bus in [free, plain, slow] {
            for planes in [1, 2, 4] {
                let chips = die(planes, one_shot, PlaneParallelism::MultiPlane, Some(bus));
                let expected_ns = shared_ns(u64::from(planes), one_shot, &bus);
                assert_eq!(folds_for_ns(&chips), expected_ns, "{planes} planes, {one_shot}, {bus:?}");
            }
        }
        // On a free bus four planes fold four times as fast as one; where the channel is what takes the time,
        // hardly faster.
        assert_eq!(shared_ns(4, one_shot, &free), shared_ns(1, one_shot, &free));
        assert!(shared_ns(4, one_shot, &slow) > 3 * shared_ns(1, one_shot, &slow));
    }
}

#[test]
fn a_die_that_runs_one_plane_at_a_time_folds_one_after_the_other() {
    let one = folds_for_ns(&die(1, true, PlaneParallelism::Serial, None));
    // The write waits for the first plane's block only: then the die is the host's again.
    assert_eq!(folds_for_ns(&die(4, true, PlaneParallelism::Serial, None)), one);
}

/// How long a die of `planes` planes takes for as many writes as fill its cache many times over, `depth` of them
/// at a time, where the cache is emptied as they come, ns.
fn writes_for_ns(
    scheme: &str,
    planes: u32,
    parallelism: PlaneParallelism,
    one_shot: bool,
    depth: u32,
) -> u64 {
    let mut chips = die(planes, one_shot, parallelism, None);
    chips.blocks = 64;
    let user = chips.raw_bytes(CellMode::Tlc) / 4;
    let setup = with(setup(device(chips, user), scheme), &[("slc_blocks", json!(4))]);
    let writes: Vec<Request> = (0..user / PAGE).map(|page| write(0, page)).collect();
    ended(&closed(setup, depth), &writes).1.host.duration_ns / (user / PAGE)
}

#[test]
fn a_cache_that_is_emptied_as_the_host_writes_is_as_fast_as_on_planes_of_their_own() {
    use PlaneParallelism::{Independent, MultiPlane, Serial};
    for (i, scheme) in ["baseline", "sa", "sector", "hierarchy"].into_iter().enumerate() {
        for one_shot in [true, false] {
            for depth in [4, 32].into_iter().skip((i + usize::from(one_shot)) % few(2)).step_by(few(2)) {
                let ns = |planes, parallelism| writes_for_ns(scheme, planes, parallelism, one_shot, depth);
                let (one, four, apart) = (ns(1, Serial), ns(4, MultiPlane), ns(4, Independent));
                // A plane's turn to be emptied comes a few writes after the one before.
                let near = four * 100 < apart * 103 && four * 100 * 4 < one * 105;
                assert!(near, "{scheme}, {one_shot}, {depth}: {one}, {four}, {apart} ns a write");
            }
        }
    }
}
