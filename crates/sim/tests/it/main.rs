//! The integration tests of runs, as one program.

mod binary;
mod bounds;
mod cache_size;
mod common;
mod config;
mod device_facts;
mod episode;
mod evidence;
mod fair_bench;
mod fuzz_corpus;
mod golden;
mod golden_versions;
mod layering;
mod memory_file;
mod mqsim_reference;
mod namespaces;
mod notes;
mod presets;
mod run;
mod schema;
mod snapshot;
