//! Holding pieces back until they fill a page: tokens, time-outs and the buffer's bound.

use super::config::{MergeAcknowledge, MergeConfig, MergeWait};
use super::io::Io;
use super::piece::Piece;
use crate::base::arithmetic::Ones;
use crate::hw::timing::RequestId;
use serde::{Deserialize, Serialize};

/// The rules by which a scheme holds pieces.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Merger {
    wait: MergeWait,
    timeout_ns: u64,
    capacity_units: u32,
    acknowledge: MergeAcknowledge,
}

impl Merger {
    /// The rules of `config`, checked, for mapping units of `mu_bytes`.
    pub fn new(config: &MergeConfig, mu_bytes: u32) -> Self {
        Self {
            wait: config.wait,
            timeout_ns: config.timeout_ns,
            capacity_units: (config.buffer_bytes / u64::from(mu_bytes)) as u32,
            acknowledge: config.acknowledge,
        }
    }

    /// Has pieces wait for `timeout_ns`, also those that wait already: `arm` must follow.
    pub fn set_timeout_ns(&mut self, timeout_ns: u64) {
        self.timeout_ns = timeout_ns;
    }

    /// Most mapping units that are held, but for a larger piece that comes alone.
    pub fn units_max(&self) -> u32 {
        self.capacity_units
    }

    /// Whether the buffer has room for `piece`; what is held of its page already needs none.
    #[inline]
    pub fn has_room(&self, piece: &Piece, io: &Io) -> bool {
        if io.held().is_empty() {
            return true;
        }
        let new = piece.mask & !io.held().mask(piece.page);
        io.held().units() + new.ones() <= self.capacity_units
    }

    /// The request, besides those that wait for what is held, that waits for a page which `piece`
    /// makes full or which makes room for it.
    pub fn causer(&self, piece: &Piece) -> RequestId {
        match self.acknowledge {
            MergeAcknowledge::OnFill => piece.request,
            MergeAcknowledge::OnProgram | MergeAcknowledge::OnBuffer => RequestId::NONE,
        }
    }

    /// Parks a piece in packing group `group`, where its page then takes `slots` slots; returns its
    /// entry. Its request waits as long as the rules and the room want it to.
    pub fn hold(&self, piece: &Piece, group: u8, slots: u32, io: &mut Io) -> usize {
        let entry = io.hold_piece(piece, group, slots);
        if !piece.request.is_none() {
            self.await_or_acknowledge(piece, entry, io);
        }
        self.arm(io);
        entry
    }

    fn await_or_acknowledge(&self, piece: &Piece, entry: usize, io: &mut Io) {
        let is_kept = io.occupied_units() <= self.capacity_units;
        match self.acknowledge {
            MergeAcknowledge::OnProgram => io.await_held(entry, piece.request),
            // The page of the piece comes, if others do not, when its time is over.
            MergeAcknowledge::OnBuffer if !is_kept && self.wait == MergeWait::Timeout => {
                io.await_held(entry, piece.request);
            }
            MergeAcknowledge::OnBuffer | MergeAcknowledge::OnFill => {
                io.acknowledge_held(entry, piece.mask);
                if !is_kept {
                    io.await_room(piece.request, self.capacity_units);
                }
            }
        }
    }

    /// Whether the oldest piece has waited long enough; before time 0 none waits.
    pub fn is_due(&self, io: &Io) -> bool {
        let timed = self.wait == MergeWait::Timeout;
        let oldest = io.held().entries().first();
        oldest.is_some_and(|held| io.clockless() || timed && held.since_ns + self.timeout_ns <= io.now_ns())
    }

    /// Whether a piece that fills a page alone, where nothing else is held, can go there without having been
    /// held: its request waits for the program, and for nothing else.
    pub fn lets_pass(&self, io: &Io) -> bool {
        self.acknowledge == MergeAcknowledge::OnProgram && io.held().is_empty()
    }

    /// Asks to be woken as for a piece that came just now.
    pub fn arm_for_new(&self, io: &mut Io) {
        if !io.clockless() && self.wait != MergeWait::UntilFull {
            io.wake_at(io.now_ns() + self.timeout_ns);
        }
    }

    /// Asks to be woken when the oldest piece is due.
    pub fn arm(&self, io: &mut Io) {
        if io.clockless() || self.wait == MergeWait::UntilFull {
            return;
        }
        if let Some(held) = io.held().entries().first() {
            let due_ns = held.since_ns + self.timeout_ns;
            io.wake_at(due_ns.max(io.now_ns()));
        }
    }
}
