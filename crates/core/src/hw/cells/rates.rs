//! Error rates of a block, what they mean to a read, and when that changes.

use super::normal::quantile;
use crate::hw::config::{CellsConfig, CodeConfig, RetryConfig, ShapeConfig};
use crate::hw::geometry::scattered;

/// The highest error rate: cells that tell nothing.
const CAP: f64 = 0.5;
/// Deviations beyond which no read is drawn.
pub const Z_MAX: f64 = 8.0;
/// Disturbance counts in such parts of the hard limit, so that it changes at few reads.
const DISTURB_PARTS: f64 = 64.0;
const DAYS: f64 = 365.0;
/// What tells the numbers that decide which blocks are bad from the start from those of their error rates.
const FACTORY_SALT: u64 = 0x6261_6420_626c_6f63;
/// The share of what soft sensing corrects at which data are as good as lost.
const NEARLY_LOST: f64 = 0.9;

/// What a read takes beside its first sensing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Sensings at other references.
    pub steps: u8,
    /// Soft sensing followed.
    pub soft: bool,
    /// The data could not be corrected.
    pub error: bool,
}

impl Outcome {
    /// In one byte; 0: nothing was repeated.
    pub fn packed(self) -> u8 {
        self.steps | u8::from(self.soft) << 6 | u8::from(self.error) << 7
    }

    pub fn unpacked(byte: u8) -> Self {
        Self { steps: byte & 63, soft: byte >> 6 & 1 == 1, error: byte >> 7 == 1 }
    }
}

/// A block as one mode sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Condition {
    /// Cycles of that mode that its wear comes to, before the one that wrote the data.
    pub cycles: f64,
    /// Age of the data.
    pub days: f64,
    /// Reads of each page.
    pub reads: f64,
}

/// What one mode's error rates begin with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModeRates {
    /// The rate of unworn cells, times what is the block's own.
    pub eps: f64,
    pub endurance_cycles: f64,
}

/// The parts of a rate over `eps`.
#[derive(Clone, Copy, Debug)]
struct Terms {
    /// All but age.
    fixed: f64,
    /// Of age: that of a year, and the share of it that there is.
    year: f64,
    age: f64,
}

/// Until when what was found holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Until {
    /// Age, days.
    pub days: f64,
    /// Reads of each page.
    pub reads: f64,
}

/// The numbers of the model, and what follows from them.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    shape: ShapeConfig,
    drift: f64,
    variation: f64,
    seed: u64,
    codeword_bytes: u32,
    /// Bits of a codeword.
    bits: f64,
    hard: f64,
    soft: f64,
    step: f64,
    max_steps: f64,
}

impl Rates {
    pub fn new(config: &CellsConfig) -> Self {
        let CodeConfig { codeword_bytes, hard_errors, soft_errors } = config.code;
        let RetryConfig { step, max_steps, .. } = config.retry;
        let bits = 8.0 * f64::from(codeword_bytes);
        Self {
            shape: config.shape,
            drift: config.drift,
            variation: config.variation,
            seed: config.variation_seed.into(),
            codeword_bytes,
            bits,
            hard: f64::from(hard_errors) / bits,
            soft: f64::from(soft_errors) / bits,
            step,
            max_steps: max_steps.into(),
        }
    }

    /// The factor on its error rates that is a block's own, 1 in the mean, by the number of its cells.
    pub fn of_block(&self, number: u64) -> f64 {
        let share = share_of(self.seed, number);
        libm::exp(self.variation * quantile(share) - self.variation * self.variation / 2.0)
    }

    /// Whether the cells are among the `share` of all that are bad from the start.
    pub fn is_factory_bad(&self, number: u64, share: f64) -> bool {
        share_of(self.seed ^ FACTORY_SALT, number) < share
    }

    /// How much worse than the mean the worst codeword of `bytes` is that does so with probability `chance`,
    /// in standard deviations.
    pub fn worst_of(&self, bytes: u32, chance: f64) -> f64 {
        let codewords = bytes.div_ceil(self.codeword_bytes).max(1);
        quantile(libm::pow(chance, 1.0 / f64::from(codewords)))
    }

    fn terms(&self, mode: ModeRates, at: Condition) -> Terms {
        let shape = &self.shape;
        let x = (at.cycles + 1.0) / mode.endurance_cycles;
        let (disturb, part) = (self.disturb(mode, at), self.disturb_part(mode));
        let counted = if part > 0.0 { libm::floor(disturb / part) * part } else { 0.0 };
        Terms {
            fixed: 1.0 + shape.wear * libm::pow(x, shape.wear_power) + counted,
            year: shape.age * libm::pow(x, shape.age_wear_power),
            age: libm::pow(at.days / DAYS, shape.age_power),
        }
    }

    /// What 1000 reads of each page add.
    fn disturb_unit(&self, mode: ModeRates, cycles: f64) -> f64 {
        let x = (cycles + 1.0) / mode.endurance_cycles;
        self.shape.reads * libm::pow(x, self.shape.reads_wear_power)
    }

    fn disturb(&self, mode: ModeRates, at: Condition) -> f64 {
        self.disturb_unit(mode, at.cycles) * libm::pow(at.reads / 1000.0, self.shape.reads_power)
    }

    /// The part of the hard limit in which disturbance counts, over `eps`; 0 where nothing errs.
    fn disturb_part(&self, mode: ModeRates) -> f64 {
        if mode.eps > 0.0 {
            self.hard / DISTURB_PARTS / mode.eps
        } else {
            0.0
        }
    }

    /// The rates at the best references and at the default ones, of a page kind that errs `kind` times as
    /// often as the mean.
    pub fn rates(&self, mode: ModeRates, kind: f64, at: Condition) -> (f64, f64) {
        self.of_terms(mode.eps * kind, &self.terms(mode, at))
    }

    fn of_terms(&self, eps: f64, terms: &Terms) -> (f64, f64) {
        let age = terms.year * terms.age;
        let rate = |drift: f64| (eps * (terms.fixed + drift * age)).min(CAP);
        (rate(1.0), rate(self.drift))
    }

    /// The rate of the worst codeword, `z` deviations above the mean.
    fn worst(&self, rate: f64, z: f64) -> f64 {
        rate + z * libm::sqrt(rate * (1.0 - rate) / self.bits)
    }

    /// The mean rate at which the worst codeword has rate `worst`; none below the cap.
    fn mean(&self, worst: f64, z: f64) -> Option<f64> {
        let spread = z * z / self.bits;
        let (a, b) = (1.0 + spread, 2.0 * worst + spread);
        // Without a spread it is 0 but for rounding.
        let root = b * b - 4.0 * a * worst * worst;
        let rate = (b - libm::sqrt(root.max(0.0))) / (2.0 * a);
        (root > -1e-9 && rate < CAP).then_some(rate)
    }

    /// Steps that a read takes where there is no most.
    fn steps(&self, worst: f64) -> f64 {
        if worst <= self.hard {
            0.0
        } else {
            libm::ceil((worst / self.hard - 1.0) / self.step)
        }
    }

    /// What a read takes at these rates if its worst codeword is `z` deviations above the mean.
    pub fn outcome(&self, (best, default): (f64, f64), z: f64) -> Outcome {
        let (best, steps) = (self.worst(best, z), self.steps(self.worst(default, z)));
        if steps == 0.0 {
            return Outcome::default();
        }
        let soft = best > self.hard || steps > self.max_steps;
        Outcome { steps: steps.min(self.max_steps) as u8, soft, error: soft && best > self.soft }
    }

    /// The share of a year's ageing at which what a read takes changes next.
    fn next_age(&self, eps: f64, terms: &Terms, z: f64) -> f64 {
        let (best, default) = self.of_terms(eps, terms);
        let (best, steps) = (self.worst(best, z), self.steps(self.worst(default, z)));
        let soft = best > self.hard || steps > self.max_steps;
        // The last step but one more is soft sensing, where that has not come before.
        let steps_on = steps < self.max_steps || !soft;
        let next_step = steps_on.then_some(self.hard * (1.0 + self.step * steps));
        let next_best = if soft { self.soft } else { self.hard };
        let age = |worst: f64, drift: f64| {
            let rate = self.mean(worst, z)?;
            Some((rate / eps - terms.fixed) / (drift * terms.year))
        };
        let ages = [
            next_step.and_then(|worst| age(worst, self.drift)),
            (best <= next_best).then(|| age(next_best, 1.0)).flatten(),
        ];
        ages.into_iter().flatten().filter(|age| age.is_finite()).fold(f64::INFINITY, f64::min)
    }

    /// The age at which data of one of these kinds, freshly written, would be read with `steps` fewer, or are
    /// nearly lost and would not be, days; infinite where that is never.
    pub fn refresh_days(&self, mode: ModeRates, kinds: &[f64], z: f64, at: Condition, steps: u32) -> f64 {
        let terms = self.terms(mode, at);
        let fresh = self.terms(mode, Condition { days: 0.0, reads: 0.0, ..at });
        let age = |eps: f64, worst: f64, drift: f64| {
            let rate = self.mean(worst, z)?;
            let age = (rate / eps - terms.fixed) / (drift * terms.year);
            (!age.is_nan()).then_some(age)
        };
        let due = |kind: &f64| {
            let eps = mode.eps * kind;
            let (best, default) = self.of_terms(eps, &fresh);
            let last = self.steps(self.worst(default, z)) + f64::from(steps) - 1.0;
            let stepped = (last < self.max_steps).then_some(self.hard * (1.0 + self.step * last));
            let nearly = NEARLY_LOST * self.soft;
            let lost = (self.worst(best, z) <= nearly).then_some(nearly);
            let ages = [
                stepped.and_then(|worst| age(eps, worst, self.drift)),
                lost.and_then(|worst| age(eps, worst, 1.0)),
            ];
            ages.into_iter().flatten().fold(f64::INFINITY, f64::min)
        };
        let first = kinds.iter().map(due).fold(f64::INFINITY, f64::min);
        DAYS * libm::pow(first.max(0.0), 1.0 / self.shape.age_power)
    }

    /// What reads of these kinds take whose worst codewords are `zs` deviations above the mean, each told to
    /// `tell` by the numbers of both, and until when that holds.
    pub fn all_outcomes(
        &self,
        mode: ModeRates,
        kinds: &[f64],
        zs: &[f64],
        at: Condition,
        mut tell: impl FnMut(usize, usize, Outcome),
    ) -> Until {
        let terms = self.terms(mode, at);
        let mut next = f64::INFINITY;
        for (k, kind) in kinds.iter().enumerate() {
            let eps = mode.eps * kind;
            for (i, &z) in zs.iter().enumerate() {
                tell(k, i, self.outcome(self.of_terms(eps, &terms), z));
                next = next.min(self.next_age(eps, &terms, z));
            }
        }
        let days = DAYS * libm::pow(next.max(0.0), 1.0 / self.shape.age_power);
        Until { days, reads: self.next_reads(mode, at) }
    }

    /// Reads of each page at which disturbance is a part more.
    fn next_reads(&self, mode: ModeRates, at: Condition) -> f64 {
        let (unit, part) = (self.disturb_unit(mode, at.cycles), self.disturb_part(mode));
        if unit == 0.0 || part == 0.0 {
            return f64::INFINITY;
        }
        let next = (libm::floor(self.disturb(mode, at) / part) + 1.0) * part;
        1000.0 * libm::pow(next / unit, 1.0 / self.shape.reads_power)
    }
}

/// A number between 0 and 1 of the block with cells `number`.
fn share_of(seed: u64, number: u64) -> f64 {
    let key = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    ((scattered(key) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// How many times as often as the mean each page kind errs that senses so many references.
pub fn of_kinds(senses: &[u32]) -> Vec<f64> {
    let sum: u32 = senses.iter().sum();
    let mean = f64::from(sum) / senses.len() as f64;
    senses.iter().map(|&senses| f64::from(senses) / mean).collect()
}

#[cfg(test)]
mod tests;
