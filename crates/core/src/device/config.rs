//! Configuration of how the host drives the device, its buffer and its state before time 0.

use crate::base::defaults::{is, number};
use crate::base::units;
use crate::base::Problem;
use crate::hw::config::PoolConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

pub use super::link::LinkConfig;
pub use crate::hw::device_config::{DeviceConfig, InflightRead, PartReads, ReadTransfer, RmwTransfer};

/// When requests enter the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    /// At the trace's time stamps.
    #[default]
    Open,
    /// As fast as the queue depth allows; time stamps are ignored.
    Closed,
}

/// How the host drives the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct HostConfig {
    /// Open (time stamps) or closed (queue depth) replay.
    #[default(Replay::Open)]
    pub replay: Replay,
    /// Requests in the device at once, per stream in closed replay; 0 = unlimited in open replay.
    #[schemars(range(max = 65_536))]
    pub queue_depth: u32,
    /// Factor on the trace's time stamps in open replay.
    // With less a second would be no nanosecond: all requests at once is what closed replay is for.
    #[schemars(range(min = 1e-9, max = 1e6))]
    #[default(1.0)]
    pub time_scale: f64,
    /// In closed replay, time from a completion until the same place of the queue has its next request,
    /// ns; it occupies nothing.
    #[serde(skip_serializing_if = "is::<0, u32>")]
    pub turnaround_ns: u32,
    /// What that time grows with each byte of the request beyond the first 4096, ps.
    #[serde(skip_serializing_if = "is::<0, u32>")]
    pub turnaround_ps_per_byte: u32,
    /// Host link: a name or the keys below; absent = infinitely fast.
    pub link: Option<LinkConfig>,
}

impl HostConfig {
    /// Time from the completion of a request of so many bytes until its place has the next one, ns.
    #[inline]
    pub fn turnaround_ns(&self, bytes: u64) -> u64 {
        let further = bytes.saturating_sub(4096) * u64::from(self.turnaround_ps_per_byte);
        u64::from(self.turnaround_ns) + further.div_ceil(1000)
    }

    /// Adds every problem of the host section.
    pub fn check(&self, problems: &mut Vec<Problem>) {
        if self.replay == Replay::Closed && self.queue_depth == 0 {
            problems.push(Problem::new("host.queue_depth", 0, "between 1 and 65536 in closed replay"));
        }
    }
}

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Acknowledge {
    /// When the data are in the buffer (write-back).
    #[default]
    OnBuffer,
    /// When the data are programmed (write-through; the buffer then serves reads).
    OnProgram,
}

/// When what was written leaves the buffer for flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteBack {
    /// When room is needed, the least recently used page first.
    #[default]
    WhenFull,
    /// In the order of arrival, as soon as a stripe is there; less after `flush_after_ns`.
    AtOnce,
}

impl WriteBack {
    #[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The DRAM buffer in front of the FTL, in mapping units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BufferConfig {
    /// Size in bytes; at least one logical page, and with `at-once` a stripe beside it.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(max = 1u64 << 40))]
    pub bytes: u64,
    /// When a write is acknowledged.
    #[serde(default)]
    pub acknowledge: Acknowledge,
    /// With `on-buffer`: when data are written back.
    #[serde(default, skip_serializing_if = "WriteBack::is_default")]
    pub write_back: WriteBack,
    /// With `at-once`: programs of a stripe, which is written back as a whole: one in each of so many
    /// planes.
    #[serde(default = "number::<1, u32>", skip_serializing_if = "is::<1, u32>")]
    #[schemars(range(min = 1, max = 4096))]
    pub stripe_planes: u32,
    /// With `at-once`: stripes on their way at a time; absent = as many as come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub stripes_in_flight: Option<u32>,
    /// With `stripes_in_flight`: time a stripe takes beside its programs for each run of consecutive mapping
    /// units in it, as for journal and map, ns.
    #[serde(default, skip_serializing_if = "is::<0, u32>")]
    #[schemars(range(max = 1_000_000))]
    pub run_overhead_ns: u32,
    /// With `at-once`: after so long without a write, less than a stripe is written back, ns, at most 10 s.
    #[serde(default = "number::<1_000_000, u64>", skip_serializing_if = "is::<1_000_000, u64>")]
    #[schemars(range(min = 1000, max = 10_000_000_000u64))]
    pub flush_after_ns: u64,
    /// Time to serve a logical page from the buffer, ns.
    #[serde(default)]
    pub access_ns: u32,
    /// Whether it also keeps what reads bring, as whole mapping units.
    #[serde(default)]
    pub fill_on_read: bool,
}

impl BufferConfig {
    /// A write-back buffer of `bytes` that is emptied when it is full.
    pub fn new(bytes: u64) -> Self {
        Self {
            bytes,
            acknowledge: Acknowledge::default(),
            write_back: WriteBack::default(),
            stripe_planes: 1,
            stripes_in_flight: None,
            run_overhead_ns: 0,
            flush_after_ns: 1_000_000,
            access_ns: 0,
            fill_on_read: false,
        }
    }

    /// Whether writes wait in it, and leave it in stripes.
    pub fn is_striped(&self) -> bool {
        self.write_back == WriteBack::AtOnce && self.acknowledge == Acknowledge::OnBuffer
    }

    /// Adds every problem of the buffer section.
    pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let page = u64::from(device.piece_bytes());
        if self.bytes < page {
            problems.push(Problem::new(
                "buffer.bytes",
                self.bytes,
                format!("at least {page}, a logical page"),
            ));
        }
        if !problems.is_empty() || !self.is_striped() {
            return;
        }
        let planes = u64::from(self.stripe_planes);
        let all: u64 = device.pool.iter().map(|pool| u64::from(pool.plane_count())).sum();
        if planes > all {
            let allowed = format!("at most {all}, the planes there are");
            problems.push(Problem::new("buffer.stripe_planes", planes, allowed));
        }
        let program = device.pool.iter().map(PoolConfig::program_bytes).max().unwrap_or(page);
        if self.bytes < planes * program + page {
            let allowed = format!(
                "at least {}, a stripe of buffer.stripe_planes = {planes} programs of {program} bytes and a \
                 logical page",
                planes * program + page
            );
            problems.push(Problem::new("buffer.bytes", self.bytes, allowed));
        }
    }
}

/// The state of the device before time 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct PreconditionConfig {
    /// Share of the user capacity filled sequentially.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fill: f64,
    /// Random single-page overwrites after the fill, as a multiple of the filled capacity.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub overwrite: f64,
    /// Overwrite until the write amplification is steady (at most `overwrite` times, 10 if that is 0).
    pub steady: bool,
    /// Two successive windows within this relative difference count as steady.
    #[schemars(range(min = 0.0001, max = 0.5))]
    #[default(0.01)]
    pub tolerance: f64,
    /// Do the scheme's idle work before time 0.
    #[default(true)]
    pub drain: bool,
}

impl PreconditionConfig {
    /// Adds every problem of the precondition section.
    pub fn check(&self, problems: &mut Vec<Problem>) {
        if (self.overwrite > 0.0 || self.steady) && self.fill == 0.0 {
            problems.push(Problem::new(
                "precondition.fill",
                self.fill,
                "above 0 when overwrite or steady is asked for",
            ));
        }
    }
}

/// What a request beyond the device's capacity does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AddressPolicy {
    /// Stops the run with an error that names the request.
    #[default]
    Error,
    /// Starts over at address 0 (modulo the capacity); counted.
    Wrap,
    /// Renumbers the touched logical pages densely in address order (a first pass); counted.
    Compact,
    /// Cuts off what lies beyond the capacity; counted.
    Clip,
}

/// What a write that covers part of a mapping unit does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubMu {
    /// It is rounded outwards to whole mapping units; counted.
    Round,
    /// The old mapping unit is read first.
    #[default]
    Rmw,
}

/// Which data the device holds before time 0 without having been written by the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prefill {
    /// Every logical page the trace touches (a first pass), whole, placed by the scheme, uncounted.
    #[default]
    Touched,
    /// Only the mapping units the trace touches: a page of which it touches a part is short.
    TouchedUnits,
    /// A logical page is mapped, at no cost, when it is first read.
    OnRead,
    /// Nothing; reads of such data cost no flash time and are counted.
    None,
}

/// What the trace does not say: named choices, all stated in the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TracePolicy {
    /// Requests beyond the capacity.
    pub address: AddressPolicy,
    /// Writes of part of a mapping unit.
    pub sub_mu: SubMu,
    /// Data from before time 0.
    pub prefill: Prefill,
}
