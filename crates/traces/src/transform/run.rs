//! Running a pipeline into a file, and what is reported about it.

use super::entries::{tell, Entries, Progress};
use super::plan::Plan;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::summary::TraceSummary;
use crate::writers::{TraceWriter, WriteOptions, Written};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What a pipeline read, did and wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TransformReport {
    /// The traces read, in order.
    pub inputs: Vec<InputReport>,
    /// The transformations, in order.
    pub steps: Vec<StepReport>,
    /// The files written, in order.
    pub outputs: Vec<Written>,
    /// What the requests are where they are not a recording.
    pub label: Option<String>,
}

/// A trace that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputReport {
    /// Path as given.
    pub file: String,
    /// Format it was read as.
    pub format: &'static str,
    /// What was taken and left out.
    pub summary: TraceSummary,
}

/// A transformation that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepReport {
    /// Its name and parameters.
    pub step: String,
    /// Requests left out or changed, by reason.
    pub counts: BTreeMap<&'static str, u64>,
}

impl StepReport {
    pub(super) fn new(step: &str, counts: Vec<(&'static str, u64)>) -> Self {
        Self { step: step.to_owned(), counts: counts.into_iter().collect() }
    }
}

impl Plan {
    /// Runs the pipeline and writes one file, or standard output for `-`.
    pub fn write(
        mut self,
        output: &str,
        options: &WriteOptions,
        progress: &mut Progress<'_>,
    ) -> Result<TransformReport, TraceError> {
        let mut outputs = self.outputs();
        outputs.reserve(Path::new(if output == "-" { "/dev/stdout" } else { output }))?;
        self.spool(false, progress)?;
        let mut entries = self.open(self.steps(), progress)?;
        let label = entries.label();
        let mut writer = TraceWriter::create_among(&mut outputs, output, options, label.as_deref())?;
        let mut names = Names::default();
        let mut batch = Vec::new();
        while entries.next(&mut batch)? {
            names.update(entries.as_ref(), &batch);
            writer.write(&batch, &names.0)?;
            tell("convert", entries.as_ref(), progress)?;
        }
        let written = writer.finish(&entries.origin(), &entries.names())?;
        tell("publish", entries.as_ref(), progress)?;
        outputs.publish()?;
        Ok(report(entries.as_ref(), vec![written], label))
    }
}

/// Puts the report together at the end of a stream.
pub(super) fn report(entries: &dyn Entries, outputs: Vec<Written>, label: Option<String>) -> TransformReport {
    let (mut inputs, mut steps) = (Vec::new(), Vec::new());
    entries.report(&mut inputs, &mut steps);
    TransformReport { inputs, steps, outputs, label }
}

/// The volumes' names by stream, asked for again only when a new one appears.
#[derive(Default)]
pub(super) struct Names(pub Vec<String>);

impl Names {
    /// Takes care that the streams of a batch have their names.
    pub(super) fn update(&mut self, entries: &dyn Entries, batch: &[TraceEntry]) {
        let highest = batch.iter().map(|entry| usize::from(entry.request.stream)).max();
        if highest.is_some_and(|highest| highest >= self.0.len()) {
            self.0 = entries.names();
        }
    }
}
