//! The order to stop, from whoever waits for the model.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Shared between the one who orders and the loops that obey.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn order(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_ordered(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
