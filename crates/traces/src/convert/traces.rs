//! One trace as it is read, or several as one, in order of time.
//!
//! Requests at the same time come in the order of the traces. Of several, every trace, and in a trace of
//! several volumes every volume, becomes a volume with its own addresses; where volumes are to be merged,
//! all lie in one address space, addresses as they are.

use super::InputReport;
use crate::error::TraceError;
use crate::options::{TraceOptions, VolumeChoice};
use crate::request_source::{Origin, Progress, TraceEntry};
use crate::sources::reader::{open, TraceReader};
use crate::stored::trace_path::TracePath;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

const WHAT: &str = "several traces";
/// Requests handed on at a time.
const BATCH: usize = 4096;

/// What the traces are called: the file's name up to its first point, with its
/// number behind it where two are called the same.
fn file_labels(paths: &[String]) -> Vec<String> {
    let label = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.split('.').find(|part| !part.is_empty()).unwrap_or("trace").to_owned()
    };
    let plain: Vec<String> = paths.iter().map(|path| label(path)).collect();
    let mut counts = HashMap::new();
    for label in &plain {
        *counts.entry(label).or_insert(0) += 1;
    }
    let numbered = |(number, label): (usize, &String)| {
        if counts[label] == 1 {
            label.clone()
        } else {
            format!("{label}#{}", number + 1)
        }
    };
    plain.iter().enumerate().map(numbered).collect()
}

struct TraceInput {
    reader: TraceReader,
    waiting: VecDeque<TraceEntry>,
}

impl TraceInput {
    /// The names of its volumes by stream; none where there is one without a name, which is no volume to
    /// tell apart.
    fn names(&self) -> Vec<String> {
        let names = self.reader.stream_names();
        if names.iter().all(String::is_empty) {
            return Vec::new();
        }
        names
    }

    /// What its requests are where they are not a recording.
    fn label(&self) -> Option<String> {
        self.reader.summary().label.clone()
    }
}

/// The traces, and of several the next request of each.
pub(super) struct Traces {
    inputs: Vec<TraceInput>,
    labels: Vec<String>,
    /// Whether all lie in one address space.
    in_one: bool,
    /// Time of the next request of each trace that has one, and the trace.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
    /// New stream by trace and stream, once it has appeared.
    streams: Vec<Vec<Option<u16>>>,
    names: Vec<String>,
}

impl Traces {
    pub(super) fn open(paths: &[String], options: &TraceOptions) -> Result<Self, TraceError> {
        if paths.is_empty() {
            return Err(TraceError::refused(WHAT, "expected at least one"));
        }
        let mut pipes = HashSet::new();
        for name in paths {
            if TracePath::new(name).pipe().is_some_and(|pipe| !pipes.insert(pipe)) {
                return Err(TraceError::refused(WHAT, format!("{name} is a pipe or standard input, which can be read only once, and is one of the traces twice")));
            }
        }
        let opened = paths
            .iter()
            .map(|path| Ok(TraceInput { reader: open(path, options)?, waiting: VecDeque::new() }));
        let mut traces = Self {
            inputs: opened.collect::<Result<_, TraceError>>()?,
            labels: file_labels(paths),
            in_one: options.volume == Some(VolumeChoice::Merge),
            heads: BinaryHeap::with_capacity(paths.len()),
            streams: vec![Vec::new(); paths.len()],
            names: Vec::new(),
        };
        if paths.len() > 1 {
            (0..paths.len()).try_for_each(|input| traces.advance(input))?;
        }
        Ok(traces)
    }

    /// Makes the next request of a trace, if there is one, a head.
    fn advance(&mut self, number: usize) -> Result<(), TraceError> {
        let input = &mut self.inputs[number];
        if input.waiting.is_empty() {
            let mut batch = Vec::new();
            input.reader.next_entries(&mut batch, BATCH)?;
            input.waiting.extend(batch);
        }
        if let Some(entry) = input.waiting.front() {
            self.heads.push(Reverse((entry.request.at_ns, number)));
        }
        Ok(())
    }

    /// The number of a trace's stream among all, in order of first appearance.
    fn stream(&mut self, input: usize, stream: u16) -> Result<u16, TraceError> {
        let volumes = self.inputs[input].names();
        // Streams that are no volumes share their addresses, so they stay one volume.
        let own = if volumes.is_empty() { 0 } else { usize::from(stream) };
        let known = &mut self.streams[input];
        if own >= known.len() {
            known.resize(own + 1, None);
        }
        if let Some(number) = known[own] {
            return Ok(number);
        }
        let number = u16::try_from(self.names.len())
            .map_err(|_| TraceError::refused(WHAT, "more than 65536 volumes together"))?;
        let label = &self.labels[input];
        let is_only = volumes.len() < 2;
        let name = volumes.get(own).filter(|name| !name.is_empty() && (!is_only || *name != label));
        self.names.push(name.map_or_else(|| label.clone(), |name| format!("{label}/{name}")));
        known[own] = Some(number);
        Ok(number)
    }

    /// Replaces `out` by the next requests, at least one; `false` at the end.
    pub(super) fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        if let [only] = self.inputs.as_mut_slice() {
            return only.reader.next_entries(out, BATCH);
        }
        out.clear();
        while out.len() < BATCH {
            let Some(Reverse((_, input))) = self.heads.pop() else {
                break;
            };
            if let Some(mut entry) = self.inputs[input].waiting.pop_front() {
                entry.request.stream =
                    if self.in_one { 0 } else { self.stream(input, entry.request.stream)? };
                out.push(entry);
            }
            self.advance(input)?;
        }
        Ok(!out.is_empty())
    }

    /// Names of the volumes by stream, as far as they have appeared; empty where all streams share one
    /// address space.
    pub(super) fn names(&self) -> Vec<String> {
        match self.inputs.as_slice() {
            [only] => only.names(),
            _ => self.names.clone(),
        }
    }

    /// What the requests are where they are not a recording.
    pub(super) fn label(&self) -> Option<String> {
        if let [only] = self.inputs.as_slice() {
            return only.label();
        }
        let labels = self.inputs.iter().zip(&self.labels);
        let told: Vec<String> =
            labels.filter_map(|(input, file)| Some(format!("{file}: {}", input.label()?))).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Where the requests come from; complete at the end.
    pub(super) fn origin(&self) -> Origin {
        let mut origins: Vec<Origin> = self.inputs.iter().map(|input| input.reader.origin()).collect();
        if origins.len() == 1 {
            return origins.remove(0);
        }
        let joined = |part: fn(&Origin) -> &str| origins.iter().map(part).collect::<Vec<_>>().join(" + ");
        let sources = origins.iter().zip(&self.labels).map(|(origin, label)| {
            let sha256 = origin.sha256.as_deref().unwrap_or("not known");
            let steps = origin.steps.iter().map(|step| format!(", {step}")).collect::<String>();
            format!("source {label}: sha256 {sha256}{steps}")
        });
        Origin {
            file: joined(|origin| &origin.file),
            format: joined(|origin| &origin.format),
            sha256: None,
            label: self.label(),
            steps: sources.collect(),
        }
    }

    /// Tells how far they are read; an error when the caller cancels.
    pub(super) fn tell(&self, phase: &str, progress: &mut Progress<'_>) -> Result<(), TraceError> {
        let readers = || self.inputs.iter().map(|input| &input.reader);
        let totals: Option<Vec<u64>> = readers().map(TraceReader::total).collect();
        let total = totals.filter(|totals| !totals.contains(&0)).map_or(0, |totals| totals.iter().sum());
        match progress(phase, readers().map(TraceReader::done).sum(), total) {
            true => Ok(()),
            false => Err(TraceError::Cancelled),
        }
    }

    /// What was read; complete at the end.
    pub(super) fn report(&self) -> Vec<InputReport> {
        let report = |TraceInput { reader, .. }: &TraceInput| InputReport {
            file: reader.path().name().to_owned(),
            format: reader.format(),
            summary: reader.summary().clone(),
        };
        self.inputs.iter().map(report).collect()
    }
}
