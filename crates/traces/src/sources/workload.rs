//! A workload as a trace: its requests are made while they are read.

use crate::catalogue::WORKLOAD;
use crate::error::{FileFault, TraceError};
use crate::options::TraceOptions;
use crate::request_source::{Facts, Origin, RequestSource, TraceEntry};
use crate::sources::part::Part;
use crate::stored::stored_hash::StoredHash;
use crate::stored::trace_path::TracePath;
use crate::summary::TraceSummary;
use crate::workload::{is_workload, Generator, Workload};
use std::iter::Take;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Makes requests and counts them.
pub(crate) struct WorkloadSource {
    path: String,
    generator: Take<Generator>,
    made: Arc<AtomicU64>,
    /// Of so many at most, where that is known.
    requests: Option<u64>,
    summary: TraceSummary,
    /// Of the resolved specification and the seed: equal hash, equal requests.
    sha256: String,
}

impl WorkloadSource {
    /// Whether the trace of that name is a workload: the options say so, or else the name.
    pub(crate) fn is_meant(name: &str, options: &TraceOptions) -> bool {
        match &options.format {
            Some(format) => format == WORKLOAD,
            None => is_workload(name),
        }
    }

    /// Loads a workload file or preset; one without end is made to the end of the part, or refused.
    pub(crate) fn open(path: &TracePath, options: &TraceOptions) -> Result<Self, TraceError> {
        refuse_reading_options(&Part::whole(options))?;
        let workload = Workload::load(path, &options.workload)?;
        let path = path.name();
        let part_end = Part::end_of(options).filter(|_| !workload.bounded());
        if !workload.bounded() && part_end.is_none() {
            let reason = "the workload has no end; bound it by an override such as requests=1000000 or duration_ns=10s";
            return Err(TraceError::file(path, FileFault::Endless, reason));
        }
        let seed = options.seed.unwrap_or(0);
        let sha256 = StoredHash::of_text(&format!("{}\nseed = {seed}\n", workload.canonical()));
        let summary = TraceSummary { label: Some(workload.label()), ..TraceSummary::default() };
        let generator = workload.generate(seed).take(part_end.unwrap_or(u64::MAX) as usize);
        let requests = workload.requests().or(part_end);
        Ok(Self { path: path.to_owned(), generator, made: Arc::default(), requests, summary, sha256 })
    }

    /// Hash of the resolved specification and the seed, in hex.
    pub(crate) fn sha256(&self) -> &str {
        &self.sha256
    }
}

impl RequestSource for WorkloadSource {
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        let before = out.len();
        while out.len() < max.max(before + 1) {
            let Some(request) = self.generator.next() else { break };
            self.summary.take_row(&self.path, &request)?;
            out.push(TraceEntry { request, response_ns: None });
        }
        self.made.fetch_add((out.len() - before) as u64, Ordering::Relaxed);
        Ok(out.len() > before)
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.summary.sha256 = Some(self.sha256.clone());
        match self.summary.last_ns {
            Some(_) => Ok(()),
            None => Err(TraceError::no_requests(&self.path, 0, &self.summary.skipped_text())),
        }
    }

    fn summary(&self) -> &TraceSummary {
        &self.summary
    }

    /// Its streams share one address space.
    fn facts(&self) -> Facts<'_> {
        let done = Arc::clone(&self.made);
        Facts { format: WORKLOAD, has_volumes: Some(false), done, total: self.requests, copy: None }
    }

    fn stream_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn origin(&self, path: &str) -> Origin {
        Origin {
            file: path.rsplit('/').next().unwrap_or(path).to_owned(),
            format: WORKLOAD.to_owned(),
            sha256: Some(self.sha256.clone()),
            label: self.summary.label.clone(),
            steps: Vec::new(),
        }
    }
}

/// Options about reading a file make no sense for what is in none.
fn refuse_reading_options(options: &TraceOptions) -> Result<(), TraceError> {
    let meaningful = TraceOptions {
        format: options.format.clone(),
        seed: options.seed,
        workload: options.workload.clone(),
        ..TraceOptions::default()
    };
    if *options == meaningful {
        return Ok(());
    }
    let plain = |options: &TraceOptions| serde_json::to_value(options).expect("options are plain data");
    let (asked, allowed) = (plain(options), plain(&meaningful));
    let wrong = asked.as_object().into_iter().flatten().find(|(key, value)| allowed.get(key) != Some(*value));
    let (key, value) = wrong.expect("they differ");
    let allowed =
        "with a recording; of a workload, which is read from no file, seed, workload.KEY and parts are told";
    Err(TraceError::option(
        key.clone(),
        value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        allowed,
    ))
}
