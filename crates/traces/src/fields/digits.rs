//! Runs of decimal digits, eight bytes at a time: a number of any usual length costs a few
//! multiplications instead of a loop over its bytes.

/// Most digits of which every value fits a `u64`.
pub(crate) const DIGITS_MAX: usize = 19;

/// 10 to the power of the index, up to the digits of one word.
const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/// A word with 1 in every byte.
const ONES: u64 = u64::MAX / 255;

/// The digits at the beginning: their value and how many there are. Beyond
/// [`DIGITS_MAX`] of them the value has wrapped and is of no use.
#[inline(always)]
pub(crate) fn leading_digits(bytes: &[u8]) -> (u64, usize) {
    let (value, length) = digits_of(word(bytes));
    match length < 8 {
        true => (value, length),
        false => more_digits(value, bytes),
    }
}

/// The digits where the first eight bytes are digits, of that value. Apart, so that the way for
/// short numbers is short enough to stand wherever a number is read.
fn more_digits(mut value: u64, bytes: &[u8]) -> (u64, usize) {
    let mut length = 8;
    loop {
        let (more, count) = digits_of(word(&bytes[length..]));
        value = value.wrapping_mul(POWERS[count]).wrapping_add(more);
        length += count;
        if count < 8 {
            return (value, length);
        }
    }
}

/// The first eight bytes, the first one lowest; where there are fewer, zeros, which are no digits.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => short_word(bytes),
    }
}

/// Up to seven bytes, in two loads that may overlap: at the end of a line.
#[inline(never)]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | (u64::from(last) << (8 * (bytes.len() - 4)));
    }
    let [first, .., last] = *bytes else {
        return bytes.first().map_or(0, |&only| u64::from(only));
    };
    let middle = u64::from(bytes[bytes.len() / 2]) << (8 * (bytes.len() / 2));
    u64::from(first) | middle | (u64::from(last) << (8 * (bytes.len() - 1)))
}

/// Where the first byte stands that is the one looked for or a control character, eight bytes at a
/// time.
#[inline(always)]
pub(crate) fn find_or_control(bytes: &[u8], wanted: u8) -> Option<usize> {
    let mut place = 0;
    while let Some(chunk) = bytes[place..].first_chunk() {
        let word = u64::from_le_bytes(*chunk);
        let other = word ^ (ONES * u64::from(wanted));
        // A byte below the one taken off raises its highest bit; what it borrows from lies behind it.
        let below = word.wrapping_sub(ONES * 0x20) & !word | other.wrapping_sub(ONES) & !other;
        let found = below & (ONES * 0x80);
        if found != 0 {
            return Some(place + (found.trailing_zeros() / 8) as usize);
        }
        place += 8;
    }
    let rest = bytes[place..].iter().position(|&byte| byte == wanted || byte < 0x20)?;
    Some(place + rest)
}

/// The digits at the beginning of a word: their value and how many there are.
#[inline(always)]
fn digits_of(word: u64) -> (u64, usize) {
    let digits = word ^ (ONES * u64::from(b'0'));
    // A byte above 9 raises its highest bit; what a byte carries into the next lies behind it.
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80);
    let count = others.trailing_zeros() / 8;
    // Moved to the end, so that zeros stand before them; in two steps, since none moves 64 bits.
    let half = 32 - 4 * count;
    let digits = (digits << half) << half;
    (value(digits), count as usize)
}

/// The value of eight digits, one in each byte, the first one lowest: pairs, fours and eights of
/// them are joined.
#[inline(always)]
fn value(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10 * 256 + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 * 65_536 + 1) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 * 4_294_967_296 + 1) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(bytes: &[u8]) -> (u64, usize) {
        let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digit = |value: u64, byte: &u8| value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        (bytes[..length].iter().fold(0, digit), length)
    }

    #[test]
    fn every_byte_at_every_place_behind_digits() {
        for length in 0..=24 {
            for (place, byte) in (0..length).flat_map(|place| (0..=255u8).map(move |byte| (place, byte))) {
                let mut bytes = b"918273645546372819012345"[..length].to_vec();
                bytes[place] = byte;
                assert_eq!(leading_digits(&bytes), plain(&bytes), "{bytes:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn found_where_a_loop_finds_it(bytes in prop::collection::vec(any::<u8>(), 0..30), text in "[a-z \t,é]{0,30}") {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                let place = bytes.iter().position(|&byte| byte == b',' || byte < 0x20);
                prop_assert_eq!(find_or_control(bytes, b','), place);
            }
        }

        #[test]
        fn the_same_as_byte_by_byte(bytes in "[0-9]{0,22}[,. \t]?[^a]{0,10}") {
            prop_assert_eq!(leading_digits(bytes.as_bytes()), plain(bytes.as_bytes()));
        }
    }
}
