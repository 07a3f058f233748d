//! Rates that rise and fall with the time of day.

use super::super::spec::ArrivalsSpec;
use crate::error::workload_problem::Problems;

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
    use super::*;

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
