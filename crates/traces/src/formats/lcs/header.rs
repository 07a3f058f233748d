//! The header of an lcs file: where the fields of a record stand.

use crate::fields::binary::{number_fault, Fields};
use crate::error::LineFault;

/// The number at both ends of the header.
pub(super) const MAGIC: u64 = 0x1234_5678_9abc_def0;
/// Bytes of the two shorter headers.
pub(super) const HEADER_BYTES_MIN: usize = 1024;
/// Bytes of the longest header.
const HEADER_BYTES_MAX: usize = 8192;
/// Most fields of a format string.
const FORMAT_BYTES: usize = 240;
const SECOND_NS: u64 = 1_000_000_000;

/// One field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Number from 1.
    pub number: usize,
    /// Name, as libCacheSim calls it.
    pub name: &'static str,
    /// First byte.
    pub place: usize,
    /// Bytes.
    pub width: usize,
    /// Whether its highest bit is a sign.
    pub signed: bool,
}

impl Field {
    const fn new(number: usize, name: &'static str, place: usize, width: usize) -> Self {
        Self { number, name, place, width, signed: false }
    }

    /// The value in a record; a fault when it is negative.
    pub(super) fn value(&self, record: &[u8]) -> Result<u64, LineFault> {
        let value = Fields::little(record).unsigned(self.place, self.width);
        if self.signed && value >> (self.width * 8 - 1) != 0 {
            return Err(number_fault(
                (self.number, self.name),
                value,
                "a number from 0 (its sign bit is set)",
            ));
        }
        Ok(value)
    }
}

/// What the header says about the records.
#[derive(Debug)]
pub(super) struct Header {
    /// Bytes of a record.
    pub record_bytes: usize,
    /// Requests stated; 0 when it states none.
    pub records: u64,
    /// Nanoseconds in a unit of time.
    pub time_unit_ns: u64,
    /// Time.
    pub time: Field,
    /// Object id.
    pub id: Field,
    /// Object size in bytes.
    pub size: Field,
    /// Operation, where there is one.
    pub op: Option<Field>,
    /// Tenant, where there is one.
    pub tenant: Option<Field>,
}

impl Header {
    /// How many bytes the header at the front takes, by its second magic
    /// number; more than there are when they do not tell yet.
    pub(super) fn bytes(pending: &[u8]) -> Result<usize, LineFault> {
        if pending.len() < HEADER_BYTES_MIN {
            return Ok(HEADER_BYTES_MIN);
        }
        let fields = Fields::little(pending);
        if fields.u64(0) != MAGIC {
            return Err(LineFault::field(
                1,
                "start_magic",
                &pending[..8],
                "0x123456789abcdef0, little-endian",
            ));
        }
        if fields.u64(HEADER_BYTES_MIN - 8) == MAGIC {
            return Ok(HEADER_BYTES_MIN);
        }
        if pending.len() < HEADER_BYTES_MAX {
            return Ok(HEADER_BYTES_MAX);
        }
        if fields.u64(HEADER_BYTES_MAX - 8) == MAGIC {
            return Ok(HEADER_BYTES_MAX);
        }
        let allowed = "0x123456789abcdef0 at the end of a header of 1024 or 8192 bytes";
        Err(LineFault::field(2, "end_magic", &pending[HEADER_BYTES_MAX - 8..HEADER_BYTES_MAX], allowed))
    }

    /// The header of exactly the bytes it takes.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, LineFault> {
        // A format string begins with the byte order; a version is a small number.
        match (bytes.len(), bytes[8]) {
            (HEADER_BYTES_MAX, _) => Self::versioned(Fields::little(bytes), 8, SECOND_NS),
            (_, b'<' | b'=' | b'@' | b'>' | b'!') => Self::described(bytes),
            _ => Self::versioned(Fields::little(bytes), 2, time_unit_ns(Fields::little(bytes).u32(124))?),
        }
    }

    /// Records as the version says.
    fn versioned(fields: Fields<'_>, version_max: u64, time_unit_ns: u64) -> Result<Self, LineFault> {
        match fields.u64(8) {
            version if !(1..=version_max).contains(&version) => {
                let allowed = format!("a version from 1 to {version_max} for a header of this length");
                Err(number_fault((2, "version"), version, allowed))
            }
            1 => Ok(Self::fixed(fields, time_unit_ns, 24, 4)),
            2 => Ok(Self::fixed(fields, time_unit_ns, 28, 4)),
            3 => Ok(Self::fixed(fields, time_unit_ns, 36, 8)),
            // 1, 2, 4, 8 or 16 features of four bytes behind it.
            version => Ok(Self::fixed(fields, time_unit_ns, 36 + (4 << (version - 4)), 8)),
        }
    }

    /// A record of so many bytes, whose size field has so many; the shortest
    /// carries neither operation nor tenant.
    fn fixed(fields: Fields<'_>, time_unit_ns: u64, record_bytes: usize, size_bytes: usize) -> Self {
        let place = 12 + size_bytes;
        let more = record_bytes > 24;
        Self {
            record_bytes,
            records: fields.u64(24),
            time_unit_ns,
            time: Field::new(1, "clock_time", 0, 4),
            id: Field::new(2, "obj_id", 4, 8),
            size: Field { signed: size_bytes == 8, ..Field::new(3, "obj_size", 12, size_bytes) },
            op: more.then_some(Field::new(4, "op", place, 1)),
            tenant: more.then_some(Field::new(5, "tenant", place + 1, 3)),
        }
    }

    /// Records as the format string and the field numbers say.
    fn described(bytes: &[u8]) -> Result<Self, LineFault> {
        let format = &bytes[8..8 + FORMAT_BYTES];
        let length = format.iter().position(|&byte| byte == 0).unwrap_or(FORMAT_BYTES);
        let format = &format[..length];
        let types = described_types(format)?;
        let header = Fields::little(bytes);
        let item_bytes = header.u32(1004) as usize;
        let record_bytes: usize = types.iter().map(|&(width, _)| width).sum();
        if item_bytes != record_bytes || record_bytes == 0 {
            let allowed = format!("{record_bytes}, the bytes of the fields in its format string, and not 0");
            return Err(number_fault((12, "item_size"), item_bytes as u64, allowed));
        }
        let field =
            |index_place: usize, name: &'static str| described_field(&types, bytes[index_place], name);
        let needed = |index_place: usize, name: &'static str| {
            field(index_place, name)?.ok_or_else(|| {
                LineFault::field(2, name, b"0", "the number of a field (0 says that the records have none)")
            })
        };
        Ok(Self {
            record_bytes,
            records: header.u64(488),
            time_unit_ns: SECOND_NS,
            id: needed(248, "obj_id")?,
            size: needed(249, "obj_size")?,
            time: needed(250, "time")?,
            op: field(253, "op")?,
            tenant: field(255, "tenant")?,
        })
    }
}

/// Nanoseconds of the header's number for a unit of time; 0 where it is not set.
fn time_unit_ns(number: u32) -> Result<u64, LineFault> {
    match number {
        0 | 1 => Ok(SECOND_NS),
        2 => Ok(1_000_000),
        3 => Ok(1_000),
        4 => Ok(1),
        _ => Err(number_fault((3, "time_unit"), number.into(), "1 (s), 2 (ms), 3 (µs) or 4 (ns)")),
    }
}

/// Width in bytes and whether whole numbers are signed (`None`: no whole number).
type Type = (usize, Option<bool>);

/// The fields of a format string of Python's struct module.
fn described_types(format: &[u8]) -> Result<Vec<Type>, LineFault> {
    let fault = || {
        let allowed = "'<' and fields of the types c b B h H i I l L q Q f d, as in Python's struct module";
        LineFault::field(2, "format", format, allowed)
    };
    let [b'<', types @ ..] = format else {
        return Err(fault());
    };
    let of = |letter: &u8| match letter {
        b'c' | b'b' => Ok((1, Some(true))),
        b'B' => Ok((1, Some(false))),
        b'h' => Ok((2, Some(true))),
        b'H' => Ok((2, Some(false))),
        b'i' | b'l' => Ok((4, Some(true))),
        b'I' | b'L' => Ok((4, Some(false))),
        b'q' => Ok((8, Some(true))),
        b'Q' => Ok((8, Some(false))),
        b'f' => Ok((4, None)),
        b'd' => Ok((8, None)),
        _ => Err(fault()),
    };
    types.iter().map(of).collect()
}

/// The field of a number from 1; `None` for 0, which says there is none.
fn described_field(types: &[Type], index: u8, name: &'static str) -> Result<Option<Field>, LineFault> {
    let number = usize::from(index);
    if number == 0 {
        return Ok(None);
    }
    let Some(&(width, Some(signed))) = types.get(number - 1) else {
        let allowed = format!("the number of a field from 1 to {} that holds whole numbers", types.len());
        return Err(number_fault((2, name), number as u64, allowed));
    };
    let place = types[..number - 1].iter().map(|&(width, _)| width).sum();
    Ok(Some(Field { number, name, place, width, signed }))
}
