//! Parameters of `rl`.

use super::super::hybrid::{hybrid_config, slc_blocks_cap, slc_blocks_min, SLC_SHARE_MAX, THETA_LADDER};
use super::agent::AgentKind;
use super::q_table::Rates;
use super::reward::{Average, Reward};
use super::state::Bins;
use crate::base::problem::{check_range, Problem};
use crate::base::units;
use crate::hw::device_config::DeviceConfig;

hybrid_config! {
    /// Parameters of `rl`.
    pub struct RlConfig("rl") {
        /// Who decides after a step.
        pub agent: AgentKind = AgentKind::default(),
        /// Bytes of host writes per step, 4096-1099511627776.
        #[serde(deserialize_with = "units::bytes")]
        pub step_bytes: u64 = 32 << 20,
        /// SLC blocks per plane at first, 0 to 56 % of the plane's blocks; default: 20 %.
        pub initial_slc_blocks: Option<u32> = None,
        /// Largest write request that goes to the SLC region at first, bytes: a power of two, 4096-524288.
        #[serde(deserialize_with = "units::bytes")]
        pub initial_theta_bytes: u64 = 64 << 10,
        /// SLC blocks per plane that an action adds or takes away, 1-65536; default: 1.5 % of the
        /// plane's blocks.
        pub slc_step_blocks: Option<u32> = None,
        /// Learning rate, 0-1; with 0 nothing is learned.
        pub alpha: f64 = 0.1,
        /// Discount factor, 0-1.
        pub gamma: f64 = 0.8,
        /// How often another action than the best is taken, 0-1.
        pub epsilon: f64 = 0.07,
        /// How the average cost of a step, by which steps are judged, follows the steps.
        pub average: Average = Average::default(),
        /// Weight of the newest step in a moving average, 0-1.
        pub average_weight: f64 = 0.1,
        /// Bins of the SLC region's share of the blocks, from 0 to 56 %, 1-64.
        pub slc_share_bins: u32 = 9,
        /// Bins of the utilisation, 1-64.
        pub utilisation_bins: u32 = 4,
        /// Bins of the demand for SLC writes, 1-64.
        pub slc_demand_bins: u32 = 2,
        /// Bins of the share of updates in the SLC region, 1-64.
        pub slc_update_bins: u32 = 2,
    }
    check RlConfig::check_own;
    settle RlConfig::settle_own;
    moot RlConfig::moot_own;
}

impl RlConfig {
    fn check_own(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        check_range(problems, "scheme.rl.step_bytes", self.step_bytes, 4096..=1 << 40);
        let shares = [
            ("alpha", self.alpha),
            ("gamma", self.gamma),
            ("epsilon", self.epsilon),
            ("average_weight", self.average_weight),
        ];
        for (key, value) in shares {
            check_range(problems, &format!("scheme.rl.{key}"), value, 0.0..=1.0);
        }
        let bins = [
            ("slc_share_bins", self.slc_share_bins),
            ("utilisation_bins", self.utilisation_bins),
            ("slc_demand_bins", self.slc_demand_bins),
            ("slc_update_bins", self.slc_update_bins),
        ];
        for (key, value) in bins {
            check_range(problems, &format!("scheme.rl.{key}"), value, 1..=64);
        }
        self.check_knobs(device, problems);
    }

    fn check_knobs(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        if !THETA_LADDER.contains(&self.initial_theta_bytes) {
            let allowed = format!("one of {}", THETA_LADDER.map(|bytes| bytes.to_string()).join(", "));
            problems.push(Problem::new("scheme.rl.initial_theta_bytes", self.initial_theta_bytes, allowed));
        }
        if let Some(blocks) = self.slc_step_blocks {
            check_range(problems, "scheme.rl.slc_step_blocks", blocks, 1..=65_536);
        }
        if let (Some(blocks), Some(plane)) = (self.initial_slc_blocks, self.hybrid().plane_blocks(device)) {
            check_range(problems, "scheme.rl.initial_slc_blocks", blocks, 0..=slc_blocks_cap(plane));
        }
    }

    fn settle_own(&mut self, plane_blocks: u32) {
        self.initial_slc_blocks = Some(self.initial_slc_blocks(plane_blocks));
        self.slc_step_blocks = Some(self.slc_step_blocks(plane_blocks));
    }

    fn moot_own(&self, key: &str) -> Option<&'static str> {
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

    /// SLC blocks per plane of `plane_blocks` at first.
    pub(super) fn initial_slc_blocks(&self, plane_blocks: u32) -> u32 {
        let fifth = (plane_blocks / 5).max(slc_blocks_min(plane_blocks));
        self.initial_slc_blocks.unwrap_or(fifth)
    }

    /// SLC blocks per plane of `plane_blocks` that an action adds or takes away.
    pub(super) fn slc_step_blocks(&self, plane_blocks: u32) -> u32 {
        self.slc_step_blocks.unwrap_or((plane_blocks * 3 / 200).max(1))
    }

    /// How the agent learns.
    pub(super) fn rates(&self) -> Rates {
        Rates { alpha: self.alpha, gamma: self.gamma, epsilon: self.epsilon }
    }

    /// How the agent divides what it sees.
    pub(super) fn bins(&self) -> Bins {
        Bins {
            slc_share: self.slc_share_bins,
            utilisation: self.utilisation_bins,
            slc_demand_share: self.slc_demand_bins,
            slc_update_share: self.slc_update_bins,
            slc_share_max: f64::from(SLC_SHARE_MAX) / 100.0,
        }
    }

    /// How steps are judged.
    pub(super) fn reward(&self) -> Reward {
        Reward::new(self.average, self.average_weight)
    }
}
