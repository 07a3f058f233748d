//! Parameters of `hierarchy`.

use super::super::common::cache::{self, of_split, CacheConfig};
use super::super::common::dials::{Dial, Dials};
use crate::base::Problem;
use crate::ftl::config::MergeConfig;
use crate::ftl::gather::Gather;
use crate::ftl::knob::KnobSpec;
use crate::ftl::scheme::Parameters;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

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
    /// No level has one: the cache is not divided, and the victim is the best block of both levels,
    /// compared by live mapping units.
    None,
}

/// Which level's blocks give the page of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageSource {
    /// L1's for merged parts, L2's for a full page.
    #[default]
    Size,
    /// Those that lines 5 to 11 of Algorithm 1 name for the last write request, whatever is written: the
    /// blocks of both levels hold pages of either kind, each reclaimed as its kind is.
    Label,
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

/// Which plane of a channel takes a merged page; the channel is one without the page's other parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum L1Planes {
    /// The one with the least queued work.
    LeastLoaded,
    /// Each in turn, in plane order, so that planes fill alike and those of a die can program together.
    #[default]
    InTurn,
}

/// How far windows may go towards L1.
pub(super) const L1_SHARE_MAX: KnobSpec = KnobSpec {
    name: "l1_share_max",
    unit: "share",
    summary: "the larger, the more of the cache L1 may get; the division drifts there a page per write",
};

/// Parameters of `hierarchy`. `slc_blocks` are those of L1 and L2 together, at least 2 more than
/// reclamation keeps free; merged pages are not placed by `placement`, they avoid the channels of
/// their other parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct HierarchyConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
    /// How partial writes wait for others.
    pub merge: MergeConfig,
    /// Write requests per window after which the division's target is set.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    #[default(1024)]
    pub window_writes: u32,
    /// Share of L2 in the cache at first; within the bounds of the target.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.5)]
    pub initial_l2_share: f64,
    /// Largest share of L1 in the cache that a window may ask for.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.5)]
    pub l1_share_max: f64,
    /// How the division follows its target.
    pub division: DivisionRule,
    /// Which level's blocks give the page of a write.
    pub page_source: PageSource,
    /// What a level does that has used up its quota.
    pub quota: Quota,
    /// What the windows count for L1.
    pub omega_s: OmegaS,
    /// What leaves the cache when a block of L1 is reclaimed.
    pub l1_gather: Gather,
    /// Which plane of a channel takes a merged page.
    pub l1_planes: L1Planes,
}

impl Parameters for HierarchyConfig {
    fn keeps_places(&self) -> Option<&'static str> {
        let labelled = self.page_source == PageSource::Label;
        labelled.then_some("page_source = \"label\" knows which pages are merged")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.merge.check("scheme.hierarchy.merge", device.piece_bytes(), problems);
        let kept_free = self.cache.pressure(0).kept_free();
        if self.cache.split.slc_blocks < kept_free + 2 {
            let least = kept_free + 2;
            let allowed = format!(
                "at least {least}: one block for L1, one for L2 and the {kept_free} that \
                 scheme.hierarchy.slc keeps free"
            );
            problems.push(Problem::new("scheme.hierarchy.slc_blocks", self.cache.split.slc_blocks, allowed));
        }
        self.cache.check("hierarchy", device, problems);
    }

    of_split!(cache.split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        cache::moot(key).or_else(|| self.merge.moot(key))
    }
}

impl HierarchyConfig {
    /// What of it can be turned: L1 and L2 keep a block each, whatever reclamation keeps free.
    pub(super) fn dials(&self) -> Dials {
        let mut pressure = self.cache.pressure(0);
        let mut leaves_two = |ratio| {
            pressure.set_start_free_ratio(ratio);
            pressure.kept_free() + 2 <= self.cache.split.slc_blocks
        };
        Dials::new([
            Dial::start_free_ratio(self.cache.slc.start_free_ratio).only(&mut leaves_two),
            Dial::merge_timeout(&self.merge),
            Dial::share(&L1_SHARE_MAX, 1.0, self.l1_share_max),
        ])
    }
}
