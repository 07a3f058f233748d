//! What a separated store is told of the data, beside where they lie.

use super::oracle::Oracle;
use serde::{Deserialize, Serialize};

/// Kept only where a store asks for it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Told {
    /// When they die, since the trace began.
    pub oracle: Option<Oracle>,
    /// The hint of each logical page's last write.
    pub hints: Vec<u8>,
}

impl Told {
    /// The trace writes mapping units `first` to `last`, so many to a logical page, with `hint`.
    #[cold]
    pub fn write(&mut self, first: u32, last: u32, mus_per_page: u32, hint: u8) {
        for page in first / mus_per_page..=last / mus_per_page {
            if let Some(oracle) = &mut self.oracle {
                oracle.advance(page);
            }
            if let Some(kept) = self.hints.get_mut(page as usize) {
                *kept = hint;
            }
        }
    }
}
