//! Destaging: what lives in blocks of a cache goes to the disk, in the order of its addresses, and the
//! blocks are erased.

use super::io::{DiskOps, Io, Programs};
use super::media::SLOTS_MAX;
use super::piece::Job;
use crate::base::arithmetic::Ones;
use crate::base::{BlockId, Slot};
use crate::hw::timing::{OpId, RequestId};

/// A mapping unit on its way to the disk.
#[derive(Clone, Copy)]
struct DestagedUnit {
    mu: u32,
    /// The flash read that fetches it.
    read: OpId,
    /// Its place in `writes`.
    write: u32,
}

/// The units of a job; the room is kept from one to the next.
#[derive(Clone, Default)]
pub struct DestageJob {
    /// As they lie in flash.
    units: Vec<DestagedUnit>,
    /// Their places in `units`, by address.
    order: Vec<u32>,
    /// How many of `units` lie in the blocks up to each.
    ends: Vec<usize>,
    /// What carries them to the disk, a logical page each.
    writes: Vec<DiskOps>,
}

impl DestageJob {
    /// Empties `blocks` to the disk and erases them; their region gets them back from the caller. Units for
    /// which `is_needed` is false the disk has already: they are dropped. Returns how many were written.
    pub fn empty_blocks(
        &mut self,
        blocks: &[BlockId],
        is_needed: impl Fn(Slot) -> bool,
        job: Job,
        io: &mut Io,
    ) -> u64 {
        self.units.clear();
        self.ends.clear();
        for &block in blocks {
            self.collect(block, &is_needed, job, io);
            self.ends.push(self.units.len());
        }
        self.write(job, io);
        let mut start = 0;
        for (&block, &end) in blocks.iter().zip(&self.ends) {
            let mut programs = Programs::begin(io);
            // Neighbours often share a write.
            let mut last = None;
            for unit in &self.units[start..end] {
                if last.replace(unit.write) != Some(unit.write) {
                    programs.add_disk(&self.writes[unit.write as usize]);
                }
            }
            io.erase_block(block, programs, job.cause, job.class);
            start = end;
        }
        self.units.len() as u64
    }

    /// Reads what is needed of `block`, a read per page, and drops the rest.
    fn collect(&mut self, block: BlockId, is_needed: &impl Fn(Slot) -> bool, job: Job, io: &mut Io) {
        let n = io.policy().mus_per_page;
        for page in io.written_pages(block) {
            let mut tags = [0; SLOTS_MAX];
            let stored = io.array().page_tags(page);
            tags[..stored.len()].copy_from_slice(stored);
            let (mut needed, mut count) = ([0; SLOTS_MAX], 0);
            for (i, &tag) in tags.iter().enumerate().filter(|(_, &tag)| tag != 0) {
                let mu = tag - 1;
                if is_needed(io.geometry().slot(page, i as u32)) {
                    needed[count] = mu;
                    count += 1;
                } else {
                    io.drop_clean(mu / n, 1 << (mu % n));
                }
            }
            if count > 0 {
                let bytes = count as u32 * io.geometry().mu_bytes;
                let read = io.read(page, bytes, job.cause, job.class, RequestId::NONE, false);
                self.units.extend(needed[..count].iter().map(|&mu| DestagedUnit { mu, read, write: 0 }));
            }
        }
    }

    /// Writes the units by address, those of a logical page together.
    fn write(&mut self, job: Job, io: &mut Io) {
        let Self { units, order, writes, .. } = self;
        order.clear();
        writes.clear();
        order.extend(0..units.len() as u32);
        order.sort_unstable_by_key(|&i| units[i as usize].mu);
        let n = io.policy().mus_per_page;
        let page_of = |units: &[DestagedUnit], i: &u32| units[*i as usize].mu / n;
        let mut rest = &order[..];
        while let Some(first) = rest.first() {
            let page = page_of(units, first);
            let len = rest.iter().take_while(|i| page_of(units, i) == page).count();
            let (together, others) = rest.split_at(len);
            let carried = write_page(page, together, units, job, io);
            together.iter().for_each(|&i| units[i as usize].write = writes.len() as u32);
            writes.push(carried);
            rest = others;
        }
    }
}

/// Writes the units `together`, all of logical page `page`, behind the reads that fetch them.
fn write_page(page: u32, together: &[u32], units: &[DestagedUnit], job: Job, io: &mut Io) -> DiskOps {
    let n = io.policy().mus_per_page;
    let (mut mask, mut sources, mut count) = (0u32, [OpId::NONE; SLOTS_MAX], 0);
    for unit in together.iter().map(|&i| units[i as usize]) {
        mask |= 1 << (unit.mu % n);
        if !unit.read.is_none() && !sources[..count].contains(&unit.read) {
            sources[count] = unit.read;
            count += 1;
        }
    }
    let write = job.write(mask.ones(), io.geometry().mu_bytes);
    io.write_disk(page, mask, false, &write, &sources[..count])
}
