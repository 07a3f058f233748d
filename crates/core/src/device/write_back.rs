//! The DRAM buffer's place in the way of requests: what it takes, what it drops or writes back, who waits
//! for room.

use super::bound::Masked;
use super::buffer::{Buffer, Buffered};
use super::config::{BufferConfig, WriteBack};
use super::requests::Client;
use super::Simulation;
use crate::base::ones::Ones;
use crate::base::op::Cause;
use crate::base::Gap;
use crate::ftl::answer::DeviceFull;
use crate::ftl::page_level::whole_mask;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::Scheme;
use crate::hw::timing::RequestId;

impl Simulation {
    /// Write-through: the buffer keeps a clean copy for reads.
    pub(super) fn keep_clean(&mut self, piece: &Piece) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        if buffer.get(piece.page).is_none() && !buffer.has_room() {
            buffer.take_oldest();
        }
        buffer.put(piece, false);
    }

    /// Write-back: the piece is done once it is in the buffer.
    pub(super) fn buffer_piece(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        if self.try_buffer(&piece, self.waiting.is_empty()) {
            return self.write_whole(piece.page);
        }
        self.io.timing_mut().hold_request(piece.request);
        self.waiting.push(piece);
        self.evict()
    }

    /// Has the buffer keep what a read brings of a page from below, clean. It counts as there at once,
    /// and nobody waits if there is no room for it yet.
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
            request_sectors: 0,
        };
        if self.try_buffer(&piece, self.waiting.is_empty()) {
            return Ok(());
        }
        self.waiting.push(piece);
        self.evict()
    }

    /// Puts the piece into the buffer if its page is there or, where it is the `first` in line, there is
    /// room.
    fn try_buffer(&mut self, piece: &Piece, first: bool) -> bool {
        let Some(buffer) = self.buffer.as_mut() else {
            return false;
        };
        if piece.mask == 0 {
            return true; // Trimmed while it waited, or nothing to fill.
        }
        let fits = buffer.get(piece.page).is_some() || (first && buffer.make_room());
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

    /// Where pages are written back at once: `page`, if all of it is in the buffer. It keeps its place
    /// there until it is programmed.
    fn write_whole(&mut self, page: u32) -> Result<(), DeviceFull> {
        let at_once = |config: BufferConfig| config.write_back == WriteBack::AtOnce;
        if !self.setup.buffer.is_some_and(at_once) {
            return Ok(());
        }
        let all = whole_mask(self.io.policy().mus_per_page);
        match self.buffer.as_mut().and_then(|buffer| buffer.take_written(page, all)) {
            Some(entry) => self.write_back(&entry, Cause::Host),
            None => Ok(()),
        }
    }

    /// Makes room for one that waits: the oldest page is dropped if it is clean, or else written back.
    fn evict(&mut self) -> Result<(), DeviceFull> {
        let Some(entry) = self.buffer.as_mut().and_then(Buffer::take_oldest) else {
            return Ok(());
        };
        if entry.dirty == 0 {
            self.let_in();
            return Ok(());
        }
        self.write_back(&entry, Cause::Host)
    }

    /// Writes back what is dirty of a page just taken out.
    fn write_back(&mut self, entry: &Buffered, cause: Cause) -> Result<(), DeviceFull> {
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.evicting += 1;
        }
        let bytes = entry.dirty.ones() * self.setup.device.mu_bytes;
        let token = self.io.early_writes().begin(0);
        let id = self.add_request(Client::WriteBack(token));
        let piece = Piece {
            request: id,
            page: entry.page,
            mask: entry.dirty,
            partial: entry.partial & entry.dirty,
            bytes,
            cause,
            first: true,
            stream: entry.stream,
            request_sectors: entry.request_sectors,
        };
        if self.io.has_map_cache() && self.look_up_write_back(&piece) {
            return Ok(());
        }
        self.hand_over_write_back(piece)
    }

    /// Hands what is written back to the FTL.
    pub(super) fn hand_over_write_back(&mut self, piece: Piece) -> Result<(), DeviceFull> {
        let result = self.scheme.write(piece, &mut self.io);
        self.io.timing_mut().release_request(piece.request);
        result
    }

    /// The write-back of `token` is complete: pieces and flushes that waited for it go on.
    pub(super) fn written_back(&mut self, token: u32) {
        self.end_early_write(token);
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.evicting -= 1;
        }
        self.let_in();
        self.evict_for_waiting();
        self.io.timing_mut().kick();
    }

    /// Lets those in that wait, as long as there is room for the first of them.
    fn let_in(&mut self) {
        while let Some(piece) = self.waiting.front().copied() {
            if !self.try_buffer(&piece, true) {
                break;
            }
            self.waiting.pop();
            if piece.request != RequestId::NONE {
                self.io.timing_mut().set_gap(piece.request, Gap::Buffer);
                self.io.timing_mut().release_request(piece.request);
            }
            let result = self.write_whole(piece.page);
            self.note_full(result);
        }
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

    /// Writes back everything dirty.
    pub(super) fn write_back_all(&mut self) {
        while let Some(entry) = self.buffer.as_mut().and_then(Buffer::take_oldest) {
            if entry.dirty != 0 {
                let result = self.write_back(&entry, Cause::Flush);
                self.note_full(result);
                if result.is_err() {
                    break;
                }
            }
        }
        self.io.timing_mut().kick();
    }
}
