//! Where a line ends for whoever takes it apart in one pass.
//!
//! A quick parser is written once and built for both: for a line on its own, and for a line among
//! those behind it, whose end it finds in passing instead of searching for it first.

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
