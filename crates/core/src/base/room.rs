//! Room made in good time: a list that doubles when it is full ends the process where there is no
//! memory for it; one that is asked for more beforehand can say so.

use std::collections::{BinaryHeap, TryReserveError, VecDeque};

/// Lists of less than this double in what is kept free beside them, bytes.
const SMALL_BYTES: usize = 8 << 20;

/// A list that grows with what waits.
pub trait Room {
    /// Doubles the room of a long list of which less than an eighth is free.
    fn make_room(&mut self) -> Result<(), TryReserveError>;
}

/// How much more a list should ask for: none, or as much as it has room for.
fn wanted<T>(len: usize, capacity: usize) -> usize {
    let is_long = len * size_of::<T>() >= SMALL_BYTES;
    if is_long && capacity - len < capacity / 8 {
        2 * capacity - len
    } else {
        0
    }
}

macro_rules! room {
    ($($list:ident $(: $bound:ident)?),+) => {$(
        impl<T $(: $bound)?> Room for $list<T> {
            fn make_room(&mut self) -> Result<(), TryReserveError> {
                self.try_reserve_exact(wanted::<T>(self.len(), self.capacity()))
            }
        }
    )+};
}

room!(Vec, VecDeque, BinaryHeap: Ord);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_doubles_before_it_is_full() {
        let most = 7 << 18;
        for len in [0, 1 << 10, 1 << 20, most, most + 1, 1 << 21] {
            let mut list = vec![0_u64; 1 << 21];
            list.truncate(len);
            list.make_room().unwrap();
            let expected = if len > most { 1 << 22 } else { 1 << 21 };
            assert_eq!((list.len(), list.capacity()), (len, expected));
        }
    }

    #[test]
    fn a_short_list_stays_as_it_is() {
        let mut list = vec![0_u64; 1 << 10];
        list.make_room().unwrap();
        assert_eq!(list.capacity(), 1 << 10);
    }
}
