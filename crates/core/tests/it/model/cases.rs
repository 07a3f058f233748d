//! Random cases, others in every run: each has a seed of its own, which a failure names.
//!
//! `SLCACHE_SEED` says where the seeds begin, so that the one named comes first.

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed, TestCaseResult, TestError, TestRunner};
use std::collections::hash_map::RandomState;
use std::fmt::Debug;
use std::hash::BuildHasher;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the cases have checked so far.
pub struct Tally {
    /// Audits are so many times as far apart as a choice says.
    pub audit_spacing: usize,
    pub cases: AtomicU64,
    pub requests: AtomicU64,
    pub operations: AtomicU64,
    pub audits: AtomicU64,
    pub turns: AtomicU64,
}

impl Tally {
    /// Nothing yet.
    pub fn new(audit_spacing: usize) -> Self {
        let [cases, requests, operations, audits, turns] = std::array::from_fn(|_| AtomicU64::new(0));
        Self { audit_spacing, cases, requests, operations, audits, turns }
    }

    pub fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Ordering::Relaxed);
    }

    pub fn tell(&self, what: &str) {
        let [cases, requests, operations, audits, turns] =
            [&self.cases, &self.requests, &self.operations, &self.audits, &self.turns]
                .map(|n| n.load(Ordering::Relaxed));
        say(&format!(
            "{what}: {cases} cases, {requests} requests, {operations} flash operations, {audits} audits, \
             {turns} turns of knobs"
        ));
    }
}

/// Past the capturing of the test harness: CI shows what was done.
pub fn say(line: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{line}");
}

pub fn first_seed(test: &str) -> u64 {
    match std::env::var("SLCACHE_SEED") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("SLCACHE_SEED is {text:?}, which is no number")),
        Err(_) => RandomState::new().hash_one(test) >> 24,
    }
}

/// One case: drawn from `seed`, made small if it fails.
pub fn one<V: Debug>(
    test: &str,
    seed: u64,
    strategy: &impl Strategy<Value = V>,
    body: impl Fn(V) -> TestCaseResult,
) {
    let config = ProptestConfig {
        cases: 1,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        max_shrink_time: 60_000,
        ..ProptestConfig::default()
    };
    match TestRunner::new(config).run(strategy, body) {
        Ok(()) => {}
        Err(TestError::Fail(why, value)) => panic!(
            "{test} failed: {why}\nmade small: {value:?}\nto repeat it: \
             SLCACHE_SEED={seed} cargo test -p slcache-core --lib {test}"
        ),
        Err(TestError::Abort(why)) => panic!("{test} with SLCACHE_SEED={seed}: {why}"),
    }
}

pub fn several<V: Debug>(
    test: &str,
    cases: u64,
    strategy: &impl Strategy<Value = V>,
    body: impl Fn(V, &Tally) -> TestCaseResult,
) {
    let begin = first_seed(test);
    let tally = Tally::new(1);
    for seed in begin..begin.saturating_add(cases) {
        one(test, seed, strategy, |value| body(value, &tally));
    }
    tally.tell(&format!("{test} from SLCACHE_SEED={begin} on"));
}
