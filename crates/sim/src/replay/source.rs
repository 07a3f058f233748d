//! A trace as batches of requests, their times scaled, and how far through it we are.

use super::address::Namespaces;
use super::{Progress, SimError};
use crate::config::{Argument, ConfigErrors, Origin, Statement};
use slcache_core::device::config::{HostConfig, Replay};
use slcache_core::device::request::Request;
use slcache_traces::{spawn, TraceError, TraceOptions, TracePath, TraceStream, TraceSummary, TIME_END_NS};

/// Requests handed over at a time.
const BATCH_REQUESTS: usize = 4096;

/// One pass over a trace, read on a thread of its own.
pub struct TraceSource {
    stream: TraceStream,
    namespaces: Option<Namespaces>,
    scale: TimeScale,
}

impl TraceSource {
    /// Starts reading.
    pub fn open(path: &TracePath, options: &TraceOptions, scale: TimeScale) -> Result<Self, TraceError> {
        Ok(Self { stream: spawn(path, options, BATCH_REQUESTS)?, namespaces: None, scale })
    }

    /// Starts reading once more what this pass reads.
    pub fn again(&self, options: &TraceOptions) -> Result<Self, TraceError> {
        Self::open(self.stream.path(), options, self.scale)
    }

    /// This pass, with every volume at its own place.
    pub fn with(self, namespaces: Option<Namespaces>) -> Self {
        Self { namespaces, ..self }
    }

    /// Whether the trace's streams are volumes with addresses of their own.
    pub fn has_volumes(&self) -> bool {
        self.stream.has_volumes()
    }

    /// Where the volumes lie, if there are several.
    pub fn namespaces(&self) -> Option<&Namespaces> {
        self.namespaces.as_ref()
    }

    /// Takes the places of the volumes out, for another pass.
    pub fn into_namespaces(self) -> Option<Namespaces> {
        self.namespaces
    }

    /// The next batch in trace order; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Vec<Request>>, SimError> {
        let mut batch = self.stream.next().transpose()?;
        if let Some(batch) = &batch {
            self.scale.check(batch)?;
        }
        if let (Some(batch), Some(namespaces)) = (&mut batch, &self.namespaces) {
            namespaces.apply(batch);
        }
        Ok(batch)
    }

    /// Tells how far through the file the reader is.
    pub fn report(&self, phase: &str, progress: &mut Progress<'_>) -> Result<(), SimError> {
        let total = self.stream.total().unwrap_or(0);
        if progress(phase, self.stream.done(), total) {
            Ok(())
        } else {
            Err(SimError::Cancelled)
        }
    }

    /// Name of the trace's format.
    pub fn format(&self) -> &'static str {
        self.stream.format()
    }

    /// Counts of the whole trace; after the last batch only.
    pub fn summary(&self) -> Result<&TraceSummary, TraceError> {
        let stopped = || TraceError::reader_stopped(self.stream.path().name());
        self.stream.summary().ok_or_else(stopped)
    }
}

/// `host.time_scale` as far as it is used.
#[derive(Clone, Copy, Debug)]
pub struct TimeScale(f64);

impl TimeScale {
    /// Of a configuration; closed replay ignores times.
    pub fn of(host: &HostConfig) -> Self {
        Self(if host.replay == Replay::Open { host.time_scale } else { 1.0 })
    }

    /// The factor, 1 where none is used.
    pub fn factor(self) -> f64 {
        self.0
    }

    /// Refuses a request that would come behind all times there are.
    pub fn check(self, batch: &[Request]) -> Result<(), ConfigErrors> {
        let latest_ns = batch.iter().map(|request| request.at_ns).max().unwrap_or(0);
        if latest_ns >= TIME_END_NS {
            return Err(ConfigErrors::one(
                Statement::new(Argument::TraceOption, "rebase=false"),
                "rebase",
                format!("the request at {latest_ns} ns of the trace comes behind 2^62 ns (146 years), where no run goes; rebase=true counts from the first request"),
            ));
        }
        if self.0 <= 1.0 || latest_ns as f64 * self.0 < TIME_END_NS as f64 {
            return Ok(());
        }
        let (scale, most) = (self.0, TIME_END_NS as f64 / latest_ns as f64);
        Err(ConfigErrors::one(
            Origin::Nowhere,
            "host.time_scale",
            format!("host.time_scale = {scale}: the request at {latest_ns} ns of the trace would not come before 2^62 ns (146 years); allowed: below {most} with this request"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_core::device::request::HostOp;

    #[test]
    fn the_bound_lies_behind_the_factor() {
        let at = |at_ns| [Request { at_ns, sector: 0, sectors: 8, stream: 0, hint: 0, op: HostOp::Read }];
        let ten_days_ns = 864_000_000_000_000;
        assert!(TimeScale(1e6).check(&at(ten_days_ns)).is_err());
        assert!(TimeScale(5337.0).check(&at(ten_days_ns)).is_ok());
        assert!(TimeScale(5338.0).check(&at(ten_days_ns)).is_err());
        assert!(TimeScale(1.0).check(&at(TIME_END_NS - 1)).is_ok());
        // A factor does not make them better: what is left out of 53 bits is lost before.
        for scale in [1.0, 1e-3] {
            let told = TimeScale(scale).check(&at(TIME_END_NS)).unwrap_err().to_string();
            assert!(told.starts_with("trace option rebase=false: the request at 4611686018427387904 ns"));
        }
        assert!(TimeScale(1.001).check(&at(TIME_END_NS - 1)).is_err());
        let closed = HostConfig { replay: Replay::Closed, time_scale: 1e6, ..HostConfig::default() };
        assert!(TimeScale::of(&closed).check(&at(ten_days_ns)).is_ok());
    }
}
