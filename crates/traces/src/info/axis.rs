//! An axis of equal cells that doubles their width when a value falls off it.

/// Cells of `1 << shift` each, by absolute number, at most `cells` from the
/// lowest to the highest. Data beside an axis is a ring: a cell's place is its
/// number modulo `cells`, so that growing in either direction moves nothing.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    cells: u64,
    shift: u32,
    /// Lowest and highest cell number so far.
    ends: Option<(u64, u64)>,
}

impl Axis {
    /// An empty axis of at most `cells` (a power of two) cells of `1 << shift` at first.
    pub(super) fn new(cells: usize, shift: u32) -> Self {
        debug_assert!(cells.is_power_of_two());
        Self { cells: cells as u64, shift, ends: None }
    }

    /// How often the cells must double for the value to fit; 0 almost always.
    #[inline]
    pub(super) fn doublings(&self, value: u64) -> u32 {
        let cell = value >> self.shift;
        let (low, high) = self.ends.unwrap_or((cell, cell));
        if low <= cell && cell <= high {
            return 0;
        }
        let (mut low, mut high, mut doublings) = (low.min(cell), high.max(cell), 0);
        while high - low >= self.cells {
            (low, high, doublings) = (low >> 1, high >> 1, doublings + 1);
        }
        doublings
    }

    /// Doubles the cells' width once; of what `ring` holds beside them, two become one.
    #[cold]
    pub(super) fn double<T: Clone>(&mut self, ring: &mut [T], empty: T, join: impl Fn(&mut T, &T)) {
        let (old, before) = (*self, ring.to_vec());
        self.shift += 1;
        self.ends = self.ends.map(|(low, high)| (low >> 1, high >> 1));
        ring.fill(empty);
        for cell in old.range() {
            join(&mut ring[self.ring(cell >> 1)], &before[old.ring(cell)]);
        }
    }

    /// The place in the ring of a value that fits.
    #[inline]
    pub(super) fn place(&mut self, value: u64) -> usize {
        let cell = value >> self.shift;
        let (low, high) = self.ends.unwrap_or((cell, cell));
        self.ends = Some((low.min(cell), high.max(cell)));
        self.ring(cell)
    }

    /// The place in the ring of a cell.
    #[inline]
    pub(super) fn ring(&self, cell: u64) -> usize {
        (cell & (self.cells - 1)) as usize
    }

    /// The cells from the lowest to the highest.
    pub(super) fn range(&self) -> std::ops::Range<u64> {
        self.ends.map_or(0..0, |(low, high)| low..high + 1)
    }

    /// First value of the lowest cell.
    pub(super) fn start(&self) -> u64 {
        self.range().start << self.shift
    }

    /// Width of a cell.
    pub(super) fn width(&self) -> u64 {
        1 << self.shift
    }
}
