//! Putting a piece of a trace, or the names that it gives, into a message safely.

/// Longest piece of a trace shown in a message, in bytes.
const SHOWN_BYTES: usize = 80;

/// The bytes in double quotes, unprintable ones escaped, long ones cut with a
/// note of how many bytes there were: a message never carries raw junk.
pub(crate) fn quoted(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let text = shown.escape_ascii();
    if shown.len() < bytes.len() {
        format!("\"{text}\"... ({} bytes)", bytes.len())
    } else {
        format!("\"{text}\"")
    }
}

/// Place and value of the first byte that no text line has, if any.
pub(crate) fn first_binary_byte(line: &[u8]) -> Option<(usize, u8)> {
    line.iter()
        .enumerate()
        .find(|(_, byte)| matches!(byte, 0..=8 | 11..=31 | 127))
        .map(|(place, byte)| (place + 1, *byte))
}

/// Most names of a list in a message: a file may have a great many, and long ones.
const NAMES_MAX: usize = 12;
const NAME_LETTERS: usize = 80;

/// The first few of the names, and how many more there are.
pub(crate) fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMES_MAX);
    let mut text = names.take(NAMES_MAX).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// The name, or its beginning.
pub(crate) fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME_LETTERS) {
        Some((place, _)) => format!("{}...", &name[..place]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junk_is_escaped_and_cut() {
        assert_eq!(quoted(b"-4096"), "\"-4096\"");
        assert_eq!(quoted(b"a\0\xff"), "\"a\\x00\\xff\"");
        assert!(quoted([b'x'; 200]).ends_with("... (200 bytes)"));
    }

    #[test]
    fn text_has_no_binary_byte() {
        assert_eq!(first_binary_byte(b"a,b\tc"), None);
        assert_eq!(first_binary_byte(b"ab\0"), Some((3, 0)));
    }

    #[test]
    fn many_and_long_names_are_told_in_short() {
        let numbers = |count: usize| listed((0..count).map(|number| number.to_string()));
        assert_eq!(numbers(2), "0, 1");
        assert_eq!(numbers(12), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11");
        assert_eq!(numbers(12_800), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12788 more");
        assert_eq!(cut(&"\u{e9}".repeat(80)), "\u{e9}".repeat(80));
        assert_eq!(cut(&"\u{e9}".repeat(81)), format!("{}...", "\u{e9}".repeat(80)));
    }
}
