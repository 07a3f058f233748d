//! The latencies of every window by bucket, for its percentiles: within 1 %, and a request costs a store.

use super::latency::{bucket_of, least_in, Bucket, HIGHEST_NS};
use slcache_base::latency::{place_of, rank};
use std::cmp::Ordering;

/// Bits of a latency that its bucket tells: percentiles are within 1 %.
const PRECISION_BITS: u32 = 8;

/// Latencies that are listed before they are counted: half a megabyte.
const LISTED_MAX: usize = 1 << 18;
/// Latencies there is room for at first.
const LISTED_FIRST: usize = 1 << 10;

/// How many latencies fell into each bucket that any fell into, by rising latency.
type Spectrum = Vec<(u16, u32)>;

/// The latencies of windows that follow each other. The latest are a list, of which every window is a
/// stretch: windows merge by forgetting where the later one began. A list that is full is counted.
#[derive(Clone, Debug)]
pub struct Spectra {
    /// The latest latencies, in the order of completion, as the recorder of all latencies counted them.
    listed: Vec<Bucket>,
    /// Where in the list each window begins.
    starts: Vec<u32>,
    /// What is no longer in the list, of the windows that have such.
    counted: Vec<Spectrum>,
}

impl Default for Spectra {
    fn default() -> Self {
        Self { listed: Vec::with_capacity(LISTED_FIRST), starts: vec![0], counted: Vec::new() }
    }
}

impl Spectra {
    /// Records a latency of the last window that was counted in `bucket`.
    #[inline(always)]
    pub fn record(&mut self, bucket: Bucket) {
        if self.listed.len() == self.listed.capacity() {
            self.make_room();
        }
        self.listed.push(bucket);
    }

    #[cold]
    fn make_room(&mut self) {
        if self.listed.len() < LISTED_MAX {
            self.listed.reserve_exact(self.listed.len().max(LISTED_FIRST));
        } else {
            self.count();
        }
    }

    /// Counts what is listed.
    fn count(&mut self) {
        let mut counts = Counts::default();
        self.counted.resize(self.starts.len(), Spectrum::new());
        for window in 0..self.starts.len() {
            let later = counts.of(self.listed_in(window));
            let counted = &mut self.counted[window];
            *counted = merged(std::mem::take(counted), later);
        }
        self.listed.clear();
        self.starts.fill(0);
    }

    /// Begins a window.
    pub fn open(&mut self) {
        self.starts.push(self.listed.len() as u32);
    }

    /// Makes one window of every two.
    pub fn halve(&mut self) {
        self.starts = self.starts.iter().copied().step_by(2).collect();
        let mut counted = std::mem::take(&mut self.counted).into_iter();
        while let Some(first) = counted.next() {
            self.counted.push(merged(first, counted.next().unwrap_or_default()));
        }
    }

    fn listed_in(&self, window: usize) -> &[Bucket] {
        let end = self.starts.get(window + 1).map_or(self.listed.len(), |&start| start as usize);
        &self.listed[self.starts[window] as usize..end]
    }

    /// What so many of ten thousand latencies of each window do not exceed, by nearest rank, where the
    /// shares rise: the upper end of the bucket, never above the window's longest latency. None without
    /// latencies.
    pub fn percentiles_ns<const N: usize>(
        &self,
        shares: [u64; N],
        longest_ns: impl Iterator<Item = u64>,
    ) -> Vec<[Option<u64>; N]> {
        let (mut list, mut counts) = (Vec::new(), Counts::default());
        let of_window = |(window, max_ns)| {
            let listed = self.listed_in(window);
            let counted = self.counted.get(window).filter(|counted| !counted.is_empty());
            let buckets = if counted.is_none() && listed.len() <= usize::from(u16::MAX) {
                list.clear();
                list.extend(listed.iter().map(|bucket| bucket.coarser::<PRECISION_BITS>()));
                listed_at(&list, shares)
            } else {
                counted_at(&merged(counted.cloned().unwrap_or_default(), counts.of(listed)), shares)
            };
            let end_of = |bucket| least_in::<PRECISION_BITS>(usize::from(bucket) + 1) - 1;
            buckets.map(|bucket| bucket.map(|bucket| end_of(bucket).min(max_ns)))
        };
        (0..self.starts.len()).zip(longest_ns).map(of_window).collect()
    }
}

/// The buckets with rising shares of at most 65,535 latencies. Halves the range again and again:
/// counting what lies below takes the processor about half an instruction per latency.
fn listed_at<const N: usize>(list: &[u16], shares: [u64; N]) -> [Option<u16>; N] {
    let (Some(lowest), Some(highest)) = (list.iter().copied().min(), list.iter().copied().max()) else {
        return [None; N];
    };
    let mut low = lowest;
    shares.map(|share| {
        let rank = rank(list.len() as u64, share) as u16;
        let mut high = highest;
        if usize::from(rank) == list.len() {
            low = high;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            let at_or_below = list.iter().fold(0_u16, |sum, &bucket| sum + u16::from(bucket <= middle));
            if at_or_below >= rank {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    })
}

/// The buckets with shares of latencies that are counted.
fn counted_at<const N: usize>(buckets: &[(u16, u32)], shares: [u64; N]) -> [Option<u16>; N] {
    let total = buckets.iter().map(|&(_, count)| u64::from(count)).sum();
    shares.map(|share| {
        let counts = buckets.iter().map(|&(_, count)| u64::from(count));
        place_of(rank(total, share), counts).map(|place| buckets[place].0)
    })
}

/// Two lists by rising bucket as one.
fn merged(a: Spectrum, b: Spectrum) -> Spectrum {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        match x.0.cmp(&y.0) {
            Ordering::Less => all.push(x),
            Ordering::Greater => all.push(y),
            Ordering::Equal => all.push((x.0, x.1.saturating_add(y.1))),
        }
        i += usize::from(x.0 <= y.0);
        j += usize::from(y.0 <= x.0);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all.shrink_to_fit();
    all
}

/// Room to count latencies in.
struct Counts {
    /// How many there were, by bucket: none between lists.
    counts: Box<[u32]>,
    /// The buckets with any, in no order.
    touched: Vec<u16>,
}

impl Default for Counts {
    fn default() -> Self {
        let counts = bytemuck::zeroed_slice_box(bucket_of::<PRECISION_BITS>(HIGHEST_NS) + 1);
        Self { counts, touched: Vec::new() }
    }
}

impl Counts {
    /// A list by rising bucket.
    fn of(&mut self, list: &[Bucket]) -> Spectrum {
        let Self { counts, touched } = self;
        for bucket in list.iter().map(|bucket| bucket.coarser::<PRECISION_BITS>()) {
            let count = &mut counts[usize::from(bucket)];
            if *count == 0 {
                touched.push(bucket);
            }
            *count += 1;
        }
        touched.sort_unstable();
        let take = |bucket| (bucket, std::mem::take(&mut counts[usize::from(bucket)]));
        touched.drain(..).map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::latency::Latency;

    const SHARES: [u64; 5] = [1, 5_000, 9_900, 9_990, 10_000];

    /// Windows with these latencies; what is listed is counted after every so many.
    fn of(windows: &[&[u64]], count_after: usize) -> Spectra {
        let (mut spectra, mut latency) = (Spectra::default(), Latency::default());
        for (window, latencies) in windows.iter().enumerate() {
            if window > 0 {
                spectra.open();
            }
            for &ns in *latencies {
                spectra.record(latency.record(ns));
                if spectra.listed.len() == count_after {
                    spectra.count();
                }
            }
        }
        spectra
    }

    fn spectrum(spectra: &Spectra, max_ns: u64) -> Vec<[Option<u64>; 5]> {
        spectra.percentiles_ns(SHARES, std::iter::repeat(max_ns))
    }

    #[test]
    fn percentiles_are_within_a_hundredth_over_the_whole_range() {
        for requests in [1, 2, 7, 999, 3000, 70_000] {
            let several = if requests < 5000 { 1 } else { 9 };
            for (bits, count_after) in (0..=62).step_by(several).flat_map(|b| [(b, usize::MAX), (b, 1000)]) {
                let each = (1_u64 << bits) / requests;
                let mut latencies: Vec<u64> =
                    (0..requests).map(|i| (each * i + i % 7).min(HIGHEST_NS)).collect();
                let spectra = of(&[&latencies], count_after);
                latencies.sort_unstable();
                let max_ns = latencies[latencies.len() - 1];
                let got = spectrum(&spectra, max_ns)[0];
                for (share, got) in SHARES.into_iter().zip(got) {
                    let (want, got) = (latencies[rank(requests, share) as usize - 1], got.unwrap());
                    assert!(got >= want && got - want <= want / 100, "2^{bits}, {share}: {got}, not {want}");
                    let end = least_in::<PRECISION_BITS>(bucket_of::<PRECISION_BITS>(want) + 1) - 1;
                    assert_eq!(got, end.min(max_ns), "2^{bits}, {share}");
                }
            }
        }
    }

    #[test]
    fn windows_that_merge_are_one_window() {
        let mut rng = crate::base::rng::RngStream::new(5, "spectra");
        let windows: Vec<Vec<u64>> = (0..9)
            .map(|window| {
                (0..window * 7 % 40).map(|_| u64::from(rng.below(1 << 30)) >> rng.below(30)).collect()
            })
            .collect();
        let windows: Vec<&[u64]> = windows.iter().map(Vec::as_slice).collect();
        let pairs: Vec<Vec<u64>> = windows.chunks(2).map(<[&[u64]]>::concat).collect();
        let pairs: Vec<&[u64]> = pairs.iter().map(Vec::as_slice).collect();
        let want = spectrum(&of(&pairs, usize::MAX), u64::MAX);
        for count_after in [usize::MAX, 1, 2, 13, 50, 100] {
            let mut spectra = of(&windows, count_after);
            spectra.halve();
            assert_eq!(spectrum(&spectra, u64::MAX), want, "counted after {count_after}");
            spectra.count();
            assert_eq!(spectrum(&spectra, u64::MAX), want, "counted after {count_after} and in the end");
        }
    }

    #[test]
    fn a_full_list_is_counted_and_nothing_is_lost() {
        let mut spectra = Spectra::default();
        let (few, many) = (Latency::default().record(7), Latency::default().record(1 << 30));
        (0..3 * LISTED_MAX).for_each(|i| spectra.record(if i == 5 { many } else { few }));
        assert!(spectra.listed.capacity() <= LISTED_MAX && !spectra.counted.is_empty());
        spectra.count();
        assert_eq!(
            spectra.counted[0].iter().map(|of| of.1).collect::<Vec<_>>(),
            [3 * LISTED_MAX as u32 - 1, 1]
        );
    }

    #[test]
    fn without_latencies_there_is_no_percentile() {
        assert_eq!(spectrum(&Spectra::default(), 0), [[None; 5]]);
        assert_eq!(spectrum(&of(&[&[0]], usize::MAX), 0), [[Some(0); 5]]);
    }
}
