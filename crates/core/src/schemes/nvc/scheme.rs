//! Two regions of flash above a disk.
//!
//! **What it does.** What the DRAM buffer evicts is appended to an SLC log, and so is what a read finds
//! below it: in the dense log, or on the disk. The oldest part of a log is cleaned when only its reserve
//! is free. How much of that part is invalid says whether its valid pages stay at the head of the log or
//! leave: from SLC for the dense log, from there for the disk.
//! **Paper.** NAND Flash-based Disk Cache Using SLC/MLC Combined Flash Memory.
//! **What the paper leaves open and what we chose.** See docs/schemes/nvc.md.
//! **Knobs.** None.

use super::super::common::tables::unit_table;
use super::config::NvcConfig;
use super::copies::Copies;
use super::figures::{LogTier, Origin};
use super::level::{lives, LogLevel, Shared, GC, MIGRATION};
use super::rules::{CachePolicy, LastLogRule, SlcLogRule, Verdict};
use crate::base::arithmetic::Ones;
use crate::base::request::SECTOR_BYTES;
use crate::base::{BlockId, CellMode, Mu, Slot};
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::CleanConfig;
use crate::ftl::io::Io;
use crate::ftl::log_region::{LogRegion, LogSpec};
use crate::ftl::media::bits;
use crate::ftl::piece::Piece;
use crate::ftl::region::{Pack, RegionSpec};
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::unit_level::Reads;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// The parameters that do not become regions.
#[derive(Clone, Serialize, Deserialize)]
struct Rules {
    policy: CachePolicy,
    slc: SlcLogRule,
    dense: LastLogRule,
    large_request_bytes: u64,
}

/// An SLC log and a dense one above a disk.
#[derive(Clone, Serialize, Deserialize)]
pub struct Nvc {
    slc: LogLevel,
    dense: LogLevel,
    rules: Rules,
    shared: Shared,
}

/// Where the units of a piece lie.
#[derive(Clone, Copy, Default)]
struct UnitCounts {
    slc: u32,
    dense: u32,
    disk: u32,
}

impl Nvc {
    pub fn new(config: &NvcConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let pool = config.pool(device).expect("Invariant: the configuration was checked");
        let blocks = device.pool[pool].blocks;
        let slc = config.slc_blocks(blocks);
        let copies = Copies::new(config.copy_buffer_bytes, device.pool[pool].page_bytes);
        let region = |mode, first_block, blocks| RegionSpec {
            pack: Pack::Page,
            bank: None,
            pool,
            mode,
            first_block,
            blocks,
            order: config.plane_order.letters(),
            placement: config.placement,
            clean: CleanConfig::default(),
        };
        let (cold_share, reserve_share) = (config.slc.cold_share, config.slc.reserve_share);
        let spec = LogSpec { region: region(CellMode::Slc, 0, slc), cold_share, reserve_share };
        let slc_log = LogRegion::new(spec, io);
        let (cold_share, reserve_share) = (config.dense.cold_share, config.dense.reserve_share);
        let region = region(config.mode(device), slc, blocks - slc);
        let dense_log = LogRegion::new(LogSpec { region, cold_share, reserve_share }, io);
        Self {
            slc: LogLevel::new(slc_log, LogTier::Slc),
            dense: LogLevel::new(dense_log, LogTier::Dense),
            rules: Rules {
                policy: config.policy(),
                slc: config.slc.clone(),
                dense: config.dense.clone(),
                large_request_bytes: config.large_request_bytes,
            },
            shared: Shared::new(config.flush_clean, copies, io),
        }
    }

    /// Finds the units of a piece; those in SLC count as read there from now on.
    #[inline]
    fn find(&mut self, piece: &Piece, io: &Io) -> UnitCounts {
        let mut found = UnitCounts::default();
        let first = piece.page * io.policy().mus_per_page;
        for i in bits(piece.mask) {
            match io.lookup(Mu(first + i)) {
                None => found.disk |= 1 << i,
                Some(slot) if self.is_in_slc(slot, io) => {
                    found.slc |= 1 << i;
                    self.shared.marks.note_read(slot);
                }
                Some(_) => found.dense |= 1 << i,
            }
        }
        self.shared.figures.hit(LogTier::Slc, found.slc.ones());
        self.shared.figures.hit(LogTier::Dense, found.dense.ones());
        self.shared.figures.miss(found.disk.ones());
        found
    }

    #[inline]
    fn is_in_slc(&self, slot: Slot, io: &Io) -> bool {
        let block = io.geometry().block_of(io.geometry().page_of(slot));
        io.array().block(block).region() == self.slc.log.region().id()
    }

    /// Puts what a read brought from below into the SLC region, if it can wait for that.
    fn raise(
        &mut self,
        units: (u32, u32),
        reads: &Reads,
        origin: Origin,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        if !self.shared.may_copy(units.1.ones(), io) {
            return Ok(());
        }
        self.make_room_in_slc(io)?;
        self.slc.take_in(units, reads, origin, &mut self.shared, io)
    }

    fn make_room_in_dense(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        let rule = self.rules.policy.keeps().then_some(&self.rules.dense);
        self.dense.make_room_above_disk(rule, &mut self.shared, io)
    }

    /// Makes room for a page of the host in SLC. What stayed may have won less than the padding of a
    /// wordline takes: then everything leaves.
    fn make_room_in_slc(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        if !self.rules.policy.moves_between() {
            return self.slc.make_room_above_disk(Some(&self.rules.dense), &mut self.shared, io);
        }
        let mut may_stay = self.rules.policy.keeps();
        while self.slc.log.is_due() {
            let verdict = match may_stay {
                true => self.rules.slc.verdict(self.slc.census(io)),
                false => Verdict::Leave,
            };
            self.clean_slc(verdict, io)?;
            may_stay = false;
        }
        Ok(())
    }

    /// Cleans the cold region of the SLC log. Block by block: at most a block is written to its head before
    /// one is free again, so that the reserve lasts however much stays.
    fn clean_slc(&mut self, verdict: Verdict, io: &mut Io) -> Result<(), DeviceFull> {
        let cold = self.slc.begin_cleaning(verdict, &mut self.shared, io);
        for &block in &cold {
            self.empty_slc_block(block, verdict, io)?;
        }
        self.slc.end_cleaning(cold, io);
        if verdict != Verdict::Stay {
            self.dense.log.pad_unprotected(io);
        }
        Ok(())
    }

    fn empty_slc_block(&mut self, block: BlockId, verdict: Verdict, io: &mut Io) -> Result<(), DeviceFull> {
        for page in io.written_pages(block) {
            if !lives(page, io) {
                continue;
            }
            let stays = match verdict {
                Verdict::Stay => true,
                Verdict::StayMarked => self.shared.marks.was_read(page, io),
                Verdict::Leave => false,
            };
            if stays {
                self.slc.move_in(page, LogTier::Slc, &mut self.shared, io)?;
            } else {
                // Cleaning of the dense region, where this page needs it, comes to its end first.
                self.make_room_in_dense(io)?;
                self.dense.move_in(page, LogTier::Slc, &mut self.shared, io)?;
            }
        }
        let job = if verdict == Verdict::Leave { MIGRATION } else { GC };
        self.slc.free(block, job, io);
        Ok(())
    }
}

impl Scheme for Nvc {
    regions! { Cache slc.log, Cache dense.log }

    /// Everything lies on the disk at first.
    fn preload(&mut self, _page: u32, _mask: u32, _io: &mut Io) -> Result<(), DeviceFull> {
        Ok(())
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let bytes = u64::from(piece.request_sectors) * SECTOR_BYTES;
        if self.rules.policy.bypasses_slc() && bytes > self.rules.large_request_bytes {
            self.make_room_in_dense(io)?;
            return self.dense.write(&piece, &mut self.shared, io);
        }
        self.make_room_in_slc(io)?;
        self.slc.write(&piece, &mut self.shared, io)
    }

    #[inline]
    fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let found = self.find(&piece, io);
        if found.slc != 0 {
            Reads::host(&piece, found.slc, false, io);
        }
        let moves = self.rules.policy.moves_between();
        let dense = match found.dense {
            0 => Reads::none(),
            mask => Reads::host(&piece, mask, moves, io),
        };
        // Before room is made for anything: what makes it may not delay the host.
        let disk = match found.disk {
            0 => Reads::none(),
            mask => Reads::host_from_disk(&piece, mask, io),
        };
        if found.dense != 0 && moves {
            self.raise((piece.page, found.dense), &dense, Origin::Cache(LogTier::Dense), io)?;
        }
        if found.disk != 0 {
            self.raise((piece.page, found.disk), &disk, Origin::Disk, io)?;
        }
        Ok(())
    }

    fn served_above(&mut self, units: u32) {
        self.shared.figures.buffer_hit(units);
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let regions = [(LogTier::Slc, &self.slc.log), (LogTier::Dense, &self.dense.log)];
        SchemeReport {
            name: "nvc".into(),
            figures: self.shared.figures.report(&regions, io),
            tables: vec![unit_table(io)],
            ..SchemeReport::default()
        }
    }
}
