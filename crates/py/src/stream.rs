//! The model's seeded random streams, so that an agent in Python can draw what one in the model draws.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use slcache_sim::RngStream;

/// A random stream derived from a seed and a name.
#[pyclass]
pub struct Stream(RngStream);

#[pymethods]
impl Stream {
    #[new]
    fn new(seed: u64, name: &str) -> Self {
        Self(RngStream::new(seed, name))
    }

    /// A uniform integer in `0..bound`.
    fn below(&mut self, bound: u32) -> PyResult<u32> {
        match bound {
            0 => Err(PyValueError::new_err("bound = 0: must be at least 1")),
            _ => Ok(self.0.below(bound)),
        }
    }

    /// A uniform fraction in `[0, 1)` with 53 bits.
    fn fraction(&mut self) -> f64 {
        self.0.fraction()
    }
}
