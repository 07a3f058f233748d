//! A part of a trace, by time or by number of requests, copies of it, and its times by a factor.
//!
//! The trace is read to its end all the same, once for each copy, so that its faults are found.

use crate::error::TraceError;
use crate::options::ratio::Ratio;
use crate::options::TraceOptions;
use crate::request_source::{Facts, Origin, RequestSource, TraceEntry};
use crate::sources::source::source;
use crate::sources::workload::WorkloadSource;
use crate::stored::trace_path::TracePath;
use crate::summary::TraceSummary;
use crate::times;

#[derive(Default)]
struct Copies {
    /// Copies that are whole.
    done: u64,
    /// Requests taken of all, and how many there are to be; the latter is known behind the first copy.
    taken: u64,
    end: Option<u64>,
    /// First and latest time of the first copy.
    first_ns: Option<u64>,
    latest_ns: u64,
    /// What is added to the times of the current copy.
    offset_ns: u64,
}

const BEFORE: &str = "before the part taken";
const BEHIND: &str = "behind the part taken";

pub(crate) struct Part {
    by_time: bool,
    from: u64,
    /// Exclusive; the largest number for no end.
    end: u64,
    /// Whether the part begins at time 0.
    rebases: bool,
    /// Where it begins, once that is known.
    origin_ns: Option<u64>,
    copies: Option<Ratio>,
    scale: Option<Ratio>,
    /// Requests of the current copy that were seen.
    seen: u64,
    /// Requests left out.
    before: u64,
    behind: u64,
    copy: Copies,
    /// What was asked, for whoever reads a file made of it.
    step: String,
    summary: TraceSummary,
}

impl Part {
    /// The part that the options ask for, if they ask for one.
    pub(crate) fn of(options: &TraceOptions) -> Result<Option<Self>, TraceError> {
        let TraceOptions { from_ns, to_ns, skip, take, copies, time_scale, .. } = *options;
        let (by_time, by_number) = (from_ns.or(to_ns).is_some(), skip.or(take).is_some());
        if !by_time && !by_number && copies.is_none() && time_scale.is_none() {
            return Ok(None);
        }
        if by_time && by_number {
            let (key, value) = match skip {
                Some(skip) => ("skip", skip),
                None => ("take", take.unwrap_or(0)),
            };
            return Err(TraceError::option(
                key,
                value,
                "without from_ns and to_ns: a part is one of time or of requests",
            ));
        }
        let from = from_ns.or(skip).unwrap_or(0);
        let end = match (to_ns, take) {
            (Some(to_ns), _) => to_ns,
            (None, Some(take)) => from.saturating_add(take),
            (None, None) => u64::MAX,
        };
        if from >= end {
            return Err(match take {
                Some(take) => TraceError::option("take", take, "a whole number from 1"),
                None => TraceError::option("to_ns", end, format!("later than from_ns = {from}")),
            });
        }
        if let Some(copies) = copies.filter(|copies| copies.times(1) == Some(0)) {
            return Err(TraceError::option("copies", copies, "a number from 1, such as 2, 2.5 or 7/3"));
        }
        let named = [("from_ns", from_ns), ("to_ns", to_ns), ("skip", skip), ("take", take)];
        let mut said: Vec<String> =
            named.iter().filter_map(|(key, value)| Some(format!("{key} = {}", (*value)?))).collect();
        said.extend(copies.map(|copies| format!("copies = {copies}")));
        said.extend(time_scale.map(|scale| format!("time_scale = {scale}")));
        let rebases = options.rebase != Some(false);
        Ok(Some(Self {
            by_time,
            from,
            end,
            rebases,
            origin_ns: (by_time || !by_number).then_some(from),
            copies,
            scale: time_scale,
            seen: 0,
            before: 0,
            behind: 0,
            copy: Copies::default(),
            step: format!("part {}", said.join(", ")),
            summary: TraceSummary::default(),
        }))
    }

    /// How many requests of a trace the part ends behind, where it says so.
    pub(crate) fn end_of(options: &TraceOptions) -> Option<u64> {
        Some(options.skip.unwrap_or(0).saturating_add(options.take?))
    }

    /// The options without those that ask for a part.
    pub(crate) fn whole(options: &TraceOptions) -> TraceOptions {
        TraceOptions {
            from_ns: None,
            to_ns: None,
            skip: None,
            take: None,
            copies: None,
            time_scale: None,
            ..options.clone()
        }
    }

    /// Keeps of the requests from `first` on those of the part.
    fn keep(&mut self, first: usize, out: &mut Vec<TraceEntry>) -> Result<(), TraceError> {
        let mut kept = first;
        for place in first..out.len() {
            let mut entry = out[place];
            if self.keeps(&entry) {
                entry.request.at_ns = self.time(entry.request.at_ns)?;
                let taken = self.summary.take(&entry.request);
                taken.map_err(|fault| TraceError::option("copies", self.copy.done + 1, fault.to_string()))?;
                out[kept] = entry;
                kept += 1;
            }
        }
        out.truncate(kept);
        Ok(())
    }

    fn keeps(&mut self, entry: &TraceEntry) -> bool {
        let place = if self.by_time { entry.request.at_ns } else { self.seen };
        self.seen += 1;
        let is_before = place < self.from;
        // Without an end every place is taken, the largest number among them.
        let is_behind = place >= self.end && self.end != u64::MAX;
        if self.copy.done == 0 {
            self.before += u64::from(is_before);
            self.behind += u64::from(is_behind);
        }
        let kept = !is_before && !is_behind && self.copy.end.is_none_or(|end| self.copy.taken < end);
        self.copy.taken += u64::from(kept);
        kept
    }

    /// When a request comes that came at that time.
    fn time(&mut self, at_ns: u64) -> Result<u64, TraceError> {
        let origin_ns = if self.rebases { *self.origin_ns.get_or_insert(at_ns) } else { 0 };
        let since_ns = at_ns.checked_sub(origin_ns).ok_or_else(|| {
            let allowed = format!("with times in order: a request at {at_ns} ns lies before the first one taken, at {origin_ns} ns, which is time 0; unsorted = sort:N, or rebase = false");
            TraceError::option("skip", self.from, allowed)
        })?;
        if self.copy.done == 0 {
            self.copy.first_ns.get_or_insert(since_ns);
            self.copy.latest_ns = self.copy.latest_ns.max(since_ns);
        }
        let late = |key, value: Ratio| {
            let allowed = format!("with every request before 2^62 ns (146 years); one comes {since_ns} ns after the beginning of copy {}", self.copy.done + 1);
            TraceError::option(key, value, allowed)
        };
        let copied_ns = match self.copies {
            Some(copies) => {
                let copied_ns = times::allowed(since_ns.checked_add(self.copy.offset_ns));
                copied_ns.ok_or_else(|| late("copies", copies))?
            }
            None => since_ns,
        };
        match self.scale {
            Some(scale) => times::allowed(scale.times(copied_ns)).ok_or_else(|| late("time_scale", scale)),
            None => Ok(copied_ns),
        }
    }

    /// At the end of a copy; whether another one comes.
    fn goes_on(&mut self) -> bool {
        let copy = &mut self.copy;
        let (Some(copies), Some(first_ns)) = (self.copies, copy.first_ns) else { return false };
        let end = *copy.end.get_or_insert(copies.times(copy.taken).unwrap_or(u64::MAX));
        copy.done += 1;
        copy.offset_ns = copy.offset_ns.saturating_add(copy.latest_ns - first_ns);
        self.seen = 0;
        copy.taken < end
    }

    /// At the end of the trace: what else was seen of it; an error when nothing of it was taken.
    fn finish(&mut self, of: &TraceSummary) -> Result<(), TraceError> {
        self.summary = of.with_taken(&self.summary);
        for (reason, count) in [(BEFORE, self.before), (BEHIND, self.behind)] {
            if count > 0 {
                self.summary.skip_all(reason, count);
            }
        }
        if self.summary.last_ns.is_some() {
            return Ok(());
        }
        let allowed = format!(
            "a part with a request; the trace has {} from {} to {} ns",
            self.before + self.behind,
            of.first_ns.unwrap_or(0),
            of.last_ns.unwrap_or(0)
        );
        Err(match self.by_time {
            true => TraceError::option("from_ns", self.from, allowed),
            false => TraceError::option("skip", self.from, allowed),
        })
    }
}

/// A source, the part of it that is taken, and what opens it once more for the next copy.
pub(crate) struct PartSource {
    inner: Box<dyn RequestSource>,
    part: Part,
    again: (TracePath, TraceOptions),
}

/// Opens the trace of which a part is asked for; a workload may have no other end.
fn whole(path: &TracePath, options: &TraceOptions) -> Result<Box<dyn RequestSource>, TraceError> {
    match WorkloadSource::is_meant(path.name(), options) {
        true => Ok(Box::new(WorkloadSource::open(path, options)?)),
        false => source(path, &Part::whole(options)),
    }
}

impl PartSource {
    pub(crate) fn open(mut part: Part, path: &TracePath, options: &TraceOptions) -> Result<Self, TraceError> {
        // What gives its bytes only once is read once for each copy.
        let again = match options.copies {
            Some(_) => path.clone().rereadable(&mut |_, _, _| true)?,
            None => path.clone(),
        };
        let inner = whole(&again, options)?;
        part.summary = inner.summary().untaken();
        Ok(Self { inner, part, again: (again, options.clone()) })
    }
}

impl RequestSource for PartSource {
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        let before = out.len();
        loop {
            let more = self.inner.step(out, max);
            self.part.keep(before, out)?;
            match more {
                Ok(true) if out.len() == before => {}
                Ok(false) if self.part.goes_on() => {
                    self.inner.finish()?;
                    self.inner = whole(&self.again.0, &self.again.1)?;
                }
                more => return more,
            }
        }
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.inner.finish()?;
        self.inner.update_summary();
        self.part.finish(self.inner.summary())
    }

    fn final_error(&mut self, error: TraceError) -> TraceError {
        self.inner.final_error(error)
    }

    fn summary(&self) -> &TraceSummary {
        &self.part.summary
    }

    fn facts(&self) -> Facts<'_> {
        self.inner.facts()
    }

    fn stream_names(&self) -> Vec<String> {
        self.inner.stream_names()
    }

    fn origin(&self, path: &str) -> Origin {
        let mut origin = self.inner.origin(path);
        origin.steps.push(self.part.step.clone());
        origin
    }
}
