//! A timeline of the run: what every channel and plane did and for which request, for ui.perfetto.dev.

mod events;
mod lanes;
mod packed;
mod proto;

use events::{Events, Slice};
use lanes::Lanes;
use packed::Packed;
use slcache_core::base::op::{Cause, OpKind};
use slcache_core::base::PlaneId;
use slcache_core::device::request_log::{component_names, LoggedRequest};
use slcache_core::device::Simulation;
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::LoggedOperation;
use slcache_files::Outputs;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Result;
use std::path::{Path, PathBuf};

use super::request_log::operation;

/// Where a timeline goes, and of which stretch of time it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineRequest {
    /// The file: a table where its name ends in `.parquet`, compressed where it ends in `.gz`.
    pub path: PathBuf,
    /// What ends before is left out, ns.
    pub from_ns: u64,
    /// What begins later is left out, ns.
    pub until_ns: u64,
}

impl TimelineRequest {
    /// Whether something is of the stretch of time that was asked for.
    pub(super) fn has(&self, begin_ns: u64, end_ns: u64) -> bool {
        end_ns >= self.from_ns && begin_ns <= self.until_ns
    }

    /// What is wrong where nothing happened then.
    pub(super) fn nothing(&self, ended_ns: u64) -> String {
        let Self { from_ns, until_ns, .. } = *self;
        let until = if until_ns == u64::MAX { "its end".to_owned() } else { format!("{until_ns} ns") };
        format!("timeline: nothing happens from {from_ns} ns to {until}; the run ends at {ended_ns} ns")
    }
}

/// Tracks that others stand below, and the first of the others.
const REQUESTS: u64 = 1;
const CHANNELS: u64 = 2;
const PLANES: u64 = 3;
const DISK: u64 = 4;
const FIRST: u64 = 16;

/// A timeline that is being written.
pub struct Timeline {
    asked: TimelineRequest,
    outputs: Outputs,
    events: Events<Packed>,
    geometry: Geometry,
    lanes: Lanes,
    /// Transfers that others may have to stand before: begin, end, track and cause.
    transfers: BinaryHeap<Reverse<(u64, u64, u64, u8)>>,
    /// The first track of the planes, and of the lanes.
    planes: u64,
    first_lane: u64,
    lanes_named: u64,
    /// Names of operations by kind and cause.
    names: Vec<String>,
    parts: Vec<String>,
    left_out: u64,
    written: u64,
    ended_ns: u64,
}

impl Timeline {
    /// Begins the timeline of a device, whose file is reserved among `outputs`.
    pub fn begin(asked: &TimelineRequest, mut outputs: Outputs, simulation: &Simulation) -> Result<Self> {
        let file = outputs.create(&asked.path).map_err(std::io::Error::other)?;
        let geometry = simulation.media().array().geometry.clone();
        let planes = FIRST + u64::from(geometry.channels);
        let named = |kind: &OpKind, cause: &Cause| format!("{} ({})", kind.name(), cause.name());
        let names =
            OpKind::ALL.iter().flat_map(|kind| Cause::ALL.iter().map(move |cause| named(kind, cause)));
        let part = |(name, is_service): (&str, bool)| {
            let what = if is_service { "service" } else { "wait" };
            format!("{what}_{}_ns", name.replace('-', "_"))
        };
        let mut timeline = Self {
            asked: asked.clone(),
            outputs,
            events: Events::new(Packed::new(file, &asked.path)),
            lanes: Lanes::default(),
            transfers: BinaryHeap::new(),
            planes,
            first_lane: planes + geometry.planes.len() as u64,
            lanes_named: 0,
            names: names.collect(),
            parts: component_names().map(part).collect(),
            geometry,
            left_out: 0,
            written: 0,
            ended_ns: 0,
        };
        timeline.tracks(simulation.timing().disk().is_some())?;
        Ok(timeline)
    }

    fn tracks(&mut self, has_disk: bool) -> Result<()> {
        let events = &mut self.events;
        let roots = [(REQUESTS, "requests"), (CHANNELS, "channels"), (PLANES, "planes"), (DISK, "disk")];
        for (track, name) in roots.into_iter().filter(|(track, _)| *track != DISK || has_disk) {
            events.track(track, None, name, track)?;
        }
        for channel in 0..u64::from(self.geometry.channels) {
            events.track(FIRST + channel, Some(CHANNELS), &format!("channel {channel}"), channel)?;
        }
        for (number, plane) in self.geometry.planes.iter().enumerate() {
            let pool = &self.geometry.pools[usize::from(plane.pool)];
            let die = (number as u32 - pool.first_plane) / pool.config.planes;
            let name = format!("{} die {die} plane {} (channel {})", pool.name, plane.in_die, plane.channel);
            events.track(self.planes + number as u64, Some(PLANES), &name, number as u64)?;
        }
        Ok(())
    }

    /// Writes an operation; they come in the order of their ends.
    pub fn operation(&mut self, operation: &LoggedOperation) -> Result<()> {
        self.ended_ns = self.ended_ns.max(operation.end_ns);
        if !self.asked.has(operation.begin_ns, operation.end_ns) {
            return Ok(());
        }
        self.written += 1;
        let name = &self.names[operation.kind as usize * Cause::ALL.len() + operation.cause as usize];
        let mut facts = [("", 0); 6];
        let mut count = 0;
        let mut tell = |name: &'static str, value: u64| {
            facts[count] = (name, value);
            count += 1;
        };
        let Some(plane) = operation.plane.map(PlaneId::index) else {
            let slice = Slice {
                track: DISK,
                name: operation.cause.name(),
                begin_ns: operation.begin_ns,
                end_ns: operation.end_ns,
                flow: operation.request.map(|number| number + 1),
                facts: &facts[..count],
            };
            return self.events.slice(&slice);
        };
        if let Some(block) = operation.block_of(&self.geometry) {
            tell("block", u64::from(block));
        }
        if operation.kind != OpKind::Erase {
            tell("page", u64::from(operation.page));
            if operation.pages > 1 {
                tell("pages", u64::from(operation.pages));
            }
        }
        if operation.begin_ns > operation.queued_ns {
            tell("waited_ns", operation.begin_ns - operation.queued_ns);
        }
        if operation.pauses {
            tell("suspended", 1);
        }
        let slice = Slice {
            track: self.planes + plane as u64,
            name,
            begin_ns: operation.begin_ns,
            end_ns: operation.end_ns,
            flow: operation.request.map(|number| number + 1),
            facts: &facts[..count],
        };
        self.events.slice(&slice)?;
        if operation.leads {
            self.transfer(operation, FIRST + u64::from(self.geometry.planes[plane].channel));
        }
        Ok(())
    }

    /// Notes when the command of an operation had the channel.
    fn transfer(&mut self, operation: &LoggedOperation, track: u64) {
        let LoggedOperation { begin_ns, end_ns, in_ns, out_ns, cause, .. } = *operation;
        let both = [(begin_ns, begin_ns + in_ns), (end_ns - out_ns, end_ns)];
        let taken = both.into_iter().filter(|(begin_ns, end_ns)| end_ns > begin_ns);
        self.transfers.extend(taken.map(|(begin, end)| Reverse((begin, end, track, cause as u8))));
    }

    /// Writes the transfers before `until_ns`, all of which are known: events of one time are taken in the
    /// order of the file, and an end must stand before a beginning.
    pub fn settle(&mut self, until_ns: u64) -> Result<()> {
        while let Some(&Reverse((begin_ns, end_ns, track, cause))) = self.transfers.peek() {
            if begin_ns >= until_ns {
                break;
            }
            self.transfers.pop();
            let name = Cause::ALL[usize::from(cause)].name();
            self.events.slice(&Slice { track, name, begin_ns, end_ns, flow: None, facts: &[] })?;
        }
        Ok(())
    }

    /// Writes a request; they come in the order of their arrival.
    pub fn request(&mut self, logged: &LoggedRequest) -> Result<()> {
        let (begin_ns, end_ns) = (logged.request.at_ns, logged.completed_ns);
        self.ended_ns = self.ended_ns.max(end_ns);
        if !self.asked.has(begin_ns, end_ns) {
            return Ok(());
        }
        self.written += 1;
        let Some(lane) = self.lanes.take(begin_ns, end_ns) else {
            self.left_out += 1;
            return Ok(());
        };
        if lane == self.lanes_named {
            self.events.track(self.first_lane + lane, Some(REQUESTS), &format!("lane {lane}"), lane)?;
            self.lanes_named += 1;
        }
        let own = [
            ("request", logged.number),
            ("sector", logged.request.sector),
            ("sectors", u64::from(logged.request.sectors)),
            ("stream", u64::from(logged.request.stream)),
        ];
        let parts = self.parts.iter().map(String::as_str).zip(logged.components_ns);
        let facts: Vec<(&str, u64)> = own.into_iter().chain(parts.filter(|(_, ns)| *ns > 0)).collect();
        let flow = Some(logged.number + 1);
        let name = operation(logged.request.op);
        let slice = Slice { track: self.first_lane + lane, name, begin_ns, end_ns, flow, facts: &facts };
        self.events.slice(&slice)
    }

    /// Writes the rest and gives the file its name; what was asked for where nothing happened then.
    pub fn finish(mut self) -> Result<std::result::Result<(), String>> {
        if self.written == 0 {
            return Ok(Err(self.asked.nothing(self.ended_ns)));
        }
        self.settle(u64::MAX)?;
        if self.left_out > 0 {
            let name = format!("requests ({} of them find all {} lanes taken)", self.left_out, Lanes::MOST);
            self.events.track(REQUESTS, None, &name, REQUESTS)?;
        }
        let Self { events, outputs, .. } = self;
        let file = events.into_inner().finish()?;
        // What is no regular file, such as a FIFO, has nothing to be kept.
        if file.metadata()?.is_file() {
            file.sync_all()?;
        }
        outputs.publish().map_err(std::io::Error::other)?;
        Ok(Ok(()))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.asked.path
    }
}
