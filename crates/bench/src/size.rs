//! How much a call of the program measures.

/// How much to measure.
#[derive(Clone, Copy)]
pub struct Size {
    /// Rounds, of which the median counts.
    pub rounds: usize,
    /// A hundredth of the work, to see that everything runs.
    pub quick: bool,
}

impl Size {
    /// `full` units of work, or the part that a quick run does.
    pub fn of(self, full: usize) -> usize {
        if self.quick {
            full / 100
        } else {
            full
        }
    }
}
