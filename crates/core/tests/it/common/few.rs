//! How many of like cases a run of the tests tries.

/// Of many like cases `make test` tries each so manieth, `make slow` all and `make quick` half as many.
pub fn few(step: usize) -> usize {
    let is_set = |name| std::env::var_os(name).is_some();
    match (is_set("SLCACHE_SLOW"), is_set("SLCACHE_QUICK")) {
        (true, _) => 1,
        (_, true) => 2 * step,
        _ => step,
    }
}
