//! Parameters of `client`.

use crate::base::{units, CellMode};
use crate::ftl::config::{Placement, PlaneOrder, Victim, WearLevelling};
use crate::hw::config::{IdleRule, IdleScope};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use smart_default::SmartDefault;

/// Where the host writes while the cache is full and blocks are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Full {
    /// To dense blocks.
    #[default]
    Direct,
    /// Nowhere else than to SLC blocks, of which one is folded first.
    Through,
}

/// Where the host writes while blocks have to be folded first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FoldHost {
    /// To SLC blocks.
    #[default]
    Slc,
    /// To dense blocks.
    Dense,
}

/// Which SLC block is folded next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FoldVictim {
    /// The one opened first.
    #[default]
    Oldest,
    /// The one with the fewest live mapping units, the one opened first on ties.
    LeastLive,
}

/// Which way data take from SLC to dense blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FoldPath {
    /// Inside the chip where its dense mode has a `fold` section, else through the controller.
    #[default]
    Auto,
    /// Inside the chip.
    Chip,
    /// Through the controller.
    Controller,
}

/// What idle time does with SLC blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlushWhen {
    /// All that are full are folded.
    #[default]
    Eager,
    /// They are folded from `flush.high` of the largest cache down to `flush.low`.
    Lazy,
    /// Nothing.
    Demand,
}

/// How large the dynamic part may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DynamicRule {
    /// There is none.
    None,
    /// `dynamic.share` of the blocks that are not dense.
    #[default]
    Free,
    /// What `dynamic.table` says for the data held.
    Table,
}

/// What holds between two pairs of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The straight line between them.
    #[default]
    Linear,
    /// The value of the pair before.
    Step,
}

/// The part of the cache that comes and goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct DynamicConfig {
    /// How large it may be.
    #[default(DynamicRule::Free)]
    pub rule: DynamicRule,
    /// With rule `free`: SLC blocks up to this share of a plane's blocks that are not dense.
    #[schemars(range(min = 0.01, max = 1.0))]
    #[default(1.0)]
    pub share: f64,
    /// With rule `table`: pairs of the data held, as a share of the user capacity, and the bytes of the
    /// dynamic part, which never rise. Before the first pair its value holds, behind the last one too.
    pub table: Option<Vec<(f64, u64)>>,
    /// What holds between two pairs.
    #[default(Shape::Linear)]
    pub shape: Shape,
    /// The most it may have whatever the rule, bytes (integer or a string such as "72GB").
    #[serde(deserialize_with = "some_bytes")]
    #[schemars(with = "Option<units::Bytes>")]
    pub max_bytes: Option<u64>,
}

fn some_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct Size(#[serde(deserialize_with = "units::bytes")] u64);
    Ok(Option::<Size>::deserialize(deserializer)?.map(|size| size.0))
}

/// How and when data move from SLC to dense blocks while the host writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FoldConfig {
    /// Where the host writes while blocks have to be folded first.
    pub host: FoldHost,
    /// Free blocks per plane that the host leaves to folding, 2-64; default: a 64th of the plane.
    pub keep_blocks: Option<u32>,
    /// Pages folded per page of the host; 0: what makes just enough room.
    #[schemars(range(min = 0.0, max = 8.0))]
    pub ratio: f64,
    /// Free blocks per plane at which folding for the host is over; default: `fold.keep_blocks` and the
    /// bits of a cell more.
    pub stop_blocks: Option<u32>,
    /// Which SLC block is folded next.
    pub victim: FoldVictim,
    /// Which way the data take.
    pub path: FoldPath,
    /// Time that the array takes longer for a folded wordline, ns.
    #[schemars(range(max = 1_000_000_000))]
    pub overhead_ns: u32,
    /// Planes in which blocks are folded at a time, 1 to all of them; default: all. The others wait.
    pub parallel: Option<u32>,
}

/// When the cache is emptied beside the host's writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct FlushConfig {
    /// What idle time does.
    #[default(FlushWhen::Eager)]
    pub when: FlushWhen,
    /// With `lazy`: the share of the largest cache from which on it is emptied.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.75)]
    pub high: f64,
    /// With `lazy`: the share down to which it is emptied, not above `flush.high`.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.25)]
    pub low: f64,
    /// Pages folded per page that the host writes past the cache.
    #[schemars(range(min = 0.0, max = 4.0))]
    pub busy_ratio: f64,
    /// Pages folded per page that the host writes to the cache while it is open, when planes have time
    /// for it.
    #[schemars(range(min = 0.0, max = 4.0))]
    pub inside_ratio: f64,
    /// When idle time lets a cache that was full take data again: as `reopen`, 0-1 or "never"; default:
    /// `reopen`. With 1 each block that was folded is room at once.
    pub reopen: Option<Reopen>,
}

/// The word of `reopen` by which a full cache stays closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Never {
    /// It never takes data again.
    Never,
}

/// When a cache that was full takes data again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Reopen {
    /// At most this share of the largest cache is used.
    At(#[schemars(range(min = 0.0, max = 1.0))] f64),
    /// Not at all.
    Never(Never),
}

impl Reopen {
    /// Whether `used` blocks are few enough where there may be `cap`.
    pub fn allows(self, used: u32, cap: u32) -> bool {
        match self {
            Self::At(share) => f64::from(used) <= share * f64::from(cap),
            Self::Never(_) => false,
        }
    }
}

/// How dense blocks are written and cleaned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct DenseConfig {
    /// Which block is cleaned next.
    #[default(Victim::Greedy)]
    pub victim: Victim,
    /// Dense blocks are cleaned beside the host's writes past the cache, wordline by wordline, before a plane has no free
    /// block left for them; else a whole block when it has none.
    pub clean_ahead: bool,
    /// Planes that take the host's writes past the cache at a time, 1 to all of them; default: all. Each
    /// writes a block, then that with the fewest dense blocks has its turn.
    pub parallel: Option<u32>,
}

/// Parameters of `client`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ClientConfig {
    /// SLC blocks per plane that never become dense.
    pub static_blocks: u32,
    /// The part of the cache that comes and goes.
    pub dynamic: DynamicConfig,
    /// Where the host writes while the cache is full and blocks are free.
    #[default(Full::Direct)]
    pub full: Full,
    /// How and when data move from SLC to dense blocks while the host writes.
    pub fold: FoldConfig,
    /// When a cache that was full takes data again: at most this share of the largest cache is used, 0-1;
    /// or "never".
    #[default(Reopen::At(0.0))]
    pub reopen: Reopen,
    /// When the cache is emptied beside the host's writes.
    pub flush: FlushConfig,
    /// When idle work starts.
    #[default(IdleRule { scope: IdleScope::Device, ..IdleRule::default() })]
    pub idle: IdleRule,
    /// Cell mode of the dense blocks; default: the densest that one pool offers beside SLC.
    pub dense_mode: Option<CellMode>,
    /// How dense blocks are written and cleaned.
    pub dense: DenseConfig,
    /// Order in which consecutive pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Which free block is opened next.
    #[default(WearLevelling::Fifo)]
    pub wear_levelling: WearLevelling,
    /// The end of a run empties the cache, counted.
    pub drain: bool,
}
