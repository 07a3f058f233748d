//! One choice of everything a device, a host and a scheme offer, on a tiny device.

use super::keys;
use crate::it::common::*;
use prop::sample::Index;
use proptest::prelude::*;
use slcache_core::device::config::{
    HostConfig, PartReads, PreconditionConfig, ReadTransfer, RmwTransfer, SubMu, TracePolicy,
};
use slcache_core::hw::config::{ReprogramConfig, SuspendConfig};
use slcache_core::hw::controller_config::ControllerConfig;
use slcache_core::hw::disk::config::{AtStart, DiskConfig, Rotation};
use slcache_core::hw::map_config::{MapConfig, MapMoves};

/// How many values are drawn beside those of a scheme's keys, or some more.
const OTHERS: usize = 80;

#[derive(Clone, Debug)]
pub struct Choice {
    /// What is chosen but for the capacity and the scheme's parameters.
    chosen: Setup,
    /// Parameters of the scheme; what the device refuses of them stays at its default.
    keys: Vec<(&'static str, Value)>,
    /// Bytes of a logical page.
    page_bytes: u64,
    /// Share of the largest capacity that the scheme accepts.
    fullness: f64,
    /// Share of the capacity that holds data from before time 0.
    pub preload: f64,
    /// Of which there are only some mapping units.
    pub by_unit: bool,
    /// Requests between two audits.
    pub audit_every: usize,
    /// Requests between two turns of a knob, 0 = none is turned.
    pub turn_every: usize,
}

/// Draws one of each list in turn; the first is what a failing case is made small to.
struct Draw<'a>(std::slice::Iter<'a, Index>);

impl Draw<'_> {
    fn of<T: Clone>(&mut self, values: &[T]) -> T {
        self.0.next().expect("enough is drawn").get(values).clone()
    }

    fn flag(&mut self) -> bool {
        self.of(&[false, true])
    }
}

/// Choices with any scheme of the catalogue.
pub fn choices() -> impl Strategy<Value = Choice> {
    choices_of(CATALOG.iter().map(|entry| entry.name).collect())
}

/// Choices with any scheme that has its data on a disk.
pub fn disk_choices() -> impl Strategy<Value = Choice> {
    choices_of(CATALOG.iter().filter(|entry| entry.on_disk).map(|entry| entry.name).collect())
}

fn choices_of(schemes: Vec<&'static str>) -> impl Strategy<Value = Choice> {
    let places = prop::collection::vec(any::<Index>(), OTHERS + keys::most());
    places.prop_map(move |places| Choice::draw(&schemes, &mut Draw(places.iter())))
}

/// A disk that falls asleep within a few seconds, or within some milliseconds.
fn disk(draw: &mut Draw) -> DiskConfig {
    let mut disk = crate::it::common::disk();
    let (power, haste) = (&mut disk.power, draw.of(&[1, 1_000]));
    for ns in [
        &mut power.idle_after_ns,
        &mut power.to_idle_ns,
        &mut power.from_idle_ns,
        &mut power.standby_after_ns,
        &mut power.spin_down_ns,
        &mut power.spin_up_ns,
    ] {
        *ns /= haste;
    }
    DiskConfig {
        overhead_ns: draw.of(&[0, 30_000]),
        rotation: draw.of(&[Rotation::Mean, Rotation::Angle]),
        at_start: draw.of(&[AtStart::Active, AtStart::Standby]),
        ..disk
    }
}

/// The flash of the scheme, which offers `dense` beside SLC.
fn chips(draw: &mut Draw, dense: CellMode, page_bytes: u32) -> PoolConfig {
    use PlaneParallelism::{Independent, MultiPlane, Serial};
    let (channels, planes) = (draw.of(&[1, 2]), draw.of(&[1, 2, 3, 4]));
    let (blocks, wordlines) = (draw.of(&[14, 15, 16, 17, 18]), draw.of(&[4, 8]));
    let mut base = pool(channels, planes, blocks, wordlines, page_bytes);
    let mut cells = mode(60_000, 800_000, 3_000_000);
    if draw.flag() {
        base.slc.as_mut().unwrap().copyback_ns = Some(220_000);
        cells.copyback_ns = Some(860_000);
    }
    if draw.flag() {
        (cells.program, cells.copyback_ns) = (ProgramRule::OneShot, None);
    }
    let of = |mode| (mode == dense).then(|| cells.clone());
    PoolConfig {
        chips: draw.of(&[1, 2]),
        dies: draw.of(&[1, 2]),
        plane_parallelism: draw.of(&[Independent, MultiPlane, Serial]),
        suspend: SuspendConfig {
            program: draw.flag(),
            erase: draw.flag(),
            suspend_ns: draw.of(&[0, 5_000]),
            resume_ns: draw.of(&[0, 7_000]),
            max_suspends: draw.of(&[1, 2, 3]),
        },
        mlc: of(CellMode::Mlc),
        tlc: of(CellMode::Tlc),
        qlc: of(CellMode::Qlc),
        reprogram: Some(ReprogramConfig {
            mode: Some(dense),
            wordlines_per_layer: draw.of(&[1, 2]),
            ..reprogram()
        }),
        ..base
    }
}

/// A mapping cache of pages of 64 entries.
fn map(draw: &mut Draw) -> Option<MapConfig> {
    let pages = draw.of(&[0, 0, 0, 1, 2, 5]);
    (pages > 0).then(|| MapConfig {
        cache_bytes: 512 * pages,
        entry_bytes: 8,
        page_bytes: 512,
        access_ns: 500,
        mode: CellMode::Slc,
        blocks: None,
        moves: if pages % 2 == 0 { MapMoves::Charged } else { MapMoves::Free },
    })
}

fn buffer(draw: &mut Draw, pools: &[PoolConfig], page_bytes: u64) -> Option<BufferConfig> {
    let all: u32 = pools.iter().map(PoolConfig::plane_count).sum();
    let stripe_planes = draw.of(&[1, 2, 3, 4]).min(all);
    let program = pools.iter().map(PoolConfig::program_bytes).max().unwrap_or(0);
    let least = u64::from(stripe_planes) * program + page_bytes;
    let config = BufferConfig {
        acknowledge: draw.of(&[Acknowledge::OnBuffer, Acknowledge::OnProgram]),
        write_back: draw.of(&[WriteBack::WhenFull, WriteBack::AtOnce]),
        access_ns: 1000,
        fill_on_read: draw.flag(),
        stripe_planes,
        stripes_in_flight: draw.of(&[None, None, Some(1), Some(2)]),
        run_overhead_ns: draw.of(&[0, 300_000]),
        ..BufferConfig::new(least.max(draw.of(&[1, 2, 3, 4, 5]) * page_bytes))
    };
    draw.of(&[None, None, None, Some(config), Some(config)])
}

/// How the host drives the device.
fn host(draw: &mut Draw) -> HostConfig {
    let link = LinkConfig {
        lanes: 1,
        lane_mb_per_s: 500,
        payload_bytes: 256,
        header_bytes: 24,
        read_overhead_ns: 1_000,
        write_overhead_ns: 1_500,
    };
    let (closed, turnaround_ns) = (draw.of(&[false, false, false, true]), draw.of(&[0, 0, 400_000]));
    HostConfig {
        replay: if closed { Replay::Closed } else { Replay::Open },
        queue_depth: draw.of(&[0, 0, 0, 1, 4, 32]).max(u32::from(closed)),
        time_scale: draw.of(&[1.0, 1.0, 0.1, 3.5]),
        turnaround_ns,
        turnaround_ps_per_byte: turnaround_ns / 10,
        link: draw.of(&[None, None, Some(link)]),
    }
}

fn controller(draw: &mut Draw, plp: bool) -> Option<ControllerConfig> {
    let front = ControllerConfig {
        read_ns: draw.of(&[0, 7_000]),
        write_ns: draw.of(&[0, 11_000]),
        commands_per_s: draw.of(&[None, Some(900)]),
        jitter_ns: draw.of(&[0, 0, 40_000]),
        flush_ns: if plp { 0 } else { 70_000 },
    };
    draw.of(&[None, None, Some(front)])
}

/// Reads and steps at which blocks move of cells that err, and whether a patrol looks for them and wear is levelled.
fn upkeep(draw: &mut Draw, dense: CellMode) -> Value {
    let (reads, steps, patrol) = draw.of(&[(20, 1, true), (200, 4, false)]);
    let start = json!({ "cycles": 1500, "days": 20.0 });
    let mut config = json!({
        "age_scale": 1e6,
        "start": { dense.name(): start },
        "reclaim": { "reads": reads },
        "refresh": { "steps": steps, "scrub": if patrol { "patrol" } else { "read" } },
    });
    if patrol {
        config["levelling"] = json!({ "threshold": 1 });
    }
    draw.of(&[Value::Null, config])
}

/// Whether a key is `section` or lies in it.
fn is_within(key: &str, section: &str) -> bool {
    key.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Choice {
    fn draw(schemes: &[&'static str], draw: &mut Draw) -> Self {
        let scheme = draw.of(schemes);
        let dense = draw.of(&[CellMode::Mlc, CellMode::Tlc, CellMode::Qlc]);
        let (mu_bytes, slots) = (draw.of(&[512, 4096, 16384]), draw.of(&[1, 2, 4, 16]));
        let page_bytes = slots * mu_bytes;
        let drawn = keys::drawn(scheme).iter().map(|(key, values)| (key.as_str(), draw.of(values)));
        let mut keys: Vec<_> = drawn.collect();
        keys.extend([("dense_mode", json!(dense)), ("mode", json!(dense))]);
        keys.push(("merge.buffer_bytes", (page_bytes * 3 / 2).into()));

        let mut own = chips(draw, dense, page_bytes);
        let on_disk = CATALOG.iter().any(|entry| entry.name == scheme && entry.on_disk);
        // In front of a disk there may be hardly any blocks: two in SLC and two others, or some more.
        if draw.flag() && on_disk {
            own.blocks -= 10;
            keys.push(("slc_blocks", json!(2)));
        }
        // A second pool, behind or before, that the scheme leaves alone if it uses one, and perhaps with pages half as
        // large. Units of a scheme of two tiers are as large as those, or logical pages.
        let halves = draw.flag() && slots % 2 == 0;
        let mut other = pool(1, 2, 6, 4, page_bytes / if halves { 2 } else { 1 });
        (other.name, other.tlc) = ("other".into(), None);
        let unit_bytes = draw.flag().then_some(("unit_bytes", other.page_bytes.into()));
        let pools = match draw.of(&[None, None, Some(false), Some(true)]) {
            None => vec![own.clone()],
            Some(first) if first => vec![other, own.clone()],
            Some(_) => vec![own.clone(), other],
        };
        keys.extend(unit_bytes.filter(|_| pools.len() > 1));

        let mut chosen = setup(device(own, 0), scheme);
        chosen.host = host(draw);
        chosen.buffer = buffer(draw, &pools, page_bytes.into());
        let prefill = draw.of(&[Prefill::None, Prefill::None, Prefill::None, Prefill::None, Prefill::OnRead]);
        let sub_mu = draw.of(&[SubMu::Round, SubMu::Rmw]);
        chosen.trace = TracePolicy { sub_mu, prefill, ..TracePolicy::default() };
        let (fill, overwrite) = (draw.of(&[0.0, 0.0, 0.5, 1.0]), draw.of(&[0.0, 1.0]));
        let overwrite = if fill > 0.0 { overwrite } else { 0.0 };
        chosen.precondition =
            PreconditionConfig { fill, overwrite, drain: draw.flag(), ..PreconditionConfig::default() };
        let flash = &mut chosen.device;
        (flash.mu_bytes, flash.plp, flash.stage_timeout_ns) =
            (mu_bytes, draw.flag(), draw.of(&[1_000, 1_000_000]));
        flash.inflight_read = draw.of(&[InflightRead::Buffer, InflightRead::Wait]);
        flash.rmw_transfer = draw.of(&[RmwTransfer::Page, RmwTransfer::Request]);
        flash.read_transfer = draw.of(&[ReadTransfer::Request, ReadTransfer::Page]);
        flash.part_reads = draw.of(&[PartReads::Together, PartReads::InTurn]);
        flash.starvation_ns = draw.of(&[0, 2_000_000]);
        flash.map = map(draw).filter(|map| pools.iter().all(|pool| pool.pages_per_block(map.mode) > 1));
        flash.controller = controller(draw, flash.plp);
        flash.cells = serde_json::from_value(upkeep(draw, dense)).unwrap();
        let disk = disk(draw);
        flash.disk = on_disk.then_some(disk);
        flash.pool = pools;
        Self {
            chosen,
            keys,
            page_bytes: page_bytes.into(),
            fullness: draw.of(&[1.0, 1.0, 0.7, 0.3]),
            preload: draw.of(&[0.0, 0.0, 0.5, 1.0]),
            by_unit: draw.flag(),
            audit_every: draw.of(&[1, 5, 50]),
            turn_every: draw.of(&[0, 1, 4, 30]),
        }
    }

    /// Whether the data are at home on a disk.
    pub fn on_disk(&self) -> bool {
        self.chosen.device.disk.is_some()
    }

    fn with_capacity(&self, pages: u64) -> Setup {
        let mut setup = self.chosen.clone();
        setup.device.user_bytes = pages * self.page_bytes;
        configure(&mut setup, &self.keys);
        // Some schemes do not move blocks because of their cells.
        if setup.check().iter().any(|problem| problem.key.starts_with("device.cells.")) {
            setup.device.cells = None;
        }
        setup
    }

    /// The choice with those of its keys that a device of so many pages takes. Where a refused key stands
    /// at its default already, another one of its section is what it does not fit.
    fn accepted(&self, pages: u64) -> Self {
        let mut choice = self.clone();
        let place = format!("scheme.{}.", self.chosen.scheme.name());
        loop {
            let problems = choice.with_capacity(pages).check();
            let refused: Vec<_> = problems.iter().filter_map(|p| p.key.strip_prefix(&place)).collect();
            let before = choice.keys.len();
            choice.keys.retain(|(key, _)| !refused.iter().any(|told| is_within(told, key)));
            if choice.keys.len() == before {
                let sections: Vec<_> = refused.iter().filter_map(|told| told.rsplit_once('.')).collect();
                choice.keys.retain(|(key, _)| !sections.iter().any(|(section, _)| is_within(key, section)));
            }
            if choice.keys.len() == before {
                return choice;
            }
        }
    }

    /// The device with its share of the largest user capacity it accepts, or with a disk as large as the
    /// flash or larger; none if it accepts none.
    pub fn setup(&self) -> Option<Setup> {
        if self.on_disk() {
            let raw: u64 = self.chosen.device.pool.iter().map(|pool| pool.raw_bytes(pool.densest())).sum();
            let pages = (raw.div_ceil(self.page_bytes) as f64 / self.fullness) as u64;
            return Some(self.accepted(pages).with_capacity(pages)).filter(|setup| setup.check().is_empty());
        }
        self.accepted(1).with_largest_capacity()
    }

    fn with_largest_capacity(&self) -> Option<Setup> {
        let fits = |pages: u64| self.with_capacity(pages).check().is_empty();
        let (mut least, mut most) = (1, 1 << 20);
        if !fits(least) {
            return None;
        }
        while most - least > 1 {
            let middle = (least + most) / 2;
            *(if fits(middle) { &mut least } else { &mut most }) = middle;
        }
        let pages = ((least as f64 * self.fullness) as u64).max(1);
        Some(self.with_capacity(pages))
    }

    /// Whether a write is in the map as soon as it was fed, whole and once.
    pub fn is_immediate(&self) -> bool {
        self.chosen.buffer.is_none() && self.keeps_order() && self.chosen.host.queue_depth == 0
    }

    /// Whether writes, held up on their way in, may come after trims that the host sent later.
    pub fn may_overtake(&self) -> bool {
        let device = &self.chosen.device;
        self.chosen.host.link.is_some() || device.controller.is_some() || device.map.is_some()
    }

    /// Whether the device takes requests in the order of the trace.
    pub fn keeps_order(&self) -> bool {
        self.chosen.host.replay == Replay::Open && !self.may_overtake()
    }

    /// Whether a read may map what its page lacks.
    pub fn maps_on_read(&self) -> bool {
        self.chosen.trace.prefill == Prefill::OnRead
    }
}
