//! Snapshots behind a right checksum.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slcache_traces_fuzz::snapshots;

fuzz_target!(|data: &[u8]| snapshots::check(data));
