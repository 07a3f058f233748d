//! Unloaded latencies and peak bandwidths of flash in closed form, as docs/model.md has them.

use schemars::JsonSchema;
use serde::Serialize;
use slcache_core::base::CellMode;
use slcache_core::device::config::{DeviceConfig, HostConfig};
use slcache_core::hw::config::{ModeConfig, PlaneParallelism, PoolConfig, ProgramRule};

/// Requests that are held against peaks.
const REQUEST_BYTES: u32 = 128 << 10;

/// A request's latency on an idle device, in parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct IdleLatency {
    /// All parts together, for the first page of a block.
    pub ns: u64,
    /// The latency where the page is of the slowest kind.
    pub slowest_ns: u64,
    /// What it is made of, in order.
    pub parts: Vec<LatencyPart>,
}

/// A part of a latency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatencyPart {
    pub part: &'static str,
    pub ns: u64,
}

impl IdleLatency {
    fn new(parts: &[(&'static str, u64)], array_ns: &[u32]) -> Self {
        let known = parts.iter().filter(|part| part.1 > 0);
        let parts: Vec<_> = known.map(|&(part, ns)| LatencyPart { part, ns }).collect();
        let ns: u64 = parts.iter().map(|part| part.ns).sum();
        let (first, most) = (array_ns.first(), array_ns.iter().max());
        let more = most.zip(first).map_or(0, |(most, first)| u64::from(most - first));
        Self { ns, slowest_ns: ns + more, parts }
    }
}

/// A look-up of the mapping cache that finds its page.
fn look_up_ns(device: &DeviceConfig) -> u64 {
    device.map.map_or(0, |map| map.access_ns.into())
}

/// A read of `bytes` of one page, whose place is in the mapping cache.
pub fn read(
    pool: &PoolConfig,
    mode: CellMode,
    bytes: u32,
    device: &DeviceConfig,
    host: &HostConfig,
) -> IdleLatency {
    let Some(config) = pool.mode(mode) else { return IdleLatency::default() };
    let bus = &pool.bus;
    let link = host.link.map_or(0, |link| u64::from(link.read_overhead_ns) + link.transfer_ns(bytes.into()));
    let parts = [
        ("map", look_up_ns(device)),
        ("command", bus.read_command_ns.into()),
        ("array", config.read_ns[0].into()),
        ("data", bus.read_data_ns.into()),
        ("transfer", bus.transfer_ns(bytes).into()),
        ("link", link),
    ];
    IdleLatency::new(&parts, &config.read_ns)
}

/// A write of `bytes` that replace nothing. A one-shot wordline with one page waits for others first, unless
/// what is written is `buffered`.
pub fn write(
    pool: &PoolConfig,
    mode: CellMode,
    bytes: u32,
    device: &DeviceConfig,
    host: &HostConfig,
    buffered: bool,
) -> IdleLatency {
    let Some(config) = pool.mode(mode) else { return IdleLatency::default() };
    let bus = &pool.bus;
    let link = host.link.map_or(0, |link| u64::from(link.write_overhead_ns) + link.transfer_ns(bytes.into()));
    let waits = config.program == ProgramRule::OneShot && mode.bits() > 1 && !buffered;
    let parts = [
        ("link", link),
        ("map", look_up_ns(device)),
        ("stage", if waits { device.stage_timeout_ns } else { 0 }),
        ("command", bus.program_command_ns.into()),
        ("transfer", bus.transfer_ns(bytes).into()),
        ("array", config.program_ns[0].into()),
    ];
    IdleLatency::new(&parts, &config.program_ns)
}

/// What the host link carries of requests of 128 KiB, MB/s.
pub fn link_mb_per_s(host: &HostConfig) -> Option<f64> {
    let bytes = u64::from(REQUEST_BYTES);
    host.link.map(|link| bytes as f64 * 1e3 / link.transfer_ns(bytes) as f64)
}

/// The most that a pool reads or programs in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Peak {
    /// MB/s, 10^6 bytes.
    pub mb_per_s: f64,
    /// What sets it.
    pub bound_by: PeakBound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PeakBound {
    /// The channels.
    Bus,
    /// The flash arrays.
    Array,
}

impl Peak {
    /// Of `bytes` a command, from each of `units` on a channel, in `period_ns`.
    fn of(pool: &PoolConfig, bytes: f64, period_ns: f64, bus_bound: bool) -> Self {
        let units = f64::from(units_per_channel(pool));
        let mb_per_s = f64::from(pool.channels) * units * bytes * 1e3 / period_ns;
        Self { mb_per_s, bound_by: if bus_bound { PeakBound::Bus } else { PeakBound::Array } }
    }
}

/// What runs one array operation at a time, on each channel.
pub fn units_per_channel(pool: &PoolConfig) -> u32 {
    let dies = pool.chips * pool.dies;
    match pool.plane_parallelism {
        PlaneParallelism::Independent => dies * pool.planes,
        PlaneParallelism::MultiPlane | PlaneParallelism::Serial => dies,
    }
}

/// Planes that one command takes along.
fn planes_per_command(pool: &PoolConfig) -> u32 {
    match pool.plane_parallelism {
        PlaneParallelism::MultiPlane => pool.planes,
        PlaneParallelism::Independent | PlaneParallelism::Serial => 1,
    }
}

fn mean(times_ns: &[u32]) -> f64 {
    times_ns.iter().copied().map(f64::from).sum::<f64>() / times_ns.len().max(1) as f64
}

/// Reads of whole pages with every unit busy. Data leave a channel before new commands enter, so its
/// units march in step: a round is a command, the array's time and the data of all units.
pub fn peak_read(pool: &PoolConfig, mode: CellMode) -> Peak {
    let array_ns = pool.mode(mode).map_or(0.0, |config| mean(&config.read_ns));
    let (bus, planes) = (&pool.bus, planes_per_command(pool));
    let command_ns = f64::from(bus.read_command_ns + (planes - 1) * bus.extra_plane_read_ns);
    let data_ns = f64::from(planes) * f64::from(bus.read_data_ns + bus.transfer_ns(pool.page_bytes));
    let units = f64::from(units_per_channel(pool));
    let bus_ns = units * (command_ns + data_ns);
    let data_last = command_ns + array_ns + units * data_ns;
    let commands_first = units * command_ns + array_ns + data_ns;
    let period_ns = data_last.max(commands_first).max(bus_ns);
    let bus_bound = bus_ns >= command_ns + array_ns + data_ns;
    Peak::of(pool, f64::from(planes * pool.page_bytes), period_ns, bus_bound)
}

/// Programs of whole pages, or of whole wordlines where they are one-shot, with every unit busy: a unit
/// takes its data, then programs while others take theirs.
pub fn peak_program(pool: &PoolConfig, mode: CellMode) -> Peak {
    Programs::of(pool, mode).peak(planes_per_command(pool))
}

/// What a command programs in each plane that it takes along.
struct Programs<'a> {
    pool: &'a PoolConfig,
    pages: u32,
    array_ns: f64,
}

impl<'a> Programs<'a> {
    fn of(pool: &'a PoolConfig, mode: CellMode) -> Self {
        let one_shot = |config: &ModeConfig| config.program == ProgramRule::OneShot;
        let pages = pool.mode(mode).filter(|config| one_shot(config)).map_or(1, |_| mode.bits());
        Self { pool, pages, array_ns: pool.mode(mode).map_or(0.0, |config| mean(&config.program_ns)) }
    }

    /// How long a command for so many planes holds the channel.
    fn hold_ns(&self, planes: u32) -> f64 {
        let bus = &self.pool.bus;
        let transfer_ns = f64::from(bus.transfer_ns(self.pages * self.pool.page_bytes));
        let command_ns = f64::from(bus.program_command_ns + (planes - 1) * bus.extra_plane_program_ns);
        command_ns + f64::from(planes) * transfer_ns
    }

    fn unit_ns(&self, planes: u32) -> f64 {
        self.hold_ns(planes) + self.array_ns
    }

    /// With every unit busy with commands for so many planes.
    fn peak(&self, planes: u32) -> Peak {
        let bus_ns = f64::from(units_per_channel(self.pool)) * self.hold_ns(planes);
        let unit_ns = self.unit_ns(planes);
        let bytes = f64::from(planes) * f64::from(self.pages * self.pool.page_bytes);
        Peak::of(self.pool, bytes, bus_ns.max(unit_ns), bus_ns >= unit_ns)
    }
}

/// Sequential writes of 128 KiB, `depth` of them outstanding, each of which waits for its program, MB/s.
///
/// One alone is programmed at once, after a timeout where it fills no whole wordlines. Of several, a command
/// takes the planes whose data came while the one before ran: half of what waits in the unit.
pub fn unbuffered(pool: &PoolConfig, mode: CellMode, depth: u32, stage_timeout_ns: u64) -> f64 {
    let programs = Programs::of(pool, mode);
    let pages = REQUEST_BYTES.div_ceil(pool.page_bytes);
    let written = f64::from(depth) * f64::from(pages);
    let waiting = written / f64::from(pool.channels * units_per_channel(pool) * programs.pages);
    let joined = if depth == 1 { waiting.ceil() } else { (waiting / 2.0).floor() };
    let planes = (joined.max(1.0) as u32).min(planes_per_command(pool));
    let alone_ns = match depth {
        1 if pages % programs.pages != 0 => programs.unit_ns(planes) + stage_timeout_ns as f64,
        1 => programs.unit_ns(planes),
        _ => programs.unit_ns(1),
    };
    programs.peak(planes).mb_per_s.min(written * f64::from(pool.page_bytes) * 1e3 / alone_ns)
}
