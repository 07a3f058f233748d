//! Transformations of traces: a pipeline over requests in bounded memory.
//!
//! `split` writes several files and `merge` reads several; the others take a
//! stream and give a stream. What is left out is counted. A transformation that
//! must know the whole trace reads it once more from the beginning.

mod bootstrap;
mod describe;
mod entries;
mod inputs;
mod merge;
mod plan;
mod ratio;
mod remap;
mod repeat;
mod report;
mod run;
mod sample;
mod scale;
mod split;
mod step;
mod stream_ends;
mod window;

pub use plan::Plan;
pub use report::{InputReport, StepReport, TransformReport};
pub use step::STEP_KINDS;
pub use stream_ends::StreamEnds;
