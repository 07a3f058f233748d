//! Byte scanners for numbers, fields and the ends of lines: no allocation, no silent wrap.
//!
//! A quick parser is written once and built for both: for a line on its own, and for a line among
//! those behind it, whose end it finds in passing instead of searching for it first.

use crate::fields::digits::{find_or_control, leading_digits, DIGITS_MAX};

/// A whole number of decimal digits only; `None` for anything else or above
/// `u64::MAX`.
#[inline(always)]
pub(crate) fn unsigned(field: &[u8]) -> Option<u64> {
    let (value, length) = leading_digits(field);
    match length == field.len() {
        true if (1..=DIGITS_MAX).contains(&length) => Some(value),
        true if length > 0 => unsigned_long(field),
        _ => None,
    }
}

/// A whole number of decimal digits, or of hexadecimal ones behind `0x`.
pub(crate) fn unsigned_or_hex(field: &[u8]) -> Option<u64> {
    let Some(digits) = field.strip_prefix(b"0x").or_else(|| field.strip_prefix(b"0X")) else {
        return unsigned(field);
    };
    let shifted = |value: u64, &digit: &u8| {
        let digit = char::from(digit).to_digit(16)?;
        Some(value.checked_mul(16)? + u64::from(digit))
    };
    (!digits.is_empty()).then(|| digits.iter().try_fold(0, shifted))?
}

/// More digits than always fit, which leading zeros may have.
#[cold]
fn unsigned_long(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, &byte| value.checked_mul(10)?.checked_add(u64::from(byte - b'0')))
}

/// A whole number up to a delimiter, and what follows the delimiter: number and
/// split in one pass over the bytes. `None` for anything that needs a closer
/// look, among it numbers of more than 19 digits.
#[inline(always)]
pub(crate) fn unsigned_until(bytes: &[u8], delimiter: u8) -> Option<(u64, &[u8])> {
    let (value, length) = leading_digits(bytes);
    let whole = (1..=DIGITS_MAX).contains(&length) && bytes.get(length) == Some(&delimiter);
    whole.then(|| (value, &bytes[length + 1..]))
}

/// The digits of such a number, for a name that is a number: mostly of one digit.
#[inline(always)]
pub(crate) fn digits_until(bytes: &[u8], delimiter: u8) -> Option<(&[u8], &[u8])> {
    match bytes {
        [b'0'..=b'9', second, rest @ ..] if *second == delimiter => Some((&bytes[..1], rest)),
        _ => many_digits_until(bytes, delimiter),
    }
}

fn many_digits_until(bytes: &[u8], delimiter: u8) -> Option<(&[u8], &[u8])> {
    let (_, length) = leading_digits(bytes);
    let whole = (1..=DIGITS_MAX).contains(&length) && bytes.get(length) == Some(&delimiter);
    whole.then(|| (&bytes[..length], &bytes[length + 1..]))
}

/// A whole number up to the end of the line, and what is behind the line. `None` for anything that
/// needs a closer look, as for [`unsigned_until`].
#[inline(always)]
pub(crate) fn unsigned_last<E: LineEnd>(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (value, length) = leading_digits(bytes);
    let behind = E::behind(&bytes[length..])?;
    (1..=DIGITS_MAX).contains(&length).then_some((value, behind))
}

/// A field up to a delimiter in the same line, and what follows the delimiter; `None` also where the
/// field holds a control character, among them tabs.
#[inline(always)]
pub(crate) fn field_until(bytes: &[u8], delimiter: u8) -> Option<(&[u8], &[u8])> {
    let length = find_or_control(bytes, delimiter)?;
    (bytes[length] == delimiter).then(|| (&bytes[..length], &bytes[length + 1..]))
}

/// A whole number behind any blanks, and what follows it from the blank behind
/// it on. `None` for anything that needs a closer look.
#[inline(always)]
pub(crate) fn unsigned_word<E: LineEnd>(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (_, value, rest) = numeric_word::<E>(bytes)?;
    Some((value, rest))
}

/// The digits of such a number, for a name that is a number: mostly of one digit.
#[inline(always)]
pub(crate) fn digits_word<E: LineEnd>(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match bytes {
        [b' ', b'0'..=b'9', b' ', ..] => Some((&bytes[1..2], &bytes[2..])),
        _ => many_digits_word::<E>(bytes),
    }
}

fn many_digits_word<E: LineEnd>(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (digits, _, rest) = numeric_word::<E>(bytes)?;
    Some((digits, rest))
}

/// Like [`unsigned_word`], and the word before its value.
#[inline(always)]
fn numeric_word<E: LineEnd>(bytes: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    // Mostly there is one blank, and none at the beginning of a line.
    let word = match bytes {
        [b' ', word @ ..] => word,
        word => word,
    };
    let (value, length) = leading_digits(word);
    if length == 0 {
        return numeric_word_behind_blanks::<E>(word);
    }
    let rest = &word[length..];
    (length <= DIGITS_MAX && E::ends_word(rest)).then(|| (&word[..length], value, rest))
}

#[cold]
fn numeric_word_behind_blanks<E: LineEnd>(bytes: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    let word = behind_blanks(bytes);
    let (value, length) = leading_digits(word);
    let rest = &word[length..];
    ((1..=DIGITS_MAX).contains(&length) && E::ends_word(rest)).then(|| (&word[..length], value, rest))
}

/// What follows the blanks at the beginning, mostly none or one.
#[inline(always)]
pub(crate) fn behind_blanks(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// A time converted to nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScannedTime {
    /// Nanoseconds, rounded to the nearest.
    pub at_ns: u64,
    /// Whether digits below a nanosecond were rounded away.
    pub rounded: bool,
}

/// A decimal number (`12`, `12.5`) of units of `unit_ns` nanoseconds, exact to
/// the nanosecond without going through floating point.
pub(crate) fn decimal_time(field: &[u8], unit_ns: u64) -> Option<ScannedTime> {
    let (whole, length) = leading_digits(field);
    if length == field.len() && (1..=DIGITS_MAX).contains(&length) {
        return Some(ScannedTime { at_ns: whole.checked_mul(unit_ns)?, rounded: false });
    }
    let point = memchr::memchr(b'.', field);
    let whole = unsigned(&field[..point.unwrap_or(field.len())])?;
    let whole_ns = whole.checked_mul(unit_ns)?;
    let Some(point) = point else {
        return Some(ScannedTime { at_ns: whole_ns, rounded: false });
    };
    let digits = &field[point + 1..];
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Eighteen digits decide the rounding to any unit up to a second but for
    // ties; what lies behind them only matters for the `rounded` flag.
    let kept = &digits[..digits.len().min(18)];
    let scale = 10u128.pow(kept.len() as u32);
    let scaled = u128::from(unsigned(kept)?) * u128::from(unit_ns);
    let fraction_ns = ((scaled + scale / 2) / scale) as u64;
    let behind = digits[kept.len()..].iter().any(|&digit| digit != b'0');
    Some(ScannedTime { at_ns: whole_ns.checked_add(fraction_ns)?, rounded: behind || scaled % scale != 0 })
}

/// A time as calendars and clocks tell it, `hours:minutes:seconds` with or without a day before it, where
/// times are in seconds: since 1970, or since midnight.
#[cold]
pub(crate) fn clock_time(field: &[u8], unit_ns: u64) -> Option<ScannedTime> {
    let field = field.strip_suffix(b"Z").unwrap_or(field);
    let (days, clock) = match field.iter().position(|byte| matches!(byte, b' ' | b'T')) {
        Some(end) => (days_since_1970(&field[..end])?, &field[end + 1..]),
        None => (0, field),
    };
    let mut parts = clock.splitn(3, |&byte| byte == b':');
    let mut sixties = |below: u64| unsigned(parts.next()?).filter(|&count| count < below);
    let minutes = (days * 24 + sixties(24)?) * 60 + sixties(60)?;
    let seconds = decimal_time(parts.next()?, unit_ns).filter(|time| time.at_ns <= 60 * unit_ns)?;
    let fits = unit_ns == 1_000_000_000;
    fits.then_some(ScannedTime { at_ns: minutes * 60 * unit_ns + seconds.at_ns, ..seconds })
}

/// Days from 1970-01-01 to `year-month-day`.
fn days_since_1970(date: &[u8]) -> Option<u64> {
    let mut parts = date.splitn(3, |&byte| byte == b'-');
    let mut among =
        |range: std::ops::RangeInclusive<u64>| unsigned(parts.next()?).filter(|n| range.contains(n));
    let (year, month, day) = (among(1970..=2500)?, among(1..=12)?, among(1..=31)?);
    // Years begin in March here, so that the day of a leap year is the last one.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let before_1970 = 719_468;
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - before_1970)
}

/// Below it floating point has every whole number.
const EXACT: f64 = (1u64 << 53) as f64;

/// A number as programs print one that they keep in floating point: `1.85e-06`, `4096.0`.
fn floating(field: &[u8]) -> Option<f64> {
    let begins = field.first().is_some_and(u8::is_ascii_digit);
    let number: f64 = std::str::from_utf8(field).ok().filter(|_| begins)?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// A time printed in that way, with a power of ten.
#[cold]
pub(crate) fn floating_time(field: &[u8], unit_ns: u64) -> Option<ScannedTime> {
    let field = Some(field).filter(|field| field.iter().any(|byte| matches!(byte, b'e' | b'E')))?;
    let exact_ns = floating(field)? * unit_ns as f64;
    let at_ns = exact_ns.round();
    let rounded = at_ns != exact_ns || at_ns >= EXACT;
    (at_ns < u64::MAX as f64).then_some(ScannedTime { at_ns: at_ns as u64, rounded })
}

/// A whole number printed in that way, if it is exact.
#[cold]
pub(crate) fn floating_whole(field: &[u8]) -> Option<u64> {
    floating(field).filter(|number| number.fract() == 0.0 && *number < EXACT).map(|number| number as u64)
}

/// A decimal number with up to `DECIMALS` decimals, up to a delimiter, and what follows: in units of
/// the last decimal, so that nine decimals make nanoseconds of seconds. One pass over the bytes;
/// `None` for anything that needs a closer look, among it more digits.
#[inline(always)]
pub(crate) fn decimal_until<const DECIMALS: usize>(bytes: &[u8], delimiter: u8) -> Option<(u64, &[u8])> {
    let (value, rest) = leading_decimal::<DECIMALS>(bytes)?;
    let [first, rest @ ..] = rest else {
        return None;
    };
    (*first == delimiter).then_some((value, rest))
}

/// A decimal number up to the end of the line, and what is behind the line.
#[inline(always)]
pub(crate) fn decimal_last<const DECIMALS: usize, E: LineEnd>(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (value, rest) = leading_decimal::<DECIMALS>(bytes)?;
    Some((value, E::behind(rest)?))
}

#[inline]
fn leading_decimal<const DECIMALS: usize>(bytes: &[u8]) -> Option<(u64, &[u8])> {
    const POWERS: [u64; 10] =
        [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
    let (whole, length) = leading_digits(bytes);
    let mut value = whole.checked_mul(POWERS[DECIMALS])?;
    let (mut digits, mut rest) = (length, &bytes[length..]);
    if let [b'.', behind @ ..] = rest {
        let (fraction, decimals) = leading_digits(behind);
        if decimals == 0 || length == 0 {
            return None;
        }
        let unit = POWERS[DECIMALS.checked_sub(decimals)?];
        value = value.checked_add(fraction * unit)?;
        digits += decimals;
        rest = &behind[decimals..];
    }
    (1..=DIGITS_MAX).contains(&digits).then_some((value, rest))
}

/// Fields separated by runs of spaces and tabs.
#[derive(Clone)]
pub(crate) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = self.rest.iter().position(|byte| !blank(byte))?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(blank).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(&rest[..end])
    }
}

pub(crate) trait LineEnd {
    /// What is behind the line, if the line ends here.
    fn behind(bytes: &[u8]) -> Option<&[u8]>;

    /// Whether a word that goes up to here is over.
    fn ends_word(bytes: &[u8]) -> bool;

    /// What is left of the line, without blanks around it, and what is behind the line.
    fn last_word(bytes: &[u8]) -> Option<(&[u8], &[u8])>;
}

pub(crate) struct WholeText;

impl LineEnd for WholeText {
    #[inline(always)]
    fn behind(bytes: &[u8]) -> Option<&[u8]> {
        bytes.is_empty().then_some(bytes)
    }

    #[inline(always)]
    fn ends_word(bytes: &[u8]) -> bool {
        matches!(bytes, [] | [b' ' | b'\t', ..])
    }

    #[inline(always)]
    fn last_word(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
        Some((bytes.trim_ascii(), &[]))
    }
}

/// The line has a line end, and anything may be behind it.
pub(crate) struct TextBlock;

impl LineEnd for TextBlock {
    #[inline(always)]
    fn behind(bytes: &[u8]) -> Option<&[u8]> {
        match bytes {
            [b'\n', behind @ ..] | [b'\r', b'\n', behind @ ..] => Some(behind),
            _ => None,
        }
    }

    #[inline(always)]
    fn ends_word(bytes: &[u8]) -> bool {
        matches!(bytes, [b' ' | b'\t' | b'\n', ..] | [b'\r', b'\n', ..])
    }

    #[inline(always)]
    fn last_word(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
        // Mostly a blank and one letter.
        match bytes {
            [b' ', _, b'\n', behind @ ..] => Some((bytes[1..2].trim_ascii(), behind)),
            _ => last_word_of_line(bytes),
        }
    }
}

fn last_word_of_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = memchr::memchr(b'\n', bytes)?;
    Some((bytes[..length].trim_ascii(), &bytes[length + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::scan::{TextBlock, WholeText};

    #[test]
    fn whole_numbers() {
        assert_eq!(unsigned(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(unsigned(b"18446744073709551616"), None);
        assert_eq!(unsigned(b"000000000000000000000000007"), Some(7));
        for bad in ["", "-1", "+1", "1 ", "1.0", "0x1", "1e3"] {
            assert_eq!(unsigned(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn hexadecimal_numbers() {
        assert_eq!(unsigned_or_hex(b"0x018f0b8000"), Some(0x0001_8f0b_8000));
        assert_eq!(unsigned_or_hex(b"0XffffFFFFffffFFFF"), Some(u64::MAX));
        assert_eq!(unsigned_or_hex(b"12"), Some(12));
        for bad in ["0x", "0x10000000000000000", "0xg", "x1", "1f", "-0x1", "0x-1", ""] {
            assert_eq!(unsigned_or_hex(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn numbers_up_to_a_delimiter() {
        let until = |text: &'static str| unsigned_until(text.as_bytes(), b',');
        assert_eq!(until("12,x"), Some((12, &b"x"[..])));
        assert_eq!(until("9999999999999999999,"), Some((9_999_999_999_999_999_999, &b""[..])));
        for other in ["", ",", "12", "1 ,", "-1,", "00000000000000000001,"] {
            assert_eq!(until(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_between_blanks() {
        let word = |text: &'static str| unsigned_word::<WholeText>(text.as_bytes());
        assert_eq!(word(" \t12 x"), Some((12, &b" x"[..])));
        assert_eq!(word("9999999999999999999"), Some((9_999_999_999_999_999_999, &b""[..])));
        for other in ["", "  ", "-1", "1,", "1.5", "00000000000000000001", "99999999999999999999 "] {
            assert_eq!(word(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_at_the_end_of_a_line() {
        let followed = |text: &'static str| unsigned_last::<TextBlock>(text.as_bytes());
        assert_eq!(followed("12\nx"), Some((12, &b"x"[..])));
        assert_eq!(followed("12\r\n"), Some((12, &b""[..])));
        assert_eq!(unsigned_last::<WholeText>(b"12"), Some((12, &b""[..])));
        for other in ["", "\n", "12", "12 \n", "12\r", "12\rx\n", "00000000000000000001\n"] {
            assert_eq!(followed(other), None, "{other:?}");
        }
        for other in ["", "12\n", "12,"] {
            assert_eq!(unsigned_last::<WholeText>(other.as_bytes()), None, "{other:?}");
        }
    }

    #[test]
    fn fields_stay_in_their_line() {
        assert_eq!(field_until(b"a b,c", b','), Some((&b"a b"[..], &b"c"[..])));
        assert_eq!(field_until(b",c", b','), Some((&b""[..], &b"c"[..])));
        for other in ["", "abc", "a\nb,c", "a\tb,c", "a long name,", "a long name\r,x"] {
            let expected = other.strip_suffix(',').filter(|name| *name == "a long name");
            assert_eq!(
                field_until(other.as_bytes(), b',').map(|(name, _)| name),
                expected.map(str::as_bytes)
            );
        }
        assert_eq!(digits_until(b"7,x", b','), Some((&b"7"[..], &b"x"[..])));
        assert_eq!(digits_until(b"0123,x", b','), Some((&b"0123"[..], &b"x"[..])));
        assert_eq!((digits_until(b",x", b','), digits_until(b"1 ,x", b',')), (None, None));
        assert_eq!(digits_word::<TextBlock>(b" 7 x"), Some((&b"7"[..], &b" x"[..])));
        assert_eq!(digits_word::<TextBlock>(b"\t07\n1"), Some((&b"07"[..], &b"\n1"[..])));
        assert_eq!((digits_word::<TextBlock>(b" 7"), digits_word::<TextBlock>(b"\n7 ")), (None, None));
    }

    #[test]
    fn decimals_in_one_pass_equal_the_exact_way() {
        for text in ["0", "12", "0.026214", "1456095145.133076000", "9999999999.9", "7.000000001", "1.5"] {
            let at_ns = decimal_time(text.as_bytes(), 1_000_000_000).unwrap().at_ns;
            let line = format!("{text},rest");
            assert_eq!(decimal_until::<9>(line.as_bytes(), b','), Some((at_ns, &b"rest"[..])), "{text}");
            assert_eq!(decimal_last::<9, WholeText>(text.as_bytes()), Some((at_ns, &b""[..])), "{text}");
            assert_eq!(decimal_until::<9>(text.as_bytes(), b','), None, "{text}");
        }
        for other in ["", ".5", "1.", "1.2.3", "-1", "1e3", "1.0000000001", "1.5 ", "99999999999.5"] {
            let line = format!("{other},");
            assert_eq!(decimal_until::<9>(line.as_bytes(), b','), None, "{other}");
            assert_eq!(decimal_last::<9, WholeText>(other.as_bytes()), None, "{other}");
        }
        assert_eq!(decimal_last::<9, WholeText>(b"1,2"), None);
        assert_eq!(decimal_until::<6>(b"0.221 5", b' '), Some((221_000, &b"5"[..])));
        assert_eq!(decimal_until::<6>(b"0.2210001 5", b' '), None);
    }

    #[test]
    fn decimal_times_are_exact() {
        let time =
            |text: &str, unit| decimal_time(text.as_bytes(), unit).map(|time| (time.at_ns, time.rounded));
        assert_eq!(time("1456095145.133076000", 1_000_000_000), Some((1_456_095_145_133_076_000, false)));
        assert_eq!(time("0.221", 1_000_000), Some((221_000, false)));
        assert_eq!(time("7", 1000), Some((7000, false)));
        assert_eq!(time("1.4621539998", 1_000_000_000), Some((1_462_154_000, true)));
        assert_eq!(time("0.9999999999", 1_000_000_000), Some((1_000_000_000, true)));
        assert_eq!(time("0.10000000000000000000000000", 1_000_000_000), Some((100_000_000, false)));
        for bad in ["", ".", "1.", ".5", "-1.0", "1.2.3", "99999999999999.0", "nan"] {
            assert_eq!(time(bad, 1_000_000_000), None, "{bad}");
        }
    }

    #[test]
    fn times_of_day_count_from_midnight() {
        let time = |text: &str, unit| clock_time(text.as_bytes(), unit).map(|time| time.at_ns);
        assert_eq!(time("00:01:02.5", 1_000_000_000), Some(62_500_000_000));
        assert_eq!(time("23:59:59", 1_000_000_000), Some(86_399_000_000_000));
        for bad in ["24:00:00", "1:60:0", "1:0:61", "1:2", "1:2:3:4", ":1:2", "1::2", "-1:0:0", ""] {
            assert_eq!(time(bad, 1_000_000_000), None, "{bad}");
        }
        assert_eq!(time("00:01:02", 1000), None);
        for (text, seconds) in [
            ("1970-01-01 00:00:00", 0),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2026-12-01 15:15:23", 1_796_138_123),
            ("2100-03-01 00:00:00", 4_107_542_400),
        ] {
            assert_eq!(time(text, 1_000_000_000), Some(seconds * 1_000_000_000), "{text}");
        }
        for bad in
            ["1969-12-31 00:00:00", "2026-13-01 00:00:00", "2026-12-01", "2026-12-01 ", "01.12.2026 0:0:0"]
        {
            assert_eq!(time(bad, 1_000_000_000), None, "{bad}");
        }
    }

    #[test]
    fn numbers_of_programs_that_keep_floating_point() {
        let time = |text: &str| floating_time(text.as_bytes(), 1_000_000_000).map(|time| time.at_ns);
        assert_eq!(time("1.85e-06"), Some(1850));
        assert_eq!(time("1.234567891e+00"), Some(1_234_567_891));
        assert!(floating_time(b"1.5e-10", 1_000_000_000).unwrap().rounded);
        assert!(floating_time(b"1.4560951e+09", 1_000_000_000).unwrap().rounded);
        assert_eq!(floating_whole(b"4096.0"), Some(4096));
        assert_eq!(floating_whole(b"4.096000000000000000e+03"), Some(4096));
        for bad in ["", "-1e3", "inf", "nan", ".5e1", "1e400", "1e3x", "1e30", "4096.5"] {
            assert_eq!(floating_whole(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!((time("1e30"), time("99999999999")), (None, None));
    }

    #[test]
    fn words_between_blanks() {
        let words: Vec<_> = Words::new(b"  7,0\t 1  x ").collect();
        assert_eq!(words, [&b"7,0"[..], b"1", b"x"]);
    }
}
