//! Running a pipeline into a file.

use super::entries::{tell, Entries};
use super::plan::Plan;
use super::report::TransformReport;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::progress::Progress;
use crate::writers::{TraceWriter, WriteOptions, Written};
use std::path::Path;

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
        let mut entries = self.open(progress)?;
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
