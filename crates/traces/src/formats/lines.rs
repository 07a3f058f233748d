//! The reader that formats share of which every line is one request: it takes a line apart, quickly or
//! with care, and makes the request of what it found.

use super::columns::{Columns, Units};
use super::{Format, RawRequest, Record, RecordParser};
use crate::error::{LineFault, TraceError};
use crate::fields::scan::{LineEnd, ScannedTime, TextBlock, WholeText};
use crate::fields::sectors::{Extent, SizeRules};
use crate::options::TraceOptions;
use crate::records::batch::RowParser;
use slcache_base::request::HostOp;

mod fields;
mod quick;

pub(super) use fields::{between, LineFields};

/// A format of lines. Mostly its columns say all; what they cannot say, it defines itself.
pub(super) trait LineFormat: Default + Send + 'static {
    const COLUMNS: &'static Columns;

    fn new(_options: &TraceOptions) -> Self {
        Self::default()
    }

    /// One pass over a well-formed line, and what is behind that line; `None` when [`Self::careful`]
    /// has to look. Where both find something, it is the same.
    #[inline(always)]
    fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
        quick::quick::<Self, E>(line)
    }

    /// Field by field, so that whatever is wrong can be named.
    #[cold]
    fn careful(line: &[u8]) -> Result<LineContent<'_>, LineFault> {
        fields::careful::<Self>(line)
    }

    /// The time of a line in nanoseconds, where the columns leave it in units of the file.
    #[inline(always)]
    fn time(&self, line: &Line<'_>) -> Result<ScannedTime, LineFault> {
        Ok(line.time)
    }
}

/// A line taken apart; address and size still in the units of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub time: ScannedTime,
    pub op: HostOp,
    /// First byte or sector.
    pub address: u64,
    /// Bytes or sectors.
    pub size: u64,
    /// The bytes that name the volume.
    pub volume: &'a [u8],
    /// How long it took, where the format tells.
    pub response: Option<u64>,
}

impl Line<'_> {
    /// Nothing but a time.
    #[inline(always)]
    pub(super) const fn at(at_ns: u64) -> Self {
        let time = ScannedTime { at_ns, rounded: false };
        Self { time, op: HostOp::Read, address: 0, size: 0, volume: &[], response: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineContent<'a> {
    /// A request.
    Line(Line<'a>),
    /// Something left out on purpose, and why.
    Skipped(&'static str),
}

impl Format {
    /// A format of which every line is one request.
    pub(super) const fn lines<F: LineFormat>() -> Self {
        Self { columns: Some(F::COLUMNS), volume_name: F::COLUMNS.volumes.named(), ..Self::of(build::<F>) }
    }
}

fn build<F: LineFormat>(options: &TraceOptions) -> Result<Box<dyn RowParser>, TraceError> {
    Ok(Box::new(LineParser { format: F::new(options), sizes: SizeRules::new(options) }))
}

struct LineParser<F> {
    format: F,
    sizes: SizeRules,
}

impl<F: LineFormat> LineParser<F> {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let time = self.format.time(&line)?;
        let extent = self.extent(&line)?;
        let mut raw = RawRequest::new(time.at_ns, line.op, line.volume);
        raw.rounded_to_ns = time.rounded;
        raw.response_ns = line.response;
        Ok(Record::transfer(raw, extent))
    }

    /// The sectors of a line; `None` for a zero size that is to be skipped.
    #[inline(always)]
    fn extent(&self, line: &Line<'_>) -> Result<Option<Extent>, LineFault> {
        let address = (line.address, const { F::COLUMNS.address() });
        let size = (line.size, const { F::COLUMNS.size() });
        match F::COLUMNS.units {
            Units::Bytes => self.sizes.extent_of_bytes(address, size),
            Units::Sectors => self.sizes.extent_of_sectors(line.address, size),
            Units::SectorAndBytes => self.sizes.extent_of_sector_and_bytes(address, size),
        }
    }
}

impl<F: LineFormat> RecordParser for LineParser<F> {
    #[inline]
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        match F::quick::<WholeText>(line) {
            Some((line, _)) => self.request(line),
            None => match F::careful(line)? {
                LineContent::Line(line) => self.request(line),
                LineContent::Skipped(reason) => Ok(Record::Skipped(reason)),
            },
        }
    }

    #[inline(always)]
    fn quick<'a>(&self, pending: &'a [u8]) -> Option<(Record<'a>, &'a [u8])> {
        let (line, behind) = F::quick::<TextBlock>(pending)?;
        Some((self.request(line).ok()?, behind))
    }
}

#[cfg(test)]
pub(super) mod tests;
