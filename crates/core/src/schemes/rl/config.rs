//! Parameters of `rl`.

use super::super::hybrid::{slc_blocks_possible, HybridConfig, Limits, SLC_SHARE_MAX, THETA_LADDER};
use super::agent::{AgentKind, Average, Bins, LearningRates, Reward};
use crate::base::problem::{check_range, Problem};
use crate::base::request::SECTOR_BYTES;
use crate::base::units;
use crate::ftl::scheme::Parameters;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `rl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct RlConfig {
    /// What every scheme with an SLC region of changing size has.
    #[serde(flatten)]
    pub hybrid: HybridConfig,
    /// Who decides after a step.
    pub agent: AgentKind,
    /// Bytes of host writes per step.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(min = 4096, max = 1u64 << 40))]
    #[default(32 << 20)]
    pub step_bytes: u64,
    /// Greatest share of a plane's blocks that may be SLC.
    #[schemars(range(min = 0.01, max = 0.95))]
    #[default(SLC_SHARE_MAX)]
    pub slc_share_max: f64,
    /// Fewest SLC blocks per plane that the knob allows, up to `slc_share_max` of them; default: 8,
    /// fewer on planes of less than 256 blocks.
    pub slc_blocks_min: Option<u32>,
    /// Values of theta, the largest write request that goes to the SLC region, bytes (integers or
    /// strings such as "4KiB"): 1 to 64 multiples of 512 up to 1 GiB, ascending.
    #[serde(deserialize_with = "units::byte_list")]
    #[schemars(with = "Vec<units::Bytes>")]
    #[default(THETA_LADDER.to_vec())]
    pub theta_ladder_bytes: Vec<u64>,
    /// SLC blocks per plane at first, up to `slc_share_max` of them; default: 20 %, or that share.
    pub initial_slc_blocks: Option<u32>,
    /// Theta at first, bytes: one of `theta_ladder_bytes`.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[default(64 << 10)]
    pub initial_theta_bytes: u64,
    /// SLC blocks per plane that an action adds or takes away; default: 1.5 % of the
    /// plane's blocks.
    #[schemars(range(min = 1, max = 65_536))]
    pub slc_step_blocks: Option<u32>,
    /// Learning rate; with 0 nothing is learned.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.1)]
    pub alpha: f64,
    /// Discount factor.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.8)]
    pub gamma: f64,
    /// How often another action than the best is taken.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.07)]
    pub epsilon: f64,
    /// How the average cost of a step, by which steps are judged, follows the steps.
    pub average: Average,
    /// Weight of the newest step in a moving average.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.1)]
    pub average_weight: f64,
    /// Bins of the SLC region's share of the blocks, from 0 to `slc_share_max`.
    #[schemars(range(min = 1, max = 64))]
    #[default(9)]
    pub slc_share_bins: u32,
    /// Bins of the utilisation.
    #[schemars(range(min = 1, max = 64))]
    #[default(4)]
    pub utilisation_bins: u32,
    /// Bins of the demand for SLC writes.
    #[schemars(range(min = 1, max = 64))]
    #[default(2)]
    pub slc_demand_bins: u32,
    /// Bins of the share of updates in the SLC region.
    #[schemars(range(min = 1, max = 64))]
    #[default(2)]
    pub slc_update_bins: u32,
}

impl Parameters for RlConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.check_theta(problems);
        if let Some(plane) = self.hybrid.plane_blocks(device) {
            self.check_slc_blocks(plane, problems);
        }
        self.hybrid.check("rl", &self.limits(), device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        let Some(plane_blocks) = self.hybrid.settle(device) else { return };
        // What is given stays as it is, for the check.
        let least = self.limits().slc_blocks_min(plane_blocks);
        self.slc_blocks_min.get_or_insert(least);
        self.initial_slc_blocks = Some(self.initial_slc_blocks(plane_blocks));
        self.slc_step_blocks = Some(self.slc_step_blocks(plane_blocks));
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        let learns = matches!(key, "alpha" | "gamma" | "epsilon");
        let decides = key == "slc_step_blocks" || key.ends_with("_bins");
        match self.agent {
            AgentKind::None if learns || decides => Some("nobody decides (agent = \"none\")"),
            AgentKind::Random if learns => Some("nobody learns (agent = \"random\")"),
            _ if key == "average_weight" && self.average == Average::Cumulative => {
                Some("the average is that of all steps (average = \"ema\" asks for a moving one)")
            }
            _ => None,
        }
    }
}

impl RlConfig {
    fn check_slc_blocks(&self, plane: u32, problems: &mut Vec<Problem>) {
        let (cap, possible) = (self.limits().slc_blocks_cap(plane), slc_blocks_possible(plane));
        if !(1..=possible).contains(&cap) {
            let allowed =
                format!("a share that is 1 to {possible} of the {plane} blocks of a plane, not {cap}");
            problems.push(Problem::new("scheme.rl.slc_share_max", self.slc_share_max, allowed));
        }
        let given =
            [("slc_blocks_min", self.slc_blocks_min), ("initial_slc_blocks", self.initial_slc_blocks)];
        for (key, blocks) in given {
            check_range(problems, &format!("scheme.rl.{key}"), blocks.unwrap_or(0), 0..=cap);
        }
    }

    fn check_theta(&self, problems: &mut Vec<Problem>) {
        let rungs = &self.theta_ladder_bytes;
        let told = rungs.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let ascend = rungs.windows(2).all(|pair| pair[0] < pair[1]);
        let fit = rungs.iter().all(|&rung| (1..=1 << 30).contains(&rung) && rung % SECTOR_BYTES == 0);
        if !(1..=64).contains(&rungs.len()) || !ascend || !fit {
            let allowed = format!("1 to 64 multiples of {SECTOR_BYTES} up to {}, ascending", 1 << 30);
            problems.push(Problem::new("scheme.rl.theta_ladder_bytes", format!("[{told}]"), allowed));
        } else if !rungs.contains(&self.initial_theta_bytes) {
            let allowed = format!("one of {told} (theta_ladder_bytes)");
            problems.push(Problem::new("scheme.rl.initial_theta_bytes", self.initial_theta_bytes, allowed));
        }
    }

    /// SLC blocks per plane of `plane_blocks` at first.
    pub(super) fn initial_slc_blocks(&self, plane_blocks: u32) -> u32 {
        let limits = self.limits();
        let fifth = (plane_blocks / 5).max(limits.slc_blocks_min(plane_blocks));
        self.initial_slc_blocks.unwrap_or(fifth.min(limits.slc_blocks_cap(plane_blocks)))
    }

    /// SLC blocks per plane of `plane_blocks` that an action adds or takes away.
    pub(super) fn slc_step_blocks(&self, plane_blocks: u32) -> u32 {
        self.slc_step_blocks.unwrap_or((plane_blocks * 3 / 200).max(1))
    }

    /// How far the knobs can be turned.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            slc_share_max: self.slc_share_max,
            slc_blocks_min: self.slc_blocks_min,
            theta_ladder_bytes: self.theta_ladder_bytes.clone(),
        }
    }

    /// How the agent learns.
    pub(super) fn rates(&self) -> LearningRates {
        LearningRates { alpha: self.alpha, gamma: self.gamma, epsilon: self.epsilon }
    }

    /// How the agent divides what it sees.
    pub(super) fn bins(&self) -> Bins {
        Bins {
            slc_share: self.slc_share_bins,
            utilisation: self.utilisation_bins,
            slc_demand_share: self.slc_demand_bins,
            slc_update_share: self.slc_update_bins,
            slc_share_max: self.slc_share_max,
        }
    }

    /// How steps are judged.
    pub(super) fn reward(&self) -> Reward {
        Reward::new(self.average, self.average_weight)
    }
}
