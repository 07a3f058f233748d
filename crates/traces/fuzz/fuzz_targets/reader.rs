//! The reader that the environment variable `SLCACHE_FUZZ_FORMAT` names.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slcache_traces_fuzz::checks;
use std::sync::LazyLock;

static FORMAT: LazyLock<String> = LazyLock::new(|| {
    let name = std::env::var("SLCACHE_FUZZ_FORMAT").unwrap_or_default();
    let known = checks::names();
    assert!(known.contains(&name.as_str()), "SLCACHE_FUZZ_FORMAT is {name:?}; allowed: {}", known.join(", "));
    name
});

fuzz_target!(|data: &[u8]| checks::reader(&FORMAT, data));
