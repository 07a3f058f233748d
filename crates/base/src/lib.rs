//! What the traces and the model share, so that neither is built anew when the other changes: host
//! requests, documents that users write, seeded random streams, sizes and limits of time, latencies,
//! ranks, and the bound that holds for both.

pub mod bound;
pub mod document;
pub mod latency;
pub mod request;
pub mod rng;
pub mod units;
