//! Every problem of a trace, not only the first.

use crate::error::{FileFault, LineFault, TraceError};
use crate::options::{event, TraceOptions};
use crate::records::parser::SKIPPED_COMPLETION;
use crate::request_source::{Progress, RequestSource};
use crate::sources::source::source;
use crate::summary::TraceSummary;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Requests taken at a time; they are not looked at.
const BATCH: usize = 4096;

/// What is wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LintReport {
    /// Name of the format it was read as.
    pub format: &'static str,
    /// Problems in trace order; of each kind at most as many as asked for.
    pub problems: Vec<LintProblem>,
    /// How many problems there are of each kind, listed or not.
    pub counts: BTreeMap<&'static str, u64>,
    /// How many issues no completion answers, at least: those in flight, and those that were issued again while
    /// no requeue was recorded. Null where no completion is recorded or the requests are no issues.
    pub unanswered: Option<u64>,
    /// Whether the file was read to its end (a truncated file is not).
    pub read_to_end: bool,
    pub summary: TraceSummary,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LintProblem {
    /// Line (or record) number, from 1; none where it concerns the file as a whole.
    pub line: Option<u64>,
    /// Kind of problem, as in `counts`.
    pub kind: &'static str,
    /// The message, with file, line or record, column, value and what is allowed.
    pub message: String,
}

impl LintReport {
    /// Problems in all, listed or not.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    fn add(&mut self, error: &TraceError, max_problems: usize) {
        let (line, kind) = match error {
            TraceError::Line { line, fault, .. } => (Some(*line), fault.kind()),
            TraceError::Record { record, fault, .. } => (Some(*record), fault.kind()),
            TraceError::Row { row, fault, .. } => (Some(*row), fault.kind()),
            TraceError::File { fault: FileFault::Truncated, .. } => (None, "truncated file"),
            TraceError::File { fault: FileFault::Damaged, .. } => (None, "damaged file"),
            TraceError::File { fault: FileFault::Empty, .. } => (None, "empty file"),
            TraceError::VolumeMissing { .. } => (None, "volume missing"),
            _ => (None, "reading failed"),
        };
        let count = self.counts.entry(kind).or_insert(0);
        *count += 1;
        if *count <= max_problems as u64 {
            self.problems.push(LintProblem { line, kind, message: error.to_string() });
        }
    }
}

/// Reads a whole trace and lists its problems, at most `max_problems` of each
/// kind; goes on behind a faulty record. An error only when the trace cannot be
/// opened or its format is not known.
pub fn lint(path: &str, options: &TraceOptions, max_problems: usize) -> Result<LintReport, TraceError> {
    lint_telling(path, options, max_problems, &mut |_, _, _| true)
}

/// Like [`lint`], telling how far it is.
pub fn lint_telling(
    path: &str,
    options: &TraceOptions,
    max_problems: usize,
    progress: &mut Progress<'_>,
) -> Result<LintReport, TraceError> {
    let mut source = source(&path.into(), options)?;
    let mut report = LintReport {
        format: source.facts().format,
        problems: Vec::new(),
        counts: BTreeMap::new(),
        unanswered: None,
        read_to_end: false,
        summary: TraceSummary::default(),
    };
    report.read_to_end = list(source.as_mut(), &mut report, max_problems, progress)?;
    // With faulty lines, "no request" would only repeat what is listed.
    if let Err(error) = source.finish() {
        if report.counts.is_empty() {
            report.add(&error, max_problems);
        }
    }
    report.summary = source.summary().clone();
    report.unanswered = unanswered(&report.summary, event(options, report.format));
    if report.read_to_end && report.summary.last_line_unterminated {
        let (file, line) = (path.to_owned(), report.summary.lines);
        report.add(&TraceError::Line { file, line, fault: LineFault::NoLineEnd }, max_problems);
    }
    Ok(report)
}

fn unanswered(summary: &TraceSummary, event: Option<&str>) -> Option<u64> {
    let completed = summary.skipped.iter().find(|skipped| skipped.reason == SKIPPED_COMPLETION)?.count;
    let issued: u64 = summary.volumes.iter().map(|volume| volume.requests).sum();
    (event == Some("issue")).then(|| issued.saturating_sub(completed))
}

/// Steps through the trace; whether its end was reached.
fn list(
    source: &mut dyn RequestSource,
    report: &mut LintReport,
    max_problems: usize,
    progress: &mut Progress<'_>,
) -> Result<bool, TraceError> {
    let mut requests = Vec::new();
    let mut told = 0;
    // A step may be one line: looking at the time costs as much.
    for step in 0_usize.. {
        let facts = source.facts();
        let done = facts.done.load(Ordering::Relaxed);
        if step % BATCH == 0 || done != told {
            told = done;
            if !progress("lint", done, facts.total.unwrap_or(0)) {
                return Err(TraceError::Cancelled);
            }
        }
        requests.clear();
        match source.step(&mut requests, BATCH) {
            Ok(true) => {}
            Ok(false) => return Ok(true),
            Err(error) => {
                report.add(&error, max_problems);
                // Nothing can be read behind a failed read or a line without end.
                if too_long(&error) || !concerns_one_record(&error) {
                    return Ok(false);
                }
            }
        }
    }
    unreachable!("Invariant: the steps end with the trace")
}

fn concerns_one_record(error: &TraceError) -> bool {
    matches!(error, TraceError::Line { .. } | TraceError::Record { .. } | TraceError::Row { .. })
}

fn too_long(error: &TraceError) -> bool {
    matches!(error, TraceError::Line { fault: LineFault::LineTooLong { .. }, .. })
}
