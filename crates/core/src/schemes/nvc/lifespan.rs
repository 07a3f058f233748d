//! The lifespan model: how often a workload can be repeated before the flash is worn out (equations 1 to
//! 11 of the paper).
//!
//! Of `B` blocks the share `r` is used in SLC mode, the others in a dense one. A region can take its
//! cycles times its capacity (`D`), and one pass of the workload programs `W` bytes into it, so that it
//! lasts `N = D / W` passes. Each region is a log that wears its blocks evenly. When one is worn out, the
//! other serves the host alone and has what is left of its own `D` for that; what a pass programs then is
//! measured in a run with this region only.

/// What the chip endures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chip {
    /// Cycles of a block in SLC mode (`PE_S`).
    pub slc_cycles: f64,
    /// Cycles of a block in the dense mode (`PE_M`).
    pub dense_cycles: f64,
    /// Capacity of a block in SLC mode (`P`).
    pub slc_block_bytes: f64,
    /// How much more a block holds in the dense mode: 2 for MLC.
    pub dense_bits: f64,
    /// Blocks of both regions (`B`).
    pub blocks: f64,
}

/// Bytes of one pass of the workload.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Volumes {
    /// What the host writes into flash (`W_H`).
    pub host_bytes: f64,
    /// What is programmed in the SLC region (`W_S`, equation 3).
    pub slc_bytes: f64,
    /// What is programmed in the dense region (`W_M`, equation 4).
    pub dense_bytes: f64,
    /// What is programmed in the SLC region where there is no other (`W_S_only`, equation 7).
    pub slc_only_bytes: f64,
    /// What is programmed in the dense region where there is no other (`W_M_only`, equation 8).
    pub dense_only_bytes: f64,
}

/// The region that is worn out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// The SLC region, or it is the only one.
    Slc,
    /// The dense region, or it is the only one.
    Dense,
    /// Both in the same pass.
    Both,
    /// None: nothing is programmed.
    Neither,
}

/// How long the flash lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lifespan {
    /// Passes until the SLC region is worn out while both serve (`N_S`); none without such a region.
    pub slc_passes: Option<f64>,
    /// Passes until the dense region is worn out while both serve (`N_M`); none without such a region.
    pub dense_passes: Option<f64>,
    /// Passes until all of the flash is worn out (`N_NVC`); infinite where nothing is programmed.
    pub passes: f64,
    /// What the host can write until then (`L_NVC`); none where a pass writes nothing.
    pub host_bytes: Option<f64>,
    /// The region that goes first.
    pub first: First,
}

impl Chip {
    /// What the SLC region can take in its life (`D_S`, equation 1).
    pub fn slc_life_bytes(&self, slc_share: f64) -> f64 {
        self.slc_cycles * self.slc_block_bytes * self.blocks * slc_share
    }

    /// What the dense region can take in its life (`D_M`, equation 2).
    pub fn dense_life_bytes(&self, slc_share: f64) -> f64 {
        self.dense_cycles * self.dense_bits * self.slc_block_bytes * self.blocks * (1.0 - slc_share)
    }

    /// The share of SLC blocks at which both regions would be worn out in the same pass, had they the same
    /// volumes there; above it the dense region goes first. With `PE_S = 5 PE_M` and two bits it is the
    /// paper's `2 W_S / (5 W_M + 2 W_S)`. None where nothing is programmed.
    pub fn even_slc_share(&self, volumes: &Volumes) -> Option<f64> {
        let slc = self.dense_cycles * self.dense_bits * volumes.slc_bytes;
        let dense = self.slc_cycles * volumes.dense_bytes;
        (slc + dense > 0.0).then(|| slc / (slc + dense))
    }

    /// How long the flash lasts with the share `slc_share` (`r`, 0 to 1) of its blocks in SLC mode.
    ///
    /// Which region goes first is told by `N_S` and `N_M` themselves. At the ends there is one region:
    /// nothing but `dense_only_bytes` counts at `r = 0`, nothing but `slc_only_bytes` at `r = 1`.
    pub fn lifespan(&self, slc_share: f64, volumes: &Volumes) -> Lifespan {
        let (slc, dense) = (self.slc_life_bytes(slc_share), self.dense_life_bytes(slc_share));
        let slc_passes = (slc_share > 0.0 && slc_share < 1.0).then(|| lasts(slc, volumes.slc_bytes));
        let dense_passes = slc_passes.map(|_| lasts(dense, volumes.dense_bytes));
        let (passes, first) = match slc_passes.zip(dense_passes) {
            Some(both) => volumes.one_after_the_other((slc, dense), both),
            None if slc_share > 0.0 => alone(lasts(slc, volumes.slc_only_bytes), First::Slc),
            None => alone(lasts(dense, volumes.dense_only_bytes), First::Dense),
        };
        let host_bytes = (volumes.host_bytes > 0.0).then_some(volumes.host_bytes * passes);
        Lifespan { slc_passes, dense_passes, passes, host_bytes, first }
    }
}

impl Volumes {
    /// Passes until both regions, which can take so much and last so many passes together, are worn out.
    fn one_after_the_other(&self, (slc, dense): (f64, f64), (n_s, n_m): (f64, f64)) -> (f64, First) {
        if n_s == f64::INFINITY && n_m == f64::INFINITY {
            (f64::INFINITY, First::Neither)
        } else if n_s == n_m {
            (n_s, First::Both)
        } else if n_s > n_m {
            // Equation 10.
            (lasts((slc - n_m * self.slc_bytes).max(0.0), self.slc_only_bytes) + n_m, First::Dense)
        } else {
            // Equation 11.
            (lasts((dense - n_s * self.dense_bytes).max(0.0), self.dense_only_bytes) + n_s, First::Slc)
        }
    }
}

/// Passes until so many bytes are programmed; infinite where a pass programs nothing.
fn lasts(life_bytes: f64, pass_bytes: f64) -> f64 {
    if pass_bytes > 0.0 {
        life_bytes / pass_bytes
    } else {
        f64::INFINITY
    }
}

/// The only region is the first to go, if it goes.
fn alone(passes: f64, region: First) -> (f64, First) {
    (passes, if passes == f64::INFINITY { First::Neither } else { region })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's chip: 2,048 blocks of 256 KiB in SLC mode.
    const CHIP: Chip = Chip {
        slc_cycles: 50_000.0,
        dense_cycles: 10_000.0,
        slc_block_bytes: 262_144.0,
        dense_bits: 2.0,
        blocks: 2048.0,
    };

    /// 10 blocks of 100 bytes, 50 and 10 cycles: `D_S = 50,000 r` and `D_M = 20,000 (1 - r)`.
    const SMALL: Chip =
        Chip { slc_cycles: 50.0, dense_cycles: 10.0, slc_block_bytes: 100.0, dense_bits: 2.0, blocks: 10.0 };

    fn volumes(host: f64, slc: f64, dense: f64, slc_only: f64, dense_only: f64) -> Volumes {
        Volumes {
            host_bytes: host,
            slc_bytes: slc,
            dense_bytes: dense,
            slc_only_bytes: slc_only,
            dense_only_bytes: dense_only,
        }
    }

    #[test]
    fn the_papers_chip_takes_so_much() {
        // 512 MiB x 50,000 and 1 GiB x 10,000.
        assert_eq!(CHIP.slc_life_bytes(1.0), 26_843_545_600_000.0);
        assert_eq!(CHIP.dense_life_bytes(0.0), 10_737_418_240_000.0);
        assert_eq!((CHIP.slc_life_bytes(0.0), CHIP.dense_life_bytes(1.0)), (0.0, 0.0));
        assert_eq!(CHIP.slc_life_bytes(0.25), 6_710_886_400_000.0);
        assert_eq!(CHIP.dense_life_bytes(0.25), 8_053_063_680_000.0);
    }

    #[test]
    fn the_dense_region_goes_first() {
        // r = 1/2: D_S = 25,000, D_M = 10,000. N_S = 125, N_M = 100; until then W_S took 20,000 of D_S,
        // and the 5,000 left last 20 passes of 250.
        let found = SMALL.lifespan(0.5, &volumes(80.0, 200.0, 100.0, 250.0, 999.0));
        assert_eq!(found.first, First::Dense);
        assert_eq!((found.slc_passes, found.dense_passes), (Some(125.0), Some(100.0)));
        assert_eq!((found.passes, found.host_bytes), (120.0, Some(9600.0)));
    }

    #[test]
    fn the_slc_region_goes_first() {
        // N_S = 50, N_M = 100; the 5,000 left of D_M last 40 passes of 125.
        let found = SMALL.lifespan(0.5, &volumes(80.0, 500.0, 100.0, 999.0, 125.0));
        assert_eq!(found.first, First::Slc);
        assert_eq!((found.slc_passes, found.dense_passes), (Some(50.0), Some(100.0)));
        assert_eq!((found.passes, found.host_bytes), (90.0, Some(7200.0)));
    }

    #[test]
    fn both_equations_meet_where_both_regions_go_together() {
        let even = volumes(80.0, 250.0, 100.0, 300.0, 125.0);
        let found = SMALL.lifespan(0.5, &even);
        assert_eq!((found.first, found.passes), (First::Both, 100.0));
        for change in [1e-9, -1e-9] {
            let near = Volumes { slc_bytes: 250.0 * (1.0 + change), ..even };
            let beside = SMALL.lifespan(0.5, &near);
            assert_eq!(beside.first, if change < 0.0 { First::Dense } else { First::Slc });
            assert!((beside.passes - 100.0).abs() < 1e-6, "{beside:?}");
        }
    }

    #[test]
    fn the_even_share_is_the_papers_threshold_and_holds_for_other_chips() {
        let tlc = Chip { slc_cycles: 100_000.0, dense_cycles: 3000.0, dense_bits: 3.0, ..SMALL };
        for (w_s, w_m) in [(300.0, 100.0), (100.0, 300.0), (1.0, 1.0), (0.0, 5.0), (5.0, 0.0)] {
            let written = volumes(50.0, w_s, w_m, 400.0, 400.0);
            let paper = 2.0 * w_s / (5.0 * w_m + 2.0 * w_s);
            assert!((CHIP.even_slc_share(&written).unwrap() - paper).abs() < 1e-15);
            for chip in [CHIP, SMALL, tlc] {
                let even = chip.even_slc_share(&written).unwrap();
                for (r, first) in [(even + 1e-6, First::Dense), (even - 1e-6, First::Slc)] {
                    if r > 0.0 && r < 1.0 {
                        assert_eq!(chip.lifespan(r, &written).first, first, "{w_s} {w_m} {r}");
                    }
                }
            }
        }
        assert_eq!(CHIP.even_slc_share(&Volumes::default()), None);
    }

    #[test]
    fn a_chip_of_one_mode_has_one_region() {
        let written = volumes(80.0, 1.0, 1.0, 250.0, 125.0);
        let dense = SMALL.lifespan(0.0, &written);
        assert_eq!((dense.passes, dense.first), (160.0, First::Dense));
        let slc = SMALL.lifespan(1.0, &written);
        assert_eq!((slc.passes, slc.first), (200.0, First::Slc));
        for found in [dense, slc] {
            assert_eq!((found.slc_passes, found.dense_passes), (None, None));
        }
    }

    #[test]
    fn slc_alone_lasts_two_and_a_half_times_what_mlc_alone_does_by_volume() {
        for (slc_only, dense_only) in [(1e9, 1e9), (2e9, 1.5e9), (7e8, 1e9)] {
            let written = volumes(5e8, f64::NAN, f64::NAN, slc_only, dense_only);
            let gain = CHIP.lifespan(1.0, &written).passes / CHIP.lifespan(0.0, &written).passes;
            assert!((gain / (2.5 * dense_only / slc_only) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_region_that_is_not_written_to_lasts_until_it_is_alone() {
        // D_S = 25,000 is gone after 100 passes of 250; then D_M = 10,000 lasts 80 passes of 125.
        let found = SMALL.lifespan(0.5, &volumes(80.0, 250.0, 0.0, 999.0, 125.0));
        assert_eq!((found.passes, found.first), (180.0, First::Slc));
        assert_eq!(found.dense_passes, Some(f64::INFINITY));
        let found = SMALL.lifespan(0.5, &volumes(80.0, 0.0, 100.0, 250.0, 999.0));
        assert_eq!((found.passes, found.first), (200.0, First::Dense));
    }

    #[test]
    fn without_writes_no_bytes_measure_the_lifespan() {
        // What is read fills the flash, and wears it.
        let fills = SMALL.lifespan(0.5, &volumes(0.0, 200.0, 100.0, 250.0, 999.0));
        assert_eq!((fills.passes, fills.host_bytes), (120.0, None));
        for r in [0.0, 0.5, 1.0] {
            let idle = SMALL.lifespan(r, &Volumes::default());
            assert_eq!((idle.passes, idle.host_bytes, idle.first), (f64::INFINITY, None, First::Neither));
        }
    }
}
