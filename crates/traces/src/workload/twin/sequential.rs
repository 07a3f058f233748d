//! How many of a twin's requests begin where the one before ended.

use super::super::random::Random;

/// How often a place that would be sequential by chance is drawn again.
const REDRAWS: usize = 8;

/// Sequential requests that are to come.
#[derive(Clone, Debug)]
pub(super) struct Sequential {
    share: f64,
    /// Those due, less those made.
    due: f64,
    random: Random,
}

impl Sequential {
    /// Of so many of the requests.
    pub(super) fn new(share: f64, seed: u64) -> Self {
        Self { share, due: 0.0, random: Random::new(seed, 0, "run") }
    }

    /// Whether the next request is to be one, if it can.
    pub(super) fn is_due(&mut self) -> bool {
        self.due += self.share;
        self.due > 0.0 && self.random.unit() < self.due
    }

    /// Notes one that was made; what comes out sequential by chance counts as well.
    pub(super) fn made(&mut self) {
        self.due -= 1.0;
    }
}

/// A place that is not one to avoid, if it can be helped.
pub(super) fn elsewhere<T>(mut draw: impl FnMut() -> T, avoid: impl Fn(&T) -> bool) -> T {
    let mut place = draw();
    for _ in 0..REDRAWS {
        if !avoid(&place) {
            break;
        }
        place = draw();
    }
    place
}
