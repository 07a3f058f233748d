//! Requests cut into pieces at logical page boundaries, and the pieces' way through the buffer.

use super::buffer::{Buffer, Buffered};
use super::config::{Acknowledge, Prefill, SubMu};
use super::{Simulation, WaitingFlush};
use crate::base::op::Cause;
use crate::base::request::{HostOp, Request, SECTOR_BYTES};
use crate::base::Mu;
use crate::ftl::answer::DeviceFull;
use crate::ftl::page_level::present_mask;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::Scheme;
use crate::hw::timing::op_table::RequestId;
use crate::hw::timing::{Gap, InFlight, Internal};

/// Bits `from..to`.
#[inline]
fn bits(from: u32, to: u32) -> u32 {
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
            };
            if lead != 0 {
                piece.partial |= 1 << first;
                lead = 0;
            }
            mu += count;
            if mu <= last {
                self.io.media.prefetch_tags(Mu(mu));
                self.io.media.prefetch_block(Mu((mu + n).min(last)));
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

    #[inline]
    fn read_piece(&mut self, mut piece: Piece) -> Result<(), DeviceFull> {
        if let (Some(buffer), Some(config)) = (&mut self.buffer, &self.setup.buffer) {
            if let Some(entry) = buffer.get(piece.page) {
                let here = entry.whole() & piece.mask;
                if here != 0 {
                    let rest = piece.mask & !here;
                    self.io.timing.request(piece.request).buffer_ns = u64::from(config.access_ns);
                    buffer.put(piece.page, 0, 0, false);
                    if rest == 0 {
                        return Ok(());
                    }
                    piece.mask = rest;
                    piece.bytes = rest.count_ones() * self.setup.device.mu_bytes;
                }
            }
        }
        if present_mask(&self.io, piece.page) & piece.mask == 0 {
            // Units of the page that wait to be packed may have others to carry along; those must
            // not appear meanwhile. The read finds nothing.
            let on_its_way = self.io.held().mask(piece.page) != 0;
            if self.setup.trace.prefill == Prefill::OnRead && !on_its_way {
                self.clockless(|scheme, io| scheme.preload(piece.page, io))?;
            } else {
                self.stats.unmapped_reads += 1;
                return Ok(());
            }
        }
        self.scheme.read(piece, &mut self.io);
        Ok(())
    }

    /// Runs `f` without time and counts.
    pub(super) fn clockless<T>(
        &mut self,
        f: impl FnOnce(&mut crate::schemes::AnyScheme, &mut crate::ftl::io::Io) -> T,
    ) -> T {
        self.io.clockless = true;
        let result = f(&mut self.scheme, &mut self.io);
        self.io.clockless = false;
        result
    }

    #[inline]
    fn write_piece(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        match (&self.buffer, self.setup.buffer.map(|b| b.acknowledge)) {
            (Some(_), Some(Acknowledge::OnBuffer)) => self.buffer_piece(piece),
            (Some(_), Some(Acknowledge::OnProgram)) => {
                self.keep_clean(&piece);
                self.scheme_write(piece)
            }
            _ => self.scheme_write(piece),
        }
    }

    /// Hands a piece to the scheme, after the end of a window of write requests if it is one.
    #[inline]
    fn scheme_write(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        if self.window_writes > 0 && piece.first {
            if self.writes_in_window == self.window_writes {
                self.writes_in_window = 0;
                self.scheme.window(&mut self.io);
            }
            self.writes_in_window += 1;
        }
        self.scheme.write(piece, &mut self.io)
    }

    /// Write-through: the buffer keeps a clean copy for reads.
    fn keep_clean(&mut self, piece: &Piece) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        if buffer.get(piece.page).is_none() && !buffer.has_room() {
            buffer.take_oldest();
        }
        buffer.put(piece.page, piece.mask, piece.partial, false);
    }

    /// Write-back: the piece is done once it is in the buffer.
    fn buffer_piece(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        if self.try_buffer(&piece) {
            return Ok(());
        }
        self.io.timing.hold_request(piece.request);
        self.waiting.push_back(piece);
        self.evict()
    }

    /// Puts the piece into the buffer if its page is there or there is room.
    fn try_buffer(&mut self, piece: &Piece) -> bool {
        let Some(buffer) = self.buffer.as_mut() else {
            return false;
        };
        if piece.mask == 0 {
            return true; // Trimmed while it waited.
        }
        let fits = buffer.get(piece.page).is_some() || (self.waiting.is_empty() && buffer.has_room());
        if fits {
            buffer.put(piece.page, piece.mask, piece.partial, true);
            let access_ns = self.setup.buffer.map_or(0, |b| u64::from(b.access_ns));
            self.io.timing.request(piece.request).buffer_ns = access_ns;
        }
        fits
    }

    /// Writes back the oldest page to make room for one that waits.
    fn evict(&mut self) -> Result<(), DeviceFull> {
        let Some(entry) = self.buffer.as_mut().and_then(Buffer::take_oldest) else {
            return Ok(());
        };
        self.write_back(&entry, Cause::Host)
    }

    fn write_back(&mut self, entry: &Buffered, cause: Cause) -> Result<(), DeviceFull> {
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.evicting += 1;
        }
        let now_ns = self.io.now_ns();
        let bytes = entry.mask.count_ones() * self.setup.device.mu_bytes;
        let sector = u64::from(entry.page) * u64::from(self.setup.device.piece_bytes()) / SECTOR_BYTES;
        let sectors = (u64::from(bytes) / SECTOR_BYTES) as u32;
        let request = Request { at_ns: now_ns, sector, sectors, stream: 0, op: HostOp::Write };
        let mut record = InFlight::new(request, now_ns, now_ns);
        record.internal = Internal::WriteBack;
        record.flushes_before = self.io.flushes;
        let id = self.io.timing.add_request(record);
        let piece = Piece {
            request: id,
            page: entry.page,
            mask: entry.mask,
            partial: entry.partial,
            bytes,
            cause,
            first: true,
        };
        let result = self.scheme_write(piece);
        self.io.timing.release_request(id);
        result
    }

    /// Something that no host waited for is complete: pieces and flushes that wait for it go on.
    pub(super) fn finished_internal(&mut self, record: &InFlight) {
        for flush in self.flushing.iter_mut().filter(|f| f.number >= record.flushes_before) {
            flush.left -= 1;
        }
        while let Some(position) = self.flushing.iter().position(|f| f.left == 0) {
            let flush = self.flushing.remove(position);
            self.io.timing.request(flush.request).gap = Gap::Flush;
            self.io.timing.release_request(flush.request);
        }
        match record.internal {
            Internal::Merge => {
                self.io.merging_units -= record.request.sectors;
                self.io.merges -= 1;
            }
            Internal::WriteBack | Internal::No => self.written_back(),
        }
        self.io.timing.kick();
    }

    /// A write-back is complete: waiting pieces go on.
    fn written_back(&mut self) {
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.evicting -= 1;
        }
        while let Some(piece) = self.waiting.front().copied() {
            let waiting = std::mem::take(&mut self.waiting);
            let fits = self.try_buffer(&piece);
            self.waiting = waiting;
            if !fits {
                break;
            }
            self.waiting.pop_front();
            self.io.timing.request(piece.request).gap = Gap::Buffer;
            self.io.timing.release_request(piece.request);
        }
        self.evict_for_waiting();
    }

    /// Keeps as many write-backs in flight as pieces wait for: a request larger than the buffer
    /// finds fewer pages to evict when it comes.
    fn evict_for_waiting(&mut self) {
        while self.buffer.as_ref().is_some_and(|b| b.evicting < self.waiting.len() && !b.is_empty()) {
            let result = self.evict();
            self.note_full(result);
            if result.is_err() {
                break;
            }
        }
    }

    /// Writes back everything dirty; returns the write-backs in flight.
    pub(super) fn write_back_all(&mut self) -> usize {
        while let Some(entry) = self.buffer.as_mut().and_then(Buffer::take_oldest) {
            if entry.dirty {
                let result = self.write_back(&entry, Cause::Flush);
                self.note_full(result);
                if result.is_err() {
                    break;
                }
            }
        }
        self.io.timing.kick();
        self.buffer.as_ref().map_or(0, |b| b.evicting)
    }

    /// Everything acknowledged so far becomes durable; with power-loss protection it is already.
    pub(super) fn flush(&mut self, id: RequestId) {
        if self.setup.device.plp {
            return;
        }
        let writing = self.write_back_all() + self.io.merges as usize;
        if writing > 0 {
            self.io.timing.hold_request(id);
            self.flushing.push(WaitingFlush { request: id, number: self.io.flushes, left: writing });
            self.io.flushes += 1;
        }
        let result = self.scheme.flush(id, &mut self.io);
        self.note_full(result);
    }

    /// Forgets the mapping units that lie wholly within the range.
    pub(super) fn trim(&mut self, request: &Request) {
        let mu_bytes = u64::from(self.setup.device.mu_bytes);
        let first = (request.sector * SECTOR_BYTES).div_ceil(mu_bytes) as u32;
        let end = (request.end_sector() * SECTOR_BYTES / mu_bytes) as u32;
        if first >= end {
            return;
        }
        self.scheme.trim(first, end, &mut self.io);
        let n = self.io.policy().mus_per_page;
        let unused = |page: u32| {
            let from = first.max(page * n) - page * n;
            let to = end.min((page + 1) * n) - page * n;
            bits(from, to)
        };
        let pages = first / n..end.div_ceil(n);
        if let Some(buffer) = self.buffer.as_mut() {
            pages.clone().for_each(|page| buffer.trim(page, unused(page)));
        }
        for piece in self.waiting.iter_mut().filter(|piece| pages.contains(&piece.page)) {
            piece.mask &= !unused(piece.page);
            piece.partial &= piece.mask;
        }
    }
}
