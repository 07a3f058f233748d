//! What a scheme is: the contract between a published policy and the device.

use super::answer::{BlockShare, DeviceFull, Idle};
use super::io::Io;
use super::piece::Piece;
use super::region::RegionState;
use super::restore::Restoring;
use super::two_layer::TwoLayerState;
use crate::base::sparse::Sparse;
use crate::base::PlaneId;
use crate::hw::timing::op_table::RequestId;
use crate::metrics::report::SchemeReport;

/// What a snapshot holds of a scheme.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct SchemeState {
    /// Its regions, in the scheme's order.
    pub regions: Vec<RegionState>,
    /// Its two-layer regions, in the scheme's order.
    pub two_layer: Vec<TwoLayerState>,
    /// Its own numbers, in the scheme's order.
    pub numbers: Vec<u64>,
    /// Its own tables, in the scheme's order.
    pub tables: Vec<Sparse>,
}

impl SchemeState {
    /// Says which parts are missing or left over of a scheme that has so many of each kind.
    pub fn check(
        &self,
        regions: usize,
        two_layer: usize,
        numbers: usize,
        tables: usize,
    ) -> Result<(), String> {
        let found = [self.regions.len(), self.two_layer.len(), self.numbers.len(), self.tables.len()];
        let needed = [regions, two_layer, numbers, tables];
        if found != needed {
            return Err(format!(
                "regions, two-layer regions, numbers and tables number {found:?} where {needed:?} are needed"
            ));
        }
        Ok(())
    }
}

/// A policy: where writes go, what is reclaimed, what is done in idle time.
pub trait Scheme {
    /// Places logical page `page`, or what it lacks, before time 0 or at its first read; uncounted.
    fn preload(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull>;

    /// Writes a piece.
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull>;

    /// Reads a piece.
    fn read(&mut self, piece: Piece, io: &mut Io);

    /// Forgets mapping units `first..end`, which the host declared unused.
    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
    }

    /// Makes held and staged pages durable; `request` waits for them.
    fn flush(&mut self, request: RequestId, io: &mut Io) -> Result<(), DeviceFull>;

    /// Does one atomic step of idle work in `plane`.
    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle;

    /// Pads staged host pages of `plane` whose waiting time is over.
    fn stage_due(&mut self, plane: PlaneId, io: &mut Io);

    /// The time asked for with `Io::wake_at` has come.
    fn timer(&mut self, _io: &mut Io) -> Result<(), DeviceFull> {
        Ok(())
    }

    /// Write requests per window; 0 = the scheme has no windows.
    fn window_writes(&self) -> u32 {
        0
    }

    /// A window of write requests is over; the first write of the next one follows.
    fn window(&mut self, _io: &mut Io) {}

    /// Ends the run: moves the next part of what may not stay in the cache; false when nothing is
    /// left to move. What it moves completes before the next call.
    fn drain(&mut self, _io: &mut Io) -> Result<bool, DeviceFull> {
        Ok(false)
    }

    /// Ends the run after `drain`: nothing may stay held or staged.
    fn finish(&mut self, io: &mut Io) -> Result<(), DeviceFull>;

    /// The blocks the scheme uses, by pool and mode.
    fn blocks(&self) -> Vec<BlockShare>;

    /// Live bytes in the scheme's cache.
    fn cache_live_bytes(&self, io: &Io) -> u64;

    /// What a snapshot holds of the scheme; nothing is in flight.
    fn save(&self) -> SchemeState;

    /// Takes a snapshot's part into a new scheme of the same configuration, or says why it cannot be
    /// the scheme's.
    fn load(&mut self, state: SchemeState, restoring: &mut Restoring) -> Result<(), String>;

    /// The scheme's own figures.
    fn report(&self, io: &Io) -> SchemeReport;
}
