//! Versions of the data, kept by tests: what each unit and slot holds, and in which cells each version ever lay.

use crate::base::CellMode;

/// Versions of every mapping unit and slot, kept to prove that no data are lost.
#[derive(Clone)]
pub struct Versions {
    /// Newest version of each mapping unit; 0 = never written or trimmed.
    pub newest: Vec<u32>,
    /// Version stored in each slot.
    pub stored: Vec<u32>,
    /// Version of each mapping unit in the hold buffer; 0 = not held.
    pub held: Vec<u32>,
    /// Version of each mapping unit on the disk, if there is one; 0 = what it had at first.
    pub disk: Vec<u32>,
    pub(super) next: u32,
    /// Of each version the kinds of cells that it was programmed in, a bit for each.
    cells: Vec<u16>,
}

impl Versions {
    /// Of a device that is empty.
    pub(super) fn new(mus: usize, slots: usize, has_disk: bool) -> Self {
        Self {
            newest: vec![0; mus],
            stored: vec![0; slots],
            held: vec![0; mus],
            disk: vec![0; if has_disk { mus } else { 0 }],
            next: 0,
            cells: Vec::new(),
        }
    }

    pub fn last(&self) -> u32 {
        self.next
    }

    /// Notes that `version` is programmed in such cells.
    pub(super) fn program(&mut self, version: u32, pool: usize, mode: CellMode) {
        let version = version as usize;
        if version >= self.cells.len() {
            self.cells.resize(version + 1, 0);
        }
        self.cells[version] |= bit(pool, mode);
    }

    /// How many of the versions after `first` ever lay in cells other than these.
    pub fn programmed_beside(&self, first: u32, cells: &[(usize, CellMode)]) -> u64 {
        let of_cache: u16 = cells.iter().map(|&(pool, mode)| bit(pool, mode)).fold(0, |all, bit| all | bit);
        let later = self.cells.iter().skip(first as usize + 1);
        later.filter(|&&lay| lay & !of_cache != 0).count() as u64
    }
}

fn bit(pool: usize, mode: CellMode) -> u16 {
    1 << (pool * CellMode::COUNT + mode as usize)
}
