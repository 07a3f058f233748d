//! The device as its host sees it: requests, queue, buffer and the event loop.

mod admission;
mod bound;
pub mod buffer;
mod commands;
pub mod config;
mod control;
mod end_of_life;
mod error;
mod event_loop;
mod front;
mod keepers;
pub mod levels;
pub mod link;
mod look_up;
mod pieces;
mod precondition;
mod report;
pub mod request_log;
mod requests;
pub mod setup;
mod start;
mod state;
pub mod stats;
mod stripes;
mod upkeep;
mod waiting_pieces;
mod wear;
pub mod window;
mod write_back;

pub use crate::base::{request, Stop};
pub use control::{Fed, TurnError};
pub use error::RunError;
pub use setup::Setup;

use crate::base::arithmetic::Divisor;
use crate::base::request::{Request, SECTOR_BYTES};
use crate::base::table::Table;
use crate::base::Problem;
use crate::ftl::answer::BlockShare;
use crate::ftl::audit;
use crate::ftl::by_regions::ByRegions;
use crate::ftl::io::{Driver, IoPolicy};
use crate::ftl::media::Media;
use crate::ftl::op_log::{LoggedDiskOp, LoggedOp};
use crate::ftl::page_level::present_mask;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::Scheme;
use crate::ftl::translation::MapCache;
use crate::ftl::window::WindowLength;
use crate::hw::array::FlashArray;
use crate::hw::cells::Cells;
use crate::hw::disk::Disk;
use crate::hw::geometry::Geometry;
use crate::hw::timing::{RequestId, Timing};
use crate::metrics::counters::OpCounters;
use crate::metrics::series::Series;
use crate::metrics::state::Halves;
use crate::schemes::AnyScheme;
use bound::Bound;
use buffer::Buffer;
use config::{InflightRead, PartReads, Prefill, ReadTransfer, Replay, RmwTransfer};
use end_of_life::Undone;
use front::Front;
use keepers::Keepers;
use levels::Levels;
use request_log::RequestLog;
use requests::RequestOwners;
use start::Start;
use stats::HostStats;
use std::collections::VecDeque;
use std::num::NonZeroU64;
use stripes::Stripes;
use waiting_pieces::WaitingPieces;
use window::{CompletedLatencies, HostWindow};

/// A device under a workload. A clone goes on as the original does, requests in flight included; only
/// the order to stop is one for both.
#[derive(Clone)]
pub struct Simulation {
    setup: Setup,
    mu_shift: u32,
    user_sectors: u64,
    pages: Divisor,
    io: Driver,
    scheme: AnyScheme,
    /// Pools that the scheme uses, bit per pool: it knows nothing of the planes of others.
    scheme_pools: u8,
    stats: HostStats,
    requests: RequestOwners,
    buffer: Option<Buffer>,
    /// Requests that have arrived and wait for a place in the device.
    pending: VecDeque<(u64, Request)>,
    /// Pieces that wait for room in the buffer.
    waiting: WaitingPieces,
    /// What keeps that room.
    keepers: Keepers,
    /// What is being written back of the buffer.
    stripes: Stripes,
    /// Write-backs that wait for their map entries, oldest first.
    looking: Vec<Piece>,
    /// Flushes that wait for acknowledged data on their way, oldest first.
    flushing: VecDeque<RequestId>,
    /// The scheme's window.
    window: HostWindow,
    /// The window of a controller outside.
    control: HostWindow,
    in_flight: u32,
    /// Most requests that had arrived and were not complete, seen at arrivals in open replay.
    backlog_max: u64,
    /// When the last request arrived in open replay, ns.
    last_arrival_ns: u64,
    /// Requests in flight by stream: in closed replay each stream has its own queue depth.
    by_stream: Vec<u32>,
    /// The host link and the controller, if they take time.
    front: Option<Front>,
    fed: u64,
    /// The device at time 0.
    begun: Start,
    halves: Halves,
    /// Where the scheme's knobs stand as configured.
    knobs_at_first: Vec<f64>,
    full: Option<RunError>,
    /// What the end of the device's life left undone.
    undone: Undone,
    /// Units that the host has ever trimmed, a mask for each logical page; empty unless reads map old data.
    trimmed: Table,
    stop: Stop,
    /// Latencies of what was completed since they were taken, kept only when asked for.
    completed: Option<CompletedLatencies>,
    /// Request latencies by completion order, kept only when asked for.
    log: Option<Vec<(Request, u64)>>,
    /// Every request with its times, kept only when asked for.
    request_log: Option<RequestLog>,
    /// How full the regions are, looked at only when asked for.
    levels: Option<Box<Levels>>,
    /// What the cache could keep, counted only when asked for.
    bound: Option<Box<Bound>>,
    /// Whether any of the log, the latencies and the request log is kept.
    watched: bool,
}

impl Simulation {
    /// An empty device, or everything that is wrong with the setup.
    pub fn new(setup: &Setup) -> Result<Self, Vec<Problem>> {
        let problems = setup.check();
        if !problems.is_empty() {
            return Err(problems);
        }
        let device = &setup.device;
        let geometry = Geometry::new(&device.pool, device.mu_bytes).map_err(|p| vec![p])?;
        let policy = IoPolicy {
            rmw_whole_page: device.rmw_transfer == RmwTransfer::Page,
            reads_whole_pages: device.read_transfer == ReadTransfer::Page,
            parts_in_turn: device.part_reads == PartReads::InTurn,
            inflight_from_buffer: device.inflight_read == InflightRead::Buffer,
            plp: device.plp,
            stage_timeout_ns: device.stage_timeout_ns,
            mus_per_page: device.piece_bytes() / device.mu_bytes,
        };
        let mus = (device.user_bytes / u64::from(device.mu_bytes)) as u32;
        let mut timing = Timing::new(&geometry, device.starvation_ns);
        let map = device.map.map(|config| MapCache::new(&config, device, &mut timing));
        if let Some(disk) = &device.disk {
            timing.add_disk(Disk::new(disk, device.user_bytes));
        }
        let cells = device.cells.as_ref().map(|config| Cells::new(config, &geometry));
        let array = FlashArray::new(geometry).with_cells(cells);
        let mut io = Driver::new(array, mus, timing, setup.seed, policy);
        if let Some(config) = &device.cells {
            io.read_cells_by(config);
        }
        io.keep_map_in(map);
        let scheme = setup.scheme.build(device, &mut io);
        io.watch_cache(start::slc_regions(&scheme), false);
        let pages = mus / policy.mus_per_page;
        let buffer = setup.buffer.map(|b| {
            let units = (b.bytes / u64::from(device.mu_bytes)).min(u64::from(u32::MAX)) as u32;
            Buffer::new(units, pages, b.is_striped())
        });
        let mut simulation = Self {
            setup: setup.clone(),
            mu_shift: device.mu_bytes.trailing_zeros(),
            user_sectors: device.user_bytes / SECTOR_BYTES,
            pages: Divisor::new(policy.mus_per_page),
            stats: HostStats::default(),
            requests: RequestOwners::default(),
            buffer,
            stripes: Stripes::default(),
            pending: VecDeque::new(),
            waiting: WaitingPieces::default(),
            keepers: Keepers::default(),
            looking: Vec::new(),
            flushing: VecDeque::new(),
            window: HostWindow::new(scheme.window_length(), io.counters(), 0),
            control: HostWindow::new(WindowLength::NONE, io.counters(), 0),
            knobs_at_first: scheme.knobs(&io).iter().map(|knob| knob.value).collect(),
            io,
            in_flight: 0,
            backlog_max: 0,
            last_arrival_ns: 0,
            by_stream: Vec::new(),
            front: Front::new(setup),
            fed: 0,
            begun: Start::default(),
            halves: Halves::default(),
            full: None,
            undone: Undone::default(),
            trimmed: Table::new(if setup.trace.prefill == Prefill::OnRead { pages as usize } else { 0 }),
            stop: Stop::default(),
            completed: None,
            log: None,
            request_log: None,
            levels: None,
            bound: None,
            // Requests are told whose data could not be corrected.
            watched: device.cells.is_some(),
            scheme_pools: scheme.blocks().iter().fold(0, |pools, share| pools | 1 << share.pool),
            scheme,
        };
        simulation.begin(Some(0.0));
        Ok(simulation)
    }

    /// Lets `stop` end whatever the device is in the middle of with [`RunError::Cancelled`].
    pub fn stop_by(&mut self, stop: Stop) {
        self.stop = stop;
    }

    /// The blocks of the scheme's regions before the first write.
    pub fn blocks(&self) -> Vec<BlockShare> {
        self.scheme.blocks()
    }

    /// The names of the pools of which the scheme takes no block.
    pub fn unused_pools(&self) -> Vec<String> {
        let pools = self.io.geometry().pools.iter().enumerate();
        pools.filter(|(i, _)| self.scheme_pools >> i & 1 == 0).map(|(_, pool)| pool.name.clone()).collect()
    }

    /// The logical page in bytes.
    pub fn piece_bytes(&self) -> u32 {
        self.setup.device.piece_bytes()
    }

    /// The present simulated time, ns.
    pub fn now_ns(&self) -> u64 {
        self.io.now_ns()
    }

    /// Requests that have arrived and are not complete.
    pub fn backlog(&self) -> u64 {
        u64::from(self.in_flight) + self.pending.len() as u64
    }

    /// Whether requests come when the trace says, however far the device is behind.
    pub fn is_open_replay(&self) -> bool {
        self.setup.host.replay == Replay::Open
    }

    /// The media, for audits and inspection.
    pub fn media(&self) -> &Media {
        self.io.media()
    }

    /// The timing engine, for inspection.
    pub fn timing(&self) -> &Timing {
        self.io.timing()
    }

    /// The operation counters.
    pub fn counters(&self) -> &OpCounters {
        self.io.counters()
    }

    /// What the host has seen so far.
    pub fn stats(&self) -> &HostStats {
        &self.stats
    }

    /// Proves that map, array, versions and buffer agree; the first violation is described.
    pub fn audit(&self) -> Result<(), String> {
        audit::audit(self.io.media())?;
        self.scheme.audit(&self.io)?;
        self.io.map_cache().map_or(Ok(()), MapCache::audit)?;
        // A disk has something for every unit.
        let below = |page| if self.io.has_disk() { u32::MAX } else { present_mask(&self.io, page) };
        self.buffer.as_ref().map_or(Ok(()), |buffer| buffer.audit(below))
    }

    /// Keeps a version of every mapping unit, so that audits prove that no data are lost.
    pub fn track_versions(&mut self) {
        self.io.track_versions();
    }

    /// Handles every half of a page move as an event of its own: the oracle for the short cut.
    pub fn split_all_moves(&mut self) {
        self.io.timing_mut().split_all_moves();
    }

    /// Keeps every request with its latency in completion order.
    pub fn keep_log(&mut self) {
        self.log = Some(Vec::new());
        self.watched = true;
    }

    /// The requests kept so far, each with its latency in ns, in completion order.
    pub fn log(&self) -> &[(Request, u64)] {
        self.log.as_deref().unwrap_or(&[])
    }

    /// Has the time series in windows of this length, ns; to be said before the first request.
    pub fn series_in_windows_of(&mut self, window_ns: NonZeroU64) {
        *self.io.series_mut() = Series::in_windows_of(window_ns);
    }

    /// Keeps every flash operation in the order of emission.
    pub fn keep_ops(&mut self) {
        self.io.keep_ops();
    }

    /// The operations of the disk kept with them.
    pub fn disk_ops(&self) -> &[LoggedDiskOp] {
        self.io.disk_ops()
    }

    /// The flash operations kept so far.
    pub fn ops(&self) -> &[LoggedOp] {
        self.io.ops()
    }
}
