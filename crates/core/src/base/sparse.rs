//! Mostly zero tables in a snapshot, as their non-zero runs: for `#[serde(with = "sparse")]`. What is read
//! takes memory where it is not zero, however large the table is.

use bytemuck::allocation::try_zeroed_vec;
use bytemuck::{cast_slice, cast_slice_mut, Pod};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::Formatter;
use std::ops::Deref;

/// Entries per run.
const RUN: usize = 1024;

// Entries are in a file as they are in memory: a device holds too many to take each one apart.
const _: () = assert!(cfg!(target_endian = "little"));

/// The entries of a run; formats for people have them as numbers.
struct Bytes<'a>(Cow<'a, [u8]>);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match to.is_human_readable() {
            true => self.0.serialize(to),
            false => to.serialize_bytes(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes<'_> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match from.is_human_readable() {
            true => Vec::deserialize(from).map(|bytes| Self(bytes.into())),
            false => from.deserialize_bytes(BytesVisitor),
        }
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Bytes<'static>;

    fn expecting(&self, to: &mut Formatter) -> std::fmt::Result {
        to.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes<'static>, E> {
        Ok(Bytes(bytes.to_vec().into()))
    }
}

/// The length of a table, and its non-zero runs with their numbers.
pub fn serialize<V, T, S>(table: &V, to: S) -> Result<S::Ok, S::Error>
where
    V: Deref<Target = [T]>,
    T: Pod,
    S: Serializer,
{
    let runs = (0_u64..).zip(table.chunks(RUN).map(cast_slice::<T, u8>));
    let used = runs.filter(|(_, run)| run.iter().any(|&byte| byte != 0));
    let runs: Vec<_> = used.map(|(number, run)| (number, Bytes(run.into()))).collect();
    (table.len() as u64, runs).serialize(to)
}

/// The table that has these runs.
pub fn deserialize<'de, V, T, D>(from: D) -> Result<V, D::Error>
where
    V: Deref<Target = [T]> + From<Vec<T>>,
    T: Pod,
    D: Deserializer<'de>,
{
    let (len, runs) = <(u64, Vec<(u64, Bytes)>)>::deserialize(from)?;
    let table = usize::try_from(len).ok().and_then(|len| try_zeroed_vec::<T>(len).ok());
    let mut table = table.ok_or_else(|| D::Error::custom(format!("a table of {len} entries")))?;
    for (number, Bytes(run)) in runs {
        let first = usize::try_from(number).ok().and_then(|number| number.checked_mul(RUN));
        let place = first.and_then(|first| table.get_mut(first..)).map(cast_slice_mut::<T, u8>);
        let place = place.and_then(|place| place.get_mut(..run.len()));
        place.ok_or_else(|| D::Error::custom("a run reaches beyond its table"))?.copy_from_slice(&run);
    }
    Ok(table.into())
}

#[cfg(test)]
mod tests {
    use super::{Deserialize, Serialize};
    use crate::base::table::Table;

    #[derive(Serialize, Deserialize)]
    struct Saved {
        #[serde(with = "super")]
        table: Table,
        #[serde(with = "super")]
        small: Vec<i16>,
    }

    #[test]
    fn a_table_comes_back_from_its_runs() {
        let (mut table, small) = (Table::new(5000), vec![0, -2, 0]);
        table[0] = 0x8000_0201;
        table[4999] = 2;
        let saved = serde_json::to_value(Saved { table, small }).unwrap();
        let numbers = [0, 4].map(|number| saved["table"][1][number / 4][0] == number);
        assert_eq!((numbers, &saved["table"][1][0][1][3]), ([true; 2], &0x80.into()));
        let Saved { table, small } = serde_json::from_value(saved).unwrap();
        assert_eq!((table.len(), table[0], table[4999], small), (5000, 0x8000_0201, 2, vec![0, -2, 0]));
        assert!(table[1..4999].iter().all(|&number| number == 0));
    }

    #[test]
    fn runs_beyond_the_end_and_tables_beyond_memory_are_refused() {
        let read = |small: &str| {
            let text = format!("{{\"table\": [0, []], \"small\": {small}}}");
            serde_json::from_str::<Saved>(&text).map(|saved| saved.small)
        };
        assert_eq!(read("[2, [[0, [1, 0, 2, 0]]]]").unwrap(), [1, 2]);
        assert!(read("[2, [[0, [1, 0, 2, 0, 3, 0]]]]").is_err());
        assert!(read("[2, [[1, [1]]]]").is_err());
        assert!(read("[2, [[18446744073709551615, [1]]]]").is_err());
        assert!(read("[18446744073709551615, []]").is_err());
        assert!(read("[4611686018427387904, []]").is_err());
    }
}
