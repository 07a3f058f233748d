//! The factor on the trace's times, and the bound on what comes out of it.

use crate::config::{Argument, ConfigErrors, Origin, Statement};
use slcache_core::device::config::{HostConfig, Replay};
use slcache_core::device::request::Request;
use slcache_traces::TIME_END_NS;

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
