//! How long the spans of a log are, in rows.

use crate::base::Problem;
use serde::{Deserialize, Serialize};

/// Rows of a log and of its spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSpans {
    /// All rows: blocks of each plane.
    pub rows: u32,
    /// Rows that the host leaves free.
    pub reserve: u32,
    /// The oldest rows, which are cleaned together.
    pub cold: u32,
}

impl LogSpans {
    /// The fewest rows of a log: one that is written, and one to move it to.
    pub const ROWS_MIN: u32 = 2;
    /// The largest share of the reserve: with it the fewest rows still have one to write.
    pub const RESERVE_SHARE_MAX: f64 = 0.5;

    /// The spans of `rows` rows, each rounded to the nearest number of rows and at least one.
    pub fn new(rows: u32, cold_share: f64, reserve_share: f64) -> Self {
        let share_of = |share: f64, rows: u32| (libm::round(share * f64::from(rows)) as u32).max(1);
        let reserve = share_of(reserve_share, rows);
        Self { rows, reserve, cold: share_of(cold_share, rows.saturating_sub(reserve)) }
    }

    /// Adds the problem of a log with the number of blocks per plane that `blocks` names.
    pub fn check(blocks: (&str, u32), problems: &mut Vec<Problem>) {
        if blocks.1 < Self::ROWS_MIN {
            let allowed = format!("at least {}: one to write and one in reserve to clean it", Self::ROWS_MIN);
            problems.push(Problem::new(blocks.0, blocks.1, allowed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(rows: u32, cold_share: f64, reserve_share: f64) -> (u32, u32) {
        let spans = LogSpans::new(rows, cold_share, reserve_share);
        (spans.reserve, spans.cold)
    }

    #[test]
    fn spans_are_rounded_to_the_nearest_row() {
        // The paper's ten blocks: one in reserve, and 0.3 * 9 = 2.7 of the others are cold.
        assert_eq!(spans(10, 0.3, 0.1), (1, 3));
        assert_eq!(spans(10, 0.4, 0.1), (1, 4));
        // Half of 2,048: 102.4 and 0.3 * 922 = 276.6; 0.4 * 922 = 368.8.
        assert_eq!(spans(1024, 0.3, 0.1), (102, 277));
        assert_eq!(spans(1024, 0.4, 0.1), (102, 369));
        // At least one of each, however few.
        assert_eq!(spans(2, 0.3, 0.1), (1, 1));
        assert_eq!(spans(2, 0.0, 0.0), (1, 1));
        assert_eq!(spans(100, 1.0, 0.0), (1, 99));
    }

    #[test]
    fn whatever_the_check_lets_through_leaves_a_row_to_write() {
        for rows in 0..50 {
            for share in [0.0, 0.1, 0.25, 0.5] {
                let mut problems = Vec::new();
                LogSpans::check(("scheme.nvc.slc_blocks", rows), &mut problems);
                let spans = LogSpans::new(rows, 1.0, share);
                let works = spans.reserve + spans.cold <= rows;
                assert_eq!(problems.is_empty(), works, "{rows} rows, {share}: {spans:?}");
            }
        }
    }
}
