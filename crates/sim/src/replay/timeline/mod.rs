//! A timeline of the run: what every channel and plane did and for which request, for ui.perfetto.dev.

mod operations;
mod ordered;
mod packets;
mod scheme;
mod tracks;

use super::request_log::operation;
use flate2::write::GzEncoder;
use flate2::Compression;
use operations::Operations;
use packets::{Body, Head, NameKind, Packets, Sequence};
use scheme::SchemeTracks;
use slcache_core::device::levels::Change;
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::device::Simulation;
use slcache_core::hw::timing::LoggedOperation;
use slcache_core::metrics::components::components;
use slcache_files::Outputs;
use std::fs::File;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};
use tracks::{Lanes, REQUESTS};

/// Where a timeline goes, and what of the run it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineRequest {
    /// The file: a table where its name ends in `.parquet`, compressed where it ends in `.gz`.
    pub path: PathBuf,
    /// What ends before is left out, ns.
    pub from_ns: u64,
    /// What begins later is left out, ns.
    pub until_ns: u64,
    /// Of the host's requests those whose number is a multiple of this, with their operations.
    pub every: u64,
}

impl TimelineRequest {
    /// Whether something is of the stretch of time that was asked for, and of such a request or of none.
    pub(super) fn has(&self, begin_ns: u64, end_ns: u64, request: Option<u64>) -> bool {
        let is_meant = request.is_none_or(|number| number % self.every == 0);
        is_meant && end_ns >= self.from_ns && begin_ns <= self.until_ns
    }

    pub(super) fn nothing(&self, ended_ns: u64) -> String {
        let Self { from_ns, until_ns, .. } = *self;
        let until = if until_ns == u64::MAX { "its end".to_owned() } else { format!("{until_ns} ns") };
        format!("timeline: nothing happens from {from_ns} ns to {until}; the run ends at {ended_ns} ns")
    }
}

/// A timeline that is being written.
pub struct Timeline {
    asked: TimelineRequest,
    outputs: Outputs,
    packets: Packets<Packed>,
    operations: Operations,
    scheme: SchemeTracks,
    lanes: Lanes,
    first_lane: u64,
    lanes_named: u64,
    parts: Vec<String>,
    body: Body,
    left_out: u64,
    written: u64,
    ended_ns: u64,
}

impl Timeline {
    /// Begins the timeline of a device, whose file is reserved among `outputs`.
    pub fn begin(asked: &TimelineRequest, mut outputs: Outputs, simulation: &Simulation) -> Result<Self> {
        let file = outputs.create(&asked.path).map_err(std::io::Error::other)?;
        let mut packets = Packets::new(Packed::new(file, &asked.path))?;
        packets.track(REQUESTS, None, "requests", REQUESTS)?;
        let geometry = simulation.media().array().geometry.clone();
        let has_disk = simulation.timing().disk().is_some();
        let operations = Operations::begin(geometry, has_disk, &mut packets)?;
        let scheme = SchemeTracks::begin(simulation, operations.free_track(), &mut packets)?;
        Ok(Self {
            asked: asked.clone(),
            outputs,
            packets,
            first_lane: scheme.free_track(),
            operations,
            scheme,
            lanes: Lanes::default(),
            lanes_named: 0,
            parts: components().map(|part| part.column()).collect(),
            body: Body::default(),
            left_out: 0,
            written: 0,
            ended_ns: 0,
        })
    }

    /// Writes an operation; they come in the order of their ends.
    pub fn operation(&mut self, operation: &LoggedOperation) -> Result<()> {
        let &LoggedOperation { begin_ns, end_ns, request, .. } = operation;
        self.ended_ns = self.ended_ns.max(end_ns);
        if !self.asked.has(begin_ns, end_ns, request) {
            return Ok(());
        }
        self.written += 1;
        self.scheme.operation(operation, self.operations.geometry(), &mut self.packets)?;
        self.operations.draw(operation, &mut self.packets)
    }

    /// Writes what of the operations is before `until_ns`, all of which is known.
    pub fn settle(&mut self, until_ns: u64) -> Result<()> {
        self.operations.settle(until_ns, &mut self.packets)
    }

    /// Writes something that changed about the scheme.
    pub fn change(&mut self, change: &Change) -> Result<()> {
        match self.asked.has(change.at_ns, change.at_ns, None) {
            true => self.scheme.draw(change, &mut self.packets),
            false => Ok(()),
        }
    }

    /// Writes a request; they come in the order of their arrival.
    pub fn request(&mut self, logged: &LoggedRequest) -> Result<()> {
        let (begin_ns, end_ns) = (logged.request.at_ns, logged.completed_ns);
        self.ended_ns = self.ended_ns.max(end_ns);
        if !self.asked.has(begin_ns, end_ns, Some(logged.number)) {
            return Ok(());
        }
        self.written += 1;
        let Some(lane) = self.lanes.take(begin_ns, end_ns) else {
            self.left_out += 1;
            return Ok(());
        };
        if lane == self.lanes_named {
            self.packets.track(self.first_lane + lane, Some(REQUESTS), &format!("lane {lane}"), lane)?;
            self.lanes_named += 1;
        }
        let track = self.first_lane + lane;
        self.begin_request(track, logged)?;
        self.packets.event(Sequence::Free, begin_ns, &self.body)?;
        self.body.end(track);
        self.packets.event(Sequence::Free, end_ns, &self.body)
    }

    /// Makes the beginning of a request's slice the body.
    fn begin_request(&mut self, track: u64, logged: &LoggedRequest) -> Result<()> {
        let Self { packets, parts, .. } = self;
        let own = [
            ("request", logged.number),
            ("sector", logged.request.sector),
            ("sectors", u64::from(logged.request.sectors)),
            ("stream", u64::from(logged.request.stream)),
        ];
        let parts = parts.iter().map(String::as_str).zip(logged.components_ns).filter(|(_, ns)| *ns > 0);
        let number = |(name, value)| Ok((packets.name(Sequence::Free, NameKind::Fact, name)?, value));
        let facts = own.into_iter().chain(parts).map(number).collect::<Result<Vec<_>>>()?;
        let name = self.packets.name(Sequence::Free, NameKind::Event, operation(logged.request.op))?;
        self.body.begin(&Head { track, name, flows: [Some(logged.number + 1), None], facts: &facts });
        Ok(())
    }

    /// Writes the rest and gives the file its name; what was asked for where nothing happened then.
    pub fn finish(mut self) -> Result<std::result::Result<(), String>> {
        if self.written == 0 {
            return Ok(Err(self.asked.nothing(self.ended_ns)));
        }
        self.settle(u64::MAX)?;
        if self.left_out > 0 {
            let name = format!("requests ({} of them find all {} lanes taken)", self.left_out, Lanes::MOST);
            self.packets.track(REQUESTS, None, &name, REQUESTS)?;
        }
        let Self { packets, outputs, .. } = self;
        let file = packets.into_inner()?.finish()?;
        // What is no regular file, such as a FIFO, has nothing to be kept.
        if file.metadata()?.is_file() {
            file.sync_all()?;
        }
        outputs.publish().map_err(std::io::Error::other)?;
        Ok(Ok(()))
    }

    pub fn path(&self) -> &Path {
        &self.asked.path
    }
}

/// How hard it is compressed: above, half as much time again saves a tenth of the bytes.
const LEVEL: u32 = 4;

/// Where bytes go.
pub enum Packed {
    Plain(File),
    Gzip(Box<GzEncoder<File>>),
}

impl Packed {
    /// Into `file`; compressed where `path` ends in `.gz`.
    pub fn new(file: File, path: &Path) -> Self {
        if path.extension().is_some_and(|name| name == "gz") {
            return Self::Gzip(Box::new(GzEncoder::new(file, Compression::new(LEVEL))));
        }
        Self::Plain(file)
    }

    pub fn finish(self) -> Result<File> {
        match self {
            Self::Plain(file) => Ok(file),
            Self::Gzip(encoder) => encoder.finish(),
        }
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Self::Plain(to) => to.write(bytes),
            Self::Gzip(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Self::Plain(to) => to.flush(),
            Self::Gzip(to) => to.flush(),
        }
    }
}
