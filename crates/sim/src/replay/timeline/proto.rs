//! Fields of protocol buffers, appended to bytes.

/// Appends a number in groups of seven bits.
#[inline]
fn varint(out: &mut Vec<u8>, mut value: u64) {
    if value < 0x80 {
        return out.push(value as u8);
    }
    let (mut groups, mut count) = ([0; 10], 0);
    while value >= 0x80 {
        groups[count] = value as u8 | 0x80;
        value >>= 7;
        count += 1;
    }
    groups[count] = value as u8;
    out.extend_from_slice(&groups[..=count]);
}

/// Appends a field that is a whole number.
pub fn uint(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3);
    varint(out, value);
}

/// Appends a field of eight bytes.
pub fn fixed64(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3 | 1);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends what stands before a field of so many bytes.
pub fn head(out: &mut Vec<u8>, field: u32, length: usize) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, length as u64);
}

/// Appends a field of bytes: a text, or a message.
pub fn bytes(out: &mut Vec<u8>, field: u32, content: &[u8]) {
    head(out, field, content.len());
    out.extend_from_slice(content);
}

/// Appends a field that is a message, which `fill` writes: most are short, and one byte tells how long.
pub fn message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    varint(out, u64::from(field) << 3 | 2);
    let begin = out.len();
    out.push(0);
    fill(out);
    let length = out.len() - begin - 1;
    if length < 0x80 {
        out[begin] = length as u8;
        return;
    }
    let mut told = Vec::new();
    varint(&mut told, length as u64);
    out.splice(begin..=begin, told);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's own description.
    #[test]
    fn fields_are_those_of_the_format() {
        let mut out = Vec::new();
        uint(&mut out, 1, 150);
        assert_eq!(out, [0x08, 0x96, 0x01]);
        out.clear();
        bytes(&mut out, 2, b"testing");
        assert_eq!(out, b"\x12\x07testing");
        out.clear();
        message(&mut out, 3, |inner| uint(inner, 1, 150));
        assert_eq!(out, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        out.clear();
        message(&mut out, 2, |inner| bytes(inner, 1, &[7; 200]));
        assert_eq!(out[..7], [0x12, 0xcb, 0x01, 0x0a, 0xc8, 0x01, 7]);
        assert_eq!(out.len(), 3 + 203);
        out.clear();
        fixed64(&mut out, 47, 1);
        assert_eq!(out, [0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
