//! Small devices and workloads shared by the core's tests.
pub mod few;
pub mod hosted;
pub mod ops;
pub mod restart;
pub mod turning;

// What most tests name.
pub use few::few;
pub use serde_json::{json, Value};
pub use slcache_core::base::op::{Cause, Class, OpKind};
pub use slcache_core::base::request::{HostOp, Request};
pub use slcache_core::base::rng::RngStream;
pub use slcache_core::base::{BlockId, CellMode, Mu, PlaneId};
pub use slcache_core::device::config::{
    Acknowledge, BufferConfig, InflightRead, LinkConfig, Prefill, Replay, WriteBack,
};
use slcache_core::device::config::{DeviceConfig, HostConfig, PreconditionConfig, TracePolicy};
pub use slcache_core::device::{Setup, Simulation};
pub use slcache_core::ftl::op_log::LoggedOp;
pub use slcache_core::hw::array::BlockState;
use slcache_core::hw::config::{BusConfig, ModeConfig, ReprogramConfig};
pub use slcache_core::hw::config::{PlaneParallelism, PoolConfig, ProgramRule};
use slcache_core::hw::disk::config::DiskConfig;
pub use slcache_core::metrics::report::Report;
use slcache_core::schemes::SchemeConfig;
pub use slcache_core::schemes::CATALOG;
pub use std::collections::{BTreeMap, BTreeSet};

/// A device at time 0 whose data are known by version.
pub fn begin(setup: &Setup) -> Simulation {
    let problems = setup.check();
    assert!(problems.is_empty(), "{}: {problems:?}", setup.scheme.name());
    let mut sim = Simulation::new(setup).unwrap();
    sim.track_versions();
    sim.precondition(&mut |_, _| true).unwrap();
    sim
}

/// A device that is watched: its data by version, its operations and its requests one by one.
pub fn watched(setup: &Setup) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.track_versions();
    sim.keep_ops();
    sim.keep_log();
    sim
}

/// A watched device after what comes before time 0, `requests` and the end of the run, with the report.
pub fn ended(setup: &Setup, requests: &[Request]) -> (Simulation, Report) {
    let mut sim = watched(setup);
    sim.precondition(&mut |_, _| true).unwrap();
    foresee(&mut sim, requests);
    sim.feed(requests).unwrap();
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    (sim, report)
}

/// What is wrong with a setup, in words.
pub fn told(setup: &Setup) -> Vec<String> {
    setup.check().iter().map(ToString::to_string).collect()
}

/// Tells a scheme that looks ahead what will come.
pub fn foresee(sim: &mut Simulation, requests: &[Request]) {
    if let Some(mut foresight) = sim.foresight() {
        requests.iter().for_each(|request| foresight.add(request));
        sim.foresee(foresight);
    }
}

/// One mode with flat times.
pub fn mode(read_ns: u32, program_ns: u32, erase_ns: u32) -> ModeConfig {
    let mode = json!({
        "read_ns": [read_ns], "program_ns": [program_ns], "erase_ns": erase_ns, "endurance_cycles": 3000,
    });
    serde_json::from_value(mode).expect("a mode")
}

/// A pool with round times: SLC 20/200 us, TLC 60/800 us, erase 3 ms, 1 ns per byte, commands 100 ns.
pub fn pool(channels: u32, planes: u32, blocks: u32, wordlines: u32, page_bytes: u32) -> PoolConfig {
    let bus = json!({
        "ps_per_byte": 1000, "read_command_ns": 100, "read_data_ns": 10, "program_command_ns": 100,
        "erase_command_ns": 100,
    });
    let pool = json!({
        "name": "nand", "channels": channels, "chips": 1, "dies": 1, "planes": planes, "blocks": blocks,
        "wordlines": wordlines, "page_bytes": page_bytes, "bus": bus, "plane_parallelism": "independent",
        "slc": mode(20_000, 200_000, 3_000_000), "tlc": mode(60_000, 800_000, 3_000_000),
    });
    serde_json::from_value(pool).expect("a pool")
}

/// The chips on a bus that costs nothing.
pub fn free_bus(mut chips: PoolConfig) -> PoolConfig {
    let bus = BusConfig { ps_per_byte: 0, read_command_ns: 0, read_data_ns: 0, ..chips.bus };
    chips.bus = BusConfig { program_command_ns: 0, erase_command_ns: 0, ..bus };
    chips
}

/// The chips of `pool`, which can be reprogrammed too: for whatever the catalogue has.
pub fn versatile_pool(
    channels: u32,
    planes: u32,
    blocks: u32,
    wordlines: u32,
    page_bytes: u32,
) -> PoolConfig {
    PoolConfig { reprogram: Some(reprogram()), ..pool(channels, planes, blocks, wordlines, page_bytes) }
}

/// Windows of two layers with one wordline each; a reprogram takes 900 us.
pub fn reprogram() -> ReprogramConfig {
    ReprogramConfig {
        program_ns: 900_000,
        read_ns: 0,
        mode: Some(CellMode::Tlc),
        wordlines_per_layer: 1,
        layers: 2,
        max_reprograms: 4,
    }
}

pub fn device(pool: PoolConfig, user_bytes: u64) -> DeviceConfig {
    let device = json!({
        "name": "test", "user_bytes": user_bytes, "mu_bytes": 4096, "plp": true, "stage_timeout_ns": 1_000_000,
        "rmw_transfer": "page", "read_transfer": "request", "part_reads": "together", "inflight_read": "buffer",
        "pool": [pool],
    });
    serde_json::from_value(device).expect("a device")
}

/// A disk with round times: a turn takes 10 ms, a mean seek 8 ms, one to a neighbouring track 1 ms; a
/// mapping unit of 4 KiB is transferred in 40.96 us. It is idle after 1.5 s and in standby 5.3 s later.
pub fn disk() -> DiskConfig {
    let power = json!({
        "active_mw": 2500, "idle_mw": 800, "standby_mw": 250,
        "idle_after_ns": 1_000_000_000u64, "to_idle_ns": 500_000_000u64, "to_idle_mj": 1150,
        "from_idle_ns": 500_000_000u64, "from_idle_mj": 1150, "standby_after_ns": 3_000_000_000u64,
        "spin_down_ns": 2_300_000_000u64, "spin_down_mj": 2940,
        "spin_up_ns": 1_600_000_000u64, "spin_up_mj": 5000,
    });
    let mechanics = json!({
        "rpm": 6000, "track_seek_ns": 1_000_000, "average_seek_ns": 8_000_000, "mb_per_s": 100, "power": power,
    });
    serde_json::from_value(mechanics).expect("a disk")
}

/// The device with a disk as the home of its data, which holds what the flash holds at least.
fn on_disk(mut device: DeviceConfig) -> DeviceConfig {
    device.disk = Some(disk());
    let raw: u64 = device.pool.iter().map(|pool| pool.raw_bytes(pool.densest())).sum();
    let piece = u64::from(device.piece_bytes());
    device.user_bytes = device.user_bytes.max(raw.next_multiple_of(piece));
    device
}

/// A setup of `device` under `scheme`, fresh, with nothing resident before time 0; with a disk if the
/// scheme is one that needs it.
pub fn setup(device: DeviceConfig, scheme: &str) -> Setup {
    let scheme = SchemeConfig::default_for(scheme).expect("a known scheme");
    Setup {
        device: if scheme.on_disk() { on_disk(device) } else { device },
        scheme,
        host: HostConfig::default(),
        buffer: None,
        precondition: PreconditionConfig::default(),
        trace: TracePolicy { prefill: Prefill::None, ..TracePolicy::default() },
        seed: 1,
    }
}

/// A device with whatever the catalogue needs: four planes of 24 blocks, 6 of them a cache, and 24 MiB of data.
pub fn small(scheme: &str) -> Setup {
    let mut setup = setup(device(versatile_pool(2, 2, 24, 16, 16384), 24 << 20), scheme);
    let short = [("period_writes", 200.into()), ("force_after_writes", 100.into())];
    let cache = [("slc_blocks", 6.into()), ("dynamic.max_bytes", (4 * 6 * 16 * 16384).into())];
    configure(&mut setup, &[&cache, &short[..]].concat());
    setup
}

/// Has AGC collect any block with an invalid page, and idle time leave open blocks alone: the letter
/// of the paper, by which a few writes bring work.
pub fn literally(mut setup: Setup) -> Setup {
    let any = [("agc.eligible", "any".into()), ("agc.min_invalid", 1.into())];
    configure(&mut setup, &[&any[..], &[("reclaim_open", "never".into())]].concat());
    setup
}

/// Sets the parameters of a setup's scheme that it has: `("slc_blocks", 6)`, `("dense.victim", "fifo")`.
/// Returns how many there were.
pub fn configure(setup: &mut Setup, values: &[(&str, serde_json::Value)]) -> usize {
    let mut config = serde_json::to_value(&setup.scheme).unwrap();
    let mut found = 0;
    for (key, value) in values {
        let pointer = format!("/{}/{}", setup.scheme.name(), key.replace('.', "/"));
        if let Some(place) = config.pointer_mut(&pointer) {
            *place = value.clone();
            found += 1;
        }
    }
    setup.scheme = serde_json::from_value(config).unwrap();
    found
}

/// The setup with these parameters of its scheme, all of which it has.
pub fn with(mut setup: Setup, values: &[(&str, serde_json::Value)]) -> Setup {
    assert_eq!(configure(&mut setup, values), values.len(), "{}: {values:?}", setup.scheme.name());
    setup
}

/// The setup with so many requests outstanding.
pub fn closed(mut setup: Setup, depth: u32) -> Setup {
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, depth);
    setup
}

pub fn request(at_ns: u64, op: HostOp, at: u64, bytes: u64) -> Request {
    Request { at_ns, sector: at / 512, sectors: (bytes / 512) as u32, stream: 0, hint: 0, op }
}

/// Random reads and writes of 1-`mus_max` mapping units.
pub fn random(
    n: usize,
    user_bytes: u64,
    mus_max: u32,
    read_share: f64,
    gap_ns: f64,
    seed: u64,
) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "test workload");
    let mus = (user_bytes / 4096) as u32;
    let mut at = 0.0;
    (0..n)
        .map(|_| {
            at += rng.exponential(gap_ns);
            let len = 1 + rng.below(mus_max);
            let first = rng.below(mus - len + 1);
            let op = if rng.fraction() < read_share { HostOp::Read } else { HostOp::Write };
            request(at as u64, op, u64::from(first) * 4096, u64::from(len) * 4096)
        })
        .collect()
}

/// Chips with the times of the in-place-switch paper, a bus that costs nothing, pages of 4 KiB:
/// SLC 20/500 us, TLC 66/3000 us, erase 10 ms; windows of two layers.
pub fn switch_pool(
    channels: u32,
    planes: u32,
    blocks: u32,
    wordlines: u32,
    wordlines_per_layer: u32,
) -> PoolConfig {
    let mut chips = free_bus(pool(channels, planes, blocks, wordlines, 4096));
    chips.slc = Some(mode(20_000, 500_000, 10_000_000));
    chips.tlc = Some(mode(66_000, 3_000_000, 10_000_000));
    chips.reprogram = Some(ReprogramConfig { program_ns: 3_000_000, wordlines_per_layer, ..reprogram() });
    chips
}

/// The operations kept since `from`, one a line: `reprogram host 0/3 w1.2` is plane 0, block 3,
/// wordline 1, bit 2; blocks below `plain` are plain and named by page.
pub fn story(sim: &Simulation, from: usize, plain: u32) -> Vec<String> {
    let geometry = &sim.media().array().geometry;
    let tell = |op: &LoggedOp| {
        let block = geometry.block_of(op.page);
        let plane = geometry.plane_of(block);
        let number = block.0 - geometry.block(plane, 0).0;
        let page = geometry.page_in_block(op.page);
        let place = match op.kind {
            OpKind::Erase => String::new(),
            _ if number < plain => format!(" page {page}"),
            _ => {
                let step = geometry.pool_of(plane).two_layer().step(page);
                format!(" w{}.{}", step.wordline, step.bit)
            }
        };
        format!("{} {} {}/{number}{place}", op.kind.name(), op.cause.name(), plane.0)
    };
    sim.ops()[from..].iter().map(tell).collect()
}

/// Writes of single pages, `gap_ns` apart from `start_ns` on.
pub fn page_writes(start_ns: u64, gap_ns: u64, pages: impl IntoIterator<Item = u64>) -> Vec<Request> {
    let write =
        |(i, page): (usize, u64)| request(start_ns + i as u64 * gap_ns, HostOp::Write, page * 4096, 4096);
    pages.into_iter().enumerate().map(write).collect()
}

/// Lets the device be idle until `at_ns`.
pub fn rest(sim: &mut Simulation, at_ns: u64) {
    sim.feed(&[Request { at_ns, sector: 0, sectors: 0, stream: 0, hint: 0, op: HostOp::Flush }]).unwrap();
}

/// One of the scheme's own figures.
pub fn figure(report: &Report, name: &str) -> f64 {
    let figures = &report.scheme.figures;
    *figures.get(name).unwrap_or_else(|| panic!("no figure {name}: {figures:?}"))
}
