//! Putting a piece of a trace into a message safely.

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
}
