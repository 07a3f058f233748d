//! What the host asks of the SLC region: what a controller decides its size by.

use crate::base::arithmetic::Ones;
use crate::base::Mu;
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use crate::ftl::piece::Piece;
use crate::ftl::region::Region;
use crate::ftl::write_buffer::SLC;
use serde::{Deserialize, Serialize};

/// What the host asked for in a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// Bytes of write requests.
    pub bytes: u64,
    /// Those of requests that are not larger than theta.
    pub small_bytes: u64,
    /// Units written to the SLC region.
    pub slc_units: u64,
    /// Those of them that lay there already, or were on their way to it.
    pub slc_updates: u64,
}

impl Demand {
    /// Bytes of requests not larger than theta, as a share of all; 0 where nothing was written.
    pub fn small_share(&self) -> f64 {
        share(self.small_bytes, self.bytes)
    }

    /// Updates as a share of the units written to the SLC region; 0 where none was.
    pub fn update_share(&self) -> f64 {
        share(self.slc_updates, self.slc_units)
    }

    /// Counts a piece of the host's before it is held.
    pub(super) fn count(&mut self, piece: &Piece, small: bool, to_slc: bool, slc: &Region, io: &Io) {
        self.bytes += u64::from(piece.bytes);
        self.small_bytes += if small { u64::from(piece.bytes) } else { 0 };
        if to_slc {
            self.slc_units += u64::from(piece.mask.ones());
            self.slc_updates += u64::from(units_in(piece, slc, io));
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// How many units of a piece lie in the SLC region, or wait for it.
fn units_in(piece: &Piece, slc: &Region, io: &Io) -> u32 {
    let waiting = io.held().find(piece.page, SLC).map_or(0, |entry| io.held().entries()[entry].mask);
    let first = piece.page * io.policy().mus_per_page;
    let stored = |unit: &u32| {
        let slot = io.lookup(Mu(first + unit));
        slot.is_some_and(|slot| slc.opened(io.geometry().block_of(io.geometry().page_of(slot)), io))
    };
    let in_flash = bits(piece.mask & !io.held().mask(piece.page)).filter(stored).count() as u32;
    (piece.mask & waiting).ones() + in_flash
}
