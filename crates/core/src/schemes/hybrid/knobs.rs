//! The two knobs of the regions.

use super::Hybrid;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobRange, KnobSpec};

/// Size of the SLC region.
pub const SLC_BLOCKS: KnobSpec = KnobSpec {
    name: "slc_blocks",
    unit: "blocks",
    summary: "blocks of each plane in the SLC region; those beyond the free ones are migrated first",
};

/// The threshold between the regions.
pub const THETA_BYTES: KnobSpec = KnobSpec {
    name: "theta_bytes",
    unit: "bytes",
    summary: "largest write request that goes to the SLC region",
};

impl Hybrid {
    /// The size of the SLC region as a knob.
    pub fn slc_blocks_knob(&self, io: &Io) -> Knob {
        // What it has may be outside: data came, or the host needed the room.
        let now = self.slc_blocks();
        let range = KnobRange::whole(self.slc_blocks_min().min(now), self.slc_blocks_max(io).max(now));
        Knob { spec: &SLC_BLOCKS, range, value: f64::from(self.slc_blocks()) }
    }

    pub fn theta_knob(&self) -> Knob {
        let rungs = self.limits.theta_ladder_bytes.iter();
        let range = KnobRange::Ladder(rungs.map(|&bytes| bytes as f64).collect());
        Knob { spec: &THETA_BYTES, range, value: self.theta_bytes() as f64 }
    }
}
