//! The keys that say when requests arrive.

use super::super::quantity::TimeNs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When requests arrive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArrivalsSpec {
    /// The process; default `closed`.
    pub process: ArrivalProcess,
    /// Mean time between requests; with `bursts`, inside a burst (default 0).
    pub mean_gap_ns: Option<TimeNs>,
    /// Requests per second, in place of `mean_gap_ns`.
    pub rate_iops: Option<f64>,
    /// Mean requests in a burst, 1 or more; required for `bursts`.
    pub burst_requests: Option<f64>,
    /// How burst lengths vary; default `geometric`.
    pub burst_length: Option<BurstLength>,
    /// Mean idle time between bursts; required for `bursts`.
    pub idle_ns: Option<TimeNs>,
    /// How idle times vary: `fixed`, `exponential`, `lognormal:SIGMA` or
    /// `pareto:ALPHA` (ALPHA above 1); default `exponential`.
    pub idle_distribution: Option<String>,
    /// Relative rates of the 24 hours of the day; time 0 is midnight. The mean
    /// rate stays what the process says.
    pub hourly: Option<Vec<f64>>,
    /// Daily rhythm as a sine of this amplitude around the mean rate, 0 to 1,
    /// in steps of a minute.
    pub daily_amplitude: Option<f64>,
    /// Hour at which the sine is highest; default 14.
    pub peak_hour: Option<f64>,
}

/// The process by which requests arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalProcess {
    /// All at time 0: the queue depth of the replay paces them.
    #[default]
    Closed,
    /// Times between requests are all the same.
    Constant,
    /// Times between requests are exponential.
    Poisson,
    /// Bursts of requests with idle times between.
    Bursts,
}

/// How burst lengths vary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BurstLength {
    /// Geometric with the given mean.
    #[default]
    Geometric,
    /// Always the mean, which is then a whole number.
    Fixed,
}
