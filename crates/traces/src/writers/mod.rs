//! Writing traces: the Parquet layout in its own room, formats of columns as their table says, and one
//! file for each other text format; with what may get lost on the way, if the user says so.

mod blkparse;
mod columns;
mod fio;
mod generic;
mod output;
mod text;
mod trace_writer;

pub use trace_writer::{TraceWriter, WriteOptions, Written};

use crate::catalogue::PARQUET;
use crate::error::TraceError;
use crate::formats::volume_names::VolumeNames;
use crate::formats::FORMATS;
use crate::options::TraceOptions;
use crate::request_source::TraceEntry;
use slcache_base::request::Request;
use std::collections::BTreeSet;
use text::Buffer;

/// A text format as it is written.
struct TextFormat {
    /// Name, as the user gives it.
    name: &'static str,
    /// What stands in front of the first request.
    header: String,
    places: FormatPlaces,
    lines: Box<LineWriter>,
    /// Trace options that read the file back as it was written.
    read_back: TraceOptions,
}

/// Every text format that can be written.
fn text_formats() -> impl Iterator<Item = TextFormat> {
    let of_columns = FORMATS.iter().filter_map(|format| Some(columns::format(format, format.columns?)));
    of_columns.chain([blkparse::format(), fio::format(), generic::format()])
}

/// What a format has a place for.
#[derive(Clone, Copy, Debug)]
struct FormatPlaces {
    /// Nanoseconds in its smallest step of time.
    time_step_ns: u64,
    trims: bool,
    flushes: bool,
    hints: bool,
    response: Response,
    volumes: VolumeNames,
}

/// Whether a format has response times.
#[derive(Clone, Copy, Debug)]
enum Response {
    Absent,
    /// Where there is one, in nanoseconds.
    Optional,
    /// For every request, in steps of so many nanoseconds.
    Required {
        step_ns: u64,
    },
}

impl FormatPlaces {
    /// Reads and writes only, without response times.
    const fn transfers(time_step_ns: u64, volumes: VolumeNames) -> Self {
        Self { time_step_ns, trims: false, flushes: false, hints: false, response: Response::Absent, volumes }
    }
}

/// A request that fits, or was made to fit, a format.
struct WritableLine<'a> {
    /// Time in nanoseconds, a multiple of the format's step.
    at_ns: u64,
    request: &'a Request,
    /// The volume as the format names it.
    volume: &'a str,
    /// Response time in nanoseconds, a multiple of the format's step.
    response_ns: Option<u64>,
}

/// Appends the line, or lines, of a request with their ends.
type LineWriter = dyn FnMut(&WritableLine<'_>, &mut Buffer) + Send;

/// The options that name a format, keep its times and its volumes.
fn as_written(format: &str) -> TraceOptions {
    TraceOptions {
        rebase: Some(false),
        volume: Some(crate::options::VolumeChoice::Each),
        ..TraceOptions::with_format(format)
    }
}

/// The names of the formats that can be written, the Parquet layout first.
pub fn writable_formats() -> impl Iterator<Item = &'static str> {
    std::iter::once(PARQUET).chain(text_formats().map(|format| format.name))
}

/// What may have to be lost on the way into a format, by the names of the losses.
pub(crate) fn loss_names(format: &str) -> Vec<&'static str> {
    let Some(TextFormat { places, .. }) = text_formats().find(|text| text.name == format) else {
        return Vec::new();
    };
    let may_lose = |loss: &Loss| match loss {
        Loss::Time => places.time_step_ns > 1,
        Loss::Flush => !places.flushes,
        Loss::Trim => !places.trims,
        Loss::Response => !matches!(places.response, Response::Optional),
        Loss::Hint => !places.hints,
        Loss::Volume | Loss::Label => true,
    };
    Loss::ALL.into_iter().filter(may_lose).map(Loss::name).collect()
}

/// Writes requests without volumes or response times as lines of a text format.
/// An error where the format cannot hold one of them.
pub fn write_text(
    format: &str,
    requests: &[Request],
    output: &mut impl std::io::Write,
) -> Result<(), TraceError> {
    let Some(text) = text_formats().find(|text| text.name == format) else {
        let allowed = text_formats().map(|text| text.name).collect::<Vec<_>>().join(", ");
        return Err(TraceError::option("format", format, allowed));
    };
    let mut writer = text::TextWriter::new(text, Losses::default(), format);
    for request in requests {
        writer.write(&[TraceEntry { request: *request, response_ns: None }], &[], output)?;
    }
    writer.flush(output)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Times are cut to whole units of the format.
    Time,
    Flush,
    Trim,
    /// Volumes are written by their stream number instead of their name.
    Volume,
    /// Response times are left out or cut to whole units of the format; where
    /// the format has one for every request and the trace has none, 0 is written.
    Response,
    Hint,
    /// Nothing in the file says that the requests are no recording.
    Label,
}

impl Loss {
    /// Every kind, in the order of messages.
    pub const ALL: [Self; 7] =
        [Self::Time, Self::Flush, Self::Trim, Self::Volume, Self::Response, Self::Hint, Self::Label];

    /// Its name, as the user gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Flush => "flush",
            Self::Trim => "trim",
            Self::Volume => "volume",
            Self::Response => "response",
            Self::Hint => "hint",
            Self::Label => "label",
        }
    }
}

/// Some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(BTreeSet<Loss>);

impl Losses {
    /// Losses named in text, separated by commas; empty text names none.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let loss = |name: &str| {
            let allowed = || Loss::ALL.map(Loss::name).join(", ");
            let known = Loss::ALL.into_iter().find(|loss| loss.name() == name);
            known.ok_or_else(|| TraceError::option("lossy", name, allowed()))
        };
        names.map(loss).collect::<Result<_, _>>().map(Self)
    }

    pub fn contains(&self, loss: Loss) -> bool {
        self.0.contains(&loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        let names = Loss::ALL.map(Loss::name).join(", ");
        let all = Losses::parse(&names).unwrap();
        assert!(Loss::ALL.into_iter().all(|loss| all.contains(loss)));
        assert_eq!(Losses::parse("").unwrap(), Losses::default());
        let error = Losses::parse("time,flsh").unwrap_err().to_string();
        assert!(error.contains("lossy: \"flsh\" is not allowed; allowed: time, flush"), "{error}");
    }
}
