//! Emptying a block of mixed pages: every logical page with live units in it becomes one page of
//! the dense store, put together from wherever its units lie. Pages beside them that are not mixed
//! move as they are.

use super::answer::DeviceFull;
use super::clean::pad_unprotected;
use super::destination::Destination;
use super::io::{Io, Programs};
use super::media::{bits, SLOTS_MAX};
use super::mixed::MixedPages;
use super::page_level::{mapped_mask, region_slots, Sources};
use super::piece::Job;
use super::region::Writer;
use super::relocate::{note_carrier, relocate};
use super::store::Store;
use crate::base::arithmetic::Ones;
use crate::base::{BlockId, Mu, PlaneId, Ppn};
use crate::hw::timing::{OpId, RequestId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which of a logical page's units leave the cache with those in the victim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gather {
    /// All of them, in whatever page they lie: one home is left, and the latest version is there.
    #[default]
    All,
    /// Those in the victim and in the page that holds the rest; units in other mixed pages stay.
    VictimOnly,
}

/// What an emptied block came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Logical pages written to the store.
    pub pages: u64,
    /// Pairs of a logical page and a mixed page that held a part of it, now gone.
    pub fragments: u64,
    /// Mapping units that left mixed pages.
    pub units: u64,
}

/// One block being emptied.
struct Emptying<'a, M> {
    store: &'a mut Store,
    block: BlockId,
    home: PlaneId,
    plane: PlaneId,
    mixed: &'a M,
    job: Job,
    how: Gather,
    programs: Programs,
    done: Gathered,
}

/// Moves everything live in `block`, with pages that are `mixed`, to the store and erases it. The
/// caller gives the block back to its region.
pub fn empty_block(
    store: &mut Store,
    io: &mut Io,
    block: BlockId,
    job: Job,
    how: Gather,
    mixed: &impl MixedPages,
) -> Result<Gathered, DeviceFull> {
    let home = io.geometry().plane_of(block);
    let plane = store.plane_for(home, 1, io)?;
    store.reads.clear();
    let programs = Programs::begin(io);
    let done = Gathered::default();
    let mut emptying = Emptying { store, block, home, plane, mixed, job, how, programs, done };
    emptying.run(io)?;
    let Emptying { store, plane, programs, done, .. } = emptying;
    io.erase_block(block, programs, job.cause, job.class);
    pad_unprotected(&mut store.region, io, plane);
    Ok(done)
}

impl<M: MixedPages> Emptying<'_, M> {
    fn run(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        let first = io.geometry().page(self.block, 0);
        for index in 0..io.array().block(self.block).write_ptr() {
            let page = Ppn(first.0 + index);
            if !self.mixed.has(page, io) {
                self.whole_page(page, io)?;
                continue;
            }
            let slots = region_slots(io, page);
            for slot in 0..slots {
                // What is gathered for one slot may take others of the page along.
                let tag = io.array().page_tags(page)[slot];
                if tag != 0 {
                    self.logical_page((tag - 1) / io.policy().mus_per_page, io)?;
                }
            }
        }
        Ok(())
    }

    /// Chooses the plane of the next page that goes to the store.
    fn aim(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        if self.store.region.needs_block(self.plane, Writer::Host) {
            let plane = self.store.plane_for(self.home, 1, io)?;
            if plane != self.plane {
                pad_unprotected(&mut self.store.region, io, self.plane);
            }
            self.plane = plane;
        }
        Ok(())
    }

    /// Moves a page that is not mixed, if anything lives in it; newer parts of it stay where they are.
    fn whole_page(&mut self, from: Ppn, io: &mut Io) -> Result<(), DeviceFull> {
        if live_units(from, io) == 0 {
            return Ok(());
        }
        self.store.region.sort(io, from, Writer::Host);
        self.aim(io)?;
        self.done.pages += 1;
        self.move_whole(from, io)
    }

    /// Writes one logical page to the store.
    fn logical_page(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let mask = self.gathered_mask(page, io);
        self.store.region.place(page, mask, Writer::Host, io);
        self.aim(io)?;
        let sources = Sources::of(io, page, mask);
        self.done.pages += 1;
        for &(from, units) in sources.list() {
            if self.mixed.has(from, io) {
                self.done.fragments += 1;
                self.done.units += u64::from(units);
            }
        }
        if let [(from, units)] = *sources.list() {
            if units == live_units(from, io) && self.store.reads.get(from).is_none() {
                return self.move_whole(from, io);
            }
        }
        self.put_together(page, mask, &sources, io)
    }

    /// The units of a logical page that are written now.
    fn gathered_mask(&self, page: u32, io: &Io) -> u32 {
        let mapped = mapped_mask(io, page);
        if self.how == Gather::All {
            return mapped;
        }
        let leaves = |i: &u32| {
            let slot = io.lookup(Mu(page * io.policy().mus_per_page + i));
            let from = slot.map(|slot| io.geometry().page_of(slot));
            from.is_some_and(|p| io.geometry().block_of(p) == self.block || !self.mixed.has(p, io))
        };
        bits(mapped).filter(leaves).fold(0, |mask, i| mask | 1 << i)
    }

    /// A flash page with nothing but this logical page moves as it is.
    fn move_whole(&mut self, from: Ppn, io: &mut Io) -> Result<(), DeviceFull> {
        let emptied = (io.geometry().block_of(from) == self.block).then_some(&mut self.programs);
        let region = &mut self.store.region;
        let to = region.take_page(io, self.plane, Writer::Host, 0).ok_or(DeviceFull)?;
        relocate(region, io, from, to, Writer::Host, self.job, emptied);
        Ok(())
    }

    fn put_together(
        &mut self,
        page: u32,
        mask: u32,
        sources: &Sources,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let n = io.policy().mus_per_page;
        let to = self.store.region.take_page(io, self.plane, Writer::Host, 0).ok_or(DeviceFull)?;
        let mut ops = [OpId::NONE; SLOTS_MAX];
        let mut count = 0;
        for &(from, units) in sources.list() {
            let op = self.read(from, units, io);
            if !op.is_none() {
                ops[count] = op;
                count += 1;
            }
        }
        let mut tags = [0; SLOTS_MAX];
        bits(mask).for_each(|i| tags[i as usize] = page * n + i + 1);
        io.write_page(to, &tags[..n as usize], 0, 0);
        let write = self.job.write(mask.ones(), io.geometry().mu_bytes);
        let program = self.store.region.emit(io, to, Writer::Host, &write, &ops[..count]);
        for &(from, _) in sources.list() {
            let block = io.geometry().block_of(from);
            let emptied = (block == self.block).then_some(&mut self.programs);
            note_carrier(&self.store.region, io, block, to, Writer::Host, program, emptied);
        }
        Ok(())
    }

    /// Reads a page; a mixed one only once, with all its live units.
    fn read(&mut self, from: Ppn, units: u32, io: &mut Io) -> OpId {
        let mixed = self.mixed.has(from, io);
        if mixed {
            if let Some(op) = self.store.reads.get(from) {
                return op;
            }
        }
        let units = if mixed { live_units(from, io) } else { units };
        let bytes = units * io.geometry().mu_bytes;
        let op = io.read(from, bytes, self.job.cause, self.job.class, RequestId::NONE, false);
        if mixed {
            self.store.reads.insert(from, op);
        }
        op
    }
}

fn live_units(page: Ppn, io: &Io) -> u32 {
    io.array().page_tags(page).iter().filter(|&&tag| tag != 0).count() as u32
}
