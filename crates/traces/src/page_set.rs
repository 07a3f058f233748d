//! A set of page numbers over the whole 64-bit range: bitmaps where pages are,
//! nothing where none are.

use slcache_base::request::Request;
use std::collections::BTreeMap;

/// Pages covered by one bitmap.
const CHUNK_PAGES: u64 = 1 << 15;
const CHUNK_WORDS: usize = (CHUNK_PAGES / 64) as usize;
/// Chunks found by index instead of by search: 2^32 pages, 16 TiB of 4 KiB pages.
const NEAR_CHUNKS: u64 = 1 << 17;

type Words = Box<[u64; CHUNK_WORDS]>;

/// A set of page numbers.
#[derive(Default)]
pub struct PageSet {
    near: Vec<Option<Words>>,
    far: BTreeMap<u64, Words>,
    len: u64,
}

impl PageSet {
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds the pages `first..end`.
    #[inline]
    pub fn insert(&mut self, first: u64, end: u64) {
        let mut page = first;
        while page < end {
            let stop = end.min((page | 63) + 1);
            let bits = (u64::MAX >> (64 - (stop - page))) << (page % 64);
            let word = &mut self.chunk(page / CHUNK_PAGES)[(page % CHUNK_PAGES / 64) as usize];
            let added = bits & !*word;
            *word |= bits;
            // Mostly one page or none, which costs less to tell than bits to count.
            self.len += if added & added.wrapping_sub(1) == 0 {
                u64::from(added != 0)
            } else {
                u64::from(added.count_ones())
            };
            page = stop;
        }
    }

    #[inline]
    fn chunk(&mut self, number: u64) -> &mut Words {
        let empty = || Box::new([0; CHUNK_WORDS]);
        if number >= NEAR_CHUNKS {
            return self.far.entry(number).or_insert_with(empty);
        }
        let index = number as usize;
        if index >= self.near.len() {
            self.near.resize_with(index + 1, || None);
        }
        self.near[index].get_or_insert_with(empty)
    }

    fn chunks(&self) -> impl Iterator<Item = (u64, &Words)> {
        let near = self.near.iter().enumerate();
        let near = near.filter_map(|(number, words)| Some((number as u64, words.as_ref()?)));
        near.chain(self.far.iter().map(|(number, words)| (*number, words)))
    }

    /// The runs of adjacent pages in ascending order, as `first..end`.
    pub fn runs(&self) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (number, words) in self.chunks() {
            for (place, &word) in words.iter().enumerate() {
                let base = number * CHUNK_PAGES + place as u64 * 64;
                let mut rest = word;
                while rest != 0 {
                    let first = rest.trailing_zeros();
                    let length = (!(rest >> first)).trailing_zeros().min(64 - first);
                    let run = (base + u64::from(first), base + u64::from(first + length));
                    match runs.last_mut() {
                        Some(last) if last.1 == run.0 => last.1 = run.1,
                        _ => runs.push(run),
                    }
                    // Shifting by 64 would overflow; such a run ends the word.
                    rest &= u64::MAX.checked_shl(first + length).unwrap_or(0);
                }
            }
        }
        runs
    }

    /// The set with the means to number its pages.
    pub fn into_ranked(self) -> RankedPages {
        let mut base = 0;
        let chunks = self
            .chunks()
            .map(|(number, words)| {
                let mut before = [0u16; CHUNK_WORDS];
                let mut inside = 0u32;
                for (count, word) in before.iter_mut().zip(words.iter()) {
                    *count = inside as u16;
                    inside += word.count_ones();
                }
                let chunk = RankedChunk { number, base, words: words.clone(), before };
                base += u64::from(inside);
                chunk
            })
            .collect();
        RankedPages { chunks, len: base }
    }
}

struct RankedChunk {
    number: u64,
    /// Pages of the set in earlier chunks.
    base: u64,
    words: Words,
    /// Pages of the set in earlier words of this chunk.
    before: [u16; CHUNK_WORDS],
}

/// A set of pages numbered densely in ascending order.
pub struct RankedPages {
    chunks: Vec<RankedChunk>,
    len: u64,
}

impl RankedPages {
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The request with its pages, of `page_sectors` sectors each, replaced by
    /// their numbers. Pages that all are in the set stay adjacent; of others
    /// the part in the set is kept, which is one range again. `None` when the
    /// set holds none of them. Not for flushes, which have no pages.
    pub fn place(&self, request: Request, page_sectors: u64) -> Option<Request> {
        let (rank, held) = self.rank(request.sector / page_sectors);
        let first = rank * page_sectors + if held { request.sector % page_sectors } else { 0 };
        // The sector behind the last: on the last one's page, unless that page is not in the set.
        let last = request.end_sector() - 1;
        let (rank, held) = self.rank(last / page_sectors);
        let end = rank * page_sectors + if held { last % page_sectors + 1 } else { 0 };
        (end > first).then(|| Request { sector: first, sectors: (end - first) as u32, ..request })
    }

    /// How many pages of the set lie below `page`, and whether `page` is in it.
    pub fn rank(&self, page: u64) -> (u64, bool) {
        let number = page / CHUNK_PAGES;
        let at = self.chunks.partition_point(|chunk| chunk.number < number);
        let Some(chunk) = self.chunks.get(at) else {
            return (self.len, false);
        };
        if chunk.number != number {
            return (chunk.base, false);
        }
        let place = (page % CHUNK_PAGES / 64) as usize;
        let bit = 1u64 << (page % 64);
        let word = chunk.words[place];
        let below = chunk.base + u64::from(chunk.before[place]) + u64::from((word & (bit - 1)).count_ones());
        (below, word & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_ranks_agree_with_a_plain_list() {
        let far = NEAR_CHUNKS * CHUNK_PAGES + 5;
        let ranges = [(0, 1), (62, 67), (64, 66), (32_760, 32_790), (far, far + 130), (128, 256)];
        let mut set = PageSet::default();
        let mut plain = std::collections::BTreeSet::new();
        for (first, end) in ranges {
            set.insert(first, end);
            plain.extend(first..end);
        }
        assert_eq!(set.len(), plain.len() as u64);
        let listed: Vec<u64> = set.runs().into_iter().flat_map(|(first, end)| first..end).collect();
        assert_eq!(listed, plain.iter().copied().collect::<Vec<_>>());
        let runs = set.runs();
        assert!(runs.windows(2).all(|pair| pair[0].1 < pair[1].0));
        let ranked = set.into_ranked();
        assert_eq!(ranked.len(), plain.len() as u64);
        for page in (0..300).chain(32_750..32_800).chain(far - 3..far + 140) {
            let below = plain.range(..page).count() as u64;
            assert_eq!(ranked.rank(page), (below, plain.contains(&page)), "{page}");
        }
    }

    #[test]
    fn the_highest_addresses_are_pages_too() {
        let last = u64::MAX / 8;
        let mut set = PageSet::default();
        set.insert(last - 1, last + 1);
        assert_eq!(set.runs(), [(last - 1, last + 1)]);
    }
}
