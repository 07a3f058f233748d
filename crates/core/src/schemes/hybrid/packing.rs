//! How units get into pages: held by stream, programmed when they fill one.

use crate::base::Ppn;
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::mixed::{self, Carry};
use crate::ftl::pack::{in_order, Picks};
use crate::ftl::piece::Piece;
use crate::ftl::region::Region;
use crate::ftl::write_buffer::{WriteBuffer, DENSE, SLC};
use crate::hw::timing::{OpId, RequestId};
use serde::{Deserialize, Serialize};

/// The rules and counts of the write buffer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Packing {
    buffer: WriteBuffer,
    /// Slots of a page.
    slots: u32,
    /// Units written again while they were held.
    #[serde(skip)]
    pub absorbed_units: u64,
    /// Slots of pages that were programmed before they were full.
    #[serde(skip)]
    pub short_slots: u64,
}

impl Packing {
    /// For pages of `slots` slots: the buffer holds a page of the one stream and a wordline of
    /// `wordline_pages` of the other.
    pub fn new(slots: u32, wordline_pages: u32) -> Self {
        let buffer = WriteBuffer::new(slots * (1 + wordline_pages));
        Self { buffer, slots, absorbed_units: 0, short_slots: 0 }
    }

    /// Slots of a page.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Most mapping units that are held: less than a page of each stream.
    pub fn units_max(&self) -> u32 {
        2 * (self.slots - 1)
    }
}

/// A page for held units.
pub struct TakenPage {
    /// The stream whose region it is in.
    pub region: u8,
    pub page: Ppn,
    /// Whether it makes a wordline full.
    pub fills: bool,
    /// What its program waits for, if for anything.
    pub after: OpId,
}

/// Regions into which units are packed.
pub trait Packed {
    /// Rules and counts.
    fn packing(&mut self) -> &mut Packing;

    /// The next page for units of `stream`, the first of them of logical page `page`.
    fn take_page(&mut self, stream: u8, page: u32, io: &mut Io) -> Result<TakenPage, DeviceFull>;

    /// The region of a page taken.
    fn region(&mut self, stream: u8) -> &mut Region;

    /// `op` programs `page`, or a wordline that it is one of.
    #[inline]
    fn programmed(&mut self, _page: Ppn, _op: OpId, _io: &Io) {}

    /// Holds a piece in `stream` and programs the pages that are full.
    fn pack(&mut self, piece: &Piece, stream: u8, io: &mut Io) -> Result<(), DeviceFull> {
        let packing = self.packing();
        let (buffer, slots) = (packing.buffer, packing.slots);
        if slots == io.policy().mus_per_page
            && piece.is_full(slots)
            && io.held().is_clear_of(piece.page, stream)
        {
            return self.program_alone(stream, piece, io);
        }
        let absorbed = buffer.hold(piece, stream, io);
        packing.absorbed_units += if io.clockless() { 0 } else { u64::from(absorbed) };
        while let Some(picks) = in_order(io.held(), stream, slots, false) {
            self.program(stream, &picks, piece.request, io)?;
        }
        buffer.acknowledge(piece, stream, io);
        Ok(())
    }

    /// Programs a piece that fills a page alone: what comes of it is the same as if it were held first.
    fn program_alone(&mut self, stream: u8, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let taken = self.take_page(stream, piece.page, io)?;
        let packing = self.packing();
        let waits = taken.fills || !packing.buffer.has_room(packing.slots, io);
        let request = if waits { piece.request } else { RequestId::NONE };
        let op =
            mixed::program_alone(piece, self.region(taken.region), taken.page, (request, taken.after), io);
        self.programmed(taken.page, op, io);
        Ok(())
    }

    /// Programs held units as one page, for which `request` waits if it is the one that has to.
    fn program(
        &mut self,
        stream: u8,
        picks: &Picks,
        request: RequestId,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let first = picks.pages(io.held())[0];
        let taken = self.take_page(stream, first, io)?;
        let packing = self.packing();
        let short = packing.slots - picks.units();
        packing.short_slots += if io.clockless() { 0 } else { u64::from(short) };
        let waits = packing.buffer.waits(stream, taken.fills, io);
        let request = if waits { request } else { RequestId::NONE };
        let region = self.region(taken.region);
        let op = mixed::program(picks, Carry::Nothing, region, taken.page, (request, taken.after), io);
        self.programmed(taken.page, op, io);
        Ok(())
    }

    /// Programs what is held and has waited long enough, or `all`, with what there is.
    fn program_all_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        for stream in [SLC, DENSE] {
            let (buffer, slots) = (self.packing().buffer, self.packing().slots);
            if !all && !buffer.is_due(stream, io) {
                continue;
            }
            while let Some(picks) = in_order(io.held(), stream, slots, true) {
                self.program(stream, &picks, RequestId::NONE, io)?;
            }
            if !all {
                // Requests wait for what was staged just now.
                let region = self.region(DENSE);
                for plane in region.planes().to_vec() {
                    region.pad(io, plane, true);
                }
            }
        }
        self.packing().buffer.arm(io);
        Ok(())
    }
}
