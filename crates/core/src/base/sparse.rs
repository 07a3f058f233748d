//! A mostly zero array of numbers as its non-zero runs, for snapshots.

use serde::{Deserialize, Serialize};

/// Numbers per run.
const RUN: usize = 1024;

/// The non-zero runs of an array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sparse {
    len: u64,
    runs: Vec<(u64, Vec<u32>)>,
}

impl Sparse {
    /// The non-zero runs of `values`.
    pub fn of(values: &[u32]) -> Self {
        let runs = values.chunks(RUN).enumerate().filter(|(_, run)| run.iter().any(|&v| v != 0));
        Self {
            len: values.len() as u64,
            runs: runs.map(|(i, run)| ((i * RUN) as u64, run.to_vec())).collect(),
        }
    }

    /// Numbers that are not zero.
    pub fn count(&self) -> u64 {
        self.runs.iter().map(|(_, run)| run.iter().filter(|&&v| v != 0).count() as u64).sum()
    }

    /// Writes the runs, which ascend, into `values`, which is zero, or says why they do not fit.
    pub fn fill(self, values: &mut [u32]) -> Result<(), String> {
        if self.len != values.len() as u64 {
            return Err(format!("a table of {} entries where {} are needed", self.len, values.len()));
        }
        let mut end = 0;
        for (start, run) in self.runs {
            if start < end {
                return Err(format!("a run at {start} begins before the one ahead of it ends, at {end}"));
            }
            end = start.saturating_add(run.len() as u64);
            let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
            let range = range.and_then(|(start, end)| values.get_mut(start..end));
            range.ok_or_else(|| format!("a run at {start} reaches beyond its table"))?.copy_from_slice(&run);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Sparse;

    #[test]
    fn a_sparse_array_comes_back() {
        let mut values = vec![0; 5000];
        values[0] = 1;
        values[4999] = 2;
        let sparse = Sparse::of(&values);
        assert_eq!(sparse.runs.len(), 2);
        let mut back = vec![0; 5000];
        assert_eq!(sparse.clone().fill(&mut back), Ok(()));
        assert_eq!(back, values);
        assert_eq!(sparse.count(), 2);
        assert!(sparse.fill(&mut [0; 10]).is_err());
    }

    #[test]
    fn runs_out_of_order_or_beyond_the_end_are_refused() {
        let filled = |runs: &[(u64, usize)]| {
            let runs = runs.iter().map(|&(start, len)| (start, vec![1; len])).collect();
            Sparse { len: 10, runs }.fill(&mut [0; 10])
        };
        assert_eq!(filled(&[(0, 4), (4, 6)]), Ok(()));
        assert!(filled(&[(4, 6), (0, 4)]).is_err());
        assert!(filled(&[(0, 5), (4, 2)]).is_err());
        assert!(filled(&[(8, 3)]).is_err());
        assert!(filled(&[(u64::MAX, 3)]).is_err());
    }
}
