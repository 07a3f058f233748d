//! The line that MQSim, SSDsim and DiskSim share: `time device sector sectors
//! code`, separated by blanks. What time and code mean differs.

use crate::line_end::LineEnd;
use crate::scan::{digits_word, unsigned_word};

/// What stands behind the time.
pub(super) struct DeviceLine<'a> {
    /// The device number as it stands in the line.
    pub device: &'a [u8],
    /// First sector.
    pub sector: u64,
    /// Length in sectors.
    pub sectors: u64,
    /// The last column, without blanks around it.
    pub code: &'a [u8],
}

impl<'a> DeviceLine<'a> {
    /// One pass over what follows the time of a well-formed line, and what is behind the line;
    /// `None` when a closer look is needed.
    #[inline(always)]
    pub(super) fn after_time<E: LineEnd>(named: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (device, rest) = digits_word::<E>(named)?;
        let (sector, rest) = unsigned_word::<E>(rest)?;
        let (sectors, rest) = unsigned_word::<E>(rest)?;
        let (code, behind) = E::last_word(rest)?;
        Some((Self { device, sector, sectors, code }, behind))
    }
}
