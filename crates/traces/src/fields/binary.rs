//! Fields of binary records in either byte order.

use crate::error::LineFault;

/// The bytes of a record (or header) with their byte order. Places are checked
/// when the record is set off, so reading a field cannot fail.
#[derive(Clone, Copy)]
pub(crate) struct RecordFields<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl<'a> RecordFields<'a> {
    /// Little-endian fields.
    pub(crate) fn little(bytes: &'a [u8]) -> Self {
        Self { bytes, big_endian: false }
    }

    /// Fields in the given byte order.
    pub(crate) fn ordered(bytes: &'a [u8], big_endian: bool) -> Self {
        Self { bytes, big_endian }
    }

    /// The unsigned number of 1 to 8 bytes at a place.
    #[inline]
    pub(crate) fn unsigned(self, place: usize, width: usize) -> u64 {
        let mut padded = [0; 8];
        let field = &self.bytes[place..place + width];
        if self.big_endian {
            padded[8 - width..].copy_from_slice(field);
            return u64::from_be_bytes(padded);
        }
        padded[..width].copy_from_slice(field);
        u64::from_le_bytes(padded)
    }

    /// Two bytes.
    #[inline]
    pub(crate) fn u16(self, place: usize) -> u16 {
        self.unsigned(place, 2) as u16
    }

    /// Four bytes.
    #[inline]
    pub(crate) fn u32(self, place: usize) -> u32 {
        self.unsigned(place, 4) as u32
    }

    /// Eight bytes.
    #[inline]
    pub(crate) fn u64(self, place: usize) -> u64 {
        self.unsigned(place, 8)
    }
}

/// Nanoseconds of a whole number of units; a fault when they pass 64 bits.
pub(crate) fn time_ns((column, name): (usize, &str), time: u64, unit_ns: u64) -> Result<u64, LineFault> {
    time.checked_mul(unit_ns).ok_or_else(|| {
        let allowed = format!("a time that fits 64 bits in nanoseconds (the unit is {unit_ns} ns)");
        number_fault((column, name), time, allowed)
    })
}

/// A number that its field does not allow.
#[cold]
pub(crate) fn number_fault(
    (column, name): (usize, &str),
    value: u64,
    allowed: impl Into<String>,
) -> LineFault {
    LineFault::field(column, name, value.to_string().as_bytes(), allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(RecordFields::little(&bytes).u16(1), 0x0302);
        assert_eq!(RecordFields::ordered(&bytes, true).u16(1), 0x0203);
        assert_eq!(RecordFields::little(&bytes).u32(0), 0x0403_0201);
        assert_eq!(RecordFields::ordered(&bytes, true).u64(1), 0x0203_0405_0607_0809);
        assert_eq!(RecordFields::little(&bytes).unsigned(0, 3), 0x03_0201);
    }
}
