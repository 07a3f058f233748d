//! Live slots that move to another page, alone or with those of other pages.

use super::{Media, REFUSED, SLOTS_MAX};
use crate::base::{BlockId, Ppn};
use crate::hw::array::Owners;

/// The map, while pages of a block move to another.
struct Moving<'a> {
    map: &'a mut [u32],
    /// Versions by slot, if they are kept.
    stored: Option<&'a mut [u32]>,
    /// First slots of the two blocks.
    source: u32,
    target: u32,
    slot_bits: u32,
    /// Index and mapping units of each page that moved.
    moved: &'a mut Vec<(u16, u16)>,
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

impl Media {
    /// Asks the processor to fetch the map entries of the live slots of page `index` of the block whose
    /// tags begin at `first_tag`.
    #[inline(always)]
    pub(in crate::ftl) fn prefetch_owners(&self, first_tag: usize, index: u32) {
        for &tag in self.array.tags_at(first_tag, index).iter().filter(|&&tag| tag != 0) {
            crate::base::prefetch::read(&self.map, tag as usize - 1);
        }
    }

    /// Moves a page's live slots to `to`, each to the same place; returns how many.
    #[inline(always)]
    pub(in crate::ftl) fn remap_page(&mut self, from: Ppn, to: Ppn) -> u32 {
        let first = self.array.geometry.slot(to, 0).0;
        if self.versions.is_some() {
            self.move_versions(from, to);
        }
        if !self.array.both_plain(from, to) {
            return self.remap_by_copy(from, to);
        }
        let Self { array, map, .. } = self;
        array.move_page(from, to, |tag, place| map[tag as usize - 1] = first + place + 1).expect(REFUSED)
    }

    /// Moves what lives in `block`, from page `first` on, to `count` pages of a plain block of its unit, `to`
    /// and those behind it, and puts index and mapping units of each page that moved into `moved`. Returns the
    /// page behind the last of them.
    #[inline(always)]
    pub(in crate::ftl) fn remap_pages(
        &mut self,
        block: BlockId,
        first: u32,
        to: Ppn,
        count: u32,
        moved: &mut Vec<(u16, u16)>,
    ) -> u32 {
        let geometry = &self.array.geometry;
        let source = geometry.slot(geometry.page(block, 0), 0).0;
        let target = geometry.slot(geometry.page(geometry.block_of(to), 0), 0).0;
        let slot_bits = geometry.slot_bits;
        let Self { array, map, versions, .. } = self;
        let stored = versions.as_mut().map(|versions| &mut versions.stored[..]);
        let before = moved.len();
        let mut owners = Moving { map, stored, source, target, slot_bits, moved };
        let end = array.move_pages(block, first, to, count, &mut owners).expect(REFUSED);
        if self.versions.is_some() {
            self.note_cells(to, moved.len() - before);
        }
        end
    }

    #[cold]
    fn move_versions(&mut self, from: Ppn, to: Ppn) {
        let (pool, mode) = self.cells_of(to);
        let Self { array, versions, .. } = self;
        let (source, target) = (array.geometry.slot(from, 0).index(), array.geometry.slot(to, 0).index());
        let Some(versions) = versions.as_mut() else {
            return;
        };
        for (i, _) in array.page_tags(from).iter().enumerate().filter(|(_, &tag)| tag != 0) {
            versions.program(versions.stored[source + i], pool, mode);
        }
        versions.stored.copy_within(source..source + (1 << array.geometry.slot_bits), target);
    }

    /// Notes in which cells `count` pages from `to` on lie now.
    #[cold]
    fn note_cells(&mut self, to: Ppn, count: usize) {
        let (pool, mode) = self.cells_of(to);
        let Self { array, versions, .. } = self;
        for page in (to.0..).take(count).map(Ppn) {
            let first = array.geometry.slot(page, 0).index();
            for (i, _) in array.page_tags(page).iter().enumerate().filter(|(_, &tag)| tag != 0) {
                if let Some(versions) = versions.as_mut() {
                    versions.program(versions.stored[first + i], pool, mode);
                }
            }
        }
    }

    /// Moves what lives in `from` to `to` where blocks of two-layer layout take part.
    fn remap_by_copy(&mut self, from: Ppn, to: Ppn) -> u32 {
        let mut buffer = [0; SLOTS_MAX];
        let tags = &mut buffer[..1 << self.array.geometry.slot_bits];
        self.array.take_page(from, tags);
        let first = self.array.geometry.slot(to, 0).0;
        let (mut moved, mut end) = (0, 0);
        for (i, &tag) in tags.iter().enumerate().filter(|(_, &tag)| tag != 0) {
            self.map[tag as usize - 1] = first + i as u32 + 1;
            moved += 1;
            end = i + 1;
        }
        self.store(to, &tags[..end]);
        moved
    }
}
