//! Compression, archives and the telling of the format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slcache_traces_fuzz::checks;

fuzz_target!(|data: &[u8]| checks::input(data));
