//! The line of a text in which a byte stands.

/// The line, from 1, of `offset` in `text`.
pub fn line_at(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Where the lines of a text end, to be asked for many.
pub struct Lines(Vec<usize>);

impl Lines {
    pub fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(place, _)| place).collect())
    }

    /// The line, from 1, of the byte at `offset`.
    pub fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|&end| end < offset) + 1
    }
}
