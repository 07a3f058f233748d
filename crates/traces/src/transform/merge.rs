//! `merge`: several traces as one, in order of time.
//!
//! Requests at the same time come in the order of the traces. `addresses` says
//! where they lie:
//!
//! - `streams` (default): every trace, and in a trace of several volumes every
//!   volume, becomes a volume with its own addresses;
//! - `one`: one address space, addresses as they are, plus `offsets_bytes` (one
//!   for each trace, multiples of 512) where given;
//! - `stacked`: one address space, every trace or volume behind the end of the
//!   one before, at a multiple of 4 KiB; every trace is read twice.

use super::describe::{parse, refused, step_text, unit_sectors};
use super::entries::{visit, Entries};
use super::inputs::Inputs;
use super::report::{InputReport, StepReport};
use super::stream_ends::StreamEnds;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::origin::Origin;
use crate::progress::Progress;
use crate::stored::trace_path::TracePath;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slcache_base::request::{HostOp, SECTOR_BYTES};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

const KIND: &str = "merge";
/// Stacked traces begin at multiples of 4 KiB.
const UNIT_SECTORS: u64 = 8;
/// Requests handed on at a time.
const BATCH: usize = 4096;

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Merge {
    #[serde(default)]
    addresses: Addresses,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offsets_bytes: Option<Vec<u64>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Addresses {
    #[default]
    Streams,
    One,
    Stacked,
}

impl Merge {
    /// Reads the parameters and refuses what makes no sense.
    pub(super) fn new(parameters: Value, inputs: &[(String, TraceOptions)]) -> Result<Self, TraceError> {
        let merge: Self = parse(KIND, parameters)?;
        if inputs.len() < 2 {
            return Err(refused(KIND, "expected at least two traces"));
        }
        let mut pipes = HashSet::new();
        for (name, _) in inputs {
            if TracePath::new(name).pipe().is_some_and(|pipe| !pipes.insert(pipe)) {
                return Err(refused(KIND, format!("{name} is a pipe or standard input, which can be read only once, and is one of the traces twice")));
            }
        }
        if let Some(offsets) = &merge.offsets_bytes {
            if merge.addresses != Addresses::One || offsets.len() != inputs.len() {
                return Err(refused(
                    KIND,
                    "offsets_bytes needs addresses = \"one\" and one offset for each trace",
                ));
            }
            for offset in offsets.iter().filter(|offset| **offset > 0) {
                unit_sectors(KIND, "offsets_bytes", *offset)?;
            }
        }
        Ok(merge)
    }

    /// Whether every trace is read twice.
    pub(super) fn reads_again(&self) -> bool {
        self.addresses == Addresses::Stacked
    }

    /// The merged stream.
    pub(super) fn entries(
        &self,
        inputs: &Inputs,
        progress: &mut Progress<'_>,
    ) -> Result<Box<dyn Entries>, TraceError> {
        let count = inputs.count();
        let mut bases: Vec<Vec<u64>> = match &self.offsets_bytes {
            Some(offsets) => offsets.iter().map(|bytes| vec![bytes / SECTOR_BYTES]).collect(),
            None => vec![vec![0]; count],
        };
        if self.addresses == Addresses::Stacked {
            bases = stacked(inputs, progress)?;
        }
        let opened =
            (0..count).map(|input| Ok(Input { entries: inputs.open(input)?, waiting: VecDeque::new() }));
        let mut merged = Merged {
            parameters: self.clone(),
            inputs: opened.collect::<Result<_, TraceError>>()?,
            labels: file_labels(inputs),
            bases,
            heads: BinaryHeap::with_capacity(count),
            streams: vec![Vec::new(); count],
            names: Vec::new(),
        };
        for input in 0..count {
            merged.advance(input)?;
        }
        Ok(Box::new(merged))
    }
}

/// First sectors of every trace's streams, one behind the other.
fn stacked(inputs: &Inputs, progress: &mut Progress<'_>) -> Result<Vec<Vec<u64>>, TraceError> {
    let mut bases = Vec::new();
    let mut next = 0u64;
    for input in 0..inputs.count() {
        let mut entries = inputs.open(input)?;
        let mut ends = StreamEnds::default();
        visit(entries.as_mut(), progress, |entry| ends.add(&entry.request))?;
        let too_far =
            || refused(KIND, "the traces together reach past the last byte a 64-bit address can name");
        let (mut own, mut length) = ends.side_by_side(UNIT_SECTORS).ok_or_else(too_far)?;
        if entries.names().is_empty() {
            // Streams that are no volumes share their addresses.
            let end = ends.end_sectors().iter().copied().max().unwrap_or(0);
            length = end.checked_next_multiple_of(UNIT_SECTORS).ok_or_else(too_far)?;
            own.fill(0);
        }
        for base in &mut own {
            *base = base.checked_add(next).ok_or_else(too_far)?;
        }
        next = next.checked_add(length).ok_or_else(too_far)?;
        bases.push(own);
    }
    Ok(bases)
}

/// What the traces are called: the file's name up to its first point, with its
/// number behind it where two are called the same.
fn file_labels(inputs: &Inputs) -> Vec<String> {
    let label = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.split('.').find(|part| !part.is_empty()).unwrap_or("trace").to_owned()
    };
    let plain: Vec<String> = inputs.paths().map(|path| label(path.name())).collect();
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

struct Input {
    entries: Box<dyn Entries>,
    waiting: VecDeque<TraceEntry>,
}

struct Merged {
    parameters: Merge,
    inputs: Vec<Input>,
    labels: Vec<String>,
    /// First sectors by trace and stream; one for all streams if there is only one.
    bases: Vec<Vec<u64>>,
    /// Time of the next request of each trace that has one, and the trace.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
    /// New stream by trace and stream, once it has appeared.
    streams: Vec<Vec<Option<u16>>>,
    names: Vec<String>,
}

impl Merged {
    /// Makes the next request of a trace, if there is one, a head.
    fn advance(&mut self, number: usize) -> Result<(), TraceError> {
        let input = &mut self.inputs[number];
        if input.waiting.is_empty() {
            let mut batch = Vec::new();
            input.entries.next(&mut batch)?;
            input.waiting.extend(batch);
        }
        if let Some(entry) = input.waiting.front() {
            self.heads.push(Reverse((entry.request.at_ns, number)));
        }
        Ok(())
    }

    fn place(&mut self, input: usize, mut entry: TraceEntry) -> Result<TraceEntry, TraceError> {
        if self.parameters.addresses == Addresses::Streams {
            entry.request.stream = self.stream(input, entry.request.stream)?;
            return Ok(entry);
        }
        if self.parameters.addresses == Addresses::One && self.inputs[input].entries.names().len() > 1 {
            return Err(refused(
                KIND,
                format!("{} holds several volumes; addresses = \"one\" would lay them over each other (take \"streams\" or \"stacked\", or volume = \"NAME\" or \"merge\")", self.labels[input]),
            ));
        }
        let bases = &self.bases[input];
        let base = *bases.get(usize::from(entry.request.stream)).or(bases.first()).unwrap_or(&0);
        let request = &mut entry.request;
        if request.op != HostOp::Flush {
            let sector = request.sector.checked_add(base);
            let end = sector.and_then(|sector| sector.checked_add(u64::from(request.sectors)));
            request.sector = match (sector, end) {
                (Some(sector), Some(end)) if end <= u64::MAX / SECTOR_BYTES => sector,
                _ => {
                    return Err(refused(
                        KIND,
                        format!(
                        "sector {} of {} plus its offset lies past the last byte a 64-bit address can name",
                        request.sector, self.labels[input]
                    ),
                    ))
                }
            };
        }
        request.stream = 0;
        Ok(entry)
    }

    /// The number of a trace's stream among all, in order of first appearance.
    fn stream(&mut self, input: usize, stream: u16) -> Result<u16, TraceError> {
        let volumes = self.inputs[input].entries.names();
        // Streams that are no volumes share their addresses, so they stay one volume.
        let own = if volumes.is_empty() { 0 } else { usize::from(stream) };
        let known = &mut self.streams[input];
        if own >= known.len() {
            known.resize(own + 1, None);
        }
        if let Some(number) = known[own] {
            return Ok(number);
        }
        let number =
            u16::try_from(self.names.len()).map_err(|_| refused(KIND, "more than 65536 volumes together"))?;
        let label = &self.labels[input];
        let is_only = volumes.len() < 2;
        let name = volumes.get(own).filter(|name| !name.is_empty() && (!is_only || *name != label));
        self.names.push(name.map_or_else(|| label.clone(), |name| format!("{label}/{name}")));
        known[own] = Some(number);
        Ok(number)
    }
}

impl Entries for Merged {
    fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        out.clear();
        while out.len() < BATCH {
            let Some(Reverse((_, input))) = self.heads.pop() else {
                break;
            };
            if let Some(entry) = self.inputs[input].waiting.pop_front() {
                out.push(self.place(input, entry)?);
            }
            self.advance(input)?;
        }
        Ok(!out.is_empty())
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn label(&self) -> Option<String> {
        let labels = self.inputs.iter().zip(&self.labels);
        let told: Vec<String> =
            labels.filter_map(|(input, file)| Some(format!("{file}: {}", input.entries.label()?))).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    fn origin(&self) -> Origin {
        let origins: Vec<Origin> = self.inputs.iter().map(|input| input.entries.origin()).collect();
        let joined = |part: fn(&Origin) -> &str| origins.iter().map(part).collect::<Vec<_>>().join(" + ");
        let sources = origins.iter().zip(&self.labels).map(|(origin, label)| {
            let sha256 = origin.sha256.as_deref().unwrap_or("not known");
            let steps = origin.steps.iter().map(|step| format!(", {step}")).collect::<String>();
            format!("source {label}: sha256 {sha256}{steps}")
        });
        let merged = step_text(KIND, &self.parameters);
        Origin {
            file: joined(|origin| &origin.file),
            format: joined(|origin| &origin.format),
            sha256: None,
            label: self.label(),
            steps: sources.chain([merged]).collect(),
        }
    }

    fn progress(&self) -> (u64, u64) {
        let each = self.inputs.iter().map(|input| input.entries.progress());
        let (done, totals): (Vec<u64>, Vec<u64>) = each.unzip();
        let total = if totals.contains(&0) { 0 } else { totals.iter().sum() };
        (done.iter().sum(), total)
    }

    fn report(&self, inputs: &mut Vec<InputReport>, steps: &mut Vec<StepReport>) {
        for input in &self.inputs {
            input.entries.report(inputs, steps);
        }
        steps.push(StepReport::new(&step_text(KIND, &self.parameters), Vec::new()));
    }
}
