//! Dials: numbers of a configuration that can be turned while the scheme runs.
//!
//! A knob of this kind is called after the configuration's key and means what the key means, so
//! that a device turned before its first request does what one so configured does; but where a cache
//! made smaller leaves blocks idle, a configuration would give them to the store.

use crate::ftl::config::{MergeConfig, MergeWait};
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobRange, KnobSpec};
use crate::hw::config::IdleRule;
use serde::{Deserialize, Serialize};

/// Reclamation of SLC blocks.
pub const START_FREE_RATIO: KnobSpec = KnobSpec {
    name: "slc.start_free_ratio",
    unit: "share",
    summary: "the larger, the earlier SLC blocks are reclaimed (trigger)",
};

/// Waiting of short pieces.
pub const MERGE_TIMEOUT: KnobSpec = KnobSpec {
    name: "merge.timeout_ns",
    unit: "ns",
    summary: "the longer, the more pieces share a page, and the later a lone one is programmed",
};

/// Begin of idle work.
pub const IDLE_THRESHOLD: KnobSpec = KnobSpec {
    name: "idle.threshold_ns",
    unit: "ns",
    summary: "the longer, the longer the host must have stayed away before idle work begins",
};

/// Choice of what advanced garbage collection collects.
pub const MIN_INVALID: KnobSpec = KnobSpec {
    name: "agc.min_invalid",
    unit: "pages",
    summary: "the more, the fewer blocks idle time collects, each with more invalid pages",
};

/// Size of an SLC cache that has its blocks to itself.
pub const SLC_BLOCKS: KnobSpec = KnobSpec {
    name: "slc_blocks",
    unit: "blocks per plane",
    summary: "the more, the larger the SLC cache, up to the configured size; the rest lies idle",
};

/// A number that can be turned: the knob that turns it, where to, and where it stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dial {
    /// The knob it is for.
    name: String,
    range: KnobRange,
    value: f64,
}

impl Dial {
    /// On a ladder of values, the configured one among them.
    pub fn on_ladder(
        spec: &'static KnobSpec,
        values: impl IntoIterator<Item = f64>,
        configured: f64,
    ) -> Self {
        let mut values: Vec<f64> = values.into_iter().chain([configured]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Self { name: spec.name.into(), range: KnobRange::Ladder(values), value: configured }
    }

    /// A share from 0 on in steps of 5 percent, or the configured one.
    pub fn share(spec: &'static KnobSpec, most: f64, configured: f64) -> Self {
        let steps = (0..=20).map(|twentieths| f64::from(twentieths) / 20.0);
        Self::on_ladder(spec, steps.filter(|share| *share <= most), configured)
    }

    /// A time, two steps to a power of ten, or the configured one.
    pub fn time(spec: &'static KnobSpec, least_ns: u64, most_ns: u64, configured_ns: u64) -> Self {
        let steps = (0..18).flat_map(|power| [1, 3].map(|digit| digit * 10_u64.pow(power)));
        let steps = steps.filter(|ns| (least_ns..=most_ns).contains(ns));
        Self::on_ladder(spec, steps.map(|ns| ns as f64), configured_ns as f64)
    }

    /// A whole number from `least` to `most`.
    pub fn whole(spec: &'static KnobSpec, least: u32, most: u32, configured: u32) -> Self {
        let range = KnobRange::whole(least, most);
        Self { name: spec.name.into(), range, value: f64::from(configured) }
    }

    /// `slc.start_free_ratio` as configured.
    pub fn start_free_ratio(configured: f64) -> Self {
        Self::share(&START_FREE_RATIO, 0.9, configured)
    }

    /// `merge.timeout_ns` as configured, 10 us to 100 ms; where nothing is timed it stays.
    pub fn merge_timeout(merge: &MergeConfig) -> Self {
        match merge.wait {
            MergeWait::Timeout => Self::time(&MERGE_TIMEOUT, 10_000, 100_000_000, merge.timeout_ns),
            MergeWait::UntilFull => Self::on_ladder(&MERGE_TIMEOUT, [], merge.timeout_ns as f64),
        }
    }

    /// `idle.threshold_ns` as configured, 0.1 ms to 10 s.
    pub fn idle_threshold(rule: IdleRule) -> Self {
        Self::time(&IDLE_THRESHOLD, 100_000, 10_000_000_000, rule.threshold_ns)
    }

    /// Without the values that `allowed` refuses.
    pub fn only(mut self, mut allowed: impl FnMut(f64) -> bool) -> Self {
        if let KnobRange::Ladder(values) = &mut self.range {
            values.retain(|value| allowed(*value));
        }
        self
    }
}

/// A scheme's dials, in the order of its knobs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dials(Vec<Dial>);

impl Dials {
    /// The dials as configured.
    pub fn new(dials: impl Into<Vec<Dial>>) -> Self {
        Self(dials.into())
    }

    /// Where the dial of `knob` stands.
    pub fn value(&self, knob: &KnobSpec) -> f64 {
        let dial = self.0.iter().find(|dial| dial.name == knob.name);
        dial.expect("Invariant: a scheme asks for its own dials").value
    }

    /// Where the dial of `knob`, which counts, stands.
    pub fn count(&self, knob: &KnobSpec) -> u64 {
        self.value(knob) as u64
    }

    /// The knobs as they stand, of which `specs` says what each is.
    pub fn knobs(&self, specs: &'static [KnobSpec]) -> Vec<Knob> {
        let knob = |(spec, dial): (_, &Dial)| Knob { spec, range: dial.range.clone(), value: dial.value };
        specs.iter().zip(&self.0).map(knob).collect()
    }

    /// Turns dial number `knob` to a value in its range; false if it stands there already.
    pub fn turn(&mut self, knob: usize, value: f64) -> bool {
        let dial = &mut self.0[knob];
        let value = match dial.range {
            // All steps are whole; what decimal fractions lose on the way here is made good.
            KnobRange::Steps { .. } => libm::round(value),
            KnobRange::Ladder(_) => value,
        };
        std::mem::replace(&mut dial.value, value) != value
    }

    /// Has idle work begin as `idle.threshold_ns` says, from now on.
    pub fn set_idle_threshold(&self, io: &mut Io) {
        let (rule, threshold_ns) = (io.idle_rule(), self.count(&IDLE_THRESHOLD));
        if rule.threshold_ns != threshold_ns {
            io.set_idle_rule(IdleRule { threshold_ns, ..rule });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: KnobSpec = KnobSpec { name: "share", unit: "share", summary: "" };
    const COUNT: KnobSpec = KnobSpec { name: "count", unit: "pages", summary: "" };

    #[test]
    fn a_ladder_has_the_configured_value_on_a_rung_of_its_own() {
        let rungs = |dial: &Dial| match &dial.range {
            KnobRange::Ladder(values) => values.clone(),
            KnobRange::Steps { .. } => Vec::new(),
        };
        assert_eq!(rungs(&Dial::share(&SHARE, 0.2, 0.12)), [0.0, 0.05, 0.1, 0.12, 0.15, 0.2]);
        assert_eq!(rungs(&Dial::share(&SHARE, 0.1, 0.05)), [0.0, 0.05, 0.1]);
        assert_eq!(rungs(&Dial::time(&COUNT, 200, 4_000, 50_000)), [300.0, 1_000.0, 3_000.0, 50_000.0]);
    }

    #[test]
    fn a_dial_stands_where_it_was_turned_to() {
        let mut dials = Dials::new([Dial::share(&SHARE, 0.9, 0.5), Dial::whole(&COUNT, 2, 9, 4)]);
        assert!(dials.turn(1, 6.0 + 1e-12) && !dials.turn(1, 6.0));
        assert_eq!((dials.count(&COUNT), dials.value(&SHARE)), (6, 0.5));
        static SPECS: [KnobSpec; 2] = [SHARE, COUNT];
        assert_eq!(dials.knobs(&SPECS).iter().map(|knob| knob.value).collect::<Vec<_>>(), [0.5, 6.0]);
    }
}
