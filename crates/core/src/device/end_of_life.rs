//! The end of a device's life, which ends the run with results.

use super::{RunError, Simulation};
use crate::base::arithmetic::Ones;
use crate::base::request::Request;
use crate::ftl::bank::Bank;
use crate::ftl::piece::Piece;
use crate::hw::cells::End;
use crate::hw::timing::RequestId;
use crate::metrics::cells::{BadBlocksReport, EndOfLife, EndReport};

/// What the end of the device's life left undone.
#[derive(Clone, Debug, Default)]
pub(super) struct Undone {
    /// Requests in flight that found no room.
    refused: Vec<RequestId>,
    /// Requests not served.
    requests: u64,
    /// Mapping units that were complete in the DRAM buffer.
    units: u64,
}

impl Simulation {
    /// Whether the device's life is over.
    pub fn has_ended(&self) -> bool {
        self.io.end_of_life().is_some()
    }

    /// Whether it is over since a write found no room.
    pub(super) fn has_ended_full(&self) -> bool {
        self.io.end_of_life().is_some_and(|end| end.reason == EndOfLife::Full)
    }

    /// Counts `requests`, which come after the end, and those that wait for a place in the device.
    #[cold]
    pub(super) fn leave_unserved(&mut self, requests: &[Request]) -> Result<(), RunError> {
        for (already, request) in requests.iter().enumerate() {
            self.fed += u64::from(already > 0);
            self.check(request)?;
        }
        self.undone.requests += requests.len() as u64;
        self.drop_pending();
        Ok(())
    }

    /// Counts the requests that still wait for a place in a device that has ended.
    pub(super) fn drop_pending(&mut self) {
        if self.has_ended() {
            self.undone.requests += self.pending.len() as u64;
            self.pending.clear();
        }
    }

    /// Notes that a request found no room in a device that has ended.
    #[cold]
    pub(super) fn refuse(&mut self, id: RequestId) {
        if self.has_ended() {
            self.undone.refused.push(id);
        }
    }

    /// Whether a request in flight found no room.
    pub(super) fn is_refused(&self, id: RequestId) -> bool {
        self.undone.refused.contains(&id)
    }

    /// Whether a request that is complete found no room, which is counted.
    pub(super) fn take_refusal(&mut self, id: RequestId) -> bool {
        let refused = &mut self.undone.refused;
        let Some(place) = refused.iter().position(|&refused| refused == id) else { return false };
        refused.swap_remove(place);
        self.undone.requests += 1;
        true
    }

    /// Notes that `pieces` left the DRAM buffer and found no room.
    #[cold]
    pub(super) fn leave_unwritten(&mut self, pieces: &[Piece]) {
        self.undone.units += pieces.iter().map(|piece| u64::from(piece.mask.ones())).sum::<u64>();
    }

    /// Notes that so many units in the DRAM buffer found no room.
    pub(super) fn leave_units_unwritten(&mut self, units: u32) {
        self.undone.units += u64::from(units);
    }

    /// Counts requests in flight that nothing will complete.
    pub(super) fn give_up_in_flight(&mut self) {
        self.undone.requests += u64::from(self.in_flight);
    }

    pub(super) fn bad_blocks_report(&self) -> Option<BadBlocksReport> {
        let bad = self.io.bad_blocks()?;
        let damage = self.io.media().banks().iter().filter_map(|bank| self.mean_damage(bank));
        Some(BadBlocksReport {
            factory_bad: bad.factory_bad(),
            retired: bad.retired(),
            without_spare: bad.lost().count() as u64,
            spares_left: bad.left().iter().map(|&left| u64::from(left)).sum(),
            mean_damage: damage.max_by(f64::total_cmp),
            end: bad.end().map(|end| self.end_report(end)),
        })
    }

    fn end_report(&self, end: End) -> EndReport {
        let pool = self.io.geometry().pool_of(end.plane);
        EndReport {
            reason: end.reason,
            pool: pool.name.clone(),
            plane: end.plane.0 - pool.first_plane,
            at_ns: end.at_ns,
            host_bytes: self.stats.write.bytes(),
            years: None,
            unserved_requests: self.undone.requests,
            unwritten_bytes: self.undone.units * u64::from(self.setup.device.mu_bytes),
        }
    }

    /// Share of its life that the mean block of `bank` has used, of those ever used.
    fn mean_damage(&self, bank: &Bank) -> Option<f64> {
        let array = self.io.array();
        let used = bank.blocks(array).filter(|&block| array.was_used(block)).map(|block| array.damage(block));
        let replaced = bank.replaced(array).map(|replaced| replaced.damage);
        let (blocks, sum) = used.chain(replaced).fold((0_u64, 0.0), |(n, sum), damage| (n + 1, sum + damage));
        (blocks > 0).then(|| sum / blocks as f64)
    }
}
