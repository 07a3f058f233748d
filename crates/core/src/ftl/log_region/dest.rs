//! A log as a destination: what is moved goes to its frontier.

use super::LogRegion;
use crate::base::{PlaneId, Ppn};
use crate::ftl::answer::{BlockShare, RegionLevel};
use crate::ftl::any_region::AnyRegion;
use crate::ftl::audit::Claims;
use crate::ftl::destination::Destination;
use crate::ftl::io::Io;
use crate::ftl::piece::PageWrite;
use crate::ftl::region::Writer;
use crate::hw::array::RegionId;
use crate::hw::timing::{OpId, RequestId};

/// What comes from elsewhere is written as the host's is, and never into the reserve; cleaning of the
/// log itself may use it. The plane asked for is a wish: the others of the row are as good.
impl Destination for LogRegion {
    type Writer = Writer;

    /// The circle goes on in other planes where a row has no page left in this one.
    const IN_PLANE: bool = false;

    #[inline]
    fn next_page(&mut self, io: &mut Io, plane: PlaneId, writer: Writer) -> Option<Ppn> {
        if !self.has_row(writer) {
            return None;
        }
        // A wordline that is begun is filled first: padding, where it is needed, then costs least.
        let staged = |&plane: &PlaneId| self.region.staged(plane, Writer::Host).is_some();
        let begun = match self.region.per_page() {
            true => None,
            false => self.region.planes().iter().copied().find(staged),
        };
        let wished = begun.unwrap_or(plane);
        if self.region.has(wished) {
            if let Some(page) = self.take_in_row(io, wished) {
                return Some(page);
            }
        }
        (0..self.region.planes().len()).find_map(|place| {
            let plane = self.region.planes()[place];
            self.take_in_row(io, plane)
        })
    }

    #[inline]
    fn program(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Writer,
        write: &PageWrite,
        sources: &[OpId],
    ) -> OpId {
        self.region.emit(io, page, writer, write, sources)
    }

    /// Pages of all planes.
    fn room(&self, io: &Io, _plane: PlaneId, writer: Writer) -> u32 {
        let full = self.region.pages_per_block;
        let left = |&plane: &PlaneId| match self.region.open_block(plane, Writer::Host) {
            Some(block) => full - io.array().block(block).write_ptr(),
            None => u32::from(self.is_unopened(plane)) * full,
        };
        let open: u32 = self.region.planes().iter().map(left).sum();
        let kept = if writer == Writer::Host { self.spans.reserve } else { 0 };
        let rows = (self.spans.rows - self.used).saturating_sub(kept);
        open + rows * full * self.region.planes().len() as u32
    }

    #[inline]
    fn is_staged(&self, plane: PlaneId, writer: Writer) -> bool {
        self.region.is_staged(plane, writer)
    }

    #[inline]
    fn per_page(&self) -> bool {
        self.region.per_page()
    }
}

impl AnyRegion for LogRegion {
    fn share(&self) -> BlockShare {
        self.region.share()
    }

    fn slc_region(&self) -> Option<RegionId> {
        self.region.slc_region()
    }

    fn slc_bytes(&self, io: &Io) -> u64 {
        AnyRegion::slc_bytes(&self.region, io)
    }

    fn live_bytes(&self, io: &Io) -> u64 {
        self.region.live_bytes(io)
    }

    fn level(&self, io: &Io) -> RegionLevel {
        self.region.level(io)
    }

    fn shape(&self) -> String {
        format!("{} as a log of {:?}", self.region.shape(), self.spans)
    }

    fn audit(&self, claims: &mut Claims) -> Result<(), String> {
        self.region.audit(claims)?;
        let rows = |&plane: &PlaneId| self.region.used_blocks(plane);
        let is_circle = |used: u32| used == self.used || used + 1 == self.used;
        let fits = self.tail < self.spans.rows && self.used <= self.spans.rows;
        match fits && self.region.planes().iter().map(rows).all(is_circle) {
            true => Ok(()),
            false => Err(format!("log {}: {} rows from {} on", self.region.id(), self.used, self.tail)),
        }
    }

    fn pad_due(&mut self, plane: PlaneId, io: &mut Io) {
        self.region.pad_due(plane, io);
    }

    fn flush(&mut self, request: RequestId, io: &mut Io) {
        self.region.flush(request, io);
    }

    fn pad_all(&mut self, io: &mut Io) {
        self.region.pad_all(io);
    }
}
