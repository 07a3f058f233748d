//! The DRAM buffer's place in the way of requests: what it takes, what it drops or writes back, who waits
//! for room.

use super::bound::Masked;
use super::buffer::{Buffer, Buffered};
use super::requests::{RequestOwner, WrittenBack};
use super::Simulation;
use crate::base::arithmetic::Ones;
use crate::base::op::Cause;
use crate::base::Gap;
use crate::ftl::answer::DeviceFull;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::Scheme;
use crate::hw::timing::RequestId;

/// The stripe of what leaves the buffer by itself.
const NO_STRIPE: u32 = 0;

impl Simulation {
    /// Whether what is written leaves the buffer in stripes.
    fn is_striped(&self) -> bool {
        self.setup.buffer.is_some_and(|buffer| buffer.is_striped())
    }

    /// Write-through: the buffer keeps a clean copy for reads.
    pub(super) fn keep_clean(&mut self, piece: &Piece) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        while !buffer.has_room(buffer.fresh(piece.page, piece.mask)) {
            buffer.take_oldest();
        }
        buffer.put(piece, false);
    }

    /// Write-back: the piece is done once it is in the buffer.
    pub(super) fn buffer_piece(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        self.io.note_written();
        if !self.try_buffer(&piece, self.waiting.is_empty()) {
            self.begin_waiting(piece.request);
            self.waiting.push(piece);
            if !self.is_striped() {
                return self.evict_for_waiting();
            }
        }
        if self.is_striped() {
            return self.send_stripes();
        }
        Ok(())
    }

    /// Has the buffer keep what a read brings of a page from below, clean. It counts as there at once;
    /// nobody waits if there is no room for it yet, and where the buffer is emptied in stripes it is not kept.
    pub(super) fn fill(&mut self, page: u32, mask: u32) -> Result<(), DeviceFull> {
        let mask = mask & !self.waiting.whole(page);
        let piece = Piece {
            request: RequestId::NONE,
            page,
            mask,
            partial: 0,
            bytes: 0,
            cause: Cause::Host,
            first: false,
            stream: 0,
            hint: 0,
            request_sectors: 0,
        };
        if self.try_buffer(&piece, self.waiting.is_empty()) || self.is_striped() {
            return Ok(());
        }
        self.begin_waiting(piece.request);
        self.waiting.push(piece);
        self.evict_for_waiting()
    }

    /// Puts the piece into the buffer if nothing of it needs room or, where it is the `first` in line, there
    /// is some.
    fn try_buffer(&mut self, piece: &Piece, first: bool) -> bool {
        let Some(buffer) = self.buffer.as_mut() else {
            return false;
        };
        if piece.mask == 0 {
            return true; // Trimmed while it waited, or nothing to fill.
        }
        let fresh = buffer.fresh(piece.page, piece.mask);
        let fits = fresh == 0 || (first && buffer.make_room(piece.page, fresh));
        if fits && piece.request == RequestId::NONE {
            buffer.fill(piece.page, piece.mask);
        } else if fits {
            buffer.put(piece, true);
            if let Some(bound) = self.bound.as_mut() {
                let first = piece.page * self.io.policy().mus_per_page;
                bound.write(Masked { first, mask: piece.mask });
            }
            let access_ns = self.setup.buffer.map_or(0, |b| b.access_ns);
            self.requests.host(piece.request).buffer_ns = access_ns;
        }
        fits
    }

    /// Makes room for those that wait: the page used longest ago is dropped if it is clean, or else written
    /// back, as long as less is on its way than waits. A request larger than the buffer finds less to evict
    /// when it comes.
    fn evict_for_waiting(&mut self) -> Result<(), DeviceFull> {
        while let Some(buffer) = self.buffer.as_mut() {
            if buffer.leaving_units >= self.waiting.units() {
                break;
            }
            let Some(entry) = buffer.take_oldest() else {
                break;
            };
            match entry.dirty {
                0 => self.let_in(),
                _ => self.write_back(&entry, Cause::Host)?,
            }
        }
        Ok(())
    }

    /// What of a page taken out has to be written, as a piece for `request`.
    pub(super) fn piece_of(&self, entry: &Buffered, request: RequestId, cause: Cause) -> Piece {
        Piece {
            request,
            page: entry.page,
            mask: entry.dirty,
            partial: entry.partial & entry.dirty,
            bytes: entry.dirty.ones() * self.setup.device.mu_bytes,
            cause,
            first: true,
            stream: entry.stream,
            hint: entry.hint,
            request_sectors: entry.request_sectors,
        }
    }

    /// Writes back what is dirty of a page just taken out.
    fn write_back(&mut self, entry: &Buffered, cause: Cause) -> Result<(), DeviceFull> {
        let units = entry.dirty.ones();
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.leaving_units += units;
        }
        let token = self.io.early_writes().begin(0);
        let written = self.begin_write_back(token, cause);
        let id = self.add_request(RequestOwner::WriteBack(WrittenBack { units, ..written }));
        let piece = self.piece_of(entry, id, cause);
        self.start_write_back(id, &[piece])
    }

    /// A write-back that begins now, of nothing and in no stripe so far.
    pub(super) fn begin_write_back(&self, token: u32, cause: Cause) -> WrittenBack {
        WrittenBack {
            token,
            units: 0,
            stripe: NO_STRIPE,
            cause,
            begun_ns: self.io.now_ns(),
            map_ns: 0,
            overhead_ns: self.stripes.overhead_ns,
        }
    }

    /// Begins to write pieces back, once their entries of the map are there.
    pub(super) fn start_write_back(&mut self, id: RequestId, pieces: &[Piece]) -> Result<(), DeviceFull> {
        if self.io.has_map_cache() && self.look_up_write_back(id, pieces) {
            return Ok(());
        }
        self.hand_over_write_back(id, pieces)
    }

    /// Hands what is written back to the FTL, but for what was trimmed meanwhile.
    pub(super) fn hand_over_write_back(&mut self, id: RequestId, pieces: &[Piece]) -> Result<(), DeviceFull> {
        // Where a write found no room, the scheme is asked for no other.
        let is_over = self.io.retires() && self.has_ended_full();
        let full = pieces.iter().position(|piece| {
            piece.mask != 0 && (is_over || self.scheme.write(*piece, &mut self.io).is_err())
        });
        let result = match full {
            None => Ok(()),
            Some(written) => {
                self.leave_unwritten(&pieces[written..]);
                Err(DeviceFull)
            }
        };
        self.io.timing_mut().release_request(id);
        result
    }

    /// A write-back is complete: pieces and flushes that waited for it go on.
    pub(super) fn written_back(&mut self, written: WrittenBack) {
        self.end_early_write(written.token);
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.leaving_units -= written.units;
        }
        if written.stripe != NO_STRIPE {
            self.end_of_program(written.stripe);
        }
        self.let_in();
        let result = match self.is_striped() {
            true => self.send_stripes(),
            false => self.evict_for_waiting(),
        };
        self.note_full(result);
        self.io.timing_mut().kick();
    }

    /// Lets those in that wait, as long as there is room for the first of them.
    fn let_in(&mut self) {
        while let Some(piece) = self.waiting.front().copied() {
            if !self.try_buffer(&piece, true) {
                break;
            }
            self.waiting.pop();
            self.io.note_written();
            if piece.request != RequestId::NONE {
                self.io.timing_mut().set_gap(piece.request, Gap::Room);
                self.io.timing_mut().release_request(piece.request);
            }
        }
    }

    /// Writes back everything dirty.
    pub(super) fn write_back_all(&mut self) {
        let result = match self.is_striped() {
            true => self.send_all(Cause::Flush),
            false => self.evict_all(),
        };
        self.note_full(result);
        self.io.timing_mut().kick();
    }

    /// Forgets what the buffer keeps for reads: nothing else is in it, unless there was no room for it.
    pub(super) fn drop_clean(&mut self) {
        while let Some(entry) = self.buffer.as_mut().and_then(Buffer::take_oldest) {
            self.leave_units_unwritten(entry.dirty.ones());
        }
    }

    fn evict_all(&mut self) -> Result<(), DeviceFull> {
        while let Some(entry) = self.buffer.as_mut().and_then(Buffer::take_oldest) {
            if entry.dirty != 0 {
                self.write_back(&entry, Cause::Flush)?;
            }
        }
        Ok(())
    }
}
