//! Block traces for slcache: readers of published formats, checks, statistics
//! and the synthetic workloads of the benches.
//!
//! A trace is read as a stream: [`open`] (or [`spawn`], on a thread of its own)
//! yields [`Request`]s in file order, never holding the text in memory. Every
//! problem is an error that names file, line, column, value and what is
//! allowed; whatever is left out on purpose is counted in [`TraceSummary`].

mod batch;
mod binary;
mod blktrace_files;
mod bootstrap;
mod bound;
mod catalogue;
mod checker;
mod coarse;
mod compression;
mod detect;
mod digits;
mod entry;
mod error;
mod error_place;
mod features;
mod fingerprint;
mod format_names;
mod formats;
mod info;
mod input;
mod input_files;
mod line_end;
mod lint;
mod listed;
mod merged_source;
mod opened;
mod options;
mod options_foreign;
mod options_generic;
mod options_objects;
mod order;
mod origin;
mod page_set;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;
mod prepare;
mod prepared;
mod progress;
mod quote;
mod raw_input;
mod reader;
mod record_parser;
mod record_source;
mod records;
mod rereadable;
mod scan;
mod sectors;
mod shared_file;
mod source;
mod spawn;
mod stored_hash;
mod summary;
pub mod synthetic;
mod times;
mod trace_path;
pub mod transform;
mod volumes;
pub mod workload;
mod workload_problem;
mod workload_source;
mod writers;

pub use bound::{bound_telling, Bound, SizeBound};
pub use catalogue::{format_catalogue, CatalogueEntry};
pub use detect::detect;
pub use entry::TraceEntry;
pub use error::{LineFault, TraceError};
pub use error_place::Place;
pub use fingerprint::fingerprint;
pub use formats::{formats, FormatDescription};
pub use info::{
    info, info_of_requests, info_telling, AddressMap, GapClass, GapDecade, HotSet, HotShare, IdleTime,
    Interarrival, ResponseTimes, SizeBucket, StartAlignment, StreamInfo, Timeline, TraceInfo,
};
pub use input_files::input_files;
pub use lint::{lint, lint_telling, LintProblem, LintReport};
pub use options::{
    BlkparseAction, CoarseTime, MqsimTimeUnit, SubSector, TraceOptions, Unsorted, VolumeChoice, ZeroSize,
};
pub use options_generic::{ColumnReference, GenericColumns, OpName, TimeUnit, UnitBytes};
pub use options_objects::DefaultOp;
pub use origin::Origin as TraceOrigin;
pub use page_set::{PageSet, RankedPages};
pub use parquet::{Kind as ColumnKind, TableWriter};
pub use prepare::prepare;
pub use progress::Progress;
pub use reader::{open, TraceReader};
pub use slcache_base::request::{HostOp, Request, SECTOR_BYTES};
pub use spawn::{spawn, TraceStream};
pub use summary::{Skipped, TraceSummary, VolumeCount};
pub use times::TIME_END_NS;
pub use trace_path::TracePath;
pub use writers::{writable_formats, write_text, Loss, Losses, TraceWriter, WriteOptions, Written};
