//! One pass over a well-formed line.
//!
//! All of this is inlined for one format at a time, and its table is known when it is compiled: what is
//! built is one scanner behind the other, as if it were written out by hand. A column at a place where
//! no format has such a one is left to the careful way.

use super::{Line, LineFormat};
use crate::fields::digits::{leading_digits, DIGITS_MAX};
use crate::fields::scan::{
    decimal_last, decimal_until, digits_until, digits_word, field_until, unsigned_last, unsigned_until,
    unsigned_word, LineEnd,
};
use crate::formats::columns::{op_of_flags, Codes, Columns, Holds, Split, COLUMNS_MAX};
use slcache_base::request::HostOp;

/// A well-formed line taken apart, and what is behind it; `None` when [`super::careful`] has to look.
#[inline(always)]
pub(in crate::formats) fn quick<F: LineFormat, E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    const { assert!(F::COLUMNS.columns.len() <= COLUMNS_MAX, "each column has its line below") };
    let mut scan = Scan { line: Line::at(0), named: &[], rest: line };
    // A loop would be left as one that looks into the table.
    scan.column::<F, E, 0>()?;
    scan.column::<F, E, 1>()?;
    scan.column::<F, E, 2>()?;
    scan.column::<F, E, 3>()?;
    scan.column::<F, E, 4>()?;
    scan.column::<F, E, 5>()?;
    scan.column::<F, E, 6>()?;
    scan.column::<F, E, 7>()?;
    Some((scan.line, scan.rest))
}

/// A line of which some columns are taken.
struct Scan<'a> {
    line: Line<'a>,
    /// The line from where the name of a volume begins.
    named: &'a [u8],
    /// What is left of the line, and behind the last column of what follows it.
    rest: &'a [u8],
}

/// What is behind a column.
#[derive(Clone, Copy)]
enum Separator {
    Comma,
    Blank,
    LineEnd,
}

impl Separator {
    #[inline(always)]
    fn of(columns: &Columns, place: usize) -> Self {
        match columns.split {
            _ if place + 1 == columns.columns.len() => Self::LineEnd,
            Split::Blanks => Self::Blank,
            _ => Self::Comma,
        }
    }
}

impl<'a> Scan<'a> {
    /// Takes the column of that place, counted from 0, if there is one.
    #[inline(always)]
    fn column<F: LineFormat, E: LineEnd, const PLACE: usize>(&mut self) -> Option<()> {
        let Some(column) = F::COLUMNS.columns.get(PLACE) else {
            return Some(());
        };
        let behind = Separator::of(F::COLUMNS, PLACE);
        match column.holds {
            Holds::Unused(_) => {
                self.text(behind)?;
            }
            Holds::VolumeText => {
                self.named = self.rest;
                self.text(behind).filter(|text| !text.is_empty())?;
            }
            Holds::Volume => self.line.volume = self.volume::<E>(behind)?,
            Holds::Op(codes) => self.line.op = self.op::<E>(codes, behind)?,
            Holds::Flags(read) => self.line.op = self.flags::<E>(read, behind)?,
            Holds::Address => self.line.address = self.number::<E>(behind)?,
            Holds::Size => self.line.size = self.number::<E>(behind)?,
            Holds::Ticks(unit_ns) => self.line.time.at_ns = self.number::<E>(behind)?.checked_mul(unit_ns)?,
            Holds::Seconds => self.line.time.at_ns = self.decimal::<9, E>(behind)?,
            Holds::Milliseconds => self.line.time.at_ns = self.decimal::<6, E>(behind)?,
            Holds::ResponseTicks(unit_ns) => {
                self.line.response = Some(self.number::<E>(behind)?.checked_mul(unit_ns)?);
            }
            Holds::ResponseSeconds => self.line.response = Some(self.decimal::<9, E>(behind)?),
        }
        Some(())
    }

    /// What a scanner found, behind which `rest` is left.
    #[inline(always)]
    fn past<T>(&mut self, (found, rest): (T, &'a [u8])) -> T {
        self.rest = rest;
        found
    }

    #[inline(always)]
    fn text(&mut self, behind: Separator) -> Option<&'a [u8]> {
        let found = match behind {
            Separator::Comma => field_until(self.rest, b','),
            Separator::Blank | Separator::LineEnd => None,
        };
        found.map(|found| self.past(found))
    }

    #[inline(always)]
    fn number<E: LineEnd>(&mut self, behind: Separator) -> Option<u64> {
        let found = match behind {
            Separator::Comma => unsigned_until(self.rest, b','),
            Separator::Blank => unsigned_word::<E>(self.rest),
            Separator::LineEnd => unsigned_last::<E>(self.rest),
        };
        found.map(|found| self.past(found))
    }

    #[inline(always)]
    fn decimal<const DECIMALS: usize, E: LineEnd>(&mut self, behind: Separator) -> Option<u64> {
        let found = match behind {
            Separator::Comma => decimal_until::<DECIMALS>(self.rest, b','),
            Separator::Blank => decimal_until::<DECIMALS>(self.rest, b' '),
            Separator::LineEnd => decimal_last::<DECIMALS, E>(self.rest),
        };
        found.map(|found| self.past(found))
    }

    #[inline(always)]
    fn volume<E: LineEnd>(&mut self, behind: Separator) -> Option<&'a [u8]> {
        let before = self.named.len() - self.rest.len().min(self.named.len());
        let found = match behind {
            Separator::Comma => digits_until(self.rest, b','),
            Separator::Blank => digits_word::<E>(self.rest),
            Separator::LineEnd => digits_last::<E>(self.rest),
        };
        let number = found.map(|found| self.past(found))?;
        match before {
            0 => Some(number),
            before => Some(&self.named[..before + number.len()]),
        }
    }

    #[inline(always)]
    fn op<E: LineEnd>(&mut self, codes: Codes, behind: Separator) -> Option<HostOp> {
        let found = match behind {
            Separator::Comma => {
                let any =
                    |codes: &[&str]| codes.iter().find_map(|code| behind_code(self.rest, code.as_bytes()));
                match any(codes.reads) {
                    Some(rest) => Some((HostOp::Read, rest)),
                    None => any(codes.writes).map(|rest| (HostOp::Write, rest)),
                }
            }
            Separator::Blank => None,
            Separator::LineEnd => {
                let (word, behind) = E::last_word(self.rest)?;
                codes.op(word).map(|op| (op, behind))
            }
        };
        found.map(|found| self.past(found))
    }

    #[inline(always)]
    fn flags<E: LineEnd>(&mut self, read: u32, behind: Separator) -> Option<HostOp> {
        let found = match behind {
            Separator::Comma | Separator::Blank => None,
            Separator::LineEnd => E::last_word(self.rest),
        };
        found.map(|found| self.past(found)).and_then(|word| op_of_flags(word, read))
    }
}

/// What follows a code and a comma. The comma first: where codes are as long as each other, one test of
/// it is enough for all.
#[inline(always)]
fn behind_code<'a>(bytes: &'a [u8], code: &[u8]) -> Option<&'a [u8]> {
    let (word, rest) = bytes.split_at_checked(code.len())?;
    let rest = rest.strip_prefix(b",")?;
    (word == code).then_some(rest)
}

/// The digits at the end of a line, and what is behind the line; `None` also for more than always fit
/// 64 bits.
#[inline(always)]
fn digits_last<E: LineEnd>(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, length) = leading_digits(bytes);
    let behind = E::behind(&bytes[length..])?;
    (1..=DIGITS_MAX).contains(&length).then(|| (&bytes[..length], behind))
}
