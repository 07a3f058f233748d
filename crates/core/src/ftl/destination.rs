//! What data can be moved to.

use super::io::Io;
use super::piece::PageWrite;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::OpId;

/// A destination of moved data: its pages are taken one by one, each stored in the media and then
/// programmed before the next is taken.
pub trait Destination {
    /// Who writes, where that decides which page is the next.
    type Writer: Copy;

    /// Whether every page taken lies in the plane that was asked for.
    const IN_PLANE: bool = true;

    /// The next page of `plane`; none if `room` says 0.
    fn next_page(&mut self, io: &mut Io, plane: PlaneId, writer: Self::Writer) -> Option<Ppn>;

    /// As many of the next pages of `plane` as lie behind each other in a block, no more than `most`, and
    /// how many they are; none if `room` says 0.
    #[inline]
    fn next_pages(
        &mut self,
        io: &mut Io,
        plane: PlaneId,
        writer: Self::Writer,
        most: u32,
    ) -> Option<(Ppn, u32)> {
        debug_assert!(most > 0);
        Some((self.next_page(io, plane, writer)?, 1))
    }

    /// Whether what `writer` moves out of `block` goes to more than one place: then `sort` is asked for each page
    /// before the next one is taken.
    #[inline]
    fn sorts(&mut self, _io: &Io, _block: BlockId, _writer: Self::Writer) -> bool {
        false
    }

    /// Has the next page of `writer` be one for what lives in `from`.
    #[inline]
    fn sort(&mut self, _io: &Io, _from: Ppn, _writer: Self::Writer) {}

    /// Emits the program of `page`, which the media hold, after `sources`. Returns the operation that
    /// will program it, complete or still staged.
    fn program(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Self::Writer,
        write: &PageWrite,
        sources: &[OpId],
    ) -> OpId;

    /// Pages that `writer` can still take in `plane`.
    fn room(&self, io: &Io, plane: PlaneId, writer: Self::Writer) -> u32;

    /// Whether the last page that `writer` took in `plane` waits for others of its wordline.
    fn is_staged(&self, plane: PlaneId, writer: Self::Writer) -> bool;

    /// Whether a program takes one page, so that a move within a unit is one operation.
    fn per_page(&self) -> bool;
}
