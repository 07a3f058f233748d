//! What the cache knows of each slot beside its data: whether the disk has an older version, and whether
//! it was read.

use crate::base::bit_table::BitTable;
use crate::base::{Mu, Ppn, Slot};
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use serde::{Deserialize, Serialize};

/// The marks of all slots. Those of a slot are set when it is programmed; what they say of a dead one
/// has no meaning.
#[derive(Clone, Serialize, Deserialize)]
pub struct Marks {
    dirty: BitTable,
    read: BitTable,
}

impl Marks {
    /// Nothing is stored yet.
    pub fn new(io: &Io) -> Self {
        let slots = io.geometry().block_numbers() * io.geometry().slots_per_block() as usize;
        Self { dirty: BitTable::new(slots), read: BitTable::new(slots) }
    }

    /// Whether the disk has an older version than `slot`.
    #[inline]
    pub fn is_dirty(&self, slot: Slot) -> bool {
        self.dirty.get(slot.index())
    }

    #[inline]
    pub fn note_read(&mut self, slot: Slot) {
        self.read.set(slot.index(), true);
    }

    /// Whether anything that lives in `page` was read.
    pub fn was_read(&self, page: Ppn, io: &Io) -> bool {
        live_slots(page, io).any(|(_, slot)| self.read.get(slot.index()))
    }

    /// Notes that `page` was programmed with units in `mask` of its slots, those in `dirty` newer than
    /// the disk's; nobody has read them there.
    #[inline]
    pub fn programmed(&mut self, page: Ppn, mask: u32, dirty: u32, io: &Io) {
        for i in bits(mask) {
            let slot = io.geometry().slot(page, i);
            self.dirty.set(slot.index(), dirty >> i & 1 == 1);
            self.read.set(slot.index(), false);
        }
    }

    /// The slots of `page` that live, and those of them that are dirty.
    #[inline]
    pub fn of_page(&self, page: Ppn, io: &Io) -> (u32, u32) {
        live_slots(page, io).fold((0, 0), |(live, dirty), (i, slot)| {
            (live | 1 << i, dirty | u32::from(self.dirty.get(slot.index())) << i)
        })
    }

    /// The units of logical page `page` in `mask` of which the flash has a newer version than the disk.
    #[inline]
    pub fn dirty_units(&self, page: u32, mask: u32, io: &Io) -> u32 {
        let first = page * io.policy().mus_per_page;
        let is_dirty = |i: &u32| io.lookup(Mu(first + i)).is_some_and(|slot| self.dirty.get(slot.index()));
        bits(mask).filter(is_dirty).fold(0, |dirty, i| dirty | 1 << i)
    }
}

/// The slots of `page` that live, each with its place in the page.
fn live_slots(page: Ppn, io: &Io) -> impl Iterator<Item = (u32, Slot)> + '_ {
    let tags = io.array().page_tags(page).iter().zip(0..);
    tags.filter(|(&tag, _)| tag != 0).map(move |(_, i)| (i, io.geometry().slot(page, i)))
}
