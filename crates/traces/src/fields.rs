//! The fields of a delimited line, with what is wrong with them.

use crate::error::LineFault;
use crate::scan::{decimal_time, split_exact, unsigned, ScannedTime, Words};

/// The `N` fields of a line, blanks around them taken off; columns count from 1.
pub(crate) struct Fields<'a, const N: usize> {
    names: &'static [&'static str; N],
    values: [&'a [u8]; N],
}

impl<'a, const N: usize> Fields<'a, N> {
    /// Splits at a delimiter; exactly `N` fields.
    pub(crate) fn split(
        line: &'a [u8],
        delimiter: u8,
        names: &'static [&'static str; N],
    ) -> Result<Self, LineFault> {
        let values = split_exact::<N>(line, delimiter)
            .map_err(|found| columns_fault(line, found, format!("{N} ({})", join(names, delimiter))))?;
        Ok(Self { names, values: values.map(<[u8]>::trim_ascii) })
    }

    /// Splits at a delimiter; further fields behind the `N` are allowed.
    pub(crate) fn split_at_least(
        line: &'a [u8],
        delimiter: u8,
        names: &'static [&'static str; N],
    ) -> Result<Self, LineFault> {
        let mut values: [&[u8]; N] = [&[]; N];
        let mut found = 0;
        for (value, field) in values.iter_mut().zip(line.split(|&byte| byte == delimiter)) {
            *value = field.trim_ascii();
            found += 1;
        }
        match found == N {
            true => Ok(Self { names, values }),
            false => {
                let expected = format!("at least {N} ({})", join(names, delimiter));
                Err(columns_fault(line, found, expected))
            }
        }
    }

    /// Splits at a delimiter, counted from the end: the first field may hold the
    /// delimiter.
    pub(crate) fn split_from_end(
        line: &'a [u8],
        delimiter: u8,
        names: &'static [&'static str; N],
    ) -> Result<Self, LineFault> {
        let mut values: [&[u8]; N] = [&[]; N];
        let mut found = 0;
        for (value, field) in values.iter_mut().rev().zip(line.rsplitn(N, |&byte| byte == delimiter)) {
            *value = field.trim_ascii();
            found += 1;
        }
        match found == N {
            true => Ok(Self { names, values }),
            false => Err(columns_fault(line, found, format!("{N} ({})", join(names, delimiter)))),
        }
    }

    /// Splits at runs of spaces and tabs; exactly `N` fields.
    pub(crate) fn words(line: &'a [u8], names: &'static [&'static str; N]) -> Result<Self, LineFault> {
        let found = Words::new(line).count();
        if found != N {
            return Err(columns_fault(line, found, format!("{N} ({})", join(names, b' '))));
        }
        let mut values: [&[u8]; N] = [&[]; N];
        for (value, word) in values.iter_mut().zip(Words::new(line)) {
            *value = word;
        }
        Ok(Self { names, values })
    }

    /// The field of a column.
    pub(crate) fn get(&self, column: usize) -> &'a [u8] {
        self.values[column - 1]
    }

    /// A whole number.
    pub(crate) fn number(&self, column: usize, allowed: &str) -> Result<u64, LineFault> {
        unsigned(self.get(column)).ok_or_else(|| self.fault(column, allowed))
    }

    /// A decimal number of units of `unit_ns` nanoseconds.
    pub(crate) fn time(&self, column: usize, unit_ns: u64, allowed: &str) -> Result<ScannedTime, LineFault> {
        decimal_time(self.get(column), unit_ns).ok_or_else(|| self.fault(column, allowed))
    }

    /// What is wrong with the field of a column.
    pub(crate) fn fault(&self, column: usize, allowed: &str) -> LineFault {
        LineFault::field(column, self.names[column - 1], self.get(column), allowed)
    }

    /// Whether the line names the columns: each field is the column's name in
    /// any case, or one of the other spellings given for it.
    pub(crate) fn is_header(&self, other_spellings: &[(usize, &str)]) -> bool {
        (1..=N).all(|column| {
            let field = self.get(column);
            let named = |name: &str| field.eq_ignore_ascii_case(name.as_bytes());
            named(self.names[column - 1])
                || other_spellings.iter().any(|&(other, name)| other == column && named(name))
        })
    }
}

/// Why a line that names the columns is no request.
pub(crate) const SKIPPED_HEADER: &str = "header line";

/// The line has too few or too many columns.
#[cold]
pub(crate) fn columns_fault(line: &[u8], found: usize, expected: String) -> LineFault {
    LineFault::Columns { found, expected, text: line.to_vec() }
}

fn join(names: &[&str], delimiter: u8) -> String {
    names.join(char::from(delimiter).encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["time", "op", "size"];

    #[test]
    fn too_few_and_too_many_columns() {
        let message = |split: Result<Fields<'_, 3>, LineFault>| split.err().unwrap().to_string();
        assert!(message(Fields::split(b"1,2", b',', &NAMES)).starts_with("2 columns where 3 (time,op,size)"));
        assert!(message(Fields::split(b"1,2,3,4", b',', &NAMES)).starts_with("4 columns"));
        assert!(message(Fields::split_at_least(b"1,2", b',', &NAMES)).contains("at least 3 (time,op,size)"));
        assert!(message(Fields::words(b"1  2", &NAMES)).contains("3 (time op size)"));
        let fields = Fields::split_at_least(b" 1 ,2,3,4", b',', &NAMES).unwrap();
        assert_eq!((fields.get(1), fields.get(3)), (&b"1"[..], &b"3"[..]));
    }

    #[test]
    fn headers_in_any_case_and_known_spellings() {
        let header =
            |line: &'static [u8]| Fields::split(line, b',', &NAMES).unwrap().is_header(&[(2, "rw_flag")]);
        assert!(header(b"Time, OP,size") && header(b"time,rw_flag,size"));
        assert!(!header(b"rw_flag,op,size") && !header(b"1,op,size"));
    }
}
