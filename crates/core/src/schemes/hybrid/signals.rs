//! What a controller of the SLC region sees of the window just over.

use super::Hybrid;
use crate::ftl::io::Io;
use crate::ftl::signal::SignalSpec;

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
