//! Block traces for slcache: readers of published formats, checks, statistics
//! and the synthetic workloads of the benches.
//!
//! A trace is read as a stream: [`open`] (or [`spawn`], on a thread of its own)
//! yields [`Request`]s in file order, never holding the text in memory. Every
//! problem is an error that names file, line, column, value and what is
//! allowed; whatever is left out on purpose is counted in [`TraceSummary`].

mod bootstrap;
mod bound;
mod catalogue;
mod convert;
mod error;
mod fields;
mod formats;
mod info;
mod options;
mod page_set;
mod parquet;
mod records;
mod request_source;
mod sources;
mod stored;
mod stream_ends;
mod summary;
pub mod synthetic;
mod times;
pub mod workload;
mod writers;

pub use bound::{bound_telling, Bound, SizeBound};
pub use catalogue::{format_catalogue, CatalogueEntry};
pub use convert::{Blocks, Conversion, ConvertReport, InputReport, StepReport};
pub use error::{FileFault, LineFault, Place, TraceError};
pub use info::{
    info, info_telling, AddressMap, GapClass, GapDecade, HintCount, HotSet, HotShare, IdleTime, Interarrival,
    ResponseTimes, SizeBucket, StreamInfo, Timeline, TraceInfo,
};
pub use options::generic::{ColumnReference, GenericColumns, OpName, TimeUnit, UnitBytes};
pub use options::ratio::Ratio;
pub use options::{
    event, BlkparseAction, CoarseTime, DefaultOp, MqsimTimeUnit, SubSector, TraceOptions, Unsorted,
    VolumeChoice, ZeroSize,
};
pub use page_set::{PageSet, RankedPages};
pub use parquet::{ColumnKind, TableWriter};
pub use request_source::{Origin as TraceOrigin, Progress, TraceEntry};
pub use slcache_base::request::{HostOp, Request, SECTOR_BYTES};
pub use sources::detect::detect;
pub use sources::lint::{lint, lint_telling, LintProblem, LintReport};
pub use sources::preparation::{fingerprint, prepare};
pub use sources::reader::{open, TraceReader};
pub use sources::spawn::{spawn, TraceStream};
pub use stored::blktrace_files::input_files;
pub use stored::trace_path::TracePath;
pub use stream_ends::StreamEnds;
pub use summary::{Skipped, TraceSummary, VolumeCount};
pub use times::TIME_END_NS;
pub use workload::time_ns;
pub use writers::{writable_formats, write_text, Loss, Losses, TraceWriter, WriteOptions, Written};

// Tests of the interface are in one build with those inside: apart, the crate was built twice for its tests.
#[cfg(test)]
extern crate self as slcache_traces;
#[cfg(test)]
#[path = "../tests/it/main.rs"]
mod it;
