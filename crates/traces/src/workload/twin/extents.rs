//! Extents: pieces of the address space that are requested whole, again and again.

use super::super::random::{mix, Random, Zipf};
use super::lane::{Lane, Schedule};
use super::sizes::{SizeClass, SECTORS};
use std::ops::Range;

/// 4 KiB pages in a page of 16 KiB.
pub(super) const WIDE_PAGES: u64 = 4;
/// Of so many neighbours each of the two groups ends with a 16 KiB page, whatever their size.
pub(super) const EVEN_EXTENTS: u64 = 2 * WIDE_PAGES;
/// The group of lone extents.
pub(super) const LONE: usize = 2;
/// Extents of like popularity lie together in runs of so many pages: 1 MiB.
const RUN_PAGES: u64 = 256;

/// Extents in the order in which they are first requested.
#[derive(Clone, Debug)]
pub(super) struct ExtentGroup {
    lane: Lane,
    /// Pages from one extent to the next.
    stride: u64,
    /// Whether each extent has 16 KiB pages of its own, in which it starts anywhere.
    alone: bool,
    key: u64,
    extents: u64,
    touched: u64,
}

impl ExtentGroup {
    fn new(first_page: u64, extents: u64, stride: u64, alone: bool, key: u64) -> Self {
        // A multiple of four, so that every run begins at the same place in a 16 KiB page.
        let run = (RUN_PAGES / stride / WIDE_PAGES * WIDE_PAGES).max(WIDE_PAGES) * stride;
        let lane = Lane::new(first_page, (extents * stride).max(1), run, key);
        Self { lane, stride, alone, key, extents, touched: 0 }
    }

    /// Extents requested so far.
    pub(super) fn met(&self) -> u64 {
        self.touched
    }

    /// A number that is the extent's own.
    pub(super) fn hash(&self, index: u64) -> u64 {
        mix(self.key ^ mix(index))
    }

    /// The page at which an extent starts.
    pub(super) fn page(&self, index: u64) -> u64 {
        let first = self.lane.address(index * self.stride);
        first + if self.alone { self.hash(index) % WIDE_PAGES } else { 0 }
    }

    /// Whether the next extent starts where this one ends.
    pub(super) fn goes_on(&self, index: u64) -> bool {
        let next = (index + 1) * self.stride;
        !self.alone && index + 1 < self.extents && next < self.lane.extent_end(index * self.stride)
    }
}

/// An extent by its group and its number there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExtentNumber {
    pub(super) group: usize,
    pub(super) index: u64,
}

/// How many extents of a size there are: neighbours, and such as lie alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ExtentCount {
    pub(super) dense: u64,
    pub(super) alone: u64,
}

impl ExtentCount {
    pub(super) fn all(self) -> u64 {
        self.dense + self.alone
    }

    /// Extents in each group: two of neighbours, so that what is requested one
    /// after the other does not lie side by side, and one of lone extents.
    pub(super) fn groups(self) -> [u64; 3] {
        [self.dense.div_ceil(2), self.dense / 2, self.alone]
    }
}

/// Pages from one extent of a group to the next.
pub(super) fn stride(pages: u64, group: usize) -> u64 {
    match (group, pages) {
        (LONE, 1) => WIDE_PAGES,
        (LONE, _) => (pages + WIDE_PAGES - 1).next_multiple_of(WIDE_PAGES),
        _ => pages,
    }
}

/// All extents of one size, in their groups.
#[derive(Clone, Debug)]
pub(super) struct SizeExtents {
    pub(super) class: SizeClass,
    pub(super) groups: [ExtentGroup; 3],
    count: ExtentCount,
    /// The share of dense ones as a multiple of 2^-64, rounded up.
    dense_part: u128,
    requests: u64,
    pub(super) schedule: Schedule,
    updates: Zipf,
    reads: Zipf,
}

impl SizeExtents {
    /// `count` extents of `class` for `requests` requests; its groups begin at
    /// the pages `starts`.
    pub(super) fn new(
        (class, requests): (SizeClass, u64),
        count: ExtentCount,
        starts: [u64; 3],
        (update_skew, read_skew): (f64, f64),
        random: &mut Random,
    ) -> Self {
        let mut group = |at: usize| {
            ExtentGroup::new(
                starts[at],
                count.groups()[at],
                stride(class.pages(), at),
                at == LONE,
                random.bits(),
            )
        };
        let groups = [group(0), group(1), group(LONE)];
        let dense_part = (u128::from(count.dense) << 64).div_ceil(u128::from(count.all().max(1)));
        let schedule = Schedule::new(count.all(), requests, 1);
        Self {
            class,
            groups,
            count,
            dense_part,
            requests,
            schedule,
            updates: Zipf::new(1, update_skew),
            reads: Zipf::new(1, read_skew),
        }
    }

    /// Requests of this size, all that will be.
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// Extents, requested so far or not.
    pub(super) fn all(&self) -> u64 {
        self.count.all()
    }

    /// Extents requested so far.
    pub(super) fn met(&self) -> u64 {
        self.schedule.fresh
    }

    /// Whether only as many requests are left as extents not requested yet.
    pub(super) fn must_be_fresh(&self) -> bool {
        let left = self.all() - self.met();
        left > 0 && self.requests - self.schedule.touched <= left
    }

    /// The group in which the extent of a rank lies if they are taken in order,
    /// and its number there: dense ones, by turns, spread evenly among lone ones.
    fn by_rank(&self, rank: u64) -> ExtentNumber {
        let part = |rank: u64| ((u128::from(rank) * self.dense_part) >> 64) as u64;
        let dense = part(rank);
        if part(rank + 1) > dense {
            ExtentNumber { group: (dense % 2) as usize, index: dense / 2 }
        } else {
            ExtentNumber { group: LONE, index: rank - dense }
        }
    }

    /// The extent to be requested first next; not `avoid`, if it can be helped.
    pub(super) fn fresh(&self, avoid: Option<ExtentNumber>) -> Option<ExtentNumber> {
        if self.met() == self.count.all() {
            return None;
        }
        let first = self.by_rank(self.met()).group;
        let open = (0..3)
            .map(|step| (first + step) % 3)
            .filter(|&at| self.groups[at].touched < self.groups[at].extents);
        let next = |at: usize| ExtentNumber { group: at, index: self.groups[at].touched };
        open.clone().map(next).find(|extent| Some(*extent) != avoid).or_else(|| open.map(next).next())
    }

    /// An extent requested before, by popularity: first requested, most popular.
    pub(super) fn popular(&mut self, read: bool, random: &mut Random) -> Option<ExtentNumber> {
        let touched = self.met();
        if touched == 0 {
            return None;
        }
        let ranks = if read { &mut self.reads } else { &mut self.updates };
        ranks.resize(touched);
        let rank = ranks.draw(random);
        let ExtentNumber { group, index } = self.by_rank(rank);
        // Sequential requests get ahead in one group; the others lag behind their ranks.
        let group = (0..3).map(|step| (group + step) % 3).find(|&at| self.groups[at].touched > 0)?;
        Some(ExtentNumber { group, index: index % self.groups[group].touched })
    }

    /// The sector at which an extent starts.
    pub(super) fn sector(&self, ExtentNumber { group, index }: ExtentNumber) -> u64 {
        let group = &self.groups[group];
        group.page(index) * SECTORS + self.shift(group.hash(index))
    }

    /// Sectors off the page for requests that are not aligned.
    pub(super) fn shift(&self, bits: u64) -> u64 {
        if self.class.shifted {
            1 + (bits >> 32) % (SECTORS - 1)
        } else {
            0
        }
    }

    /// The extent that starts where `extent` ends, with the requests of whole pages.
    pub(super) fn next(&self, extent: ExtentNumber) -> Option<ExtentNumber> {
        let goes_on = !self.class.unaligned() && self.groups[extent.group].goes_on(extent.index);
        goes_on.then_some(ExtentNumber { index: extent.index + 1, ..extent })
    }

    /// Whether an extent was requested before; only the next of its group may be fresh.
    pub(super) fn is_touched(&self, extent: ExtentNumber) -> bool {
        extent.index < self.groups[extent.group].touched
    }

    /// Notes a request, to a fresh extent or to pages requested before.
    pub(super) fn touch(&mut self, fresh: Option<ExtentNumber>) {
        self.schedule.touched += 1;
        if let Some(extent) = fresh {
            self.groups[extent.group].touched += 1;
            self.schedule.fresh += 1;
        }
    }
}

/// Extents of all sizes.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) sizes: Vec<SizeExtents>,
    /// Pages of the two groups of neighbours of all sizes, the larger first.
    dense: [Range<u64>; 2],
    /// Different pages requested so far.
    pub(super) pages: u64,
}

impl Area {
    /// `counts` extents of each of `classes` from `page` on, which moves behind them.
    pub(super) fn new(
        classes: &[(SizeClass, u64)],
        counts: &[ExtentCount],
        skews: impl Fn(SizeClass) -> (f64, f64),
        page: &mut u64,
        random: &mut Random,
    ) -> Self {
        // What is not a multiple of 16 KiB goes to the end of its group: there it moves no other.
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&at| counts[at].dense % EVEN_EXTENTS != 0);
        let mut starts = vec![[0; 3]; classes.len()];
        let mut dense = [0..0, 0..0, 0..0];
        for group in 0..3 {
            // Neighbours start off the 16 KiB pages, the two groups in two ways, as data of
            // real volumes do: what is a multiple of 16 KiB hardly ever fills pages exactly.
            let first = page.next_multiple_of(WIDE_PAGES) + [2, 1, 0][group];
            *page = first;
            for &at in &order {
                starts[at][group] = *page;
                *page += counts[at].groups()[group] * stride(classes[at].0.pages(), group);
            }
            dense[group] = first..*page;
        }
        let [first, second, _] = dense;
        let size =
            |at: usize| SizeExtents::new(classes[at], counts[at], starts[at], skews(classes[at].0), random);
        Self { sizes: (0..classes.len()).map(size).collect(), dense: [first, second], pages: 0 }
    }

    pub(super) fn exists(&self) -> bool {
        self.sizes.iter().any(|size| size.all() > 0)
    }

    /// Whether `pages` pages from `page` on are neighbours.
    pub(super) fn side_by_side(&self, page: u64, pages: u64) -> bool {
        self.dense.iter().any(|dense| dense.contains(&page) && page + pages <= dense.end)
    }

    /// A place for a request that repeats no extent of its own size: inside a
    /// larger extent, or across neighbours.
    pub(super) fn inside(&mut self, class: SizeClass, random: &mut Random) -> u64 {
        let pages = class.pages();
        let dense = self.dense[0].clone();
        let side_by_side = dense.end - dense.start >= pages;
        let host = self.host(pages, random).or_else(|| self.host(1, random).filter(|_| side_by_side));
        let start = host.and_then(|host| {
            let extent = self.sizes[host].popular(true, random)?;
            let page = self.sizes[host].sector(extent) / SECTORS;
            Some(match self.sizes[host].class.pages().checked_sub(pages) {
                Some(spare) => page + random.below(spare + 1),
                None => page.min(dense.end - pages).max(dense.start),
            })
        });
        let start = start.unwrap_or_else(|| self.first(pages));
        start * SECTORS + if class.shifted { 1 + random.below(SECTORS - 1) } else { 0 }
    }

    /// A size of at least `pages` pages, by how much of it was requested before.
    fn host(&self, pages: u64, random: &mut Random) -> Option<usize> {
        let weight = |size: &SizeExtents| match size.class.pages() {
            own if own >= pages => own * size.met(),
            _ => 0,
        };
        random.weighted(self.sizes.iter().map(weight)).map(|(size, _)| size)
    }

    /// Where `pages` pages will be requested first, while nothing has been.
    fn first(&self, pages: u64) -> u64 {
        let fits = |size: &&SizeExtents| size.class.pages() >= pages && size.fresh(None).is_some();
        match self.sizes.iter().find(fits) {
            Some(size) => {
                size.fresh(None).map_or(self.dense[0].start, |extent| size.sector(extent) / SECTORS)
            }
            None => self.dense[0].start,
        }
    }
}

/// Groups of extents of a size.
const GROUPS: usize = 3;

/// Different starts that a request of `pages` pages has in one extent of
/// `host_pages` pages. In extents of its own size it takes the end of one and
/// the beginning of the next, where that follows.
pub(super) fn starts(pages: u64, host_pages: u64, own_size: bool, alone: bool) -> u64 {
    match (own_size, alone) {
        (true, true) => 0,
        (true, false) => pages - 1,
        (false, _) => (host_pages + 1).saturating_sub(pages),
    }
}

/// Hands out such pieces size by size, each once: constant memory, a counter
/// for each size in the extents of each size.
#[derive(Clone, Debug)]
pub(super) struct Variants {
    /// For each size, how many of its pieces are taken from one extent at most.
    per_extent: Vec<u64>,
    /// For each size and each group of extents, pieces taken.
    taken: Vec<Vec<u64>>,
}

/// A piece, by its group and its number there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    host: usize,
    number: u64,
}

impl Variants {
    /// Nothing taken; `per_extent` has an entry for each size.
    pub(super) fn new(per_extent: Vec<u64>) -> Self {
        let taken = vec![vec![0; per_extent.len() * GROUPS]; per_extent.len()];
        Self { per_extent, taken }
    }

    /// Pieces of a size that are taken from each extent of a group.
    fn each(&self, size: usize, host: usize, extents: &[SizeExtents]) -> u64 {
        let (own, other) = (extents[size].class.pages(), extents[host / GROUPS].class.pages());
        let starts = starts(own, other, size == host / GROUPS, host % GROUPS == LONE);
        starts.min(self.per_extent[size])
    }

    /// A piece not taken before of extents written before, if there is one.
    pub(super) fn open(&self, size: usize, extents: &[SizeExtents], random: &mut Random) -> Option<Piece> {
        let open = |host: usize| {
            let touched = extents[host / GROUPS].groups[host % GROUPS].met();
            // The last one written may have no neighbour yet.
            let hosts = if size == host / GROUPS { touched.saturating_sub(1) } else { touched };
            (hosts * self.each(size, host, extents)).saturating_sub(self.taken[size][host])
        };
        let (host, _) = random.weighted((0..extents.len() * GROUPS).map(open))?;
        Some(Piece { host, number: self.taken[size][host] })
    }

    pub(super) fn take(&mut self, size: usize, piece: Piece) {
        self.taken[size][piece.host] = piece.number + 1;
    }

    /// A piece taken before, if there is one.
    pub(super) fn again(&self, size: usize, random: &mut Random) -> Option<Piece> {
        let (host, number) = random.weighted(self.taken[size].iter().copied())?;
        Some(Piece { host, number })
    }

    /// The sector at which a piece starts; `None` at the end of a run of
    /// neighbours, where there is no such piece.
    pub(super) fn sector(&self, size: usize, piece: Piece, extents: &[SizeExtents]) -> Option<u64> {
        let group = &extents[piece.host / GROUPS].groups[piece.host % GROUPS];
        let own_size = size == piece.host / GROUPS;
        let each = self.each(size, piece.host, extents);
        let (index, turn) = (piece.number / each, piece.number % each);
        if own_size && !group.goes_on(index) {
            return None;
        }
        let (own, other) = (extents[size].class.pages(), extents[piece.host / GROUPS].class.pages());
        let starts = starts(own, other, own_size, piece.host % GROUPS == LONE);
        let bits = mix(group.hash(index) ^ size as u64);
        let start = (bits % starts + turn) % starts + u64::from(own_size);
        Some((group.page(index) + start) * SECTORS + extents[size].shift(bits))
    }
}
