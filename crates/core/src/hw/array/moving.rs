//! Pages whose live slots move to another page.

use super::{tag_index, BlockState, Fault, FlashArray, CLOSED, MODES};
use crate::base::{BlockId, Ppn};

/// How many pages ahead the owners of a block's live slots are fetched.
const AHEAD: usize = 8;

/// Who keeps in mind where the owner of each tag lives.
pub trait Owners {
    /// The owners of a page's tags (0 = none) are about to move: their entries may be fetched.
    fn fetch(&self, tags: &[u32]);

    /// The owner of `tag` now lives in slot `slot` of the block programmed.
    fn moved(&mut self, tag: u32, slot: u32);

    /// All `units` live slots of page `from` are in page `to` of the block programmed.
    fn page(&mut self, from: u32, to: u32, units: u32);
}

/// Moves the tags of pages of `SLOTS` slots that hold something, from page `first` of `from` on, to all
/// those of `to`, of which `begin` is the first page's number. Returns the page behind the last that moved,
/// and how many tags did.
#[inline(always)]
fn move_tags<const SLOTS: usize>(
    from: &mut [u32],
    first: u32,
    to: &mut [u32],
    begin: u32,
    owners: &mut impl Owners,
) -> (u32, u32)
where
    [u32; SLOTS]: bytemuck::Pod,
{
    let from: &mut [[u32; SLOTS]] = bytemuck::cast_slice_mut(from);
    let to: &mut [[u32; SLOTS]] = bytemuck::cast_slice_mut(to);
    from.iter().skip(first as usize).take(AHEAD).for_each(|tags| owners.fetch(tags));
    let (mut index, mut live) = (first as usize, 0);
    for (next, taken) in (begin..).zip(to) {
        // The caller has counted what lives: there is a page.
        loop {
            if let Some(tags) = from.get(index + AHEAD) {
                owners.fetch(tags);
            }
            if from[index] != [0; SLOTS] {
                break;
            }
            index += 1;
        }
        let mut units = 0;
        for (place, (left, taken)) in from[index].iter_mut().zip(taken).enumerate() {
            if *left != 0 {
                *taken = std::mem::take(left);
                owners.moved(*taken, next * SLOTS as u32 + place as u32);
                units += 1;
            }
        }
        owners.page(index as u32, next, units);
        live += units;
        index += 1;
    }
    (index as u32, live)
}

impl FlashArray {
    /// Whether both pages lie in plain blocks.
    #[inline(always)]
    pub fn both_plain(&self, a: Ppn, b: Ppn) -> bool {
        self.is_plain(a) && self.is_plain(b)
    }

    /// Programs `to`, the next page of an open plain block, with what lives in `from`, of a plain block,
    /// each slot at the same place, and leaves nothing there. Tells `moved` the tag and the place of each,
    /// and returns how many.
    #[inline(always)]
    pub fn move_page(&mut self, from: Ppn, to: Ppn, mut moved: impl FnMut(u32, u32)) -> Result<u32, Fault> {
        let (source, target) = (self.geometry.block_of(from), self.geometry.block_of(to));
        let (index, next) = (self.geometry.page_in_block(from), self.geometry.page_in_block(to));
        self.check_next(target, next, to, 0)?;
        let from_base = tag_index(&self.geometry, self.blocks[source.index()].chunk, index);
        let to_base = tag_index(&self.geometry, self.blocks[target.index()].chunk, next);
        let (mut live, mut end) = (0, 0);
        for place in 0..1 << self.geometry.slot_bits {
            let tag = std::mem::take(&mut self.tags[from_base + place]);
            if tag != 0 {
                self.tags[to_base + place] = tag;
                moved(tag, place as u32);
                live += 1;
                end = place + 1;
            }
        }
        self.check_slots(target, to, end)?;
        self.count_taken(source, index, live);
        self.stored[usize::from(self.blocks[target.index()].mode) % MODES] += 1;
        self.count_stored(target, next, live);
        Ok(u32::from(live))
    }

    /// Moves what lives in a plain block, from page `first` on, to `count` pages of another plain one,
    /// `to` and those behind it, which are the next to program: one page after the other that holds
    /// something live, each slot to its place there. Returns the page behind the last that moved.
    #[inline(always)]
    pub fn move_pages(
        &mut self,
        source: BlockId,
        first: u32,
        to: Ppn,
        count: u32,
        owners: &mut impl Owners,
    ) -> Result<u32, Fault> {
        let (target, begin) = (self.geometry.block_of(to), self.geometry.page_in_block(to));
        let slots = self.geometry.planes[self.geometry.plane_of(source).index()].slots;
        self.check_next(target, begin, to, usize::from(slots))?;
        let end = u32::from(self.blocks[target.index()].pages);
        if begin + count > end {
            return Err(Fault::ProgramNotOpen(self.geometry.page(target, end)));
        }
        let bits = self.geometry.slot_bits;
        let (from_tags, to_tags) = self.tags_of_two(source, target);
        let to_tags = &mut to_tags[(begin as usize) << bits..((begin + count) as usize) << bits];
        let (end, live) = match bits {
            0 => move_tags::<1>(from_tags, first, to_tags, begin, owners),
            1 => move_tags::<2>(from_tags, first, to_tags, begin, owners),
            2 => move_tags::<4>(from_tags, first, to_tags, begin, owners),
            3 => move_tags::<8>(from_tags, first, to_tags, begin, owners),
            4 => move_tags::<16>(from_tags, first, to_tags, begin, owners),
            bits => unreachable!("Invariant: a page has no more than 16 slots, not 2^{bits}"),
        };
        self.count_moved(source, target, count as u16, live as u16);
        Ok(end)
    }

    /// The tags of two blocks, each from its first page on.
    #[inline(always)]
    fn tags_of_two(&mut self, a: BlockId, b: BlockId) -> (&mut [u32], &mut [u32]) {
        let (a, b) = (self.blocks[a.index()].chunk as usize, self.blocks[b.index()].chunk as usize);
        let chunk = self.geometry.slots_per_block() as usize;
        let (low, high) = self.tags.split_at_mut(a.max(b) * chunk);
        let (low, high) = (&mut low[a.min(b) * chunk..][..chunk], &mut high[..chunk]);
        if a < b {
            (low, high)
        } else {
            (high, low)
        }
    }

    /// Counts `pages` pages with `live` live slots that moved from one plain block to another.
    #[inline(always)]
    fn count_moved(&mut self, source: BlockId, target: BlockId, pages: u16, live: u16) {
        let record = &mut self.blocks[source.index()];
        record.live -= live;
        record.live_pages -= pages;
        self.live[usize::from(record.region)] -= u64::from(live);
        if record.state == BlockState::Closed as u8 {
            self.score[source.index()] -= pages as i16;
        }
        let record = &mut self.blocks[target.index()];
        record.live += live;
        record.live_pages += pages;
        record.write_ptr += pages;
        self.live[usize::from(record.region)] += u64::from(live);
        self.stored[usize::from(record.mode) % MODES] += u64::from(pages);
        if record.write_ptr == record.pages {
            record.state = BlockState::Closed as u8;
            self.score[target.index()] = CLOSED + record.live_pages as i16;
        }
    }

    /// The first page of a plain block, from page `first` on, that holds something live.
    pub fn next_live(&self, block: BlockId, first: u32) -> u32 {
        let base = self.first_tag(block);
        let pages = self.blocks[block.index()].write_ptr();
        let lives = |&page: &u32| self.tags_at(base, page).iter().any(|&tag| tag != 0);
        (first..pages).find(lives).expect("Invariant: the caller has counted what lives")
    }

    /// Where the tags of `block` begin, for `tags_at`.
    #[inline(always)]
    pub fn first_tag(&self, block: BlockId) -> usize {
        tag_index(&self.geometry, self.blocks[block.index()].chunk, 0)
    }

    /// The tags of page `index` of the block whose tags begin at `first`.
    #[inline(always)]
    pub fn tags_at(&self, first: usize, index: u32) -> &[u32] {
        let base = first + ((index as usize) << self.geometry.slot_bits);
        &self.tags[base..base + (1 << self.geometry.slot_bits)]
    }
}
