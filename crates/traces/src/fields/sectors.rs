//! From the byte or sector counts of a trace to whole sectors.

use crate::error::LineFault;
use crate::options::{SubSector, TraceOptions, ZeroSize};
use slcache_base::request::SECTOR_BYTES;

/// Where an address or size stands, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedColumn<'a> {
    /// Column, from 1.
    pub number: usize,
    /// The column's name in the format.
    pub name: &'a str,
}

/// Sectors a request covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// First sector.
    pub sector: u64,
    /// Length in sectors; never 0.
    pub sectors: u32,
    /// Whether it was widened to whole sectors.
    pub rounded: bool,
}

/// The user's choices about sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeRules {
    zero_size: ZeroSize,
    sub_sector: SubSector,
}

impl SizeRules {
    /// The choices in the options.
    pub(crate) fn new(options: &TraceOptions) -> Self {
        Self { zero_size: options.zero_size, sub_sector: options.sub_sector }
    }

    /// Whole sectors from bytes; `None` for a zero size that is to be skipped.
    #[inline(always)]
    pub(crate) fn extent_of_bytes(
        self,
        (address, address_column): (u64, NamedColumn<'_>),
        (size, size_column): (u64, NamedColumn<'_>),
    ) -> Result<Option<Extent>, LineFault> {
        if size == 0 {
            return self.zero(size_column);
        }
        let mut rounded = false;
        for (value, column) in [(address, address_column), (size, size_column)] {
            if value % SECTOR_BYTES != 0 {
                self.not_whole(value, column)?;
                rounded = true;
            }
        }
        let Some(end) = address.checked_add(size) else {
            let (sector, sectors) = (address / SECTOR_BYTES, size / SECTOR_BYTES);
            return Err(LineFault::PastEnd { sector, sectors });
        };
        let sector = address / SECTOR_BYTES;
        let length = end.div_ceil(SECTOR_BYTES) - sector;
        let sectors = narrow(length, size, size_column)?;
        Ok(Some(Extent { sector, sectors, rounded }))
    }

    /// Whole sectors from sectors; `None` for a zero size that is to be skipped.
    #[inline(always)]
    pub(crate) fn extent_of_sectors(
        self,
        sector: u64,
        (length, column): (u64, NamedColumn<'_>),
    ) -> Result<Option<Extent>, LineFault> {
        if length == 0 {
            return self.zero(column);
        }
        let sectors = narrow(length, length, column)?;
        Ok(Some(Extent { sector, sectors, rounded: false }))
    }

    /// Whole sectors from a sector address and a size in bytes; `None` for a
    /// zero size that is to be skipped.
    #[inline(always)]
    pub(crate) fn extent_of_sector_and_bytes(
        self,
        (sector, sector_column): (u64, NamedColumn<'_>),
        size: (u64, NamedColumn<'_>),
    ) -> Result<Option<Extent>, LineFault> {
        match sector.checked_mul(SECTOR_BYTES) {
            Some(address) => self.extent_of_bytes((address, sector_column), size),
            None => Err(LineFault::PastEnd { sector, sectors: size.0.div_ceil(SECTOR_BYTES) }),
        }
    }

    #[cold]
    fn zero(self, column: NamedColumn<'_>) -> Result<Option<Extent>, LineFault> {
        match self.zero_size {
            ZeroSize::Skip => Ok(None),
            ZeroSize::Error => {
                Err(LineFault::ZeroSize { column: column.number, name: column.name.to_owned() })
            }
        }
    }

    #[cold]
    fn not_whole(self, value: u64, column: NamedColumn<'_>) -> Result<(), LineFault> {
        match self.sub_sector {
            SubSector::Round => Ok(()),
            SubSector::Error => {
                Err(LineFault::SubSector { column: column.number, name: column.name.to_owned(), value })
            }
        }
    }
}

#[inline(always)]
fn narrow(sectors: u64, given: u64, column: NamedColumn<'_>) -> Result<u32, LineFault> {
    u32::try_from(sectors).map_err(|_| too_large(given, column))
}

#[cold]
fn too_large(given: u64, column: NamedColumn<'_>) -> LineFault {
    let allowed = "a size below 2 TiB (2^32 sectors of 512 bytes)";
    LineFault::field(column.number, column.name, given.to_string().as_bytes(), allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMN: NamedColumn<'static> = NamedColumn { number: 6, name: "Size" };

    fn rules(zero_size: ZeroSize, sub_sector: SubSector) -> SizeRules {
        SizeRules { zero_size, sub_sector }
    }

    #[test]
    fn bytes_to_sectors() {
        let strict = rules(ZeroSize::Error, SubSector::Error);
        let round = rules(ZeroSize::Skip, SubSector::Round);
        let bytes =
            |rules: SizeRules, address, size| rules.extent_of_bytes((address, COLUMN), (size, COLUMN));
        let whole = Extent { sector: 8, sectors: 8, rounded: false };
        assert_eq!(bytes(strict, 4096, 4096), Ok(Some(whole)));
        assert!(matches!(bytes(strict, 4096, 0), Err(LineFault::ZeroSize { .. })));
        assert!(matches!(bytes(strict, 1, 512), Err(LineFault::SubSector { value: 1, .. })));
        assert!(matches!(bytes(strict, u64::MAX - 511, 512), Err(LineFault::PastEnd { .. })));
        assert!(matches!(bytes(strict, 0, 1 << 41), Err(LineFault::Field { .. })));
        assert_eq!(bytes(round, 0, 0), Ok(None));
        let widened = Extent { sector: 0, sectors: 2, rounded: true };
        assert_eq!(bytes(round, 511, 2), Ok(Some(widened)));
    }
}
