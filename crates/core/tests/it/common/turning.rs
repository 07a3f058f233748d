//! Turning knobs at random.

use super::*;
use slcache_core::ftl::knob::KnobRange;

/// Every value that a knob may have, or if they are very many, some of them.
pub fn values(range: &KnobRange) -> Vec<f64> {
    match range {
        KnobRange::Ladder(values) => values.clone(),
        KnobRange::Steps { min, max, step } => {
            let steps = ((max - min) / step).floor() as u64;
            let few = [0, 1, 2, 3, steps / 4, steps / 2, steps.saturating_sub(1), steps];
            let mut some: Vec<u64> = few.into_iter().filter(|n| *n <= steps).collect();
            some.sort_unstable();
            some.dedup();
            some.into_iter().map(|n| min + n as f64 * step).collect()
        }
    }
}

/// Turns one of the knobs of `sim` to a value it may have now, if it has any. Where that moves data, it
/// may come to an end on the way there, and says so.
pub fn turn_one(sim: &mut Simulation, rng: &mut RngStream) {
    let knobs = sim.knobs();
    if knobs.is_empty() {
        return;
    }
    let number = rng.below(knobs.len() as u32) as usize;
    let values = values(&knobs[number].range);
    let value = values[rng.below(values.len() as u32) as usize];
    sim.turn(number, value).unwrap_or_else(|error| panic!("{:?} to {value}: {error}", knobs[number]));
    let (before, now) = (knobs[number].value, sim.knobs()[number].value);
    assert!((before.min(value)..=before.max(value)).contains(&now), "{now}: {:?} to {value}", knobs[number]);
}
