//! Which 4 KiB pages a trace touches.

use rustc_hash::FxHashMap;

/// Pages in a chunk of the map.
const CHUNK_PAGES: u64 = 32_768;
const CHUNK_WORDS: usize = (CHUNK_PAGES / 64) as usize;

/// A set of pages as bits, kept in chunks; a chunk that is full keeps no bits,
/// so that huge requests cost little.
#[derive(Default)]
pub(super) struct PageSet {
    chunks: FxHashMap<(u16, u64), Chunk>,
    pages: u64,
}

enum Chunk {
    Full,
    Part { words: Box<[u64; CHUNK_WORDS]>, set: u64 },
}

impl Chunk {
    fn empty() -> Self {
        Self::Part { words: Box::new([0; CHUNK_WORDS]), set: 0 }
    }

    /// Sets the pages from `from` up to `to` (exclusive); how many were new.
    fn insert(&mut self, from: u64, to: u64) -> u64 {
        let Self::Part { words, set } = self else {
            return 0;
        };
        let before = *set;
        let mut page = from;
        while page < to {
            let bit = page % 64;
            let count = (64 - bit).min(to - page);
            let mask = (u64::MAX >> (64 - count)) << bit;
            let word = &mut words[(page / 64) as usize];
            *set += u64::from((mask & !*word).count_ones());
            *word |= mask;
            page += count;
        }
        let fresh = *set - before;
        if *set == CHUNK_PAGES {
            *self = Self::Full;
        }
        fresh
    }
}

impl PageSet {
    /// Adds pages `from` up to `to` (exclusive) of a stream; how many were new.
    pub(super) fn insert(&mut self, stream: u16, from: u64, to: u64) -> u64 {
        let mut fresh = 0;
        let mut page = from;
        while page < to {
            let chunk = page / CHUNK_PAGES;
            let base = chunk * CHUNK_PAGES;
            let end = to.min(base + CHUNK_PAGES);
            let whole = end - page == CHUNK_PAGES;
            fresh += match self.chunks.entry((stream, chunk)) {
                std::collections::hash_map::Entry::Vacant(entry) if whole => {
                    entry.insert(Chunk::Full);
                    CHUNK_PAGES
                }
                entry => entry.or_insert_with(Chunk::empty).insert(page - base, end - base),
            };
            page = end;
        }
        self.pages += fresh;
        fresh
    }

    pub(super) fn pages(&self) -> u64 {
        self.pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_new_pages_only() {
        let mut set = PageSet::default();
        assert_eq!(set.insert(0, 10, 200), 190);
        assert_eq!(set.insert(0, 0, 210), 20);
        assert_eq!(set.insert(1, 0, 210), 210);
        assert_eq!(set.insert(0, 0, 3 * CHUNK_PAGES), 3 * CHUNK_PAGES - 210);
        assert_eq!(set.insert(0, 5, CHUNK_PAGES + 5), 0);
        assert_eq!(set.pages(), 3 * CHUNK_PAGES + 210);
    }
}
