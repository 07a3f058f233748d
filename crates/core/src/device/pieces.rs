//! Requests cut into pieces at logical page boundaries, and where each piece goes.

use super::config::{Acknowledge, Prefill, SubMu};
use super::Simulation;
use crate::base::arithmetic::Ones;
use crate::base::op::Cause;
use crate::base::request::{HostOp, Request, SECTOR_BYTES};
use crate::base::Mu;
use crate::ftl::answer::DeviceFull;
use crate::ftl::page_level::{holds_any, present_mask, whole_mask};
use crate::ftl::piece::Piece;
use crate::ftl::scheme::Scheme;
use crate::hw::timing::RequestId;

#[inline(always)]
pub(super) fn bits(from: u32, to: u32) -> u32 {
    ((1u64 << to) - (1u64 << from)) as u32
}

impl Simulation {
    /// Cuts a read or write into pieces and serves each.
    #[inline]
    pub(super) fn cut(&mut self, id: RequestId, request: &Request) -> Result<(), DeviceFull> {
        let shift = self.mu_shift;
        let within = (1u64 << shift) - 1;
        let (start, end) = (request.sector * SECTOR_BYTES, request.end_sector() * SECTOR_BYTES);
        let (mut lead, mut tail) = ((start & within) as u32, (end & within) as u32);
        let write = request.op == HostOp::Write;
        if write && (lead | tail) != 0 && self.setup.trace.sub_mu == SubMu::Round {
            (lead, tail) = (0, 0);
            self.stats.sub_mu_rounded += 1;
        }
        // Mapping units touched, and how far the request misses the first one's start and the last one's end.
        let (start_mu, last) = ((start >> shift) as u32, ((end - 1) >> shift) as u32);
        let mut mu = start_mu;
        let missing = if tail == 0 { 0 } else { (1u32 << shift) - tail };
        if write {
            self.scheme.write_request(start_mu, last, &self.io);
            self.io.tell(start_mu, last, request.hint);
            if self.bound.is_some() && !self.is_write_back() {
                self.count_written(mu..last + 1);
            }
        }
        let n = self.io.policy().mus_per_page;
        while mu <= last {
            let (page, first) = self.pages.split(mu);
            let count = (n - first).min(last - mu + 1);
            let mut piece = Piece {
                request: id,
                page,
                mask: bits(first, first + count),
                partial: 0,
                bytes: (count << shift) - lead,
                cause: Cause::Host,
                first: mu == start_mu,
                stream: request.stream,
                hint: request.hint,
                request_sectors: request.sectors,
            };
            if lead != 0 {
                piece.partial |= 1 << first;
                lead = 0;
            }
            mu += count;
            if mu <= last {
                self.io.media().prefetch_tags(Mu(mu));
                self.io.media().prefetch_block(Mu((mu + n).min(last)));
            }
            if missing != 0 && mu > last {
                piece.partial |= 1 << (first + count - 1);
                piece.bytes -= missing;
            }
            if write {
                self.write_piece(piece)?;
            } else {
                self.read_piece(piece)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn read_piece(&mut self, mut piece: Piece) -> Result<(), DeviceFull> {
        if self.io.has_disk() && !self.leave_fetched(&mut piece) {
            return Ok(());
        }
        if let (Some(buffer), Some(config)) = (&mut self.buffer, &self.setup.buffer) {
            if let Some(entry) = buffer.get(piece.page) {
                let here = entry.whole() & piece.mask;
                if here != 0 {
                    let rest = piece.mask & !here;
                    self.requests.host(piece.request).buffer_ns = config.access_ns;
                    buffer.touch(piece.page);
                    self.scheme.served_above(here.ones());
                    if rest == 0 {
                        return Ok(());
                    }
                    piece.mask = rest;
                    piece.bytes = rest.ones() * self.setup.device.mu_bytes;
                }
            }
        }
        // A disk has something for every unit.
        if !self.io.has_disk() && !holds_any(&self.io, piece.page, piece.mask) {
            // Units of the page that wait to be packed may have others to carry along; those must
            // not appear meanwhile. The read finds nothing.
            let on_its_way = self.io.held().mask(piece.page) != 0;
            let old = if on_its_way { 0 } else { self.old_mask(piece.page) };
            if old & piece.mask != 0 {
                self.place_old(piece.page, old)?;
            } else {
                self.stats.unmapped_reads += 1;
                return Ok(());
            }
        }
        match self.setup.buffer {
            Some(config) if config.fill_on_read => self.read_and_keep(piece),
            _ => self.scheme.read(piece, &mut self.io),
        }
    }

    /// The units of a page that have held data since before time 0, if reads map those.
    fn old_mask(&self, page: u32) -> u32 {
        match self.setup.trace.prefill {
            Prefill::OnRead => whole_mask(self.io.policy().mus_per_page) & !self.trimmed[page as usize],
            _ => 0,
        }
    }

    /// Reads whole mapping units of what the buffer has not got, for the buffer to keep.
    fn read_and_keep(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        let bytes = piece.mask.ones() * self.setup.device.mu_bytes;
        let found = match self.io.has_disk() {
            true => piece.mask,
            false => piece.mask & present_mask(&self.io, piece.page),
        };
        self.scheme.read(Piece { partial: 0, bytes, ..piece }, &mut self.io)?;
        self.fill(piece.page, found)
    }

    /// Takes the units out of a read that another request fetches from the disk, and lets it wait for
    /// them; false if that is all it reads.
    fn leave_fetched(&mut self, piece: &mut Piece) -> bool {
        let coming = self.io.fetching(piece.page) & piece.mask;
        if coming != 0 {
            self.io.await_fetch(piece.page, coming, piece.request);
            self.scheme.served_above(coming.ones());
            piece.mask &= !coming;
            piece.bytes = piece.mask.ones() * self.setup.device.mu_bytes;
        }
        piece.mask != 0
    }

    /// Runs `f` without time and counts.
    pub(super) fn clockless<T>(
        &mut self,
        f: impl FnOnce(&mut crate::schemes::AnyScheme, &mut crate::ftl::io::Io) -> T,
    ) -> T {
        self.io.clockless(|io| f(&mut self.scheme, io))
    }

    #[inline(always)]
    fn write_piece(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        if self.io.has_disk() {
            self.io.traffic().supersede(piece.page, piece.mask & !piece.partial);
        }
        match (&self.buffer, self.setup.buffer.map(|b| b.acknowledge)) {
            (Some(_), Some(Acknowledge::OnBuffer)) => self.buffer_piece(piece),
            (Some(_), Some(Acknowledge::OnProgram)) => {
                self.keep_clean(&piece);
                self.scheme.write(piece, &mut self.io)
            }
            _ => self.scheme.write(piece, &mut self.io),
        }
    }
}
