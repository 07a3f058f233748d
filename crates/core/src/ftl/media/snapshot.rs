//! What a snapshot holds of map, array and banks.

use super::Media;
use crate::base::sparse::Sparse;
use crate::ftl::bank::{Bank, BankState};
use crate::hw::array::ArrayState;

/// What a snapshot holds of the media.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct MediaState {
    map: Sparse,
    mapped_peak: u64,
    array: ArrayState,
    banks: Vec<BankState>,
}

impl Media {
    /// What a snapshot holds.
    pub(in crate::ftl) fn save(&self) -> MediaState {
        MediaState {
            map: Sparse::of(&self.map),
            mapped_peak: self.mapped_peak(),
            array: self.array.save(),
            banks: self.banks.iter().map(Bank::save).collect(),
        }
    }

    /// Takes a snapshot's part, or says why it does not fit.
    pub(in crate::ftl) fn load(&mut self, state: MediaState) -> Result<(), String> {
        state.map.fill(&mut self.map)?;
        self.mapped = self.map.iter().filter(|&&entry| entry != 0).count() as u64;
        let mus = self.map.len() as u64;
        if !(self.mapped..=mus).contains(&state.mapped_peak) {
            let (peak, now) = (state.mapped_peak, self.mapped);
            return Err(format!("{peak} of {mus} units were mapped at most, {now} are"));
        }
        self.mapped_peak = state.mapped_peak;
        self.array.load(state.array)?;
        if state.banks.len() != self.banks.len() {
            return Err(format!("{} banks of free blocks, of {}", state.banks.len(), self.banks.len()));
        }
        let Self { banks, array, .. } = self;
        banks.iter_mut().zip(state.banks).try_for_each(|(bank, state)| bank.load(state, array))
    }
}
