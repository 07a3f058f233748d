//! What a controller of the regions turns, how far, and what it sees of the window just over: how large the SLC
//! region is by how full the device is, and what the host asks of it.

use super::dense::RESERVE;
use super::Hybrid;
use crate::base::arithmetic::Ones;
use crate::base::Mu;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobRange, KnobSpec, SignalSpec};
use crate::ftl::media::bits;
use crate::ftl::piece::Piece;
use crate::ftl::region::Region;
use crate::ftl::write_buffer::SLC;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// The SLC region takes at most this share of a plane's blocks: the largest in the paper's Table 2.
pub const SLC_SHARE_MAX: f64 = 0.56;
/// Values of theta, bytes.
pub const THETA_LADDER: [u64; 8] = [4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288];
/// Blocks that are never SLC, as a share of a plane's: the paper's over-provisioning, section 4.
pub const SPARE_SHARE: f64 = 0.03;
/// What a share given in decimal may lose in binary, blocks.
const TOLERANCE: f64 = 1e-6;

/// The bounds of both knobs, as configured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Greatest share of a plane's blocks that the SLC region takes.
    pub slc_share_max: f64,
    /// Fewest SLC blocks per plane that a controller asks for; none: the paper's 8, scaled to planes of
    /// few blocks.
    pub slc_blocks_min: Option<u32>,
    /// Values of theta, bytes, ascending.
    pub theta_ladder_bytes: Vec<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { slc_share_max: SLC_SHARE_MAX, slc_blocks_min: None, theta_ladder_bytes: THETA_LADDER.to_vec() }
    }
}

impl Limits {
    /// Fewest SLC blocks that a controller asks for, of a plane of `blocks`.
    pub fn slc_blocks_min(&self, blocks: u32) -> u32 {
        let cap = self.slc_blocks_cap(blocks);
        // What is above is a problem of its own.
        let given = self.slc_blocks_min.filter(|&least| least <= cap);
        given.unwrap_or((blocks / 32).clamp(1, 8).min(cap))
    }

    /// Most SLC blocks of a plane of `blocks`, whatever the data.
    pub fn slc_blocks_cap(&self, blocks: u32) -> u32 {
        blocks_of(self.slc_share_max, blocks)
    }
}

/// `share` of a plane of `blocks`, in whole blocks.
pub fn blocks_of(share: f64, blocks: u32) -> u32 {
    (f64::from(blocks) * share + TOLERANCE) as u32
}

/// Blocks of a plane of `blocks` that may be SLC at all: the dense region opens one beside its reserve.
pub fn slc_blocks_possible(blocks: u32) -> u32 {
    blocks.saturating_sub(RESERVE + 1)
}

// The size of the SLC region by how full the device is, as the reinforcement-learning paper's Table 2. Its row labels
// are shifted by one in the paper as printed: the rows are read so that Setting 1 is the more aggressive one, as
// its text says. Sizes are shares of the physical blocks.

/// Utilisation, percent, from which on the next size holds.
const EDGES: [u64; 6] = [20, 30, 40, 50, 60, 70];

/// Which row of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Setting {
    /// The more aggressive one: 56 % of the blocks on an empty device.
    #[default]
    #[serde(rename = "1")]
    One,
    /// The less aggressive one: 40 %.
    #[serde(rename = "2")]
    Two,
}

impl Setting {
    /// Percent of the blocks that are SLC where `mapped` of `units` units hold data.
    pub fn percent(self, mapped: u64, units: u64) -> u32 {
        let step = EDGES.iter().filter(|&&edge| mapped * 100 >= edge * units).count();
        match self {
            Self::One => [56, 50, 40, 30, 25, 20, 10][step],
            Self::Two => [40, 40, 30, 25, 20, 10, 5][step],
        }
    }
}

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
        ratio(self.small_bytes, self.bytes)
    }

    /// Updates as a share of the units written to the SLC region; 0 where none was.
    pub fn update_share(&self) -> f64 {
        ratio(self.slc_updates, self.slc_units)
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

fn ratio(part: u64, whole: u64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_in_percent_is_that_of_whole_numbers() {
        for percent in 1..=95 {
            let limits = Limits { slc_share_max: f64::from(percent) / 100.0, ..Limits::default() };
            let whole = |blocks: u32| (u64::from(blocks) * percent as u64 / 100) as u32;
            let off = (4..=65_536).find(|&blocks| limits.slc_blocks_cap(blocks) != whole(blocks));
            assert_eq!(off, None, "{percent} %");
        }
    }

    #[test]
    fn the_fewest_blocks_are_never_more_than_the_most() {
        let limits = |slc_share_max| Limits { slc_share_max, ..Limits::default() };
        assert_eq!([64, 256, 2138].map(|blocks| limits(0.56).slc_blocks_min(blocks)), [2, 8, 8]);
        assert_eq!([64, 256, 2138].map(|blocks| limits(0.02).slc_blocks_min(blocks)), [1, 5, 8]);
    }

    #[test]
    fn an_edge_belongs_to_the_fuller_side() {
        let both = |percent| (Setting::One.percent(percent, 100), Setting::Two.percent(percent, 100));
        assert_eq!([0, 19, 20].map(both), [(56, 40), (56, 40), (50, 40)]);
        assert_eq!([29, 30, 39, 40].map(both), [(50, 40), (40, 30), (40, 30), (30, 25)]);
        assert_eq!([49, 50, 59, 60].map(both), [(30, 25), (25, 20), (25, 20), (20, 10)]);
        assert_eq!([69, 70, 100].map(both), [(20, 10), (10, 5), (10, 5)]);
        // One unit of 8,388,608 decides.
        assert_eq!(Setting::One.percent(1_677_721, 8_388_608), 56);
        assert_eq!(Setting::One.percent(1_677_722, 8_388_608), 50);
    }
}
