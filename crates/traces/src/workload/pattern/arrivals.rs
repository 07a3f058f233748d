//! When requests of a pattern arrive, with rates that rise and fall with the time of day.

use super::super::random::{Chance, Random};
use super::super::spec::{ArrivalProcess, ArrivalsSpec, BurstLength, WorkloadSpec};
use crate::error::workload_problem::{Problems, WorkloadProblem};
use crate::times::TIME_END_NS;

/// Longest mean gap taken: all times there are.
const MOST_GAP_NS: f64 = TIME_END_NS as f64;
/// The time of what comes behind all times there are.
const NEVER_NS: u64 = u64::MAX;

/// The process of arrivals, checked.
#[derive(Clone, Debug)]
pub(super) struct ArrivalPlan {
    process: Process,
    daily: Option<DailyClock>,
}

#[derive(Clone, Debug)]
enum Process {
    Closed,
    Constant(f64),
    Poisson(f64),
    Bursts { gap_ns: f64, length: Length, idle_ns: f64, idle: Idle },
}

#[derive(Clone, Copy, Debug)]
enum Length {
    Fixed(u64),
    /// Chance that a burst ends with a request.
    Geometric(Chance),
}

/// How idle times vary around a mean of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Idle {
    Fixed,
    Exponential,
    Lognormal(f64),
    Pareto(f64),
}

impl ArrivalPlan {
    pub(super) fn read(spec: &ArrivalsSpec, problems: &mut Problems) -> Option<Self> {
        let mean_ns = mean_gap(spec, problems);
        let daily = DailyClock::read(spec, problems);
        let bursts = spec.process == ArrivalProcess::Bursts;
        let burst_keys = [
            ("burst_requests", spec.burst_requests.is_some()),
            ("burst_length", spec.burst_length.is_some()),
            ("idle_ns", spec.idle_ns.is_some()),
            ("idle_distribution", spec.idle_distribution.is_some()),
        ];
        for (key, _) in burst_keys.into_iter().filter(|(_, said)| *said && !bursts) {
            problems.add(format!("arrivals.{key}"), "only process = \"bursts\" uses it");
        }
        let process = match spec.process {
            ArrivalProcess::Closed => {
                if mean_ns.is_some() || daily.is_some() {
                    problems
                        .add("arrivals.process", "\"closed\" has no times: all requests arrive at time 0");
                }
                Process::Closed
            }
            ArrivalProcess::Constant => Process::Constant(problems.take(needed(mean_ns))?),
            ArrivalProcess::Poisson => Process::Poisson(problems.take(needed(mean_ns))?),
            ArrivalProcess::Bursts => read_bursts(spec, mean_ns.unwrap_or(0.0), problems)?,
        };
        Some(Self { process, daily })
    }

    /// About when the last of so many requests arrives.
    fn last_ns(&self, requests: u64) -> f64 {
        let gaps = requests.saturating_sub(1) as f64;
        match self.process {
            Process::Constant(gap_ns) | Process::Poisson(gap_ns) => gaps * gap_ns,
            // How many bursts there are is drawn: the bound on times finds what comes too late.
            Process::Closed | Process::Bursts { .. } => 0.0,
        }
    }

    /// Refuses more requests than there is time for, unless a duration ends
    /// them before.
    pub(super) fn check_end(&self, spec: &WorkloadSpec, problems: &mut Problems) {
        let duration_ns = spec.duration_ns.map(|time| time.0);
        problems.range("duration_ns", duration_ns, 0.0, MOST_GAP_NS);
        let last_ns = spec.requests.map_or(0.0, |requests| self.last_ns(requests));
        if duration_ns.is_none() && last_ns >= MOST_GAP_NS {
            let requests = spec.requests.unwrap_or_default();
            problems.add(
                "requests",
                format!("{requests} is not allowed with these arrivals: the last would come at about {last_ns:.3e} ns; allowed: times below 2^62 ns (146 years)"),
            );
        }
    }

    /// Whether every request arrives at time 0.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.process, Process::Closed)
    }
}

fn needed(mean_ns: Option<f64>) -> Result<f64, WorkloadProblem> {
    let refused = |message: &str| WorkloadProblem::new("arrivals.mean_gap_ns", message);
    match mean_ns {
        None => Err(refused("missing: give mean_gap_ns or rate_iops")),
        Some(mean_ns) if mean_ns > 0.0 => Ok(mean_ns),
        Some(_) => Err(refused("0 is not allowed; allowed: a time above 0")),
    }
}

fn mean_gap(spec: &ArrivalsSpec, problems: &mut Problems) -> Option<f64> {
    problems.range("arrivals.rate_iops", spec.rate_iops, 1e9 / MOST_GAP_NS, 1e18);
    problems.range("arrivals.mean_gap_ns", spec.mean_gap_ns.map(|time| time.0), 0.0, MOST_GAP_NS);
    match (spec.mean_gap_ns, spec.rate_iops) {
        (Some(_), Some(_)) => {
            problems.add("arrivals.rate_iops", "only one of mean_gap_ns and rate_iops may be given");
            None
        }
        (Some(gap), None) => Some(gap.0),
        (None, Some(rate)) => Some(1e9 / rate),
        (None, None) => None,
    }
}

fn read_bursts(spec: &ArrivalsSpec, gap_ns: f64, problems: &mut Problems) -> Option<Process> {
    problems.range("arrivals.burst_requests", spec.burst_requests, 1.0, 1e15);
    problems.range("arrivals.idle_ns", spec.idle_ns.map(|time| time.0), 1.0, MOST_GAP_NS);
    for (key, given) in
        [("burst_requests", spec.burst_requests.is_some()), ("idle_ns", spec.idle_ns.is_some())]
    {
        if !given {
            problems.add(format!("arrivals.{key}"), "missing: process = \"bursts\" needs it");
        }
    }
    let idle = problems.take(read_idle(spec.idle_distribution.as_deref().unwrap_or("exponential")))?;
    let requests = spec.burst_requests?;
    let length = match spec.burst_length.unwrap_or_default() {
        BurstLength::Geometric => Length::Geometric(Chance::new(1.0 / requests)),
        BurstLength::Fixed if requests == libm::floor(requests) => Length::Fixed(requests as u64),
        BurstLength::Fixed => {
            let message = format!("{requests} is not allowed; a fixed length is a whole number");
            problems.add("arrivals.burst_requests", message);
            return None;
        }
    };
    Some(Process::Bursts { gap_ns, length, idle_ns: spec.idle_ns?.0, idle })
}

fn read_idle(text: &str) -> Result<Idle, WorkloadProblem> {
    let (name, setting) = text.split_once(':').unwrap_or((text, ""));
    match (name, setting.parse::<f64>()) {
        ("fixed", _) if setting.is_empty() => Ok(Idle::Fixed),
        ("exponential", _) if setting.is_empty() => Ok(Idle::Exponential),
        ("lognormal", Ok(sigma)) if sigma > 0.0 && sigma <= 10.0 => Ok(Idle::Lognormal(sigma)),
        ("pareto", Ok(alpha)) if alpha > 1.0 && alpha <= 100.0 => Ok(Idle::Pareto(alpha)),
        _ => {
            let allowed =
                "fixed, exponential, lognormal:SIGMA (above 0, up to 10), pareto:ALPHA (above 1, up to 100)";
            let message = format!("\"{text}\" is not allowed; allowed: {allowed}");
            Err(WorkloadProblem::new("arrivals.idle_distribution", message))
        }
    }
}

/// The times of arrivals, one by one.
#[derive(Clone, Debug)]
pub(super) struct ArrivalClock {
    plan: ArrivalPlan,
    random: Random,
    at_ns: u64,
    /// Part of a nanosecond not yet in `at_ns`, so that means are kept.
    carry_ns: f64,
    /// Requests left in a burst of fixed length.
    left_in_burst: u64,
    started: bool,
}

impl ArrivalClock {
    /// A clock at time 0.
    pub(super) fn new(plan: &ArrivalPlan, seed: u64) -> Self {
        let left_in_burst = match plan.process {
            Process::Bursts { length: Length::Fixed(requests), .. } => requests,
            _ => 0,
        };
        let random = Random::new(seed, 0, "arrivals");
        Self { plan: plan.clone(), random, at_ns: 0, carry_ns: 0.0, left_in_burst, started: false }
    }

    /// When the next request arrives; [`NEVER_NS`] past 64 bits, which the
    /// bound on times refuses.
    #[inline]
    pub(super) fn next_ns(&mut self) -> u64 {
        let gap_ns = match self.plan.process {
            Process::Closed => return 0,
            Process::Constant(gap_ns) => gap_ns,
            Process::Poisson(mean_ns) => mean_ns * self.random.exponential(),
            Process::Bursts { gap_ns, length, idle_ns, idle } => {
                if !std::mem::replace(&mut self.started, true) {
                    0.0
                } else if self.burst_ends(length) {
                    idle_ns * self.idle_factor(idle)
                } else if gap_ns > 0.0 {
                    gap_ns * self.random.exponential()
                } else {
                    0.0
                }
            }
        };
        self.go_on(gap_ns).unwrap_or(NEVER_NS)
    }

    fn go_on(&mut self, gap_ns: f64) -> Option<u64> {
        if let Some(daily) = &mut self.plan.daily {
            return daily.advance(gap_ns);
        }
        let gap_ns = gap_ns + self.carry_ns;
        // A gap beyond 64 bits saturates here and is refused by the sum.
        let whole = gap_ns as u64;
        self.carry_ns = gap_ns - whole as f64;
        self.at_ns = self.at_ns.checked_add(whole)?;
        Some(self.at_ns)
    }

    fn burst_ends(&mut self, length: Length) -> bool {
        match length {
            Length::Geometric(ends) => ends.hit(self.random.bits()),
            Length::Fixed(requests) => {
                self.left_in_burst -= 1;
                let ends = self.left_in_burst == 0;
                if ends {
                    self.left_in_burst = requests;
                }
                ends
            }
        }
    }

    fn idle_factor(&mut self, idle: Idle) -> f64 {
        match idle {
            Idle::Fixed => 1.0,
            Idle::Exponential => self.random.exponential(),
            Idle::Lognormal(sigma) => libm::exp(sigma * self.random.normal() - sigma * sigma / 2.0),
            Idle::Pareto(alpha) => {
                let least = (alpha - 1.0) / alpha;
                least * libm::pow(1.0 - self.random.unit(), -1.0 / alpha)
            }
        }
    }
}

const DAY_NS: u64 = 86_400_000_000_000;
const MINUTES: usize = 1440;

/// Stretches time so that a process of constant rate follows the rhythm: time
/// at rate 1 is used up in steps of the day, each with its relative rate.
#[derive(Clone, Debug)]
pub(super) struct DailyClock {
    /// Relative rates of the day's steps, 1 on average.
    rates: Box<[f64]>,
    step_ns: u64,
    step: usize,
    step_start_ns: u64,
    /// Time since the step's start, in nanoseconds.
    within_ns: f64,
}

impl DailyClock {
    /// The rhythm a workload asks for, if any.
    pub(super) fn read(spec: &ArrivalsSpec, problems: &mut Problems) -> Option<Self> {
        problems.share("arrivals.daily_amplitude", spec.daily_amplitude);
        problems.range("arrivals.peak_hour", spec.peak_hour, 0.0, 24.0);
        if spec.peak_hour.is_some() && spec.daily_amplitude.is_none() {
            problems.add("arrivals.peak_hour", "needs daily_amplitude");
        }
        match (&spec.hourly, spec.daily_amplitude) {
            (None, None) => None,
            (Some(_), Some(_)) => {
                problems.add("arrivals.hourly", "only one of hourly and daily_amplitude may be given");
                None
            }
            (Some(hourly), None) => {
                let sum: f64 = hourly.iter().sum();
                let fine = hourly.iter().all(|rate| rate.is_finite() && *rate >= 0.0) && sum > 0.0;
                if hourly.len() != 24 || !fine {
                    let message =
                        format!("{hourly:?} is not allowed; allowed: 24 numbers, not negative, not all 0");
                    problems.add("arrivals.hourly", message);
                    return None;
                }
                Some(Self::new(hourly.iter().map(|rate| rate * 24.0 / sum).collect()))
            }
            (None, Some(amplitude)) => {
                let peak = spec.peak_hour.unwrap_or(14.0);
                let rate = |minute: usize| {
                    let hour = (minute as f64 + 0.5) / 60.0;
                    1.0 + amplitude * libm::cos((hour - peak) * core::f64::consts::PI / 12.0)
                };
                Some(Self::new((0..MINUTES).map(rate).collect()))
            }
        }
    }

    fn new(rates: Box<[f64]>) -> Self {
        let step_ns = DAY_NS / rates.len() as u64;
        Self { rates, step_ns, step: 0, step_start_ns: 0, within_ns: 0.0 }
    }

    /// Goes on by `gap_ns` at the mean rate; the time of day reached, counted
    /// from time 0, or `None` past 2^64 ns.
    pub(super) fn advance(&mut self, gap_ns: f64) -> Option<u64> {
        let mut left = gap_ns;
        loop {
            let rate = self.rates[self.step];
            let room = (self.step_ns as f64 - self.within_ns) * rate;
            if left < room {
                self.within_ns += left / rate;
                // Rounding must not carry a time into the next step.
                self.within_ns = self.within_ns.min(self.step_ns as f64);
                return self.step_start_ns.checked_add(self.within_ns as u64);
            }
            left -= room;
            self.within_ns = 0.0;
            self.step = (self.step + 1) % self.rates.len();
            self.step_start_ns = self.step_start_ns.checked_add(self.step_ns)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::quantity::TimeNs;
    use super::*;

    fn gaps(spec: &ArrivalsSpec, count: usize) -> Vec<f64> {
        let mut problems = Problems::default();
        let plan = ArrivalPlan::read(spec, &mut problems).unwrap();
        assert!(problems.none(), "{problems:?}");
        let mut clock = ArrivalClock::new(&plan, 3);
        let times: Vec<u64> = (0..count).map(|_| clock.next_ns()).collect();
        times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect()
    }

    fn moments(gaps: &[f64]) -> (f64, f64) {
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        (mean, gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64)
    }

    #[test]
    fn poisson_has_mean_and_variance_of_an_exponential() {
        let spec = ArrivalsSpec {
            process: ArrivalProcess::Poisson,
            mean_gap_ns: Some(TimeNs(10_000.0)),
            ..ArrivalsSpec::default()
        };
        let (mean, variance) = moments(&gaps(&spec, 400_000));
        assert!((mean / 1e4 - 1.0).abs() < 0.007, "{mean}");
        assert!((variance / 1e8 - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn constant_gaps_keep_fractions() {
        let spec = ArrivalsSpec {
            process: ArrivalProcess::Constant,
            rate_iops: Some(3e8),
            ..ArrivalsSpec::default()
        };
        let gaps = gaps(&spec, 3001);
        assert_eq!(gaps.iter().sum::<f64>(), 10_000.0);
        assert!(gaps.iter().all(|gap| *gap == 3.0 || *gap == 4.0));
    }

    #[test]
    fn bursts_have_length_and_idle_time() {
        for (length, idle) in [
            (BurstLength::Geometric, "exponential"),
            (BurstLength::Geometric, "lognormal:1"),
            (BurstLength::Geometric, "pareto:3"),
            (BurstLength::Fixed, "fixed"),
        ] {
            let spec = ArrivalsSpec {
                process: ArrivalProcess::Bursts,
                burst_requests: Some(20.0),
                burst_length: Some(length),
                idle_ns: Some(TimeNs(1e6)),
                idle_distribution: Some(idle.to_owned()),
                ..ArrivalsSpec::default()
            };
            let gaps = gaps(&spec, 400_001);
            let idle_gaps: Vec<f64> = gaps.iter().copied().filter(|gap| *gap > 0.0).collect();
            assert!((idle_gaps.len() as f64 / 20_000.0 - 1.0).abs() < 0.03, "{idle} {}", idle_gaps.len());
            let mean = moments(&idle_gaps).0;
            assert!((mean / 1e6 - 1.0).abs() < 0.04, "{idle} {mean}");
        }
    }

    #[test]
    fn hours_get_their_share() {
        let mut hourly = vec![1.0; 24];
        hourly[3] = 0.0;
        hourly[10] = 2.0;
        let spec = ArrivalsSpec { hourly: Some(hourly), ..ArrivalsSpec::default() };
        let mut clock = DailyClock::read(&spec, &mut Problems::default()).unwrap();
        let mut counts = [0u64; 24];
        // 48 000 evenly spaced requests over two days.
        for _ in 0..48_000 {
            let at_ns = clock.advance(2.0 * DAY_NS as f64 / 48_000.0).unwrap();
            counts[(at_ns / (DAY_NS / 24) % 24) as usize] += 1;
        }
        assert_eq!(counts[3], 0);
        assert!(counts[10].abs_diff(4000) <= 2, "{counts:?}");
        assert!(counts[5].abs_diff(2000) <= 2, "{counts:?}");
    }

    #[test]
    fn the_sine_peaks_where_asked() {
        let spec =
            ArrivalsSpec { daily_amplitude: Some(0.8), peak_hour: Some(6.0), ..ArrivalsSpec::default() };
        let mut clock = DailyClock::read(&spec, &mut Problems::default()).unwrap();
        let mut counts = [0u64; 24];
        for _ in 0..240_000 {
            let at_ns = clock.advance(DAY_NS as f64 / 240_000.0 * (1.0 - 1e-9)).unwrap();
            counts[(at_ns / (DAY_NS / 24)) as usize % 24] += 1;
        }
        // The mean of 1 + 0.8 cos over the hour from 6 to 7, and half a day later.
        let mean = 0.8 * libm::sin(core::f64::consts::PI / 12.0) / (core::f64::consts::PI / 12.0);
        assert!((counts[6] as f64 / 10_000.0 - (1.0 + mean)).abs() < 0.001, "{counts:?}");
        assert!((counts[18] as f64 / 10_000.0 - (1.0 - mean)).abs() < 0.001, "{counts:?}");
    }
}
