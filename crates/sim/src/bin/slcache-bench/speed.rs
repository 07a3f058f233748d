//! Requests per second, against the floor and between schemes.

use super::engine::{self, Run};
use super::figures::{Floor as FloorFigures, Spread, Workload};
use super::floor::{Floor, Pass};
use super::{disk, two_pools, Size};
use slcache_core::device::request::Request;
use slcache_core::schemes::CATALOG;
use slcache_sim::RunConfig;
use slcache_traces::synthetic::{heavy_gc, synth1m};

/// Random writes of heavy_gc, and their mean distance in time.
const RANDOM_WRITES: usize = 2_000_000;
const RANDOM_GAP_NS: u64 = 4_000_000;
const SYNTH1M_REQUESTS: usize = 1_000_000;
const SYNTH1M_FOOTPRINT_BYTES: u64 = 4 << 30;

/// Devices of two papers, on which all schemes are compared.
pub const COMPARED_ON: [&str; 2] = ["hierarchy-44g", "ips-384g"];

/// One device and scheme on one workload, with the rounds measured so far.
struct Contestant<'a> {
    workload: &'static str,
    config: RunConfig,
    requests: &'a [Request],
    first_part: usize,
    preload: Vec<(u32, u32)>,
    has_floor: bool,
    runs: Vec<Run>,
    floors: Vec<Pass>,
}

/// Measures all contestants in turn.
pub fn measure(size: Size) -> Result<Vec<Workload>, String> {
    let synth = synth1m(size.of(SYNTH1M_REQUESTS));
    let gc = heavy_gc(size.of(RANDOM_WRITES), RANDOM_GAP_NS, true);
    let (slower, preload) = two_pools::workload(size)?;
    let fill = gc.len() - size.of(RANDOM_WRITES);
    let mut contestants = vec![
        Contestant::new("synth1m", "mqsim-512g", "tlc-only", &synth)?.with_floor(),
        Contestant::new("heavy_gc", "gc-8g", "tlc-only", &gc)?.with_floor().after(fill),
    ];
    let mut hyssd = Contestant::new("synth1m, slower", "hyssd-st", "hyssd", &slower)?;
    hyssd.preload = preload;
    contestants.push(hyssd);
    for device in COMPARED_ON {
        for scheme in CATALOG.iter().filter(|scheme| !scheme.on_disk) {
            contestants.push(Contestant::new("synth1m", device, scheme.name, &synth)?.preloaded());
        }
    }
    let database = disk::workload(size)?;
    for scheme in disk::SCHEMES {
        contestants.push(Contestant::new("database", disk::DEVICE, scheme, &database)?);
    }
    for _ in 0..size.rounds {
        for contestant in &mut contestants {
            contestant.round()?;
        }
    }
    Ok(contestants.iter().map(Contestant::figures).collect())
}

impl<'a> Contestant<'a> {
    fn new(
        workload: &'static str,
        device: &str,
        scheme: &str,
        requests: &'a [Request],
    ) -> Result<Self, String> {
        Ok(Self {
            workload,
            config: engine::config(device, scheme, &[])?,
            requests,
            first_part: 0,
            preload: Vec::new(),
            has_floor: false,
            runs: Vec::new(),
            floors: Vec::new(),
        })
    }

    fn with_floor(mut self) -> Self {
        self.has_floor = true;
        self
    }

    /// Tells apart the write amplification behind the first requests.
    fn after(mut self, first_part: usize) -> Self {
        self.first_part = first_part;
        self
    }

    /// The workload's footprint lies on the device beforehand.
    fn preloaded(mut self) -> Self {
        let pages = SYNTH1M_FOOTPRINT_BYTES / u64::from(self.config.device.piece_bytes());
        self.preload = vec![(0, pages as u32)];
        self
    }

    fn round(&mut self) -> Result<(), String> {
        self.runs.push(engine::run(&self.config, self.requests, self.first_part, &self.preload)?);
        if self.has_floor {
            self.floors.push(self.floor().run(self.requests));
        }
        Ok(())
    }

    fn floor(&self) -> Floor {
        let device = &self.config.device;
        let pool = &device.pool[0];
        let page_bytes = device.piece_bytes();
        let pages = (device.user_bytes / u64::from(page_bytes)) as u32;
        let blocks = pool.plane_count() * pool.blocks;
        Floor::new(page_bytes, pages, blocks, pool.pages_per_block(pool.densest()))
    }

    fn figures(&self) -> Workload {
        let requests = self.requests.len() as f64;
        let spread = |value: fn(&Run) -> f64| Spread::of(self.runs.iter().map(value).collect());
        let (wall_s, cpu_s) = (spread(|run| run.wall_s), spread(|run| run.cpu_s));
        let run = &self.runs[0];
        let random_writes = self.requests.len() - self.first_part;
        let random_programs = run.page_programs - run.programs_of_first_part;
        Workload {
            workload: self.workload.to_owned(),
            device: self.config.device.name.clone(),
            scheme: self.config.scheme.name().to_owned(),
            requests: self.requests.len(),
            wall_s,
            cpu_s,
            requests_per_s: requests / wall_s.median,
            requests_per_cpu_s: requests / cpu_s.median,
            ns_per_request: cpu_s.median * 1e9 / requests,
            flash_operations: run.flash_operations,
            ns_per_flash_operation: (run.flash_operations > 0)
                .then(|| cpu_s.median * 1e9 / run.flash_operations as f64),
            page_operations: run.page_operations,
            page_operations_per_cpu_s: run.page_operations as f64 / cpu_s.median,
            waf: run.waf,
            waf_random_part: (self.first_part > 0).then(|| random_programs as f64 / random_writes as f64),
            floor: self.has_floor.then(|| self.floor_figures(cpu_s)),
        }
    }

    /// The loop recycles its blocks oldest first and so programs a few pages more or
    /// less than the engine; its time is scaled to the same number.
    fn floor_figures(&self, engine: Spread) -> FloorFigures {
        let scaled_by = self.runs[0].page_programs as f64 / self.floors[0].page_programs as f64;
        let times = self.floors.iter().map(|pass| pass.cpu_s * scaled_by).collect();
        let cpu_s = Spread::of(times);
        FloorFigures { cpu_s, ratio: engine.median / cpu_s.median, scaled_by }
    }
}
