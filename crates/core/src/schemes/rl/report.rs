//! What the agent came to: figures, the course of its steps, and how often it was where.

use super::agent::{Action, AgentKind, ACTIONS, FEATURES};
use super::Rl;
use crate::ftl::io::Io;
use crate::ftl::scheme::Scheme;
use crate::ftl::window::WindowCounters;
use crate::metrics::report::{AxisReport, HistogramReport, SchemeReport, TableReport};
use crate::metrics::series::WindowSeries;

/// What is counted since time 0.
#[derive(Clone, Debug, Default)]
pub(super) struct RlStats {
    steps: u64,
    rewards: f64,
    explored_steps: u64,
    slc_blocks: WindowSeries,
    theta_bytes: WindowSeries,
    reward: WindowSeries,
    write_mb_per_s: WindowSeries,
}

impl RlStats {
    /// Counts a step with what it had and what it came to.
    pub(super) fn count(&mut self, slc_blocks: u32, theta_bytes: u64, reward: f64, step: &WindowCounters) {
        self.steps += 1;
        self.rewards += reward;
        self.slc_blocks.push(f64::from(slc_blocks));
        self.theta_bytes.push(theta_bytes as f64);
        self.reward.push(reward);
        self.write_mb_per_s.push(1e3 * step.writes.bytes as f64 / step.duration_ns.max(1) as f64);
    }

    /// Counts an action that is not the best known.
    pub(super) fn count_explored(&mut self, explored: bool) {
        self.explored_steps += u64::from(explored);
    }
}

fn axis(name: &str, bins: impl Iterator<Item = String>) -> AxisReport {
    AxisReport { name: name.into(), bins: bins.collect() }
}

/// Bins of one width from 0 to `most`, by their lower edges.
fn edges(name: &str, bins: u32, most: f64) -> AxisReport {
    let edge = |bin| format!("{:.3}", most * f64::from(bin) / f64::from(bins));
    axis(name, (0..bins).map(edge))
}

fn sign(turn: i32) -> &'static str {
    ["-", "0", "+"][(turn + 1) as usize]
}

fn action_name(action: usize) -> String {
    Action::new(action).map_or(String::new(), |a| format!("slc {} theta {}", sign(a.slc()), sign(a.theta())))
}

impl Rl {
    /// Figures, tables, series and histograms of the run.
    pub(super) fn figures(&self, io: &Io) -> SchemeReport {
        let mut report = self.hybrid.report("rl", io);
        let stats = &self.stats;
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("steps", stats.steps as f64);
        figure("reward_mean", stats.rewards / stats.steps.max(1) as f64);
        let per_step = self.window_length().per_value();
        report.series.push(stats.slc_blocks.report("slc_blocks", per_step));
        report.series.push(stats.theta_bytes.report("theta_bytes", per_step));
        report.series.push(stats.reward.report("reward", per_step));
        report.series.push(stats.write_mb_per_s.report("write_mb_per_s", per_step));
        if self.agent.kind() != AgentKind::None {
            self.figures_of_agent(&mut report);
        }
        report
    }

    fn figures_of_agent(&self, report: &mut SchemeReport) {
        let visits = self.agent.visits();
        let states: Vec<u64> = visits.chunks(ACTIONS).map(|row| row.iter().sum()).collect();
        let seen = |counts: &[u64]| counts.iter().filter(|&&count| count > 0).count() as f64;
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("explored_steps", self.stats.explored_steps as f64);
        figure("states_visited", seen(&states));
        figure("state_actions_visited", seen(visits));
        if self.agent.kind() == AgentKind::QLearning {
            let entries = self.agent.values().len() as u64;
            let bytes = entries * std::mem::size_of::<f64>() as u64;
            report.tables.push(TableReport { name: "Q-table".into(), entries, bytes });
        }
        let actions = (0..ACTIONS).map(|action| visits.iter().skip(action).step_by(ACTIONS).sum()).collect();
        let [slc, theta] =
            ["slc_blocks", "theta_bytes"].map(|knob| axis(knob, (-1..=1).map(|turn| sign(turn).into())));
        report.histograms.push(HistogramReport {
            name: "actions".into(),
            axes: vec![slc, theta],
            counts: actions,
        });
        report.histograms.push(HistogramReport {
            name: "states".into(),
            axes: self.axes().into(),
            counts: states,
        });
    }

    /// The features of a state, with their bins.
    fn axes(&self) -> [AxisReport; FEATURES] {
        let bins = &self.bins;
        [
            edges("slc_share", bins.slc_share, bins.slc_share_max),
            edges("utilisation", bins.utilisation, 1.0),
            axis("previous_action", (0..ACTIONS).map(action_name)),
            edges("slc_demand_share", bins.slc_demand_share, 1.0),
            edges("slc_update_share", bins.slc_update_share, 1.0),
        ]
    }
}
