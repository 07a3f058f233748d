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

    /// Writes the runs into `values`, which is zero, or says why they do not fit.
    pub fn fill(self, values: &mut [u32]) -> Result<(), String> {
        if self.len != values.len() as u64 {
            return Err(format!("a table of {} entries where {} are needed", self.len, values.len()));
        }
        for (start, run) in self.runs {
            let range = usize::try_from(start).ok().and_then(|s| values.get_mut(s..s + run.len()));
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
        assert!(sparse.fill(&mut [0; 10]).is_err());
    }
}
