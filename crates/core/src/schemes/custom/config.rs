//! Parameters of `custom`: the policy, its options and the regions that follow from them.

use super::host::{host, Description, OptionValue, PolicySource, RegionConfig};
use super::policy::REGIONS_MAX;
use crate::base::{CellMode, Problem};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder, Victim};
use crate::ftl::scheme::Parameters;
use crate::ftl::store::{Store, RESERVE};
use crate::hw::config::{IdleRule, PoolConfig};
use crate::hw::device_config::DeviceConfig;
use crate::schemes::common::device_fit::{
    check_capacity, check_page, densest_beside_slc, no_pool, offered_modes,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use std::collections::{BTreeMap, BTreeSet};

/// SLC blocks per plane where nobody chooses.
const SLC_BLOCKS: u32 = 64;

/// Parameters of `custom`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct CustomConfig {
    /// The policy: `FILE.py:CLASS` or `MODULE:CLASS` of Python; absent: every decision is the default one.
    pub source: Option<String>,
    /// SHA-256 of the policy's source; default: the one it has now. Another source is refused.
    pub sha256: Option<String>,
    /// Options of the policy, which it declares.
    pub options: BTreeMap<String, OptionValue>,
    /// Regions, where there is no policy to name them; default: `cache` in SLC mode and `store`.
    pub regions: Vec<RegionConfig>,
    /// SLC blocks per plane of regions in SLC mode that name no number; default: the policy's, or 64.
    pub slc_blocks: Option<u32>,
    /// Cell mode of regions that name none; default: the densest that one pool offers beside SLC.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive writes go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a write's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// When idle work starts, if the policy has any.
    pub idle: IdleRule,
    /// Cleaning of what the regions without blocks of their own share.
    pub dense: CleanConfig,
}

impl Parameters for CustomConfig {
    const DEFAULTS_OF: Option<&'static str> = Some("baseline");

    fn keeps_places(&self) -> Option<&'static str> {
        Some("its policy decides what moves")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.idle.check("scheme.custom.idle", problems);
        if self.dense.idle_free_ratio > 0.0 {
            let allowed = "0: nothing is cleaned in idle time but what a policy empties";
            problems.push(Problem::new(
                "scheme.custom.dense.idle_free_ratio",
                self.dense.idle_free_ratio,
                allowed,
            ));
        }
        let why = "a policy says where pages go";
        self.dense.check_unseparated("scheme.custom.dense", why, problems);
        let described = match self.described() {
            Ok(described) => described,
            Err(found) => return problems.extend(found),
        };
        if self.source.is_some() && !self.regions.is_empty() {
            let names: Vec<_> = self.regions.iter().map(|region| region.name.as_str()).collect();
            let allowed = "absent: the policy names its regions";
            problems.push(Problem::new("scheme.custom.regions", format!("[{}]", names.join(", ")), allowed));
        }
        if self.mode(device) == CellMode::Slc {
            return problems.push(no_pool("scheme.custom.dense_mode".into(), CellMode::Slc, device));
        }
        let regions = self.regions(described.as_ref());
        let before = problems.len();
        self.check_names(&regions, problems);
        if problems.len() == before {
            self.check_sizes(&regions, device, problems);
        }
    }

    fn settle(&mut self, device: &DeviceConfig) {
        self.dense_mode = Some(self.mode(device));
        let described = self.described().ok().flatten();
        if let Some(described) = &described {
            self.sha256.get_or_insert_with(|| described.sha256.clone());
            self.slc_blocks = self.slc_blocks.or(described.slc_blocks);
            self.options = described.options.clone();
        }
        self.slc_blocks = match self.uses_slc_blocks(described.as_ref()) {
            true => self.slc_blocks.or(Some(SLC_BLOCKS)),
            false => None,
        };
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        let described = self.described().ok().flatten();
        let is_idle = described.as_ref().is_some_and(|described| described.idle);
        let has_none = self.source.is_none() && (key.starts_with("options") || key == "sha256");
        match () {
            () if has_none => Some("there is no policy whose it could be (source names one)"),
            () if key.starts_with("idle.") && !is_idle => Some("nothing is done in idle time"),
            () if key == "slc_blocks" && !self.uses_slc_blocks(described.as_ref()) => {
                Some("every region in SLC mode names a number of blocks of its own")
            }
            () => None,
        }
    }
}

/// A region as it lies in every plane.
#[derive(Clone, Debug)]
pub struct PlannedRegion {
    /// What the policy calls it.
    pub name: String,
    /// Cell mode.
    pub mode: CellMode,
    /// First block.
    pub first: u32,
    /// Blocks.
    pub blocks: u32,
    /// Whether it shares them with the others that have none of their own.
    pub is_shared: bool,
    /// Which block is emptied next.
    pub victim: Victim,
}

fn default_regions() -> Vec<RegionConfig> {
    let region = |name: &str, mode| RegionConfig { name: name.into(), mode, blocks: None, victim: None };
    vec![region("cache", Some(CellMode::Slc)), region("store", None)]
}

impl CustomConfig {
    /// The policy as its host is asked for it, if there is one.
    pub fn policy_source(&self) -> Option<PolicySource<'_>> {
        let source = self.source.as_deref()?;
        let sha256 = self.sha256.as_deref();
        Some(PolicySource { source, sha256, slc_blocks: self.slc_blocks, options: &self.options })
    }

    /// What the policy says of itself; none without one.
    pub fn described(&self) -> Result<Option<Description>, Vec<Problem>> {
        let Some(given) = self.policy_source() else {
            return Ok(None);
        };
        match host() {
            Some(host) => host.describe(&given).map(Some),
            None => {
                let allowed = "absent: this program has no Python; run it by `slcache`";
                Err(vec![Problem::new("scheme.custom.source", given.source, allowed)])
            }
        }
    }

    /// Whether `region` has blocks of its own, and how many.
    fn own_blocks(&self, region: &RegionConfig) -> Option<u32> {
        let is_slc = region.mode == Some(CellMode::Slc);
        region.blocks.or(is_slc.then(|| self.slc_blocks.unwrap_or(SLC_BLOCKS)))
    }

    fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.dense_mode.unwrap_or_else(|| densest_beside_slc(device))
    }

    /// The pool used: the first that offers all the modes.
    pub fn pool(&self, regions: &[RegionConfig], device: &DeviceConfig) -> Option<usize> {
        let modes: Vec<CellMode> =
            regions.iter().map(|region| region.mode.unwrap_or_else(|| self.mode(device))).collect();
        let offers = |pool: &PoolConfig| modes.iter().all(|&mode| pool.mode(mode).is_some());
        device.pool.iter().position(offers)
    }

    pub fn regions(&self, described: Option<&Description>) -> Vec<RegionConfig> {
        match described {
            Some(described) => described.regions.clone(),
            None if self.regions.is_empty() => default_regions(),
            None => self.regions.clone(),
        }
    }

    /// Where the regions lie in a plane of `blocks` blocks: those of their own first, in order.
    pub fn plan(&self, regions: &[RegionConfig], device: &DeviceConfig, blocks: u32) -> Vec<PlannedRegion> {
        let owned = regions.iter().filter_map(|region| self.own_blocks(region));
        let shared_first = owned.fold(0, u32::saturating_add).min(blocks);
        let mut next = 0;
        let plan = |region: &RegionConfig| {
            let own = self.own_blocks(region);
            let (first, count) = own.map_or((shared_first, blocks - shared_first), |own| (next, own));
            next = next.saturating_add(own.unwrap_or(0));
            PlannedRegion {
                name: region.name.clone(),
                mode: region.mode.unwrap_or_else(|| self.mode(device)),
                first,
                blocks: count,
                is_shared: own.is_none(),
                victim: region.victim.unwrap_or(if own.is_none() {
                    self.dense.victim
                } else {
                    Victim::Greedy
                }),
            }
        };
        regions.iter().map(plan).collect()
    }

    /// Whether a region's size, or the policy, follows `slc_blocks`.
    fn uses_slc_blocks(&self, described: Option<&Description>) -> bool {
        let follows = |region: &RegionConfig| region.mode == Some(CellMode::Slc) && region.blocks.is_none();
        let is_option = described.is_some_and(|described| described.slc_blocks.is_some());
        is_option || self.regions(described).iter().any(follows)
    }

    /// The key to blame for a region's field, and the value there.
    fn blame(&self, index: usize, field: &str) -> String {
        match self.source {
            Some(_) => "scheme.custom.source".into(),
            None => format!("scheme.custom.regions[{index}].{field}"),
        }
    }

    fn check_names(&self, regions: &[RegionConfig], problems: &mut Vec<Problem>) {
        let mut seen = BTreeSet::new();
        for (i, region) in regions.iter().enumerate() {
            if region.name.is_empty() || !seen.insert(&region.name) {
                problems.push(Problem::new(
                    self.blame(i, "name"),
                    &region.name,
                    "a name of its own for every region",
                ));
            }
        }
        if regions.len() > REGIONS_MAX {
            let key = if self.source.is_some() { "scheme.custom.source" } else { "scheme.custom.regions" };
            let found = format!("{} regions", regions.len());
            problems.push(Problem::new(key, found, format!("at most {REGIONS_MAX}")));
        }
        let shared: Vec<_> = regions.iter().filter(|region| self.own_blocks(region).is_none()).collect();
        let modes: BTreeSet<_> = shared.iter().map(|region| region.mode.map(CellMode::name)).collect();
        if modes.len() != 1 {
            let names: Vec<_> = shared.iter().map(|region| region.name.as_str()).collect();
            let allowed = "one or more dense regions without blocks of their own, all of one mode: \
                           the user's data have their place there";
            problems.push(Problem::new("scheme.custom.regions", format!("[{}]", names.join(", ")), allowed));
        }
    }

    fn check_sizes(&self, regions: &[RegionConfig], device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let Some(index) = self.pool(regions, device) else {
            return problems.push(self.unfit(regions, device));
        };
        let pool = &device.pool[index];
        check_page(device, pool, "scheme.custom", problems);
        let plan = self.plan(regions, device, pool.blocks);
        let own: u32 = plan.iter().filter(|p| !p.is_shared).map(|p| p.blocks).fold(0, u32::saturating_add);
        let most = pool.blocks.saturating_sub(4);
        if own > most || plan.iter().any(|planned| planned.blocks == 0) {
            let allowed = format!(
                "at least 1 block a region and between 1 and {most} in all (the plane has {} blocks)",
                pool.blocks
            );
            let follows =
                regions.iter().any(|region| region.blocks.is_none() && self.own_blocks(region).is_some());
            return problems.push(match (follows, &self.source) {
                (true, _) => Problem::new("scheme.custom.slc_blocks", own, allowed),
                (_, None) => {
                    Problem::new("scheme.custom.regions", format!("{own} blocks of their own"), allowed)
                }
                (_, source) => {
                    let found =
                        format!("{own} blocks in regions of {}", source.as_deref().unwrap_or_default());
                    Problem::new("scheme.custom.source", found, allowed)
                }
            });
        }
        if let Some(home) = plan.iter().find(|planned| planned.is_shared) {
            check_capacity(
                device,
                pool,
                home.mode,
                home.blocks,
                self.held_back(&plan, home.blocks),
                problems,
            );
        }
    }

    /// What is wrong where no pool offers the modes of all regions: one that a region names, or `dense_mode`.
    fn unfit(&self, regions: &[RegionConfig], device: &DeviceConfig) -> Problem {
        let is_offered = |mode: &CellMode| device.pool.iter().any(|pool| pool.mode(*mode).is_some());
        let named = |region: &RegionConfig| region.mode.filter(|mode| !is_offered(mode));
        let found =
            regions.iter().enumerate().find_map(|(i, region)| Some((i, &region.name, named(region)?)));
        match found {
            Some((i, name, mode)) => {
                let found = format!("region \"{name}\" in mode {}", mode.name());
                let allowed = format!("a mode that the device offers: {}", offered_modes(device));
                Problem::new(self.blame(i, "mode"), found, allowed)
            }
            None => no_pool("scheme.custom.dense_mode".into(), self.mode(device), device),
        }
    }

    /// Shared blocks per plane that cannot hold user data: frontiers, and what cleaning keeps free.
    fn held_back(&self, plan: &[PlannedRegion], blocks: u32) -> u32 {
        let shared = plan.iter().filter(|planned| planned.is_shared).count() as u32;
        self.dense.open_blocks() * shared + Store::threshold(&self.dense, blocks).max(RESERVE + 1)
    }
}
