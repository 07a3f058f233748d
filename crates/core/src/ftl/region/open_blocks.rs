//! Regions with more open blocks than frontiers: the scheme says which of them is programmed next.

use super::Region;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::destination::Destination;
use crate::ftl::io::Io;
use crate::ftl::piece::PageWrite;
use crate::hw::timing::OpId;

impl Region {
    /// Has all blocks of the region, whose mode is programmed page by page, opened apart from the
    /// frontiers. Which of them are open a snapshot of the scheme holds.
    pub fn opened_apart(self) -> Self {
        debug_assert_eq!(self.pages_per_program, 1, "Invariant: nothing is staged apart from a frontier");
        Self { apart: true, ..self }
    }

    /// Opens a block of `plane`, if more than `reserve` are free.
    pub fn open_apart(&mut self, io: &mut Io, plane: PlaneId, reserve: u32) -> Option<BlockId> {
        self.open_free(io, plane, reserve)
    }

    /// Closes `block`, which is open, before it is full.
    pub fn close_apart(&self, io: &mut Io, block: BlockId) {
        io.close_block(block);
    }

    /// The next page of `block`, unless it is closed.
    #[inline]
    pub fn next_page_of(&self, block: BlockId, io: &Io) -> Option<Ppn> {
        let index = io.array().block(block).write_ptr();
        (!io.array().is_closed(block)).then(|| io.geometry().page(block, index))
    }
}

/// An open block of such a region, to move data to.
pub struct OpenBlock<'a> {
    pub region: &'a Region,
    pub block: BlockId,
}

impl Destination for OpenBlock<'_> {
    type Writer = ();

    fn next_page(&mut self, io: &mut Io, _plane: PlaneId, _writer: ()) -> Option<Ppn> {
        self.region.next_page_of(self.block, io)
    }

    fn program(&mut self, io: &mut Io, page: Ppn, _writer: (), write: &PageWrite, sources: &[OpId]) -> OpId {
        io.program(page, write, sources)
    }

    fn room(&self, io: &Io, _plane: PlaneId, _writer: ()) -> u32 {
        self.region.pages_per_block - io.array().block(self.block).write_ptr()
    }

    fn is_staged(&self, _plane: PlaneId, _writer: ()) -> bool {
        false
    }

    fn per_page(&self) -> bool {
        true
    }
}
