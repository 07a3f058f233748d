//! Knobs, what of a scheme can be turned while it runs and within which bounds, and signals, what it shows a
//! controller of the window just over.

use crate::base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A knob as the catalogue lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnobSpec {
    /// Name, as the configuration calls what it turns.
    pub name: &'static str,
    pub unit: &'static str,
    /// One line that says what turning it up does.
    pub summary: &'static str,
}

/// The values a knob may be turned to now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum KnobRange {
    /// Every `step` from `min` to `max`.
    Steps {
        /// Least value.
        min: f64,
        /// No value is above it.
        max: f64,
        /// Distance of two values, above 0.
        step: f64,
    },
    /// These values, ascending.
    Ladder(Vec<f64>),
}

/// How far from a multiple of the step a value may be: what decimal fractions lose in binary.
const GRID_TOLERANCE: f64 = 1e-9;

impl KnobRange {
    /// Whole numbers from `min` to `max`.
    pub fn whole(min: u32, max: u32) -> Self {
        Self::Steps { min: f64::from(min), max: f64::from(max), step: 1.0 }
    }

    pub fn contains(&self, value: f64) -> bool {
        match self {
            Self::Steps { min, max, step } => {
                let steps = (value - min) / step;
                value >= *min && value <= *max && (steps - libm::round(steps)).abs() <= GRID_TOLERANCE
            }
            Self::Ladder(values) => values.contains(&value),
        }
    }

    /// The values in words.
    pub fn allowed(&self) -> String {
        match self {
            Self::Steps { min, max, step } => format!("between {min} and {max} in steps of {step}"),
            Self::Ladder(values) => {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                format!("one of {}", values.join(", "))
            }
        }
    }
}

/// A knob as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    pub spec: &'static KnobSpec,
    pub range: KnobRange,
    pub value: f64,
}

impl Knob {
    /// Why the knob cannot be turned to `value`, if it cannot.
    pub fn refusal(&self, value: f64) -> Option<Problem> {
        let refused = !self.range.contains(value);
        refused.then(|| Problem::new(self.spec.name, value, self.range.allowed()))
    }
}

/// A signal as the catalogue lists it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SignalSpec {
    pub name: &'static str,
    pub unit: &'static str,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// One line that says what it is.
    pub summary: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_off_the_grid_or_out_of_range_is_refused() {
        let steps = KnobRange::Steps { min: 0.1, max: 0.7, step: 0.1 };
        for value in [0.1, 0.2, 0.1 + 0.1 + 0.1, 0.7] {
            assert!(steps.contains(value), "{value}");
        }
        for value in [0.0, 0.15, 0.8, f64::NAN, f64::INFINITY, -0.1] {
            assert!(!steps.contains(value), "{value}");
        }
        let ladder = KnobRange::Ladder(vec![4096.0, 8192.0]);
        assert!(ladder.contains(8192.0) && !ladder.contains(6000.0) && !ladder.contains(f64::NAN));
    }

    #[test]
    fn a_refusal_names_knob_value_and_range() {
        static SPEC: KnobSpec = KnobSpec { name: "slc_blocks", unit: "blocks", summary: "" };
        let knob = Knob { spec: &SPEC, range: KnobRange::whole(2, 9), value: 3.0 };
        assert_eq!(knob.refusal(9.0), None);
        let told = knob.refusal(10.0).map(|problem| problem.to_string());
        assert_eq!(told.as_deref(), Some("slc_blocks = 10: must be between 2 and 9 in steps of 1"));
    }
}
