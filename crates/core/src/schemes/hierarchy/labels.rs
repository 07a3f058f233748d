//! Which pages of the cache hold merged parts: all of L1's, or, where the label of Algorithm 1 gives
//! pages, those that were written so.

use super::config::{HierarchyConfig, PageSource};
use crate::base::bit_table::BitTable;
use crate::base::{BlockId, Ppn};
use crate::ftl::io::Io;
use crate::ftl::mixed::MixedPages;
use crate::hw::array::RegionId;
use serde::{Deserialize, Serialize};

/// The merged pages of a cache.
#[derive(Clone, Serialize, Deserialize)]
pub struct Labels {
    l1: RegionId,
    l2: RegionId,
    /// A bit for each page of the device, where both levels hold pages of either kind.
    merged: Option<BitTable>,
}

impl Labels {
    /// No page is merged yet.
    pub fn new(config: &HierarchyConfig, l1: RegionId, l2: RegionId, io: &Io) -> Self {
        let end = io.geometry().page(BlockId(io.geometry().block_numbers() as u32), 0).0 as usize;
        let merged = (config.page_source == PageSource::Label).then(|| BitTable::new(end));
        Self { l1, l2, merged }
    }

    /// Notes how page `at` was just written.
    #[inline]
    pub fn note(&mut self, at: Ppn, is_merged: bool) {
        if let Some(merged) = &mut self.merged {
            merged.set(at.0 as usize, is_merged);
        }
    }
}

impl MixedPages for Labels {
    #[inline(always)]
    fn has(&self, at: Ppn, io: &Io) -> bool {
        let region = io.array().block(io.geometry().block_of(at)).region();
        match &self.merged {
            None => region == self.l1,
            Some(merged) => merged.get(at.0 as usize) && (region == self.l1 || region == self.l2),
        }
    }
}
