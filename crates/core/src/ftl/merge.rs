//! Holding pieces back until they fill a page: tokens, time-outs and the buffer's bound.

use super::config::{MergeAcknowledge, MergeConfig};
use super::io::Io;
use super::piece::Piece;

/// The rules by which a scheme holds pieces.
#[derive(Clone, Copy, Debug)]
pub struct Merger {
    timeout_ns: u64,
    capacity_units: u32,
    early: bool,
}

impl Merger {
    /// The rules of `config`, checked, for mapping units of `mu_bytes`.
    pub fn new(config: &MergeConfig, mu_bytes: u32) -> Self {
        Self {
            timeout_ns: config.timeout_ns,
            capacity_units: (config.buffer_bytes / u64::from(mu_bytes)) as u32,
            early: config.acknowledge == MergeAcknowledge::OnBuffer,
        }
    }

    /// Has pieces wait for `timeout_ns`, also those that wait already: `arm` must follow.
    pub fn set_timeout_ns(&mut self, timeout_ns: u64) {
        self.timeout_ns = timeout_ns;
    }

    /// Whether the buffer has room for `piece`; what is held of its page already needs none.
    pub fn has_room(&self, piece: &Piece, io: &Io) -> bool {
        let new = piece.mask & !io.held().mask(piece.page);
        io.held().is_empty() || io.held().units() + new.count_ones() <= self.capacity_units
    }

    /// Parks a piece in packing group `group`, where its page then takes `slots` slots; returns its
    /// entry. Its request waits for the program, or is done with it where the rules and the room
    /// allow.
    pub fn hold(&self, piece: &Piece, group: u8, slots: u32, io: &mut Io) -> usize {
        let entry = io.hold_piece(piece, group, slots);
        if !piece.request.is_none() {
            if self.early && io.occupied_units() <= self.capacity_units {
                io.acknowledge_held(entry, piece.mask);
            } else {
                io.await_held(entry, piece.request);
            }
        }
        self.arm(io);
        entry
    }

    /// Whether the oldest piece has waited long enough; before time 0 none waits.
    pub fn is_due(&self, io: &Io) -> bool {
        let oldest = io.held().entries().first();
        oldest.is_some_and(|held| io.clockless() || held.since_ns + self.timeout_ns <= io.now_ns())
    }

    /// Asks to be woken when the oldest piece is due.
    pub fn arm(&self, io: &mut Io) {
        if let Some(held) = io.held().entries().first().filter(|_| !io.clockless()) {
            let due_ns = held.since_ns + self.timeout_ns;
            io.wake_at(due_ns.max(io.now_ns()));
        }
    }
}
