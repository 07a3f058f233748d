//! Parameters of `hierarchy`.

use super::super::cache::{CacheSpec, Trigger};
use crate::base::problem::{check_range, Problem};
use crate::base::CellMode;
use crate::ftl::config::{CleanConfig, MergeConfig, Placement, PlaneOrder};
use crate::ftl::gather::Gather;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the division of the cache follows its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DivisionRule {
    /// One page changes sides per write request while the shares differ.
    #[default]
    Drift,
    /// Algorithm 1 to the letter: a page changes sides at every write request, towards L1 also where
    /// the shares are equal.
    Literal,
}

/// What a level does that has used up its quota of a plane's blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quota {
    /// It reclaims a block before it opens one: L1, and the table of its sectors, stay within bounds.
    #[default]
    Hard,
    /// It takes a free block, until the trigger calls for reclamation anyway.
    Soft,
}

/// What the windows count for L1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OmegaS {
    /// Merged pages programmed.
    #[default]
    Pages,
    /// Write requests with a partial piece.
    Requests,
    /// Partial pieces.
    Pieces,
}

/// Parameters of `hierarchy`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HierarchyConfig {
    /// SLC blocks per plane, of L1 and L2 together; at least 2 more than reclamation keeps free.
    pub slc_blocks: u32,
    /// Cell mode of the store behind the cache; default: the densest that one pool offers beside SLC.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive full pages go to planes.
    pub plane_order: PlaneOrder,
    /// How a full page's plane is chosen; merged pages avoid the channels of their other parts.
    pub placement: Placement,
    /// What starts the reclamation of SLC blocks.
    pub trigger: Trigger,
    /// Reclamation of SLC blocks.
    pub slc: CleanConfig,
    /// Cleaning of the dense region.
    pub dense: CleanConfig,
    /// How partial writes wait for others.
    pub merge: MergeConfig,
    /// Write requests per window after which the division's target is set, 1-1000000000.
    pub window_writes: u32,
    /// Share of L2 in the cache at first, 0-1; within the bounds of the target.
    pub initial_l2_share: f64,
    /// Largest share of L1 in the cache that a window may ask for, 0-1.
    pub l1_share_max: f64,
    /// How the division follows its target.
    pub division: DivisionRule,
    /// What a level does that has used up its quota.
    pub quota: Quota,
    /// What the windows count for L1.
    pub omega_s: OmegaS,
    /// What leaves the cache when a block of L1 is reclaimed.
    pub l1_gather: Gather,
}

impl Default for HierarchyConfig {
    fn default() -> Self {
        let cache = super::super::baseline::BaselineConfig::default();
        Self {
            slc_blocks: cache.slc_blocks,
            dense_mode: cache.dense_mode,
            plane_order: cache.plane_order,
            placement: cache.placement,
            trigger: cache.trigger,
            slc: cache.slc,
            dense: cache.dense,
            merge: MergeConfig::default(),
            window_writes: 1024,
            initial_l2_share: 0.5,
            l1_share_max: 0.5,
            division: DivisionRule::default(),
            quota: Quota::default(),
            omega_s: OmegaS::default(),
            l1_gather: Gather::default(),
        }
    }
}

impl HierarchyConfig {
    pub(super) fn cache(&self) -> CacheSpec<'_> {
        CacheSpec {
            name: "hierarchy",
            slc_blocks: self.slc_blocks,
            slc_blocks_min: 3,
            dense_mode: self.dense_mode,
            plane_order: self.plane_order,
            placement: self.placement,
            trigger: self.trigger,
            slc: &self.slc,
            dense: &self.dense,
        }
    }

    /// Adds every problem of the parameters on `device`.
    pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.merge.check("scheme.hierarchy.merge", device.piece_bytes(), problems);
        check_range(problems, "scheme.hierarchy.window_writes", self.window_writes, 1..=1_000_000_000);
        check_range(problems, "scheme.hierarchy.initial_l2_share", self.initial_l2_share, 0.0..=1.0);
        check_range(problems, "scheme.hierarchy.l1_share_max", self.l1_share_max, 0.0..=1.0);
        self.cache().check(device, problems);
        let kept_free = self.cache().pressure(0).kept_free();
        if self.slc_blocks < kept_free + 2 {
            let least = kept_free + 2;
            let allowed = format!(
                "at least {least}: one block for L1, one for L2 and the {kept_free} that \
                 scheme.hierarchy.slc keeps free"
            );
            problems.push(Problem::new("scheme.hierarchy.slc_blocks", self.slc_blocks, allowed));
        }
    }
}
