//! Appending text and numbers to a block of lines.

/// Lines on their way to the output.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    digits: itoa::Buffer,
}

impl Buffer {
    /// The lines so far.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets the lines, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends a whole number.
    #[inline]
    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.bytes.extend_from_slice(self.digits.format(number).as_bytes());
        self
    }

    /// Appends a number of units of `10^decimals` parts with all its decimals.
    #[inline]
    pub(super) fn decimal(&mut self, parts: u64, decimals: usize) -> &mut Self {
        let unit = 10u64.pow(decimals as u32);
        self.number(parts / unit).text(".");
        let fraction = self.digits.format(parts % unit).as_bytes();
        self.bytes.extend_from_slice(&b"0000000000"[..decimals - fraction.len()]);
        self.bytes.extend_from_slice(fraction);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_zeros() {
        let mut buffer = Buffer::default();
        buffer.decimal(1_000_000_007, 9).text(" ").decimal(221, 6).text(" ").number(u64::MAX);
        assert_eq!(buffer.bytes(), b"1.000000007 0.000221 18446744073709551615");
    }
}
