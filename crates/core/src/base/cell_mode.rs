//! How many bits a cell holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bits stored per cell; a block's mode is chosen when a free block is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum CellMode {
    /// One bit per cell.
    Slc = 0,
    /// Two bits per cell.
    Mlc = 1,
    /// Three bits per cell.
    Tlc = 2,
    /// Four bits per cell.
    Qlc = 3,
}

impl CellMode {
    /// How many modes there are.
    pub const COUNT: usize = 4;

    /// Every mode, sparsest first.
    pub const ALL: [CellMode; CellMode::COUNT] = [CellMode::Slc, CellMode::Mlc, CellMode::Tlc, CellMode::Qlc];

    /// Bits per cell, which is pages per wordline.
    pub fn bits(self) -> u32 {
        self as u32 + 1
    }

    /// The name used in configuration and results.
    pub fn name(self) -> &'static str {
        match self {
            CellMode::Slc => "slc",
            CellMode::Mlc => "mlc",
            CellMode::Tlc => "tlc",
            CellMode::Qlc => "qlc",
        }
    }
}

/// What is indexed by mode has a place for each, in the order of `ALL`.
const _: () = {
    let mut i = 0;
    while i < CellMode::COUNT {
        assert!(CellMode::ALL[i] as usize == i);
        i += 1;
    }
};
