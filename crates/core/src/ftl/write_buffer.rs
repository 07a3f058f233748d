//! The controller's write buffer: units wait in it, stream by stream, until they fill a page.
//!
//! A write is acknowledged when it is held, but for the one that makes a wordline full: that one waits
//! for the program. Where more is on its way than the buffer has room for, writes wait as well.

use super::io::Io;
use super::piece::Piece;
use crate::base::arithmetic::Ones;
use serde::{Deserialize, Serialize};

/// The stream of units that go to the SLC region; the packing group of what is held.
pub const SLC: u8 = 0;
/// The stream of units that go to the dense region.
pub const DENSE: u8 = 1;

/// The rules of the buffer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct WriteBuffer {
    capacity_units: u32,
}

impl WriteBuffer {
    /// A buffer that has room for `capacity_units` units of the host.
    pub fn new(capacity_units: u32) -> Self {
        Self { capacity_units }
    }

    /// Whether what is held, and acknowledged and not yet programmed, has room in it.
    fn is_kept(&self, io: &Io) -> bool {
        io.occupied_units() <= self.capacity_units
    }

    /// Holds a piece in `stream`; returns the units of it that were held already. One that waits in
    /// the other stream changes sides.
    pub fn hold(&self, piece: &Piece, stream: u8, io: &mut Io) -> u32 {
        let other = SLC + DENSE - stream;
        let mut piece = *piece;
        let absorbed = io.held().mask(piece.page) & piece.mask;
        if let Some(entry) = io.held().find(piece.page, other) {
            let held = io.held().entries()[entry];
            let moved = held.mask & piece.mask;
            piece.partial &= !(moved & !held.partial);
            io.supersede_held(entry, moved);
        }
        let here = io.held().find(piece.page, stream).map_or(0, |entry| io.held().entries()[entry].mask);
        let entry = io.hold_piece(&piece, stream, (here | piece.mask).ones());
        io.acknowledge_held(entry, piece.mask);
        absorbed.ones()
    }

    /// Whether `units` more have room in it.
    #[inline]
    pub fn has_room(&self, units: u32, io: &Io) -> bool {
        io.occupied_units() + units <= self.capacity_units
    }

    /// Whether the request that brings a page of `stream` waits for its program, which makes a
    /// wordline full or not (`fills`).
    pub fn waits(&self, stream: u8, fills: bool, io: &Io) -> bool {
        let awaited = || io.held().entries().iter().any(|held| held.group == stream && held.is_awaited());
        fills || !self.is_kept(io) || awaited()
    }

    /// Lets the request of a piece go whose full pages are on their way, unless the buffer is full:
    /// it then waits for what is still held of it.
    pub fn acknowledge(&self, piece: &Piece, stream: u8, io: &mut Io) {
        if piece.request.is_none() || self.is_kept(io) {
            return;
        }
        let Some(entry) = io.held().find(piece.page, stream) else {
            return;
        };
        if io.held().entries()[entry].mask & piece.mask != 0 {
            io.await_held(entry, piece.request);
            io.wake_at(io.now_ns() + io.policy().stage_timeout_ns);
        }
    }

    /// Whether a request has waited long enough for what is held in `stream`.
    pub fn is_due(&self, stream: u8, io: &Io) -> bool {
        let late = |since_ns: u64| since_ns + io.policy().stage_timeout_ns <= io.now_ns();
        let mut awaited = io.held().entries().iter().filter(|held| held.group == stream && held.is_awaited());
        awaited.any(|held| late(held.since_ns))
    }

    /// Asks to be woken for the requests that go on waiting: the timer is one for all of them.
    pub fn arm(&self, io: &mut Io) {
        let awaited = io.held().entries().iter().filter(|held| held.is_awaited());
        if let Some(since_ns) = awaited.map(|held| held.since_ns).min() {
            io.wake_at(since_ns + io.policy().stage_timeout_ns);
        }
    }
}
