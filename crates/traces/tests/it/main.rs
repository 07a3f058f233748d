//! The integration tests of traces, as one program.

mod bad_input;
mod binary_formats;
mod blktrace;
mod choices;
mod common;
mod compression;
mod convert;
mod fuzz_corpus;
mod no_panic;
mod parquet;
mod pipes;
mod prepared;
mod real_traces;
mod round_trip;
mod streams;
mod synthetic;
mod text_formats;
mod times;
mod transform;
mod workload_digests;
mod workload_extents;
mod workload_patterns;
mod workload_presets;
mod workload_problems;
mod workload_source;
mod workload_times;
