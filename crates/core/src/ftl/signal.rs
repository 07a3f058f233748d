//! Signals: what a scheme shows a controller of the window just over.

/// A signal as the catalogue lists it.
#[derive(Clone, Copy, Debug, PartialEq)]
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
