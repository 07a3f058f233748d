//! The line that MQSim, SSDsim and DiskSim share: `time device sector sectors
//! code`, separated by blanks. What time and code mean differs.

use crate::scan::{behind_blanks, unsigned_word};

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
    /// One pass over what follows the time of a well-formed line; `None` when a
    /// closer look is needed.
    #[inline]
    pub(super) fn after_time(named: &'a [u8]) -> Option<Self> {
        let (_, rest) = unsigned_word(named)?;
        let device = behind_blanks(&named[..named.len() - rest.len()]);
        let (sector, rest) = unsigned_word(rest)?;
        let (sectors, code) = unsigned_word(rest)?;
        Some(Self { device, sector, sectors, code: code.trim_ascii() })
    }
}
