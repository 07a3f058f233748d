//! Subpage-aware page-level cache.
//!
//! **What it does.** A logical page stays together in one flash page, but a flash page may hold
//! several logical pages that are short. A partial write reads the old rest of its page only if
//! there is any that it does not cover; what then is a full page is programmed alone, what is not
//! waits in the hold buffer for other short pages to fill a flash page with.
//! **Paper.** Kang, Lee and Kim, "Subpage-Aware Solid State Drive for Improving Lifetime and
//! Performance" (IEEE TC 2018), as the SA of "A Two-level SLC Cache Hierarchy for Hybrid SSDs".
//! **What the paper leaves open and what we chose.** When a short page stops waiting
//! (`merge.timeout_ns`) and when its write is complete (`merge.acknowledge`); the size of the buffer;
//! old data of a short page are read when its flash page is programmed, not when it begins to wait;
//! cleaning as in `baseline`, one page of the store for each logical page (`trigger`, `slc`, `dense`).
//! **Knobs.** `slc.start_free_ratio`, `merge.timeout_ns`.

use super::common::cache::{self, of_split, CacheConfig};
use super::common::dials::{Dials, MERGE_TIMEOUT, START_FREE_RATIO};
use super::common::mixed_cache::MixedCache;
use super::common::tables::table_bytes;
use crate::base::arithmetic::Ones;
use crate::base::Problem;
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::MergeConfig;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::mixed::Carry;
use crate::ftl::pack::{exact, oldest_first, Picks};
use crate::ftl::page_level::mapped_mask;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::RequestId;
use crate::metrics::report::{SchemeReport, TableReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// All pieces are packed together.
const GROUP: u8 = 0;

/// Parameters of `sa`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct SaConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
    /// How short pages wait for others.
    pub merge: MergeConfig,
}

impl Parameters for SaConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.merge.check("scheme.sa.merge", device.piece_bytes(), problems);
        self.cache.check("sa", device, problems);
    }

    of_split!(cache.split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        cache::moot(key).or_else(|| self.merge.moot(key))
    }
}

/// Subpage-aware SLC cache and dense store.
#[derive(Clone, Serialize, Deserialize)]
pub struct Sa {
    cache: MixedCache,
    dials: Dials,
    #[serde(skip)]
    reach: Vec<u32>,
}

impl Sa {
    pub fn new(config: &SaConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        Self {
            cache: MixedCache::new(&config.cache, &config.merge, device, io),
            dials: Dials::new(MixedCache::dials(&config.cache, &config.merge)),
            reach: Vec::new(),
        }
    }
}

impl Scheme for Sa {
    const KNOBS: &'static [KnobSpec] = &[START_FREE_RATIO, MERGE_TIMEOUT];

    regions! { Cache cache.slc, Store cache.store.region }

    fn audit_own(&self, io: &Io) -> Result<(), String> {
        self.cache.census.audit(io)
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.store.preload(page, mask, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let held = io.held().mask(piece.page);
        let together = piece.mask | held | mapped_mask(io, piece.page);
        let slots = together.ones();
        if held == 0 && slots == io.policy().mus_per_page {
            return self.cache.write_page(&piece, io);
        }
        self.cache.make_buffer_room(&piece, Carry::Rest, io)?;
        let entry = self.cache.merger.hold(&piece, GROUP, slots, io);
        let picks = if slots == io.policy().mus_per_page {
            Some(Picks::one(io.held(), entry))
        } else {
            exact(io.held(), entry, self.cache.slots, &mut self.reach)
        };
        if let Some(picks) = picks {
            self.cache.program(&picks, Carry::Rest, self.cache.merger.causer(&piece), io)?;
        }
        if io.clockless() {
            self.program_held(true, io)?;
        }
        Ok(())
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.cache.trim(first, end, io);
    }

    fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        while all || self.cache.merger.is_due(io) {
            let Some(picks) = oldest_first(io.held(), self.cache.slots) else {
                break;
            };
            self.cache.program(&picks, Carry::Rest, RequestId::NONE, io)?;
        }
        self.cache.merger.arm(io);
        Ok(())
    }

    fn held_units_max(&self) -> u32 {
        self.cache.merger.units_max()
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        if self.dials.turn(knob, value) {
            self.cache.follow(&self.dials);
            self.cache.merger.arm(io);
        }
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = self.cache.report("sa", io);
        let slots = self.cache.slots;
        // Which units of the page are there, and from which slot on.
        let bits = slots + slots.next_power_of_two().trailing_zeros();
        let entries = self.cache.census.peak().fragments;
        let name = "subpage fields of cached pages".into();
        report.tables.push(TableReport { name, entries, bytes: table_bytes(entries, bits) });
        report
    }
}
