//! Requests per second, against the floor and between schemes.

use super::cases::{self, Case, Workload};
use super::engine::{self, Run};
use super::figures::{Floor as FloorFigures, Speed, Spread};
use super::floor::{Floor, Pass};
use super::size::Size;
use slcache_core::device::request::Request;
use slcache_sim::RunConfig;
use std::collections::btree_map::{BTreeMap, Entry};

/// A case with the rounds measured so far.
struct Contestant<'a> {
    case: Case,
    config: RunConfig,
    requests: &'a [Request],
    first_part: usize,
    preload: Vec<(u32, u32)>,
    runs: Vec<Run>,
    floors: Vec<Pass>,
}

/// Measures all contestants in turn.
pub fn measure(size: Size) -> Result<Vec<Speed>, String> {
    let cases = cases::all();
    let mut requests: BTreeMap<Workload, Vec<Request>> = BTreeMap::new();
    for case in &cases {
        if let Entry::Vacant(place) = requests.entry(case.workload) {
            place.insert(case.workload.requests(size)?);
        }
    }
    let contestant = |case: Case| Contestant::new(case, &requests[&case.workload], size);
    let mut contestants = cases.into_iter().map(contestant).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..size.rounds {
        for contestant in &mut contestants {
            contestant.round()?;
        }
    }
    Ok(contestants.iter().map(Contestant::figures).collect())
}

impl<'a> Contestant<'a> {
    fn new(case: Case, requests: &'a [Request], size: Size) -> Result<Self, String> {
        let config = case.config(&[])?;
        Ok(Self {
            case,
            requests,
            first_part: case.workload.fill(size, requests.len()),
            preload: case.preload(&config),
            config,
            runs: Vec::new(),
            floors: Vec::new(),
        })
    }

    fn round(&mut self) -> Result<(), String> {
        self.runs.push(engine::run(&self.config, self.requests, self.first_part, &self.preload)?);
        if self.case.has_floor() {
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

    fn figures(&self) -> Speed {
        let requests = self.requests.len() as f64;
        let spread = |value: fn(&Run) -> f64| Spread::of(self.runs.iter().map(value).collect());
        let (wall_s, cpu_s) = (spread(|run| run.wall_s), spread(|run| run.cpu_s));
        let run = &self.runs[0];
        let random_writes = self.requests.len() - self.first_part;
        let random_programs = run.page_programs - run.programs_of_first_part;
        Speed {
            workload: self.case.workload.name().to_owned(),
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
            floor: self.case.has_floor().then(|| self.floor_figures(cpu_s)),
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
