//! How far a controller may turn the knobs of the regions.

use super::dense::RESERVE;
use serde::{Deserialize, Serialize};

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
}
