//! What is told of a run while it goes on: a table of its requests, and a timeline or a table of its operations.

use super::document::TraceFacts;
use super::operation_log::OperationLog;
use super::request_log::RequestLog;
use super::timeline::Timeline;
use super::{LogError, RunRequest, SimError};
use crate::config::RunConfig;
use slcache_core::device::levels::Change;
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::device::Simulation;
use slcache_core::hw::timing::LoggedOperation;
use slcache_core::metrics::state::StateReport;
use slcache_files::{OutputError, Outputs};
use std::collections::BTreeMap;
use std::io::Error;
use std::path::Path;

/// The files that are being written, and what waits to be.
#[derive(Default)]
pub(crate) struct Logs {
    table: Option<RequestLog>,
    timelines: Vec<Timeline>,
    rows: Vec<OperationLog>,
    /// The next request's number; those that were complete before it wait.
    next: u64,
    waiting: BTreeMap<u64, Box<LoggedRequest>>,
    complete: Vec<LoggedRequest>,
    operations: Vec<LoggedOperation>,
    changes: Vec<Change>,
}

/// Requests between two takings.
const PORTION: usize = 256;
/// Between two looks at how full the regions are, ns.
const LOOK_EVERY_NS: u64 = 1_000_000;

/// What is wrong with writing to `path`.
fn failed(path: &Path) -> impl Fn(Error) -> SimError + '_ {
    |source| LogError::from(OutputError::Io { path: path.to_owned(), source }).into()
}

impl Logs {
    /// Begins what is asked for of a device that waits for its first request.
    pub fn begin(
        request: &RunRequest,
        table: Option<RequestLog>,
        outputs: Vec<Outputs>,
        config: &RunConfig,
        simulation: &mut Simulation,
    ) -> Result<Self, SimError> {
        let (mut timelines, mut rows) = (Vec::new(), Vec::new());
        if !request.timelines.is_empty() {
            simulation.log_operations();
        }
        for (asked, outputs) in request.timelines.iter().zip(outputs) {
            let failed = failed(&asked.path);
            if OperationLog::is_meant(&asked.path) {
                let geometry = &simulation.media().array().geometry;
                let begun = OperationLog::begin(asked, outputs, config.scheme.name(), geometry);
                rows.push(begun.map_err(failed)?);
            } else {
                timelines.push(Timeline::begin(asked, outputs, simulation).map_err(failed)?);
            }
        }
        if table.is_some() || !request.timelines.is_empty() {
            simulation.log_requests();
        }
        if !timelines.is_empty() {
            simulation.log_levels(LOOK_EVERY_NS);
        }
        Ok(Self { table, timelines, rows, ..Self::default() })
    }

    /// How many requests come between two takings: few, so that what is told of them is still at hand.
    pub fn portion(&self) -> usize {
        if self.is_empty() {
            usize::MAX
        } else {
            PORTION
        }
    }

    fn is_empty(&self) -> bool {
        self.table.is_none() && self.timelines.is_empty() && self.rows.is_empty()
    }

    /// Writes what is over, requests as far as none before them is missing.
    pub fn take(&mut self, simulation: &mut Simulation) -> Result<(), SimError> {
        if self.is_empty() {
            return Ok(());
        }
        let Self { table, timelines, rows, next, waiting, complete, operations, changes } = self;
        simulation.take_operations(operations);
        for rows in rows {
            let written = operations.iter().try_for_each(|operation| rows.push(operation));
            written.map_err(failed(rows.path()))?;
        }
        simulation.take_changes(changes);
        for timeline in &mut *timelines {
            let changed = changes.iter().try_for_each(|change| timeline.change(change));
            let written = operations.iter().try_for_each(|operation| timeline.operation(operation));
            let settled = timeline.settle(simulation.timing().operations_from_ns());
            changed.and(written).and(settled).map_err(failed(timeline.path()))?;
        }
        simulation.take_logged(complete);
        waiting.extend(complete.drain(..).map(|request| (request.number, Box::new(request))));
        while let Some(request) = waiting.remove(next) {
            *next += 1;
            if let Some(table) = table {
                table.push(&request).map_err(failed(table.path()))?;
            }
            for timeline in &mut *timelines {
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
        state: &StateReport,
    ) -> Result<(), SimError> {
        self.take(simulation)?;
        debug_assert!(self.waiting.is_empty(), "Invariant: every request is complete at the end");
        for timeline in self.timelines {
            let path = timeline.path().to_owned();
            timeline.finish().map_err(failed(&path))?.map_err(SimError::EmptyTimeline)?;
        }
        for rows in self.rows {
            let path = rows.path().to_owned();
            rows.finish(config).map_err(failed(&path))?.map_err(SimError::EmptyTimeline)?;
        }
        match self.table {
            Some(table) => table.finish(config, trace, state),
            None => Ok(()),
        }
    }
}
