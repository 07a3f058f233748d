//! A twin of a trace: its blocks in random order, at addresses of their own.
//!
//! The trace is cut at gaps longer than `pause_ns` (100 ms) into blocks of `block_requests` (256)
//! or more. Blocks are drawn in rounds, each once a round, until there are `requests` (as many as
//! the trace has). Blocks change their order within `stages` (16) parts of the trace, which follow
//! each other as they did. Times, operations and sizes stay together within a block. With
//! `places = "kept"` (default) requests also keep how recently the place they go to was used; with
//! `"drawn"` requests of the same operation and size change places. With `regions = "shuffled"`
//! (default) data that lie together get new places at random; with `"kept"` they stay in the order of
//! the trace's addresses. Addresses stay below `footprint_bytes`; where they would pass it, fresh data
//! take the place of the oldest.
//!
//! The trace is read once. 32 bytes are kept of each request, at most 1 GiB, and about 150 of each
//! extent in use. Response times are left out.

use super::entries::{tell, Entries};
use super::report::{InputReport, StepReport};
use crate::bootstrap::{Drawing, Source, TooLate, Twin, Unfit, RECORDS_MAX};
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::origin::Origin;
use crate::progress::Progress;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slcache_base::request::SECTOR_BYTES;

const WHAT: &str = "twin by blocks";
/// Requests made at a time.
const BATCH: usize = 4096;
/// The last sector that a twin without a footprint goes to; what lies behind still fits 64 bits.
const END_SECTORS: u64 = u64::MAX / SECTOR_BYTES / 2;

/// How a twin is made of a trace's blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    #[serde(default)]
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requests: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    footprint_bytes: Option<u64>,
    #[serde(default = "default_pause_ns")]
    pause_ns: u64,
    #[serde(default = "default_block_requests")]
    block_requests: u64,
    #[serde(default = "default_stages")]
    stages: u64,
    #[serde(default)]
    places: Places,
    #[serde(default)]
    regions: Regions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Places {
    #[default]
    Kept,
    BlockTwin,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Regions {
    #[default]
    Shuffled,
    Kept,
}

/// The 50 ms after which schemes use idle time, and as long for the device to get done.
fn default_pause_ns() -> u64 {
    100_000_000
}

/// Real pieces whose blocks of 256 requests change order keep their write latency within 5 %.
fn default_block_requests() -> u64 {
    256
}

/// As many parts as `trace info` compares.
fn default_stages() -> u64 {
    16
}

impl Blocks {
    /// Reads the parameters and refuses what makes no sense.
    pub fn new(parameters: Value) -> Result<Self, TraceError> {
        let read: Result<Self, _> = serde_path_to_error::deserialize(parameters);
        let blocks = read.map_err(|error| TraceError::refused(WHAT, error.to_string()))?;
        blocks.check().map(|()| blocks)
    }

    fn check(&self) -> Result<(), TraceError> {
        let counts = [
            ("requests", self.requests),
            ("block_requests", Some(self.block_requests)),
            ("stages", Some(self.stages)),
        ];
        for (key, value) in counts {
            if value == Some(0) {
                return Err(TraceError::refused(WHAT, format!("{key} = 0; expected a whole number from 1")));
            }
        }
        match self.footprint_bytes {
            Some(bytes) if bytes == 0 || bytes % SECTOR_BYTES != 0 => {
                let allowed = "expected a positive multiple of 512 bytes";
                Err(TraceError::refused(WHAT, format!("footprint_bytes = {bytes}; {allowed}")))
            }
            _ => Ok(()),
        }
    }

    /// Reads a stream to its end and makes that of its twin.
    pub(super) fn entries(
        &self,
        mut inner: Box<dyn Entries>,
        progress: &mut Progress<'_>,
    ) -> Result<Box<dyn Entries>, TraceError> {
        let mut source = Source::new(self.pause_ns, self.block_requests);
        let mut batch = Vec::new();
        while inner.next(&mut batch)? {
            let volumes = Volumes::of(inner.as_ref());
            let mut requests = batch.iter().map(|entry| &entry.request);
            let taken = requests.try_for_each(|request| source.add(request, volumes.volume(request.stream)));
            taken.map_err(|unfit| self.refusal(unfit))?;
            tell("scan", inner.as_ref(), progress)?;
        }
        let drawing = Drawing {
            seed: self.seed,
            stages: self.stages,
            requests: self.requests,
            end_sectors: self.footprint_bytes.map_or(END_SECTORS, |bytes| bytes / SECTOR_BYTES),
            keeps_places: self.places == Places::Kept,
            keeps_regions: self.regions == Regions::Kept,
        };
        let twin = source.draw(drawing).map_err(|unfit| self.refusal(unfit))?;
        let volumes = Volumes::of(inner.as_ref());
        Ok(Box::new(BlockTwin { blocks: self.clone(), inner, twin, volumes, made: 0 }))
    }

    /// What was done, the same text for the same parameters.
    fn step_text(&self) -> String {
        // Plain data with text keys always has a JSON form.
        format!("{WHAT} {}", serde_json::to_string(self).expect("parameters are plain data"))
    }

    fn refusal(&self, unfit: Unfit) -> TraceError {
        let Self { pause_ns, block_requests, .. } = self;
        let footprint_bytes = self.footprint_bytes.unwrap_or(END_SECTORS * SECTOR_BYTES);
        TraceError::refused(
            WHAT,
            match unfit {
                Unfit::OneBlock { requests, longest_gap_ns } => format!(
                    "pause_ns = {pause_ns}, block_requests = {block_requests}: the trace is one block; \
                     a twin needs two or more, and the trace has {requests} requests with gaps up to \
                     {longest_gap_ns} ns"
                ),
                Unfit::TooLarge { bytes } => {
                    format!("footprint_bytes = {footprint_bytes}: the trace has a request of {bytes} bytes")
                }
                Unfit::TooMany => {
                    format!(
                        "the trace has more than {RECORDS_MAX} requests; take a part of it first (take = N)"
                    )
                }
            },
        )
    }
}

/// Which streams have addresses of their own.
#[derive(Clone, Copy, Debug)]
struct Volumes {
    shared: bool,
}

impl Volumes {
    /// Those of a stream as far as it was read: one without names has only one volume.
    fn of(entries: &dyn Entries) -> Self {
        Self { shared: entries.names().is_empty() }
    }

    fn volume(self, stream: u16) -> usize {
        if self.shared {
            0
        } else {
            usize::from(stream)
        }
    }
}

struct BlockTwin {
    blocks: Blocks,
    /// The trace, read to its end.
    inner: Box<dyn Entries>,
    twin: Twin,
    volumes: Volumes,
    made: u64,
}

impl Entries for BlockTwin {
    fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        out.clear();
        while out.len() < BATCH {
            let drawn = self.twin.next(|stream| self.volumes.volume(stream));
            let too_late = |TooLate| {
                let made = self.made + out.len() as u64;
                TraceError::refused(
                    WHAT,
                    format!("the request behind {made} would come after 2^62 ns (146 years)"),
                )
            };
            let Some(request) = drawn.map_err(too_late)? else { break };
            out.push(TraceEntry { request, response_ns: None });
        }
        self.made += out.len() as u64;
        Ok(!out.is_empty())
    }

    fn names(&self) -> Vec<String> {
        self.inner.names()
    }

    fn label(&self) -> Option<String> {
        let of = self.inner.label().unwrap_or_else(|| self.inner.origin().file);
        Some(format!("twin of {of} (its blocks in random order, seed {})", self.blocks.seed))
    }

    fn origin(&self) -> Origin {
        let mut origin = self.inner.origin();
        origin.label = self.label();
        origin.steps.push(self.blocks.step_text());
        origin
    }

    fn progress(&self) -> (u64, u64) {
        self.inner.progress()
    }

    fn report(&self, inputs: &mut Vec<InputReport>, steps: &mut Vec<StepReport>) {
        self.inner.report(inputs, steps);
        let counts = vec![
            ("blocks", self.twin.blocks()),
            ("blocks that keep their place", self.twin.fixed_blocks()),
            ("trims of what is not there", self.twin.idle_trims()),
        ];
        steps.push(StepReport::new(&self.blocks.step_text(), counts));
    }
}
