//! Workloads made on the spot, the same for the same arguments everywhere.

mod heavy_gc;
mod python_random;
mod synth1m;
mod uniform;

pub use heavy_gc::{heavy_gc, HEAVY_GC_MEAN_GAP_NS, HEAVY_GC_RANDOM_WRITES};
pub use synth1m::{synth1m, SYNTH1M_REQUESTS};
pub use uniform::UniformWorkload;
