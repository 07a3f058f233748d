//! How many SLC blocks a plane may have: the static part, and a rule for the dynamic one.

use super::config::{ClientConfig, DynamicConfig, DynamicRule, Shape};
use crate::base::problem::check_range;
use crate::base::Problem;
use serde::{Deserialize, Serialize};

/// What a share given in decimal may lose in binary, blocks.
const TOLERANCE: f64 = 1e-6;

/// What the rule is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Filling {
    /// Blocks of the plane.
    pub blocks: u32,
    pub dense: u32,
    /// Those that the host leaves to folding.
    pub kept: u32,
    /// Data held, as a share of the user capacity.
    pub used: f64,
}

/// The largest number of SLC blocks of a plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cap {
    fixed: u32,
    dynamic: DynamicConfig,
    /// Bytes of an SLC block in every plane.
    row_bytes: u64,
    most: u64,
}

impl Cap {
    /// As configured, where an SLC block of every plane together holds `row_bytes`.
    pub fn new(config: &ClientConfig, row_bytes: u64) -> Self {
        let mut cap =
            Self { fixed: config.static_blocks, dynamic: config.dynamic.clone(), row_bytes, most: u64::MAX };
        if let Some(bytes) = config.dynamic.max_bytes {
            cap.set_most(bytes);
        }
        cap
    }

    /// Sets the most bytes that the dynamic part may have.
    pub fn set_most(&mut self, bytes: u64) {
        self.most = bytes / self.row_bytes;
    }

    /// SLC blocks that there may be now.
    pub fn blocks(&self, at: Filling) -> u32 {
        let fixed = u64::from(self.fixed);
        let all = match self.dynamic.rule {
            DynamicRule::None => fixed,
            DynamicRule::Free => {
                let not_dense = at.blocks.saturating_sub(at.kept + at.dense);
                let share = (f64::from(not_dense) * self.dynamic.share + TOLERANCE) as u64;
                share.max(fixed)
            }
            DynamicRule::Table => fixed + self.table_bytes(at.used) / self.row_bytes,
        };
        all.min(fixed.saturating_add(self.most)).min(u64::from(at.blocks)) as u32
    }

    fn table_bytes(&self, used: f64) -> u64 {
        let table = self.dynamic.table.as_deref().unwrap_or_default();
        let behind = table.iter().position(|pair| pair.0 > used).unwrap_or(table.len());
        let pair = |index: usize| table.get(index).copied();
        match (behind.checked_sub(1).and_then(pair), pair(behind)) {
            (Some(before), Some(after)) if self.dynamic.shape == Shape::Linear => {
                let part = (used - before.0) / (after.0 - before.0);
                before.1 - ((before.1 - after.1) as f64 * part) as u64
            }
            (Some((_, bytes)), _) | (None, Some((_, bytes))) => bytes,
            (None, None) => 0,
        }
    }
}

impl DynamicConfig {
    /// Adds every problem of the rule on a device that holds `raw_bytes` in SLC mode.
    pub fn check(&self, raw_bytes: u64, problems: &mut Vec<Problem>) {
        if let Some(bytes) = self.max_bytes {
            check_range(problems, "scheme.client.dynamic.max_bytes", bytes, 0..=raw_bytes);
        }
        let key = "scheme.client.dynamic.table";
        let Some(table) = &self.table else {
            if self.rule == DynamicRule::Table {
                let allowed =
                    "pairs of data held (share of the user capacity) and SLC bytes: dynamic.rule = \"table\"";
                problems.push(Problem::new(key, "absent", allowed));
            }
            return;
        };
        if table.is_empty() {
            problems.push(Problem::new(key, "empty", "at least one pair"));
        }
        for (share, bytes) in table {
            check_range(problems, key, *share, 0.0..=1.0);
            check_range(problems, key, *bytes, 0..=raw_bytes);
        }
        for pair in table.windows(2) {
            let value = format!("{:?} before {:?}", pair[0], pair[1]);
            if pair[1].0 <= pair[0].0 {
                problems.push(Problem::new(
                    key,
                    value,
                    "pairs in the order of their first numbers, none twice",
                ));
            } else if pair[1].1 > pair[0].1 {
                problems.push(Problem::new(
                    key,
                    value,
                    "bytes that never rise: a fuller device has no larger cache",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: u64 = 1 << 20;

    fn at(dense: u32, used: f64) -> Filling {
        Filling { blocks: 100, dense, kept: 2, used }
    }

    fn cap(static_blocks: u32, dynamic: DynamicConfig) -> Cap {
        Cap::new(&ClientConfig { static_blocks, dynamic, ..ClientConfig::default() }, ROW)
    }

    #[test]
    fn a_share_of_what_is_not_dense_holds_the_static_part_at_least() {
        let half = DynamicConfig { share: 0.5, ..DynamicConfig::default() };
        let blocks = |dense| cap(6, half.clone()).blocks(at(dense, 0.0));
        assert_eq!([0, 1, 50, 90, 98, 99].map(blocks), [49, 48, 24, 6, 6, 6]);
        let third = cap(0, DynamicConfig { max_bytes: Some(7 * ROW + 1), ..half });
        assert_eq!([0, 90].map(|dense| third.blocks(at(dense, 0.0))), [7, 4]);
    }

    #[test]
    fn a_table_is_read_between_its_pairs_and_beyond_them() {
        let table = Some(vec![(0.2, 40 * ROW), (0.6, 20 * ROW), (0.8, 4 * ROW)]);
        let falling = DynamicConfig { rule: DynamicRule::Table, table, ..DynamicConfig::default() };
        let blocks = |dynamic: &DynamicConfig, used| cap(1, dynamic.clone()).blocks(at(0, used));
        let read =
            |dynamic: &DynamicConfig| [0.0, 0.2, 0.3, 0.6, 0.7, 0.8, 1.0].map(|used| blocks(dynamic, used));
        assert_eq!(read(&falling), [41, 41, 36, 21, 13, 5, 5]);
        let steps = DynamicConfig { shape: Shape::Step, ..falling.clone() };
        assert_eq!(read(&steps), [41, 41, 41, 21, 21, 5, 5]);
        assert_eq!(blocks(&DynamicConfig { max_bytes: Some(10 * ROW), ..falling }, 0.0), 11);
    }

    #[test]
    fn no_rule_leaves_the_static_part() {
        let none = DynamicConfig { rule: DynamicRule::None, ..DynamicConfig::default() };
        assert_eq!([0, 50].map(|dense| cap(3, none.clone()).blocks(at(dense, 0.5))), [3, 3]);
    }
}
