//! Field by field: slower, but whatever is wrong with a line has a name.

use super::{Line, LineContent, LineFormat};
use crate::error::LineFault;
use crate::fields::scan::{decimal_time, unsigned, ScannedTime, Words};
use crate::formats::columns::{op_of_flags, Columns, Header, Holds, Split, COLUMNS_MAX};
use crate::formats::SKIPPED_HEADER;

const SECOND_NS: u64 = 1_000_000_000;
const MILLISECOND_NS: u64 = 1_000_000;

/// What a line holds, in the order of its columns. Built for each format: some files have blanks in every
/// line, and all their lines come here.
#[inline(always)]
pub(in crate::formats) fn careful<F: LineFormat>(line: &[u8]) -> Result<LineContent<'_>, LineFault> {
    let fields = LineFields::split(F::COLUMNS, line)?;
    if fields.is_header() {
        return Ok(LineContent::Skipped(SKIPPED_HEADER));
    }
    let mut found = Line::at(0);
    // As for the quick way, a loop would be left as one that looks into the table.
    fields.put_at::<0>(&mut found)?;
    fields.put_at::<1>(&mut found)?;
    fields.put_at::<2>(&mut found)?;
    fields.put_at::<3>(&mut found)?;
    fields.put_at::<4>(&mut found)?;
    fields.put_at::<5>(&mut found)?;
    fields.put_at::<6>(&mut found)?;
    fields.put_at::<7>(&mut found)?;
    Ok(LineContent::Line(found))
}

/// The fields of a line; columns count from 1.
pub(in crate::formats) struct LineFields<'a> {
    columns: &'static Columns,
    line: &'a [u8],
    values: [&'a [u8]; COLUMNS_MAX],
}

impl<'a> LineFields<'a> {
    /// Takes a line apart into as many fields as there are columns.
    #[inline(always)]
    pub(in crate::formats) fn split(columns: &'static Columns, line: &'a [u8]) -> Result<Self, LineFault> {
        let wanted = columns.columns.len();
        let comma = |byte: &u8| *byte == b',';
        let mut values: [&[u8]; COLUMNS_MAX] = [&[]; COLUMNS_MAX];
        let places = values[..wanted].iter_mut();
        let found = match columns.split {
            Split::Commas | Split::BareCommas => fill(places, line.split(comma)),
            Split::CommasOrMore => fill(places, line.split(comma).take(wanted)),
            Split::CommasFromEnd => fill(places.rev(), line.rsplitn(wanted, comma)),
            Split::Blanks => fill(places, Words::new(line)),
        };
        if found != wanted {
            return Err(columns.count_fault(line, found));
        }
        if !matches!(columns.split, Split::BareCommas | Split::Blanks) {
            values[..wanted].iter_mut().for_each(|value| *value = value.trim_ascii());
        }
        Ok(Self { columns, line, values })
    }

    pub(in crate::formats) fn get(&self, column: usize) -> &'a [u8] {
        self.values[column - 1]
    }

    /// Whether the line names the columns: each field is the column's name in any case, or one of the
    /// other spellings given for it.
    #[inline(always)]
    pub(in crate::formats) fn is_header(&self) -> bool {
        let other_spellings = match self.columns.header {
            Header::Never => return false,
            Header::Maybe => &[],
            Header::Usual(spellings) => spellings,
        };
        (1..).zip(self.columns.columns).all(|(number, column)| {
            let named = |name: &str| self.get(number).eq_ignore_ascii_case(name.as_bytes());
            named(column.name) || other_spellings.iter().any(|&(other, name)| other == number && named(name))
        })
    }

    #[inline(always)]
    pub(in crate::formats) fn put(&self, column: usize, line: &mut Line<'a>) -> Result<(), LineFault> {
        let field = self.get(column);
        match self.columns.columns[column - 1].holds {
            Holds::Unused(_) => {}
            Holds::VolumeText if field.is_empty() => return Err(self.fault(column)),
            Holds::VolumeText => line.volume = field,
            Holds::Volume => {
                self.number(column)?;
                let first = if line.volume.is_empty() { field } else { line.volume };
                line.volume = between(self.line, first, field);
            }
            Holds::Op(codes) => line.op = codes.op(field).ok_or_else(|| self.fault(column))?,
            Holds::Flags(read) => line.op = op_of_flags(field, read).ok_or_else(|| self.fault(column))?,
            Holds::Address => line.address = self.number(column)?,
            Holds::Size => line.size = self.number(column)?,
            Holds::Ticks(unit_ns) => {
                let at_ns = self.number(column)?.checked_mul(unit_ns);
                line.time.at_ns = at_ns.ok_or_else(|| self.fault(column))?;
            }
            Holds::Seconds => line.time = self.decimal(column, SECOND_NS)?,
            Holds::Milliseconds => line.time = self.decimal(column, MILLISECOND_NS)?,
            Holds::ResponseTicks(unit_ns) => {
                let response_ns = self.number(column)?.checked_mul(unit_ns);
                line.response = Some(response_ns.ok_or_else(|| self.fault(column))?);
            }
            Holds::ResponseSeconds if field.is_empty() => {}
            Holds::ResponseSeconds => line.response = Some(self.decimal(column, SECOND_NS)?.at_ns),
        }
        Ok(())
    }

    /// Puts the column of that place, counted from 0, into the line, if there is one.
    #[inline(always)]
    fn put_at<const PLACE: usize>(&self, line: &mut Line<'a>) -> Result<(), LineFault> {
        match PLACE < self.columns.columns.len() {
            true => self.put(PLACE + 1, line),
            false => Ok(()),
        }
    }

    #[inline(always)]
    fn number(&self, column: usize) -> Result<u64, LineFault> {
        unsigned(self.get(column)).ok_or_else(|| self.fault(column))
    }

    /// A decimal number of units of `unit_ns` nanoseconds.
    fn decimal(&self, column: usize, unit_ns: u64) -> Result<ScannedTime, LineFault> {
        decimal_time(self.get(column), unit_ns).ok_or_else(|| self.fault(column))
    }

    #[cold]
    fn fault(&self, column: usize) -> LineFault {
        self.columns.fault(column, self.get(column))
    }
}

/// Puts fields into places as long as there are both; how many fields there are.
#[inline(always)]
fn fill<'v, 'a: 'v>(
    mut places: impl Iterator<Item = &'v mut &'a [u8]>,
    fields: impl Iterator<Item = &'a [u8]>,
) -> usize {
    let mut found = 0;
    for field in fields {
        if let Some(place) = places.next() {
            *place = field;
        }
        found += 1;
    }
    found
}

/// The piece of a line from one of its fields to another or the same.
pub(in crate::formats) fn between<'a>(line: &'a [u8], first: &[u8], last: &[u8]) -> &'a [u8] {
    let start = first.as_ptr().addr() - line.as_ptr().addr();
    let end = last.as_ptr().addr() + last.len() - line.as_ptr().addr();
    &line[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::columns::{column, Column, Units, LETTERS};
    use crate::formats::volume_names::VolumeNames;

    const THREE: &[Column] = &[
        column("time", Holds::Ticks(1), "a time"),
        column("op", Holds::Op(LETTERS), "R or W"),
        column("size", Holds::Size, "a size"),
    ];

    const fn columns(split: Split) -> Columns {
        Columns {
            split,
            header: Header::Usual(&[(2, "rw_flag")]),
            units: Units::Sectors,
            volumes: VolumeNames::Number,
            columns: THREE,
        }
    }

    const COMMAS: &Columns = &columns(Split::Commas);
    const OR_MORE: &Columns = &columns(Split::CommasOrMore);
    const BLANKS: &Columns = &columns(Split::Blanks);

    #[test]
    fn too_few_and_too_many_columns() {
        let message =
            |columns, line: &'static [u8]| LineFields::split(columns, line).err().unwrap().to_string();
        assert!(message(COMMAS, b"1,2").starts_with("2 columns where 3 (time,op,size)"));
        assert!(message(COMMAS, b"1,2,3,4").starts_with("4 columns"));
        assert!(message(OR_MORE, b"1,2").contains("at least 3 (time,op,size)"));
        assert!(message(BLANKS, b"1  2").contains("3 (time op size)"));
        let fields = LineFields::split(OR_MORE, b" 1 ,2,3,4").unwrap();
        assert_eq!((fields.get(1), fields.get(3)), (&b"1"[..], &b"3"[..]));
    }

    #[test]
    fn headers_in_any_case_and_known_spellings() {
        let header = |line: &'static [u8]| LineFields::split(COMMAS, line).unwrap().is_header();
        assert!(header(b"Time, OP,size") && header(b"time,rw_flag,size"));
        assert!(!header(b"rw_flag,op,size") && !header(b"1,op,size"));
    }
}
