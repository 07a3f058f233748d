//! The analyser at work: what a period showed, and the figures of the report.

use super::analyser::{self, Curve};
use super::cost::{CostModel, Mix};
use super::lifetime;
use super::policy::{Advice, Search};
use super::two_tier::TwoTier;
use super::wear::Lifetimes;
use crate::ftl::io::Io;
use crate::ftl::window::{WindowCounters, WindowLength};
use crate::metrics::report::{CurveReport, SchemeReport};
use crate::metrics::series::WindowSeries;
use serde::{Deserialize, Serialize};

/// A value for every window.
#[derive(Clone, Default)]
struct Histories {
    target: WindowSeries,
    utilisation: WindowSeries,
    lifetime_fast: WindowSeries,
    lifetime_dense: WindowSeries,
    predicted_cost_ns: WindowSeries,
    measured_cost_ns: WindowSeries,
}

/// The cost model over a device, and what it was asked.
#[derive(Clone, Serialize, Deserialize)]
pub struct Analysis {
    search: Search,
    max: f64,
    model: CostModel,
    /// What is left of the tiers' lifetime.
    pub lifetimes: Lifetimes,
    /// Utilisation of the least cost in the last curve.
    pub optimum: Option<f64>,
    #[serde(skip)]
    curve: Option<Curve>,
    #[serde(skip)]
    histories: Histories,
    #[serde(skip)]
    utilisation_sum: f64,
    #[serde(skip)]
    windows: u64,
}

impl Analysis {
    /// Nothing was asked yet; the fast tier has at most the utilisation `max`.
    pub fn new(search: Search, max: f64, model: CostModel, lifetimes: Lifetimes) -> Self {
        Self {
            search,
            max,
            model,
            lifetimes,
            optimum: None,
            curve: None,
            histories: Histories::default(),
            utilisation_sum: 0.0,
            windows: 0,
        }
    }

    /// A period is over: searches the least cost, notes what the period came to, and begins the next.
    pub fn end_window(&mut self, counters: &WindowCounters, tiers: &mut TwoTier, io: &Io) -> Advice {
        let remaining = self.lifetimes.remaining(tiers, io);
        let accesses = tiers.classifier.end_window();
        self.model.data_bytes = (io.mapped() * u64::from(io.geometry().mu_bytes)) as f64;
        self.note(counters, accesses, remaining, tiers);
        let Search { min, step, min_writes, halves } = self.search;
        let histogram = &mut tiers.classifier.histogram;
        let is_enough = histogram.writes() >= f64::from(min_writes);
        let best = is_enough.then(|| analyser::best(&self.model, histogram, min, self.max, step));
        if halves {
            histogram.halve();
        } else {
            histogram.reset();
        }
        if let Some(curve) = best {
            self.optimum = curve.best.or(self.optimum);
            self.curve = Some(curve);
            return Advice { best: self.optimum, lifetimes: remaining, max: self.max };
        }
        Advice { best: None, lifetimes: remaining, max: self.max }
    }

    /// Notes what a window came to, before anything changes.
    fn note(
        &mut self,
        counters: &WindowCounters,
        accesses: u64,
        remaining: Option<(f64, f64)>,
        tiers: &TwoTier,
    ) {
        let utilisation = tiers.utilisation();
        let service_ns: u64 = counters.ops.iter().map(|row| row.totals.time_ns).sum();
        let measured_ns = if accesses > 0 { service_ns as f64 / accesses as f64 } else { 0.0 };
        let histories = &mut self.histories;
        histories.target.push(tiers.target());
        histories.utilisation.push(utilisation);
        histories.measured_cost_ns.push(measured_ns);
        let histogram = &tiers.classifier.histogram;
        let mix = Mix {
            write_share: histogram.write_share(),
            write_hits: histogram.write_hits(utilisation),
            read_hits: histogram.read_hits(utilisation),
        };
        histories.predicted_cost_ns.push(self.model.cost_ns(utilisation, &mix));
        if let Some((fast, dense)) = remaining {
            histories.lifetime_fast.push(fast);
            histories.lifetime_dense.push(dense);
        }
        self.utilisation_sum += utilisation;
        self.windows += 1;
    }

    /// Adds the figures.
    pub fn report(&self, tiers: &TwoTier, window: WindowLength, io: &Io, report: &mut SchemeReport) {
        let mut figure = |name: &str, value: Option<f64>| {
            if let Some(value) = value.filter(|value| value.is_finite()) {
                report.figures.insert(name.into(), value);
            }
        };
        figure("utilisation_target", Some(tiers.target()));
        figure("utilisation_max", Some(self.max));
        let mean = (self.windows > 0).then(|| self.utilisation_sum / self.windows as f64);
        figure("utilisation_mean", Some(mean.unwrap_or(tiers.utilisation())));
        figure("model_optimum", self.optimum);
        figure("write_hit_rate", tiers.classifier.writes.rate());
        figure("read_hit_rate", tiers.classifier.reads.rate());
        figure("destaged_units", Some(tiers.moved.destaged as f64));
        figure("passive_units", Some(tiers.moved.passive as f64));
        figure("forced_units", Some(tiers.moved.forced as f64));
        figure("missed_units", (tiers.moved.missed > 0).then_some(tiers.moved.missed as f64));
        let (fast, dense) = self.lifetimes.used_cycles(tiers, io);
        figure("wear_fast", Some(fast));
        figure("wear_dense", Some(dense));
        if let Some((fast, dense)) = self.lifetimes.remaining(tiers, io) {
            figure("lifetime_fast", Some(fast));
            figure("lifetime_dense", Some(dense));
            figure("lifetime", Some(lifetime::device(fast, dense)));
        }
        figure("fast_free_blocks_min", Some(f64::from(tiers.fast.region.free_blocks_min())));
        figure("dense_free_blocks_min", Some(f64::from(tiers.dense.region.free_blocks_min())));
        self.report_series(window, report);
        self.report_curve(window, report);
    }

    fn report_series(&self, window: WindowLength, report: &mut SchemeReport) {
        let histories = &self.histories;
        for (name, series) in [
            ("utilisation_target", &histories.target),
            ("utilisation", &histories.utilisation),
            ("lifetime_fast", &histories.lifetime_fast),
            ("lifetime_dense", &histories.lifetime_dense),
            ("predicted_cost_ns", &histories.predicted_cost_ns),
            ("measured_cost_ns", &histories.measured_cost_ns),
        ] {
            report.series.push(series.report(name, window.per_value()));
        }
    }

    /// The last curve beside what the windows came to at the utilisation they ended with.
    fn report_curve(&self, window: WindowLength, report: &mut SchemeReport) {
        let Some(curve) = &self.curve else { return };
        let of = |series: &WindowSeries| series.report("", window.per_value()).values;
        let (utilisations, costs_ns) =
            (of(&self.histories.utilisation), of(&self.histories.measured_cost_ns));
        report.curves.push(CurveReport {
            name: "cost".into(),
            x: "utilisation".into(),
            y: "ns per unit access".into(),
            computed: curve.points.iter().copied().filter(|(_, ns)| ns.is_finite()).collect(),
            measured: utilisations.into_iter().zip(costs_ns).collect(),
        });
    }
}
