//! The operations of a run as a Parquet table: a row for each, in the order of their ends.

use super::timeline::TimelineRequest;
use crate::config::RunConfig;
use crate::provenance;
use serde_json::json;
use slcache_core::base::{CellMode, PlaneId};
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::LoggedOperation;
use slcache_files::Outputs;
use slcache_traces::{ColumnKind, TableWriter};
use std::fs::File;
use std::io::Result;
use std::path::Path;

/// The key of the footer under which it says what the operations are of.
const KEY: &str = "slcache.operations";
/// In place of a number where there is none: -1 in the table.
const NONE: u64 = u64::MAX;

const COLUMNS: [(&str, ColumnKind); 17] = [
    ("scheme", ColumnKind::Name),
    ("kind", ColumnKind::Name),
    ("mode", ColumnKind::Name),
    ("cause", ColumnKind::Name),
    ("class", ColumnKind::Name),
    ("operation", ColumnKind::Rising),
    ("request", ColumnKind::Rising),
    ("channel", ColumnKind::Number),
    ("plane", ColumnKind::Number),
    ("block", ColumnKind::Number),
    ("page", ColumnKind::Number),
    ("pages", ColumnKind::Number),
    ("queued_ns", ColumnKind::Rising),
    ("begin_ns", ColumnKind::Rising),
    ("end_ns", ColumnKind::Rising),
    ("leads", ColumnKind::Number),
    ("suspended", ColumnKind::Number),
];

/// A table of operations that is being written.
pub struct OperationLog {
    asked: TimelineRequest,
    outputs: Outputs,
    scheme: &'static str,
    geometry: Geometry,
    table: TableWriter<File>,
    written: u64,
    ended_ns: u64,
}

impl OperationLog {
    /// Whether a file is to be such a table.
    pub fn is_meant(path: &Path) -> bool {
        path.extension().is_some_and(|kind| kind == "parquet" || kind == "pq")
    }

    /// Begins the table, whose file is reserved among `outputs`.
    pub fn begin(
        asked: &TimelineRequest,
        mut outputs: Outputs,
        scheme: &'static str,
        geometry: &Geometry,
    ) -> Result<Self> {
        let file = outputs.create(&asked.path).map_err(std::io::Error::other)?;
        let columns = COLUMNS.map(|(name, kind)| (name.to_owned(), kind));
        let table = TableWriter::new(file, &columns)?;
        Ok(Self {
            asked: asked.clone(),
            outputs,
            scheme,
            geometry: geometry.clone(),
            table,
            written: 0,
            ended_ns: 0,
        })
    }

    /// Writes the row of an operation; they come in the order of their ends.
    pub fn push(&mut self, operation: &LoggedOperation) -> Result<()> {
        let &LoggedOperation { queued_ns, begin_ns, end_ns, .. } = operation;
        self.ended_ns = self.ended_ns.max(end_ns);
        if !self.asked.has(begin_ns, end_ns, operation.request) {
            return Ok(());
        }
        self.written += 1;
        let plane = operation.plane.map(PlaneId::index);
        let channel = plane.map(|plane| u64::from(self.geometry.planes[plane].channel));
        let numbers = [
            operation.serial,
            operation.request.unwrap_or(NONE),
            channel.unwrap_or(NONE),
            plane.map_or(NONE, |plane| plane as u64),
            operation.block_of(&self.geometry).map_or(NONE, u64::from),
            u64::from(operation.page),
            u64::from(operation.pages),
            queued_ns,
            begin_ns,
            end_ns,
            u64::from(operation.leads),
            u64::from(operation.pauses),
        ];
        let mode = operation.mode.map_or("none", CellMode::name);
        let (kind, cause, class) = (operation.kind.name(), operation.cause.name(), operation.class.name());
        let names = [self.scheme, kind, mode, cause, class];
        self.table.push(&names, &numbers)
    }

    /// Gives the file its name; what was asked for where nothing happened then.
    pub fn finish(self, config: &RunConfig) -> Result<std::result::Result<(), String>> {
        if self.written == 0 {
            return Ok(Err(self.asked.nothing(self.ended_ns)));
        }
        let provenance = provenance::of_equal_runs(config);
        let about = json!({ "config": config.to_json(), "provenance": provenance });
        let file = self.table.finish(KEY, about.to_string())?;
        // What is no regular file, such as a FIFO, has nothing to be kept.
        if file.metadata()?.is_file() {
            file.sync_all()?;
        }
        self.outputs.publish().map_err(std::io::Error::other)?;
        Ok(Ok(()))
    }

    pub fn path(&self) -> &Path {
        &self.asked.path
    }
}
