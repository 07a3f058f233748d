//! What is told of a run while it goes on: a table of its requests, and a timeline or a table of its operations.

use super::document::TraceFacts;
use super::operation_log::OperationLog;
use super::request_log::RequestLog;
use super::timeline::Timeline;
use super::{LogError, RunRequest, SimError};
use crate::config::RunConfig;
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::device::Simulation;
use slcache_core::hw::timing::LoggedOperation;
use slcache_files::{OutputError, Outputs};
use std::collections::BTreeMap;
use std::io::Error;
use std::path::Path;

/// The files that are being written, and what waits to be.
#[derive(Default)]
pub(crate) struct Logs {
    table: Option<RequestLog>,
    timeline: Option<Timeline>,
    rows: Option<OperationLog>,
    /// The next request's number; those that were complete before it wait.
    next: u64,
    waiting: BTreeMap<u64, LoggedRequest>,
    complete: Vec<LoggedRequest>,
    operations: Vec<LoggedOperation>,
}

/// What is wrong with writing to `path`.
fn failed(path: &Path) -> impl Fn(Error) -> SimError + '_ {
    |source| LogError::from(OutputError::Io { path: path.to_owned(), source }).into()
}

impl Logs {
    /// Begins what is asked for of a device that waits for its first request.
    pub fn begin(
        request: &RunRequest,
        table: Option<RequestLog>,
        outputs: Outputs,
        config: &RunConfig,
        simulation: &mut Simulation,
    ) -> Result<Self, SimError> {
        let (mut timeline, mut rows) = (None, None);
        if let Some(asked) = &request.timeline {
            simulation.log_operations();
            let failed = failed(&asked.path);
            if OperationLog::is_meant(&asked.path) {
                let geometry = &simulation.media().array().geometry;
                let begun = OperationLog::begin(asked, outputs, config.scheme.name(), geometry);
                rows = Some(begun.map_err(failed)?);
            } else {
                timeline = Some(Timeline::begin(asked, outputs, simulation).map_err(failed)?);
            }
        }
        if table.is_some() || request.timeline.is_some() {
            simulation.log_requests();
        }
        Ok(Self { table, timeline, rows, ..Self::default() })
    }

    /// Writes what is over, requests as far as none before them is missing.
    pub fn take(&mut self, simulation: &mut Simulation) -> Result<(), SimError> {
        let Self { table, timeline, rows, next, waiting, complete, operations } = self;
        if table.is_none() && timeline.is_none() && rows.is_none() {
            return Ok(());
        }
        simulation.take_operations(operations);
        if let Some(rows) = rows {
            let written = operations.iter().try_for_each(|operation| rows.push(operation));
            written.map_err(failed(rows.path()))?;
        }
        if let Some(timeline) = timeline {
            let written = operations.iter().try_for_each(|operation| timeline.operation(operation));
            let settled = written.and_then(|()| timeline.settle(simulation.timing().operations_from_ns()));
            settled.map_err(failed(timeline.path()))?;
        }
        simulation.take_logged(complete);
        waiting.extend(complete.drain(..).map(|request| (request.number, request)));
        while let Some(request) = waiting.remove(next) {
            *next += 1;
            if let Some(table) = table {
                table.push(&request).map_err(failed(table.path()))?;
            }
            if let Some(timeline) = timeline {
                timeline.request(&request).map_err(failed(timeline.path()))?;
            }
        }
        Ok(())
    }

    /// Writes the rest and gives the files their names.
    pub fn finish(
        mut self,
        simulation: &mut Simulation,
        config: &RunConfig,
        trace: &TraceFacts,
    ) -> Result<(), SimError> {
        self.take(simulation)?;
        debug_assert!(self.waiting.is_empty(), "Invariant: every request is complete at the end");
        if let Some(timeline) = self.timeline {
            let path = timeline.path().to_owned();
            timeline.finish().map_err(failed(&path))?.map_err(SimError::EmptyTimeline)?;
        }
        if let Some(rows) = self.rows {
            let path = rows.path().to_owned();
            rows.finish(config).map_err(failed(&path))?.map_err(SimError::EmptyTimeline)?;
        }
        match self.table {
            Some(table) => table.finish(config, trace),
            None => Ok(()),
        }
    }
}
