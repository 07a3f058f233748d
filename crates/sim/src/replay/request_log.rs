//! The log of a run's requests: a Parquet table with a row for each, in the order of their arrival.

use super::document::TraceFacts;
use super::SimError;
use crate::config::RunConfig;
use crate::provenance;
use serde_json::json;
use slcache_core::device::request::HostOp;
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::metrics::components::{components, components_of, Needs, COMPONENTS, SERVICES};
use slcache_core::metrics::state::StateReport;
use slcache_files::{OutputError, Outputs};
use slcache_traces::{ColumnKind, TableWriter};
use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};

/// The key of the footer under which it says what the requests come from.
const KEY: &str = "slcache.requests";

/// What a request is told by, besides where its time went.
const COLUMNS: [(&str, ColumnKind); 12] = [
    ("scheme", ColumnKind::Name),
    ("operation", ColumnKind::Name),
    ("request", ColumnKind::Rising),
    ("arrival_ns", ColumnKind::Rising),
    ("admission_ns", ColumnKind::Rising),
    ("start_ns", ColumnKind::Rising),
    ("completion_ns", ColumnKind::Rising),
    ("sector", ColumnKind::Rising),
    ("sectors", ColumnKind::Number),
    ("stream", ColumnKind::Number),
    ("latency_ns", ColumnKind::Rising),
    ("service_ns", ColumnKind::Number),
];

/// A log that is being written.
pub struct RequestLog {
    path: PathBuf,
    outputs: Outputs,
    scheme: &'static str,
    table: TableWriter<File>,
    /// Which components have a column.
    told: Vec<bool>,
}

/// Why a log cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LogError(#[from] OutputError);

impl LogError {
    /// The file that was to be written.
    pub fn file(&self) -> Option<&str> {
        match &self.0 {
            OutputError::Io { path, .. } => path.to_str(),
            OutputError::IsInput { output, .. } | OutputError::Twice { output, .. } => output.to_str(),
        }
    }
}

/// What is wrong with writing to `path`.
fn failed(path: &Path) -> impl Fn(Error) -> SimError + '_ {
    |source| LogError(OutputError::Io { path: path.to_owned(), source }).into()
}

impl RequestLog {
    /// Begins the log of a run at `path`, which is reserved among `outputs`.
    pub fn begin(path: &Path, mut outputs: Outputs, config: &RunConfig) -> Result<Self, SimError> {
        let file = outputs.create(path).map_err(LogError)?;
        let device = match &config.device.cells {
            None => Needs::Nothing,
            Some(cells) if cells.has_upkeep() => Needs::Upkeep,
            Some(_) => Needs::Cells,
        };
        let parts = components_of(device).map(|part| (part.column(), ColumnKind::Number));
        let columns: Vec<_> =
            COLUMNS.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).chain(parts).collect();
        let table = TableWriter::new(file, &columns).map_err(failed(path))?;
        let told = components().map(|part| part.needs <= device).collect();
        Ok(Self { path: path.to_owned(), outputs, scheme: config.scheme.name(), table, told })
    }

    pub fn finish(self, config: &RunConfig, trace: &TraceFacts, state: &StateReport) -> Result<(), SimError> {
        let about = json!({
            "config": config.to_json(),
            "trace": trace.identity(),
            "state": state,
            "provenance": provenance::of_equal_runs(config),
        });
        let Self { path, outputs, table, .. } = self;
        let file = table.finish(KEY, about.to_string()).map_err(failed(&path))?;
        // What is no regular file, such as a FIFO, has nothing to be kept.
        if file.metadata().map_err(failed(&path))?.is_file() {
            file.sync_all().map_err(failed(&path))?;
        }
        Ok(outputs.publish().map_err(LogError)?)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the row of a request; they come in the order of their arrival.
    pub fn push(&mut self, logged: &LoggedRequest) -> Result<(), Error> {
        let request = &logged.request;
        let latency_ns = logged.completed_ns - request.at_ns;
        let service_ns: u64 = logged.components_ns[..SERVICES].iter().sum();
        let facts = [
            logged.number,
            request.at_ns,
            logged.admitted_ns,
            logged.completed_ns - service_ns,
            logged.completed_ns,
            request.sector,
            u64::from(request.sectors),
            u64::from(request.stream),
            latency_ns,
            service_ns,
        ];
        let mut numbers = [0; COLUMNS.len() - 2 + COMPONENTS];
        numbers[..facts.len()].copy_from_slice(&facts);
        let mut columns = facts.len();
        for (&ns, _) in logged.components_ns.iter().zip(&self.told).filter(|(_, told)| **told) {
            numbers[columns] = ns;
            columns += 1;
        }
        self.table.push(&[self.scheme, operation(request.op)], &numbers[..columns])
    }
}

pub fn operation(op: HostOp) -> &'static str {
    match op {
        HostOp::Read => "read",
        HostOp::Write => "write",
        HostOp::Trim => "trim",
        HostOp::Flush => "flush",
    }
}
