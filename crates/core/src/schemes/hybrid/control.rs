//! What a controller of the regions turns, and what it sees of the window just over.

use super::Hybrid;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobRange, KnobSpec, SignalSpec};

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

const fn share(name: &'static str, summary: &'static str) -> SignalSpec {
    SignalSpec { name, unit: "share", min: 0.0, max: 1.0, summary }
}

/// The signals, in the order of `Hybrid::signals`.
pub const SIGNALS: [SignalSpec; 4] = [
    share("slc_share", "blocks of the SLC region, of all blocks"),
    share("utilisation", "data held, of the user capacity"),
    share("slc_demand_share", "bytes of write requests not larger than theta, of all that were written"),
    share("slc_update_share", "units written to the SLC region that lay there already, of all written there"),
];

impl Hybrid {
    /// A window is over: what the host asked for in it is what the signals tell from now on.
    pub fn end_window(&mut self) {
        self.window_before = std::mem::take(&mut self.demand);
    }

    /// The signals of the window just over.
    pub fn signals(&self, io: &Io) -> [f64; 4] {
        let slc_share = f64::from(self.slc_blocks()) / f64::from(self.plane_blocks());
        let before = &self.window_before;
        [slc_share, self.utilisation(io), before.small_share(), before.update_share()]
    }
}
