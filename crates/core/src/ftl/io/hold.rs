//! Pieces that wait in the controller, and who waits for them.

use super::Io;
use crate::base::Gap;
use crate::ftl::piece::Piece;
use crate::hw::timing::{OpId, RequestId};

impl Io {
    /// Mapping units that are held, or acknowledged and still being programmed.
    pub(in crate::ftl) fn occupied_units(&self) -> u32 {
        self.held().units() + self.early.units()
    }

    /// Parks a piece in `group`, where its page then takes `slots` slots; returns its entry.
    pub(in crate::ftl) fn hold_piece(&mut self, piece: &Piece, group: u8, slots: u32) -> usize {
        let first = piece.page * self.policy.mus_per_page;
        self.media.hold(piece, first, group, slots, self.timing.now_ns())
    }

    /// Makes `request` wait for a held entry.
    pub(in crate::ftl) fn await_held(&mut self, entry: usize, request: RequestId) {
        self.timing.hold_request(request);
        self.media.add_token(entry, request);
    }

    /// Makes `request` wait for everything held.
    pub(in crate::ftl) fn await_all_held(&mut self, request: RequestId) {
        for entry in 0..self.held().entries().len() {
            self.await_held(entry, request);
        }
    }

    /// Notes that the units of a held entry in `mask` are acknowledged.
    pub(in crate::ftl) fn acknowledge_held(&mut self, entry: usize, mask: u32) {
        self.media.acknowledge(entry, mask);
    }

    /// Makes `request` wait until what is held and being programmed fits a buffer of `capacity_units`.
    pub(in crate::ftl) fn await_room(&mut self, request: RequestId, capacity_units: u32) {
        self.timing.hold_request(request);
        self.crowded.push_back((request, capacity_units));
    }

    /// Lets requests go that waited for room, in their order, as far as there is room.
    pub(super) fn let_in(&mut self) {
        while let Some(&(request, capacity_units)) = self.crowded.front() {
            if self.occupied_units() > capacity_units {
                break;
            }
            self.crowded.pop_front();
            self.timing.set_gap(request, Gap::Buffer);
            self.timing.release_request(request);
        }
    }

    /// Takes the units in `mask` out of a held entry; the requests that wait for it wait for `op`,
    /// which programs them.
    pub(in crate::ftl) fn take_held(&mut self, entry: usize, mask: u32, op: OpId) {
        let held = self.media.held().entries()[entry];
        let last = held.mask & !mask == 0;
        for request in self.media.held().tokens(entry) {
            if !op.is_none() {
                self.timing.join_request(op, request);
            }
            if last {
                self.timing.release_request(request);
            }
        }
        self.media.unhold(entry, mask, held.page * self.policy.mus_per_page, false);
    }

    /// Takes the units in `mask` out of a held entry: newer data of theirs come. Requests that waited
    /// only for them are complete.
    pub(in crate::ftl) fn supersede_held(&mut self, entry: usize, mask: u32) {
        let held = self.media.held().entries()[entry];
        if held.mask & !mask == 0 {
            for request in self.media.held().tokens(entry) {
                self.timing.set_gap(request, Gap::Merge);
                self.timing.release_request(request);
            }
        }
        self.media.unhold(entry, mask, held.page * self.policy.mus_per_page, false);
    }

    /// Acknowledged data, `units` of which `op` programs, occupy the buffer until then.
    pub(in crate::ftl) fn acknowledge_later(&mut self, units: u32, op: OpId) {
        if units == 0 {
            return;
        }
        let token = self.early.begin(units);
        self.timing.notify(op, token);
    }
}
