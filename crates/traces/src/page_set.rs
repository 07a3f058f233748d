//! A set of page numbers over the whole 64-bit range, of one stream or of several: bitmaps where pages
//! are, nothing where none are.

use rustc_hash::FxHashMap;
use slcache_base::request::Request;

/// Pages covered by one bitmap.
const CHUNK_PAGES: u64 = 1 << 15;
const CHUNK_WORDS: usize = (CHUNK_PAGES / 64) as usize;
/// Chunks of stream 0 found by index instead of by search: 2^32 pages, 16 TiB of 4 KiB pages.
const NEAR_CHUNKS: u64 = 1 << 17;

type ChunkWords = Box<[u64; CHUNK_WORDS]>;

/// Some pages of a chunk; all of them keep no bits, so that huge requests cost little.
#[derive(Default)]
enum Chunk {
    #[default]
    Empty,
    Part(ChunkWords),
    Full,
}

impl Chunk {
    /// Adds the pages from `from` up to `to` (exclusive) of the chunk; how many were new.
    #[inline]
    fn insert(&mut self, from: u64, to: u64) -> u64 {
        if to - from == CHUNK_PAGES {
            let held: u32 = self.words().map_or(0, |words| words.iter().map(|word| word.count_ones()).sum());
            *self = Self::Full;
            return CHUNK_PAGES - u64::from(held);
        }
        if let Self::Empty = self {
            *self = Self::Part(Box::new([0; CHUNK_WORDS]));
        }
        let Self::Part(words) = self else { return 0 };
        let (mut page, mut fresh) = (from, 0);
        while page < to {
            let stop = to.min((page | 63) + 1);
            let bits = (u64::MAX >> (64 - (stop - page))) << (page % 64);
            let word = &mut words[(page / 64) as usize];
            let added = bits & !*word;
            *word |= bits;
            // Mostly one page or none, which costs less to tell than bits to count.
            fresh += if added & added.wrapping_sub(1) == 0 {
                u64::from(added != 0)
            } else {
                u64::from(added.count_ones())
            };
            page = stop;
        }
        fresh
    }

    fn words(&self) -> Option<ChunkWords> {
        match self {
            Self::Empty => None,
            Self::Part(words) => Some(words.clone()),
            Self::Full => Some(Box::new([u64::MAX; CHUNK_WORDS])),
        }
    }
}

/// A set of page numbers, those of each stream by themselves.
#[derive(Default)]
pub struct PageSet {
    near: Vec<Chunk>,
    far: FxHashMap<(u16, u64), Chunk>,
    len: u64,
}

impl PageSet {
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds the pages `first..end` of stream 0; how many were new.
    #[inline]
    pub fn insert(&mut self, first: u64, end: u64) -> u64 {
        self.insert_of(0, first, end)
    }

    /// Adds the pages `first..end` of a stream; how many were new.
    #[inline]
    pub fn insert_of(&mut self, stream: u16, first: u64, end: u64) -> u64 {
        let (mut page, mut fresh) = (first, 0);
        while page < end {
            let number = page / CHUNK_PAGES;
            let base = number * CHUNK_PAGES;
            let stop = end.min(base + CHUNK_PAGES);
            fresh += self.chunk(stream, number).insert(page - base, stop - base);
            page = stop;
        }
        self.len += fresh;
        fresh
    }

    #[inline]
    fn chunk(&mut self, stream: u16, number: u64) -> &mut Chunk {
        if stream != 0 || number >= NEAR_CHUNKS {
            return self.far.entry((stream, number)).or_default();
        }
        let index = number as usize;
        if index >= self.near.len() {
            self.near.resize_with(index + 1, Chunk::default);
        }
        &mut self.near[index]
    }

    /// The chunks of stream 0 that have pages, in ascending order.
    fn chunks(&self) -> impl Iterator<Item = (u64, ChunkWords)> + '_ {
        let far = self.far.iter().filter(|((stream, _), _)| *stream == 0);
        let mut far: Vec<(u64, &Chunk)> = far.map(|(&(_, number), chunk)| (number, chunk)).collect();
        far.sort_unstable_by_key(|(number, _)| *number);
        let all = (0..).zip(&self.near).chain(far);
        all.filter_map(|(number, chunk)| Some((number, chunk.words()?)))
    }

    /// The runs of adjacent pages of stream 0 in ascending order, as `first..end`.
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

    /// The pages of stream 0 with the means to number them.
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
                let chunk = RankedChunk { number, base, words, before };
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
    words: ChunkWords,
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
    fn counts_new_pages_of_each_stream_only() {
        let mut set = PageSet::default();
        assert_eq!(set.insert(10, 200), 190);
        assert_eq!(set.insert(0, 210), 20);
        assert_eq!(set.insert_of(1, 0, 210), 210);
        assert_eq!(set.insert(0, 3 * CHUNK_PAGES), 3 * CHUNK_PAGES - 210);
        assert_eq!(set.insert(5, CHUNK_PAGES + 5), 0);
        assert_eq!((set.len(), set.runs()), (3 * CHUNK_PAGES + 210, vec![(0, 3 * CHUNK_PAGES)]));
    }

    #[test]
    fn the_highest_addresses_are_pages_too() {
        let last = u64::MAX / 8;
        let mut set = PageSet::default();
        set.insert(last - 1, last + 1);
        assert_eq!(set.runs(), [(last - 1, last + 1)]);
    }
}
