//! The published schemes, one file each, and the one registry that knows them all.
//!
//! To add a scheme: its file, its module, its `pub use` and its line in `schemes!` here; then what
//! CONTRIBUTING.md lists.

mod baseline;
mod clairvoyant;
mod classifier;
mod client;
mod common;
pub mod custom;
mod hierarchy;
mod hybrid;
pub mod hyssd;
mod ips;
pub mod nvc;
mod raro;
mod rl;
mod sa;
mod sector;
mod tlc_only;
mod turbo_write;
mod ust;

pub use baseline::BaselineConfig;
pub use clairvoyant::{ClairvoyantConfig, Spread};
pub use classifier::{BypassOracleConfig, ClassifierConfig};
pub use client::ClientConfig;
pub use common::cache::Trigger;
pub use hierarchy::{DivisionRule, HierarchyConfig, OmegaS, Quota};
pub use hybrid::{DenseRule, DwaConfig, QlcOnlyConfig, Reclaim, Setting, SlcRule, SlcShareConfig};
pub use hyssd::{
    Destage, Goal, History, HyssdConfig, HyssdStaticConfig, LifetimeFigures, LifetimeRule, Misses, Wear,
};
pub use ips::{AgcConfig, IpsAgcConfig, IpsConfig, IpsCoopConfig};
pub use nvc::{DiskOnlyConfig, LastLogRule, NvcConfig, NvcMlcOnlyConfig, NvcSlcOnlyConfig, SlcLogRule};
pub use raro::RaroConfig;
pub use rl::{AgentKind, Average, RlConfig};
pub use sa::SaConfig;
pub use sector::{FullPieces, SectorConfig};
pub use tlc_only::TlcOnlyConfig;
pub use turbo_write::TurboWriteConfig;
pub use ust::UstConfig;

use crate::base::{PlaneId, Problem};
use crate::ftl::answer::{BlockShare, DeviceFull, Idle};
use crate::ftl::any_region::{AnyRegion, Role};
use crate::ftl::config::Separation;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec, SignalSpec};
use crate::ftl::oracle::Oracle;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{Memory, Parameters, Scheme};
use crate::ftl::window::{WindowCounters, WindowLength};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slcache_base::document::shape;

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
    /// Version of what it learns and can take along to another run; none = it has no memory.
    pub memory_version: Option<u32>,
    /// What can be turned while it runs.
    pub knobs: &'static [KnobSpec],
    /// What it shows a controller.
    pub signals: &'static [SignalSpec],
    /// Whether it runs on devices with a disk, and on no others.
    pub on_disk: bool,
    /// Whether it knows what the trace will do: a yardstick, no device can be built so.
    pub looks_ahead: bool,
    /// The scheme whose defaults on a device hold for this one too, where its own say nothing.
    pub defaults_of: Option<&'static str>,
}

/// The problem of a scheme whose data are at home on a disk or not, on a device where they cannot be.
fn wrong_home(on_disk: bool) -> Problem {
    let (value, allowed) = match on_disk {
        true => ("absent", "a disk, where the scheme keeps the data"),
        false => ("present", "no disk: the scheme keeps all data in flash"),
    };
    Problem::new("device.disk", value, allowed)
}

macro_rules! schemes {
    ($($(#[$when:meta])* $name:literal => $variant:ident, $config:path, $scheme:path, $aliases:expr, $summary:literal, $paper:literal;)*) => {
        /// A scheme's parameters, under its name.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub enum SchemeConfig {
            $($(#[$when])* #[doc = $summary] #[serde(rename = $name)] $variant($config),)*
        }

        /// Any scheme, dispatched statically. There is one in a simulation, so its size is no matter.
        #[derive(Clone, Serialize, Deserialize)]
        #[allow(clippy::large_enum_variant)]
        pub enum AnyScheme {
            $($(#[$when])* #[doc = $summary] #[serde(rename = $name)] $variant($scheme),)*
        }

        /// Every scheme.
        pub static CATALOG: &[CatalogEntry] = &[
            $($(#[$when])* CatalogEntry {
                name: $name,
                aliases: $aliases,
                summary: $summary,
                paper: $paper,
                memory_version: <$scheme as Scheme>::MEMORY_VERSION,
                knobs: <$scheme as Scheme>::KNOBS,
                signals: <$scheme as Scheme>::SIGNALS,
                on_disk: <$config as Parameters>::ON_DISK,
                looks_ahead: <$config as Parameters>::LOOKS_AHEAD,
                defaults_of: <$config as Parameters>::DEFAULTS_OF,
            },)*
        ];

        impl SchemeConfig {
            pub fn name(&self) -> &'static str {
                match self { $($(#[$when])* Self::$variant(_) => $name,)* }
            }

            /// The default parameters of the scheme called `name`.
            pub fn default_for(name: &str) -> Option<Self> {
                match name { $($(#[$when])* $name => Some(Self::$variant(Default::default())),)* _ => None }
            }

            /// The JSON schema of the parameters of the scheme called `name`.
            pub fn schema_for(name: &str) -> Option<shape::Schema> {
                match name { $($(#[$when])* $name => Some(shape::closed::<$config>(false)),)* _ => None }
            }

            /// Adds every problem of the parameters on `device`.
            pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
                if self.on_disk() != device.disk.is_some() {
                    return problems.push(wrong_home(self.on_disk()));
                }
                self.check_upkeep(device, problems);
                match self { $($(#[$when])* Self::$variant(config) => config.check(device, problems),)* }
            }

            /// Adds the problem of blocks that cannot be moved because of their cells.
            fn check_upkeep(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
                let on_disk = self.on_disk().then_some("what is in flash is a copy of the disk's");
                let kept = match self { $($(#[$when])* Self::$variant(config) => config.keeps_places(),)* };
                if let Some(why) = on_disk.or(kept) {
                    for key in device.cells.iter().flat_map(|cells| cells.upkeep()) {
                        let allowed = format!("left out with {}: {why}", self.name());
                        problems.push(Problem::new(format!("device.cells.{key}"), "present", allowed));
                    }
                }
            }

            /// Whether its data are at home on a disk.
            pub fn on_disk(&self) -> bool {
                match self { $($(#[$when])* Self::$variant(_) => <$config as Parameters>::ON_DISK,)* }
            }

            /// Whether it knows what the trace will do, from a first pass over it.
            pub fn looks_ahead(&self) -> bool {
                let always = match self { $($(#[$when])* Self::$variant(_) => <$config as Parameters>::LOOKS_AHEAD,)* };
                always || self.separation().foresees()
            }

            /// Bytes of its tables for each logical page, beyond those that all may have.
            pub fn page_bytes(&self) -> u64 {
                match self { $($(#[$when])* Self::$variant(_) => <$config as Parameters>::PAGE_BYTES,)* }
            }

            /// How its store separates data by lifetime.
            pub fn separation(&self) -> Separation {
                match self { $($(#[$when])* Self::$variant(config) => config.separation(),)* }
            }

            /// Writes out what depends on the device where nothing is chosen.
            pub fn settle(&mut self, device: &DeviceConfig) {
                match self { $($(#[$when])* Self::$variant(config) => config.settle(device),)* }
            }

            /// Why the parameter `key`, such as `slc.victim`, changes nothing beside the others, if it does not.
            pub fn moot(&self, key: &str) -> Option<&'static str> {
                match self { $($(#[$when])* Self::$variant(config) => config.moot(key),)* }
            }

            pub fn build(&self, device: &DeviceConfig, io: &mut Io) -> AnyScheme {
                match self { $($(#[$when])* Self::$variant(config) => AnyScheme::$variant(<$scheme>::new(config, device, io)),)* }
            }
        }

        impl Scheme for AnyScheme {
            fn regions(&self, visit: &mut dyn FnMut(Role, &dyn AnyRegion)) {
                match self { $($(#[$when])* Self::$variant(s) => s.regions(visit),)* }
            }
            fn regions_mut(&mut self, visit: &mut dyn FnMut(&mut dyn AnyRegion)) {
                match self { $($(#[$when])* Self::$variant(s) => s.regions_mut(visit),)* }
            }
            fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.preload(page, mask, io),)* }
            }
            #[inline]
            fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.write(piece, io),)* }
            }
            #[inline]
            fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.read(piece, io),)* }
            }
            #[inline]
            fn served_above(&mut self, units: u32) {
                match self { $($(#[$when])* Self::$variant(s) => s.served_above(units),)* }
            }
            fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
                match self { $($(#[$when])* Self::$variant(s) => s.trim(first, end, io),)* }
            }
            fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.program_held(all, io),)* }
            }
            fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
                match self { $($(#[$when])* Self::$variant(s) => s.idle(plane, io),)* }
            }
            #[inline]
            fn write_request(&mut self, first: u32, last: u32, io: &Io) {
                match self { $($(#[$when])* Self::$variant(s) => s.write_request(first, last, io),)* }
            }
            fn foresee(&mut self, oracle: Oracle) {
                match self { $($(#[$when])* Self::$variant(s) => s.foresee(oracle),)* }
            }
            fn window_length(&self) -> WindowLength {
                match self { $($(#[$when])* Self::$variant(s) => s.window_length(),)* }
            }
            fn window(&mut self, counters: &WindowCounters, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.window(counters, io),)* }
            }
            fn knobs(&self, io: &Io) -> Vec<Knob> {
                match self { $($(#[$when])* Self::$variant(s) => s.knobs(io),)* }
            }
            fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.turn(knob, value, io),)* }
            }
            fn signals(&self, io: &Io) -> Vec<f64> {
                match self { $($(#[$when])* Self::$variant(s) => s.signals(io),)* }
            }
            fn drain(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.drain(io),)* }
            }
            fn finish(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
                match self { $($(#[$when])* Self::$variant(s) => s.finish(io),)* }
            }
            fn memory(&self) -> Option<Memory> {
                match self { $($(#[$when])* Self::$variant(s) => s.memory(),)* }
            }
            fn take_memory(&mut self, memory: Memory) -> Result<(), String> {
                match self { $($(#[$when])* Self::$variant(s) => s.take_memory(memory),)* }
            }
            fn phases(&self) -> Vec<(&'static str, usize)> {
                match self { $($(#[$when])* Self::$variant(s) => s.phases(),)* }
            }
            fn failure(&self) -> Option<String> {
                match self { $($(#[$when])* Self::$variant(s) => s.failure(),)* }
            }
            fn blocks(&self) -> Vec<BlockShare> {
                match self { $($(#[$when])* Self::$variant(s) => s.blocks(),)* }
            }
            fn held_units_max(&self) -> u32 {
                match self { $($(#[$when])* Self::$variant(s) => s.held_units_max(),)* }
            }
            #[inline]
            fn program_units(&self, io: &Io) -> u32 {
                match self { $($(#[$when])* Self::$variant(s) => s.program_units(io),)* }
            }
            fn wordline_units(&self, io: &Io) -> u32 {
                match self { $($(#[$when])* Self::$variant(s) => s.wordline_units(io),)* }
            }
            #[inline]
            fn packs_units(&self) -> bool {
                match self { $($(#[$when])* Self::$variant(s) => s.packs_units(),)* }
            }
            fn slc_bytes_max(&self, io: &Io) -> u64 {
                match self { $($(#[$when])* Self::$variant(s) => s.slc_bytes_max(io),)* }
            }
            fn slc_cache_limit_bytes(&self, io: &Io) -> u64 {
                match self { $($(#[$when])* Self::$variant(s) => s.slc_cache_limit_bytes(io),)* }
            }
            fn slc_cache_bytes(&self, io: &Io) -> u64 {
                match self { $($(#[$when])* Self::$variant(s) => s.slc_cache_bytes(io),)* }
            }
            fn resume(&mut self, fresh: Self) -> Result<(), String> {
                match (self, fresh) {
                    $($(#[$when])* (Self::$variant(s), Self::$variant(fresh)) => s.resume(fresh),)*
                    _ => Err("the state of another scheme".into()),
                }
            }
            fn audit_own(&self, io: &Io) -> Result<(), String> {
                match self { $($(#[$when])* Self::$variant(s) => s.audit_own(io),)* }
            }
            fn report(&self, io: &Io) -> SchemeReport {
                match self { $($(#[$when])* Self::$variant(s) => s.report(io),)* }
            }
        }
    };
}

schemes! {
    "tlc-only" => TlcOnly, tlc_only::TlcOnlyConfig, tlc_only::TlcOnly, &[("mlc-only", "mode=mlc"), ("slc-only", "mode=slc")],
        "one cell mode, the densest there is, no cache: each piece of a write takes a page of its own; called after the mode in results", "the reference of every SLC-cache paper";
    "baseline" => Baseline, baseline::BaselineConfig, baseline::Baseline, &[],
        "page-level SLC write cache in front of the dense store", "A Two-level SLC Cache Hierarchy for Hybrid SSDs, section II-C";
    "clairvoyant" => Clairvoyant, clairvoyant::ClairvoyantConfig, clairvoyant::Clairvoyant, &[],
        "SLC cache that knows when everything dies: a yardstick that no device can be", "none: the plan is the largest k-colourable set of intervals, Carlisle and Lloyd 1995";
    "sa" => Sa, sa::SaConfig, sa::Sa, &[],
        "page-level SLC cache that packs short pages together", "Subpage-Aware Solid State Drive for Improving Lifetime and Performance";
    "sector" => Sector, sector::SectorConfig, sector::Sector, &[],
        "sector-level SLC cache that packs sectors of like update frequency", "Leveraging Intra-Page Update Diversity for Mitigating Write Amplification in SSDs";
    "hierarchy" => Hierarchy, hierarchy::HierarchyConfig, hierarchy::Hierarchy, &[],
        "two-level SLC cache: merged partial writes in L1, full pages in L2", "A Two-level SLC Cache Hierarchy for Hybrid SSDs";
    "classifier" => Classifier, classifier::ClassifierConfig, classifier::Bypass<classifier::Learned>, &[],
        "SLC cache past which a model that learns sends cold writes", "Applied Sciences 14, 1648 (2024), of which abstract and introduction are public";
    "bypass-oracle" => BypassOracle, classifier::BypassOracleConfig, classifier::Bypass<classifier::Foreseen>, &[],
        "SLC cache past which goes what is rewritten later than the cache turns over: a yardstick", "none: what the classifier would do if it never erred";
    "turbo-write" => TurboWrite, turbo_write::TurboWriteConfig, turbo_write::TurboWrite, &[],
        "static SLC cache, emptied block by block in idle time", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section III";
    "ips" => Ips, ips::IpsConfig, ips::Ips, &[],
        "in-place switch: host data turn used SLC pages into TLC pages", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section IV-A";
    "ips-agc" => IpsAgc, ips::IpsAgcConfig, ips::IpsAgc, &[],
        "in-place switch, fed by garbage collection in idle time", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section IV-B";
    "ips-coop" => IpsCoop, ips::IpsCoopConfig, ips::IpsCoop, &[],
        "in-place switch with a large traditional SLC cache beside it", "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs, section IV-C";
    "qlc-only" => QlcOnly, hybrid::QlcOnlyConfig, hybrid::QlcOnly, &[],
        "no cache: units are packed into the pages of one dense region", "the reference of the reinforcement-learning SLC cache";
    "dwa" => Dwa, hybrid::DwaConfig, hybrid::Dwa, &[],
        "SLC region for small requests, its size by how full the device is", "the rival of the reinforcement-learning SLC cache, its Table 2";
    "slc-share" => SlcShare, hybrid::SlcShareConfig, hybrid::SlcShare, &[],
        "all writes to SLC mode, whose share of the cells is limited by a table; zones not accessed lately go dense", "ZnH2, its device-managed mode";
    "raro" => Raro, raro::RaroConfig, raro::Raro, &[("raro-hot", "min_retries=[0, 0]")],
        "blocks of three modes: what is read often out of cells that need many retries moves to fewer bits", "RARO, arXiv 2508.19530, of which abstracts are public";
    "client" => Client, client::ClientConfig, client::Client, &[],
        "SLC cache of a client SSD: static and dynamic part, writes past it, folding when no block is free", "makers' briefs and laboratories' measurements of drives that are sold";
    "rl" => Rl, rl::RlConfig, rl::Rl, &[],
        "Q-learning sets the size of the SLC cache and the largest request it takes", "Reinforcement Learning-Based SLC Cache Technique for Enhancing SSD Write Performance";
    "ust" => Ust, ust::UstConfig, ust::Ust, &[],
        "SLC blocks by logical block: hot units stay in them, cold ones go dense", "Utilization-Aware Self-Tuning Design for TLC Flash Storage Devices, as the paper on reinforcement learning compares with it";
    "hyssd" => Hyssd, hyssd::HyssdConfig, hyssd::Hyssd<hyssd::Adaptive>, &[],
        "two tiers of flash: a cost model decides how much of the fast one is used", "Hybrid Solid State Drives for Improved Performance and Enhanced Lifetime, sections II and III";
    "hyssd-static" => HyssdStatic, hyssd::HyssdStaticConfig, hyssd::Hyssd<hyssd::Fixed>, &[],
        "two tiers of flash, with a constant utilisation of the fast one", "Hybrid Solid State Drives for Improved Performance and Enhanced Lifetime, section III, Static";
    "nvc" => Nvc, nvc::NvcConfig, nvc::Nvc, &[],
        "flash cache of a disk: an SLC log for what is hot, a dense one for what is cold", "NAND Flash-based Disk Cache Using SLC/MLC Combined Flash Memory, sections III and IV";
    "nvc-slc-only" => NvcSlcOnly, nvc::NvcSlcOnlyConfig, nvc::Single<nvc::SlcOnly>, &[],
        "flash cache of a disk: one log in SLC mode", "NAND Flash-based Disk Cache Using SLC/MLC Combined Flash Memory, section VI";
    "nvc-mlc-only" => NvcMlcOnly, nvc::NvcMlcOnlyConfig, nvc::Single<nvc::MlcOnly>, &[],
        "flash cache of a disk: one log in a dense mode", "NAND Flash-based Disk Cache Using SLC/MLC Combined Flash Memory, section VI";
    "disk-only" => DiskOnly, nvc::DiskOnlyConfig, nvc::DiskOnly, &[],
        "a disk and its DRAM buffer, without flash", "NAND Flash-based Disk Cache Using SLC/MLC Combined Flash Memory, section VI, the normal disk";
    "custom" => Custom, custom::CustomConfig, custom::Custom, &[],
        "a scheme of your own, written in Python; without one, regions by their defaults", "none: yours";
    #[cfg(test)]
    "example" => Example, example::ExampleConfig, example::Example, &[],
        "SLC cache that makes room a block at a time", "none";
}

#[cfg(test)]
mod example;
