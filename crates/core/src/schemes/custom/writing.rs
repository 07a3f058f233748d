//! Where a write goes, what makes room for it, and how a policy's mistakes end the run.

use super::reclaim::Emptied;
use super::{BlockReclaim, Choice, Custom, View, Whither, Write};
use crate::base::op::Class;
use crate::base::request::SECTOR_BYTES;
use crate::base::PlaneId;
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::region::Writer;
use serde::{Deserialize, Serialize};

impl Custom {
    /// Notes what is wrong with the policy; the run ends with it.
    #[cold]
    pub(super) fn fail(&self, message: String) -> DeviceFull {
        self.failure.get_or_init(|| message);
        DeviceFull
    }

    /// Fails if the policy could not be made or copied.
    #[inline]
    pub(super) fn check_policy(&self) -> Result<(), DeviceFull> {
        match self.failure.get().is_some() {
            true => Err(DeviceFull),
            false => Ok(()),
        }
    }

    /// The regions that may take `piece`.
    #[inline]
    pub(super) fn choose(&mut self, piece: &Piece, io: &Io) -> Result<Choice, DeviceFull> {
        let (age_ns, frequency) = self.history.note(piece.page, io.now_ns());
        let Some(policy) = self.policy.as_mut().filter(|_| self.hooks.place) else {
            return Ok(Choice::all(self.names.len()));
        };
        let write = Write {
            page: piece.page,
            bytes: piece.bytes,
            request_bytes: u64::from(piece.request_sectors) * SECTOR_BYTES,
            stream: piece.stream,
            hint: piece.hint,
            first: piece.first,
            time_ns: io.now_ns(),
            age_ns,
            frequency,
        };
        let chosen = policy.place(&write, &View::new(&self.shelf.regions, io, None));
        chosen.map_err(|message| self.fail(message))
    }

    /// The plane that is tried first for `piece`.
    #[inline]
    pub(super) fn plane(&mut self, piece: &Piece, first: usize, io: &Io) -> PlaneId {
        let staged = self.turns[first].direct().is_some_and(|plane| {
            let took = &self.shelf.regions[self.fell[first]];
            took.staged(plane, Writer::Host).is_some()
        });
        self.turns[first].choose_beside(piece.page, &mut self.shelf.regions[first], staged, io)
    }

    /// Writes `piece` to the first region of `choice` that has room in `plane`.
    #[inline]
    pub(super) fn place(
        &mut self,
        piece: &Piece,
        choice: &Choice,
        plane: PlaneId,
        io: &mut Io,
    ) -> Result<bool, DeviceFull> {
        for region in choice.regions() {
            if self.shelf.regions[region].needs_block(plane, Writer::Host) {
                self.make_room(region, plane, io)?;
            }
            let reserve = self.shelf.reserve(region);
            if page_level::write(piece, &mut self.shelf.regions[region], plane, reserve, io).is_ok() {
                self.note_write(region, choice.first(), plane, io);
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[inline]
    fn note_write(&mut self, region: usize, first: usize, plane: PlaneId, io: &mut Io) {
        self.figures[region].pages_written += u64::from(!io.clockless());
        if region != first {
            self.turns[first].went_to(plane);
            self.fell[first] = region;
        }
        if self.hooks.idle && !self.shelf.shared[region] {
            io.mark_idle_work(plane);
        }
    }

    /// Makes room for the block that `region` is about to open in `plane`.
    fn make_room(&mut self, region: usize, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        if self.shelf.shared[region] {
            self.shelf.room(region, plane, Class::Urgent, io);
            return Ok(());
        }
        // No plane has more blocks: who empties more of them moves data in a circle.
        let mut left = io.geometry().pools[self.shelf.regions[region].spec.pool].blocks;
        while let Some(what) = self.ask_reclaim(region, plane, io)? {
            if left == 0 {
                let name = &self.names[region];
                let told = "emptied as many blocks as the plane has, and goes on";
                return Err(self.fail(format!("reclaim: for a block of \"{name}\" it {told}")));
            }
            left -= 1;
            // Without room for what lives in it, another region or plane may take the write.
            if self.empty(&what, plane, Class::Urgent, io)? != Emptied::Block {
                break;
            }
        }
        Ok(())
    }

    /// Which block is emptied before `region` opens one in `plane`, if any.
    fn ask_reclaim(
        &mut self,
        region: usize,
        plane: PlaneId,
        io: &mut Io,
    ) -> Result<Option<BlockReclaim>, DeviceFull> {
        let Some(policy) = self.policy.as_mut().filter(|_| self.hooks.reclaim) else {
            let is_out = self.shelf.regions[region].free_blocks(plane, io) == 0;
            let to = Whither::Region(self.shelf.home());
            let next = BlockReclaim { region, to, block: None, open: false, uninterrupted: false };
            return Ok(is_out.then_some(next));
        };
        let asked = policy.reclaim(region, &View::new(&self.shelf.regions, io, Some(plane)));
        asked.map_err(|message| self.fail(message))
    }

    /// What the host overwrites or trims may be the room that a pause lacked.
    #[cold]
    pub(super) fn ask_cramped_again(&mut self, io: &mut Io) {
        self.cramped.drain(..).for_each(|plane| io.mark_idle_work(plane));
    }

    /// Ends the run if no region of `choice` takes a write.
    #[cold]
    pub(super) fn refuse(&self, choice: &Choice) -> DeviceFull {
        let takes_shared = choice.regions().any(|region| self.shelf.shared[region]);
        if takes_shared || !self.hooks.place {
            return DeviceFull;
        }
        let names: Vec<&str> = choice.regions().map(|region| self.names[region].as_str()).collect();
        let message = format!(
            "place: returned \"{}\", which is full in every plane; return a further region behind it, or let \
             reclaim empty a block",
            names.join("\", \"")
        );
        self.fail(message)
    }

    /// Gives regions with blocks of their own as many of them as `window` said.
    pub(super) fn set_quotas(&mut self, quotas: &[(usize, u32)]) -> Result<(), String> {
        for &(region, blocks) in quotas {
            let of = &mut self.shelf.regions[region];
            let most = of.spec.blocks;
            if self.shelf.shared[region] || !(1..=most).contains(&blocks) {
                let name = &self.names[region];
                return Err(match self.shelf.shared[region] {
                    true => format!("window: region \"{name}\" has no blocks of its own"),
                    false => format!(
                        "window: \"{name}\" = {blocks}: must be between 1 and {most} blocks per plane"
                    ),
                });
            }
            of.set_quota(blocks);
        }
        Ok(())
    }
}

/// A page's record.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Record {
    /// When it was last written, ns.
    #[serde(skip)]
    last_ns: u64,
    /// How often it was written.
    writes: u32,
}

/// Of all logical pages, or of none where nobody asks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WriteHistory(Vec<Record>);

impl WriteHistory {
    /// Of `pages` pages that were never written.
    pub fn new(pages: u32) -> Self {
        Self(vec![Record::default(); pages as usize])
    }

    /// Notes that `page` is written at `now_ns`; answers how long ago it was before, and how often.
    pub fn note(&mut self, page: u32, now_ns: u64) -> (Option<u64>, u32) {
        let Some(record) = self.0.get_mut(page as usize) else {
            return (None, 0);
        };
        let before = *record;
        *record = Record { last_ns: now_ns, writes: before.writes.saturating_add(1) };
        ((before.writes > 0).then(|| now_ns.saturating_sub(before.last_ns)), before.writes)
    }
}
