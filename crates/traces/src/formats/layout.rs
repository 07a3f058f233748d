//! Columns of which the places are told at run time, by a header or by the user: where they stand, and a
//! line taken apart by them.

use crate::error::LineFault;
use crate::fields::scan::{
    clock_time, decimal_time, floating_time, floating_whole, unsigned, unsigned_or_hex, ScannedTime, Words,
};
use crate::fields::sectors::NamedColumn;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnPart {
    /// When.
    Time,
    /// First address.
    Address,
    /// Length.
    Size,
    /// What is asked.
    Op,
    Volume,
    /// How long from issue to completion.
    Response,
    /// What the host says about the data.
    Hint,
    /// Tells the rows that are requests; any column may.
    Keep,
    /// How long from queue to issue.
    Queued,
    /// Nanoseconds that the time lacks.
    Nanoseconds,
    /// A letter that may follow the number before it without a blank.
    Mark,
    /// Only to tell that the line was taken apart rightly: digits, or -1.
    Number,
}

impl ColumnPart {
    pub(super) const COUNT: usize = Self::Number as usize + 1;
}

/// Number of a column that there is not (numbers count from 1).
pub(super) const NONE: usize = 0;

/// Where the parts of a record stand, what they are called and in what units they are.
#[derive(Clone, Default)]
pub(super) struct Layout {
    /// What separates columns; `None` for runs of blanks.
    pub separator: Option<u8>,
    /// Columns of a line, where that is known.
    pub count: Option<usize>,
    /// Column that may hold separators, so that those behind it count from the end.
    pub free: usize,
    /// Whether fields may be in quotes, and hold separators there.
    pub quoted: bool,
    parts: [ColumnPlace; ColumnPart::COUNT],
    /// The parts that each column holds, by its number: a bit for each.
    held: Vec<u16>,
}

#[derive(Clone, Copy, Default)]
struct ColumnPlace {
    number: usize,
    name: &'static str,
    /// Bytes or nanoseconds in a unit.
    unit: u64,
}

impl Layout {
    /// Of lines of so many columns, where that is known; nothing is said of the parts yet.
    pub(super) fn new(separator: Option<u8>, count: Option<usize>, free: usize) -> Self {
        Self { separator, count, free, ..Self::default() }
    }

    /// Says of a part its column and, by its unit, what it counts.
    pub(super) fn put(&mut self, part: ColumnPart, (name, number): (&'static str, usize), unit: u64) {
        self.parts[part as usize] = ColumnPlace { number, name, unit };
        if number >= self.held.len() {
            self.held.resize(number + 1, 0);
        }
        if number != NONE {
            self.held[number] |= 1 << part as u16;
        }
    }

    pub(super) fn has(&self, part: ColumnPart) -> bool {
        self.parts[part as usize].number != NONE
    }

    /// Takes a mark off the number that it follows without a blank: `1048576S`.
    pub(super) fn part_mark(&self, fields: &mut Vec<&[u8]>) {
        let behind = match (self.parts[ColumnPart::Mark as usize].number, self.count) {
            (number, Some(count)) if number != NONE => count - number,
            _ => return,
        };
        let Some(place) = fields.len().checked_sub(1 + behind) else { return };
        if let [number @ .., b'A'..=b'Z' | b'?'] = fields[place] {
            if unsigned(number).is_some() {
                let mark = &fields[place][number.len()..];
                fields[place] = number;
                fields.insert(place + 1, mark);
            }
        }
    }

    /// The parts in a column.
    #[inline(always)]
    pub(super) fn parts_in(&self, number: usize) -> impl Iterator<Item = usize> {
        let mut left = self.held.get(number).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some(place)
        })
    }

    /// The highest column with a part.
    pub(super) fn widest(&self) -> usize {
        self.held.len().saturating_sub(1)
    }

    /// The parts of a line.
    #[inline(always)]
    pub(super) fn row<'a>(&self, line: &'a [u8]) -> Row<'_, 'a> {
        if self.quoted && memchr::memchr(b'"', line).is_some() {
            return self.quoted_row(line);
        }
        let mut row = Row { layout: self, fields: [&[]; ColumnPart::COUNT], found: 0 };
        split(self.separator, line, |field| {
            row.found += 1;
            self.parts_in(row.found).for_each(|part| row.fields[part] = field.trim_ascii());
        });
        row
    }

    /// The parts of a line with a quote.
    #[cold]
    #[inline(never)]
    fn quoted_row<'a>(&self, line: &'a [u8]) -> Row<'_, 'a> {
        let fields = self.fields(line);
        let mut row = Row { layout: self, fields: [&[]; ColumnPart::COUNT], found: fields.len() };
        for (place, field) in fields.into_iter().enumerate() {
            self.parts_in(place + 1).for_each(|part| row.fields[part] = field);
        }
        row
    }

    /// The fields of a line without blanks around them.
    pub(super) fn fields<'a>(&self, line: &'a [u8]) -> Vec<&'a [u8]> {
        match self.separator {
            Some(separator) if self.quoted => split_quoted(separator, line),
            separator => fields(separator, line),
        }
    }

    /// The parts of a line that was taken apart, in which one column may hold separators.
    pub(super) fn row_of<'a>(&self, fields: &[&'a [u8]]) -> Row<'_, 'a> {
        let mut row = Row { layout: self, fields: [&[]; ColumnPart::COUNT], found: fields.len() };
        for (part, place) in self.parts.iter().enumerate().filter(|(_, place)| place.number != NONE) {
            row.fields[part] = fields[row.place(place.number) - 1];
        }
        row
    }
}

/// The fields of a line, one after the other, as they stand there.
#[inline(always)]
fn split<'a>(separator: Option<u8>, line: &'a [u8], put: impl FnMut(&'a [u8])) {
    match separator {
        Some(separator) => line.split(|&byte| byte == separator).for_each(put),
        None => Words::new(line).for_each(put),
    }
}

fn unquoted(field: &[u8]) -> &[u8] {
    match field.trim_ascii() {
        [b'"', inner @ .., b'"'] => inner,
        field => field,
    }
}

/// The fields of a line of which some are in quotes, without these and without blanks around them. Quotes
/// begin where a field does; what is not closed is no quote.
#[cold]
fn split_quoted(separator: u8, line: &[u8]) -> Vec<&[u8]> {
    let (mut in_quotes, mut may_begin) = (false, true);
    let ends = |&byte: &u8| {
        let is_end = byte == separator && !in_quotes;
        let is_quote = byte == b'"' && (in_quotes || may_begin);
        in_quotes ^= is_quote;
        // Two quotes in quotes stand for one.
        may_begin = is_end || is_quote || may_begin && byte.is_ascii_whitespace();
        is_end
    };
    let found = line.split(ends).map(unquoted).collect();
    if in_quotes {
        fields(Some(separator), line)
    } else {
        found
    }
}

/// The fields of a line without blanks around them.
pub(super) fn fields(separator: Option<u8>, line: &[u8]) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    split(separator, line, |field| fields.push(field.trim_ascii()));
    fields
}

/// A line taken apart.
pub(super) struct Row<'l, 'a> {
    layout: &'l Layout,
    fields: [&'a [u8]; ColumnPart::COUNT],
    /// Columns in all.
    pub found: usize,
}

impl<'a> Row<'_, 'a> {
    /// A field; empty where there is no such column.
    #[inline(always)]
    pub(super) fn get(&self, part: ColumnPart) -> &'a [u8] {
        self.fields[part as usize]
    }

    /// Where a column stands in this line.
    fn place(&self, number: usize) -> usize {
        match self.layout.count {
            Some(count) if self.layout.free != NONE && number > self.layout.free => {
                number + self.found - count
            }
            _ => number,
        }
    }

    pub(super) fn column(&self, part: ColumnPart) -> NamedColumn<'static> {
        let ColumnPlace { number, name, .. } = self.layout.parts[part as usize];
        NamedColumn { number: self.place(number), name }
    }

    #[cold]
    pub(super) fn fault(&self, part: ColumnPart, allowed: &str) -> LineFault {
        let NamedColumn { number, name } = self.column(part);
        LineFault::field(number, name, self.get(part), allowed)
    }

    /// When, or how long.
    pub(super) fn time(&self, part: ColumnPart) -> Result<ScannedTime, LineFault> {
        let (field, unit_ns) = (self.get(part), self.layout.parts[part as usize].unit);
        let other = || clock_time(field, unit_ns).or_else(|| floating_time(field, unit_ns));
        decimal_time(field, unit_ns).or_else(other).ok_or_else(|| {
            let allowed = match part {
                ColumnPart::Time => {
                    "a time from 0 that fits 64 bits in nanoseconds, in digits with at most one point (also 1.5e-6, and seconds as 12:30:59.5 or 2026-12-31 12:30:59.5)"
                }
                _ => "a length of time from 0, in digits with at most one point",
            };
            self.fault(part, allowed)
        })
    }

    /// An address or a size in bytes.
    pub(super) fn bytes(&self, part: ColumnPart) -> Result<(u64, NamedColumn<'static>), LineFault> {
        let unit_bytes = self.layout.parts[part as usize].unit;
        let field = self.get(part);
        let units = unsigned_or_hex(field).or_else(|| floating_whole(field));
        let bytes = units.and_then(|units| units.checked_mul(unit_bytes));
        let allowed = "a whole number from 0 whose bytes fit 64 bits, decimal or 0x";
        Ok((bytes.ok_or_else(|| self.fault(part, allowed))?, self.column(part)))
    }
}
