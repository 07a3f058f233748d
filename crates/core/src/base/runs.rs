//! A mostly zero array of numbers as its non-zero runs, for snapshots.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Formatter;

/// Numbers per run.
const RUN: usize = 1024;

/// The non-zero runs of an array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sparse {
    len: u64,
    runs: Vec<(u64, Words)>,
}

/// The numbers of a run, in a file as they are, four bytes each: a device holds too many to take each one
/// apart. Formats for people have them as numbers.
#[derive(Clone, Debug)]
struct Words(Vec<u32>);

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.serialize(serializer);
        }
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Vec::deserialize(deserializer).map(Self);
        }
        deserializer.deserialize_bytes(WordsVisitor)
    }
}

struct WordsVisitor;

impl Visitor<'_> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, to: &mut Formatter) -> std::fmt::Result {
        to.write_str("numbers of four bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Words, E> {
        let words = bytes.chunks_exact(4);
        match words.remainder().is_empty() {
            true => Ok(Words(
                words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect(),
            )),
            false => Err(E::invalid_length(bytes.len(), &self)),
        }
    }
}

impl Sparse {
    /// The non-zero runs of `values`.
    pub fn of(values: &[u32]) -> Self {
        let runs = values.chunks(RUN).enumerate().filter(|(_, run)| run.iter().any(|&v| v != 0));
        Self {
            len: values.len() as u64,
            runs: runs.map(|(i, run)| ((i * RUN) as u64, Words(run.to_vec()))).collect(),
        }
    }

    /// Numbers that are not zero.
    pub fn count(&self) -> u64 {
        self.runs.iter().map(|(_, Words(run))| run.iter().filter(|&&v| v != 0).count() as u64).sum()
    }

    /// Writes the runs, which ascend, into `values`, which is zero, or says why they do not fit.
    pub fn fill(self, values: &mut [u32]) -> Result<(), String> {
        if self.len != values.len() as u64 {
            return Err(format!("a table of {} entries where {} are needed", self.len, values.len()));
        }
        let mut end = 0;
        for (start, Words(run)) in self.runs {
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
    use super::{Sparse, Words, WordsVisitor};
    use serde::de::value::Error;
    use serde::de::Visitor;

    #[test]
    fn words_are_four_bytes_each_the_lowest_first() {
        let words = |bytes: &[u8]| WordsVisitor.visit_bytes::<Error>(bytes).map(|Words(words)| words);
        assert_eq!(words(&[1, 0, 0, 0, 0, 2, 0, 0x80]), Ok(vec![1, 0x8000_0200]));
        let text = serde_json::to_string(&Words(vec![1, 0x8000_0200])).unwrap();
        assert_eq!(text, "[1,2147484160]");
        assert_eq!(serde_json::from_str::<Words>(&text).unwrap().0, [1, 0x8000_0200]);
        assert!(words(&[1, 0, 0, 0, 2]).is_err());
    }

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
            let runs = runs.iter().map(|&(start, len)| (start, Words(vec![1; len]))).collect();
            Sparse { len: 10, runs }.fill(&mut [0; 10])
        };
        assert_eq!(filled(&[(0, 4), (4, 6)]), Ok(()));
        assert!(filled(&[(4, 6), (0, 4)]).is_err());
        assert!(filled(&[(0, 5), (4, 2)]).is_err());
        assert!(filled(&[(8, 3)]).is_err());
        assert!(filled(&[(u64::MAX, 3)]).is_err());
    }
}
