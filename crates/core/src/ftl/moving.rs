//! The map's side of pages that move together from one block to another.

use crate::hw::array::Owners;

/// The map, while pages of a block move to another.
pub(super) struct Moving<'a> {
    pub(super) map: &'a mut [u32],
    /// Versions by slot, if they are kept.
    pub(super) stored: Option<&'a mut [u32]>,
    /// First slots of the two blocks.
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) slot_bits: u32,
    /// Index and mapping units of each page that moved.
    pub(super) moved: &'a mut Vec<(u16, u16)>,
}

impl Owners for Moving<'_> {
    #[inline(always)]
    fn fetch(&self, tags: &[u32]) {
        for &tag in tags.iter().filter(|&&tag| tag != 0) {
            crate::base::prefetch::read(self.map, tag as usize - 1);
        }
    }

    #[inline(always)]
    fn moved(&mut self, tag: u32, slot: u32) {
        self.map[tag as usize - 1] = self.target + slot + 1;
    }

    #[inline(always)]
    fn page(&mut self, from: u32, to: u32, units: u32) {
        if let Some(stored) = self.stored.as_mut() {
            let slot = |first: u32, page: u32| (first + (page << self.slot_bits)) as usize;
            let source = slot(self.source, from);
            stored.copy_within(source..source + (1 << self.slot_bits), slot(self.target, to));
        }
        self.moved.push((from as u16, units as u16));
    }
}
