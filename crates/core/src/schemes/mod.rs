//! The published schemes, one file each, and the one registry that knows them all.
//!
//! To add a scheme: its file, its module and its line in `schemes!` here, an arm in `settle`, its
//! page in `docs/schemes/`.

mod baseline;
mod cache;
mod census;
mod entry_bits;
mod hierarchy;
mod ips;
mod mixed_cache;
mod sa;
mod sector;
mod tlc_only;
mod turbo_write;

pub use baseline::BaselineConfig;
pub use cache::Trigger;
pub use hierarchy::{DivisionRule, HierarchyConfig, OmegaS, Quota};
pub use ips::{AgcConfig, IpsAgcConfig, IpsConfig, IpsCoopConfig};
pub use sa::SaConfig;
pub use sector::{FullPieces, SectorConfig};
pub use tlc_only::TlcOnlyConfig;
pub use turbo_write::TurboWriteConfig;

use crate::base::{CellMode, PlaneId, Problem};
use crate::ftl::answer::{BlockShare, DeviceFull, Idle};
use crate::ftl::any_region::{AnyRegion, Role};
use crate::ftl::config::CleanConfig;
use crate::ftl::io::Io;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::Scheme;
use crate::hw::config::PoolConfig;
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::op_table::RequestId;
use crate::metrics::report::{SchemeReport, TableReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CatalogEntry {
    /// Name in configuration, results and plots.
    pub name: &'static str,
    /// Other names, each with the setting it stands for.
    pub aliases: &'static [(&'static str, &'static str)],
    /// One line that says what the scheme does.
    pub summary: &'static str,
    /// Where it was published.
    pub paper: &'static str,
}

macro_rules! schemes {
    ($($name:literal => $variant:ident, $config:path, $scheme:path, $aliases:expr, $summary:literal, $paper:literal;)*) => {
        /// A scheme's parameters, under its name.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub enum SchemeConfig {
            $(#[doc = $summary] #[serde(rename = $name)] $variant($config),)*
        }

        /// Any scheme, dispatched statically. There is one in a simulation, so its size is no matter.
        #[allow(clippy::large_enum_variant)]
        pub enum AnyScheme {
            $(#[doc = $summary] $variant($scheme),)*
        }

        /// What a snapshot holds of any scheme beside its regions, under the scheme's name.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyState {
            $(#[doc = $summary] #[serde(rename = $name)] $variant(<$scheme as Scheme>::State),)*
        }

        /// Every scheme.
        pub static CATALOG: &[CatalogEntry] = &[
            $(CatalogEntry { name: $name, aliases: $aliases, summary: $summary, paper: $paper },)*
        ];

        impl SchemeConfig {
            /// The scheme's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// The version of the scheme's part of a snapshot.
            pub fn state_version(&self) -> u32 {
                match self { $(Self::$variant(_) => <$scheme as Scheme>::STATE_VERSION,)* }
            }

            /// The default parameters of the scheme called `name`.
            pub fn default_for(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant(Default::default())),)* _ => None }
            }

            /// The JSON schema of the parameters of the scheme called `name`.
            pub fn schema_for(name: &str) -> Option<schemars::Schema> {
                match name { $($name => Some(schemars::schema_for!($config)),)* _ => None }
            }

            /// Adds every problem of the parameters on `device`.
            pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
                match self { $(Self::$variant(config) => config.check(device, problems),)* }
            }

            /// The scheme, on a checked device.
            pub fn build(&self, device: &DeviceConfig, io: &mut Io) -> AnyScheme {
                match self { $(Self::$variant(config) => AnyScheme::$variant(<$scheme>::new(config, device, io)),)* }
            }
        }

        impl Scheme for AnyScheme {
            type State = AnyState;

            fn regions(&self, visit: &mut dyn FnMut(Role, &dyn AnyRegion)) {
                match self { $(Self::$variant(s) => s.regions(visit),)* }
            }
            fn regions_mut(&mut self, visit: &mut dyn FnMut(&mut dyn AnyRegion)) {
                match self { $(Self::$variant(s) => s.regions_mut(visit),)* }
            }
            fn preload(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $(Self::$variant(s) => s.preload(page, io),)* }
            }
            #[inline]
            fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $(Self::$variant(s) => s.write(piece, io),)* }
            }
            #[inline]
            fn read(&mut self, piece: Piece, io: &mut Io) {
                match self { $(Self::$variant(s) => s.read(piece, io),)* }
            }
            fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
                match self { $(Self::$variant(s) => s.trim(first, end, io),)* }
            }
            fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $(Self::$variant(s) => s.program_held(all, io),)* }
            }
            fn flush(&mut self, request: RequestId, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $(Self::$variant(s) => s.flush(request, io),)* }
            }
            fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
                match self { $(Self::$variant(s) => s.idle(plane, io),)* }
            }
            fn stage_due(&mut self, plane: PlaneId, io: &mut Io) {
                match self { $(Self::$variant(s) => s.stage_due(plane, io),)* }
            }
            fn timer(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $(Self::$variant(s) => s.timer(io),)* }
            }
            fn window_writes(&self) -> u32 {
                match self { $(Self::$variant(s) => s.window_writes(),)* }
            }
            fn window(&mut self, io: &mut Io) {
                match self { $(Self::$variant(s) => s.window(io),)* }
            }
            fn drain(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
                match self { $(Self::$variant(s) => s.drain(io),)* }
            }
            fn finish(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $(Self::$variant(s) => s.finish(io),)* }
            }
            fn blocks(&self) -> Vec<BlockShare> {
                match self { $(Self::$variant(s) => s.blocks(),)* }
            }
            fn cache_live_bytes(&self, io: &Io) -> u64 {
                match self { $(Self::$variant(s) => s.cache_live_bytes(io),)* }
            }
            fn save_own(&self) -> AnyState {
                match self { $(Self::$variant(s) => AnyState::$variant(s.save_own()),)* }
            }
            fn load_own(&mut self, own: AnyState, io: &Io) -> Result<(), String> {
                match (self, own) {
                    $((Self::$variant(s), AnyState::$variant(own)) => s.load_own(own, io),)*
                    _ => Err("the state of another scheme".into()),
                }
            }
            fn report(&self, io: &Io) -> SchemeReport {
                match self { $(Self::$variant(s) => s.report(io),)* }
            }
        }
    };
}

schemes! {
    "tlc-only" => TlcOnly, tlc_only::TlcOnlyConfig, tlc_only::TlcOnly, &[("qlc-only", "mode=qlc"), ("mlc-only", "mode=mlc"), ("slc-only", "mode=slc")],
        "one cell mode, no cache: every write goes to the dense store; called after the mode in results", "the reference of every SLC-cache paper";
    "baseline" => Baseline, baseline::BaselineConfig, baseline::Baseline, &[],
        "page-level SLC write cache in front of the dense store", "A Two-level SLC Cache Hierarchy for Hybrid SSDs, section II-C";
    "sa" => Sa, sa::SaConfig, sa::Sa, &[],
        "page-level SLC cache that packs short pages together", "Subpage-Aware Solid State Drive for Improving Lifetime and Performance";
    "sector" => Sector, sector::SectorConfig, sector::Sector, &[],
        "sector-level SLC cache that packs sectors of like update frequency", "Leveraging Intra-Page Update Diversity for Mitigating Write Amplification in SSDs";
    "hierarchy" => Hierarchy, hierarchy::HierarchyConfig, hierarchy::Hierarchy, &[],
        "two-level SLC cache: merged partial writes in L1, full pages in L2", "A Two-level SLC Cache Hierarchy for Hybrid SSDs";
    "turbo-write" => TurboWrite, turbo_write::TurboWriteConfig, turbo_write::TurboWrite, &[],
        "static SLC cache, emptied block by block in idle time", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section III";
    "ips" => Ips, ips::IpsConfig, ips::Ips, &[],
        "in-place switch: host data turn used SLC pages into TLC pages", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section IV-A";
    "ips-agc" => IpsAgc, ips::IpsAgcConfig, ips::IpsAgc, &[],
        "in-place switch, fed by garbage collection in idle time", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section IV-B";
    "ips-coop" => IpsCoop, ips::IpsCoopConfig, ips::IpsCoop, &[],
        "in-place switch with a large traditional SLC cache beside it", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section IV-C";
}

/// The page mapping table at its largest.
fn page_table(io: &Io) -> TableReport {
    let entries = io.mapped_peak().div_ceil(u64::from(io.policy().mus_per_page));
    TableReport { name: "page mapping table".into(), entries, bytes: entries * 4 }
}

impl SchemeConfig {
    /// Writes out the cell mode that depends on the device where none is chosen; two-layer blocks
    /// have theirs from the chips.
    pub fn settle(&mut self, device: &DeviceConfig) {
        match self {
            Self::TlcOnly(TlcOnlyConfig { mode, .. }) => {
                mode.get_or_insert(densest(device));
            }
            Self::Baseline(BaselineConfig { dense_mode, .. })
            | Self::Sa(SaConfig { dense_mode, .. })
            | Self::Sector(SectorConfig { dense_mode, .. })
            | Self::Hierarchy(HierarchyConfig { dense_mode, .. })
            | Self::TurboWrite(TurboWriteConfig { dense_mode, .. }) => {
                dense_mode.get_or_insert(densest_beside_slc(device));
            }
            Self::Ips(_) | Self::IpsAgc(_) | Self::IpsCoop(_) => {}
        }
    }
}

/// The densest mode of any pool.
fn densest(device: &DeviceConfig) -> CellMode {
    device.pool.iter().map(PoolConfig::densest).max_by_key(|mode| mode.bits()).unwrap_or(CellMode::Slc)
}

/// The densest mode of a pool that offers SLC and another; without one, the densest of any, which
/// the check of the scheme then refuses.
fn densest_beside_slc(device: &DeviceConfig) -> CellMode {
    let hybrid = device.pool.iter().filter(|pool| pool.slc.is_some()).map(PoolConfig::densest);
    let dense = hybrid.filter(|&mode| mode != CellMode::Slc).max_by_key(|mode| mode.bits());
    dense.unwrap_or_else(|| densest(device))
}

/// The modes the device's pools offer, for messages.
fn offered_modes(device: &DeviceConfig) -> String {
    let offered = CellMode::ALL.into_iter().filter(|&m| device.pool.iter().any(|p| p.mode(m).is_some()));
    offered.map(CellMode::name).collect::<Vec<_>>().join(", ")
}

/// Page-level schemes keep a logical page in one flash page.
fn check_page(device: &DeviceConfig, pool: &PoolConfig, key: &str, problems: &mut Vec<Problem>) {
    if device.piece_bytes() != pool.page_bytes {
        let allowed = format!("{} for {key}: the page size of pool \"{}\"", pool.page_bytes, pool.name);
        problems.push(Problem::new("device.piece_bytes", device.piece_bytes(), allowed));
    }
}

/// Blocks per plane that cannot hold user data: two frontiers, and what cleaning keeps free.
fn held_back(clean: &CleanConfig, blocks: u32, reserve: u32) -> u32 {
    let frontiers = if clean.separate_frontier { 2 } else { 1 };
    frontiers + clean.threshold(blocks).max(reserve)
}

/// The user capacity must fit into the region less what is held back.
fn check_capacity(
    device: &DeviceConfig,
    pool: &PoolConfig,
    mode: CellMode,
    blocks: u32,
    held: u32,
    problems: &mut Vec<Problem>,
) {
    let block_bytes = u64::from(pool.pages_per_block(mode)) * u64::from(pool.page_bytes);
    let usable = u64::from(pool.plane_count()) * u64::from(blocks.saturating_sub(held)) * block_bytes;
    if device.user_bytes > usable {
        let allowed = format!(
            "at most {usable}: {blocks} {} blocks per plane, of which {held} are held back for frontiers and cleaning",
            mode.name()
        );
        problems.push(Problem::new("device.user_bytes", device.user_bytes, allowed));
    }
}
