//! A short run of a fuzz target's check within a test: its seeds as they are, then changed at
//! random, anew in every run.
//!
//! `SLCACHE_FUZZ_SECONDS` says how long each target runs, `SLCACHE_SEED` where the changes begin:
//! the seed that a failure names repeats it as the first one.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::Write;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

/// Seconds per target unless said otherwise: in all of them as long as a test may take.
const SECONDS: f64 = 0.4;
/// Longest file made of a seed.
const BYTES_MAX: usize = 32_768;

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, which is no number")))
}

/// Runs `check` on the seeds and on changed ones until the time is over; at least one of each.
pub fn run(target: &str, seeds: &[Vec<u8>], check: impl Fn(&[u8])) {
    assert!(!seeds.is_empty());
    seeds.iter().for_each(|seed| check(seed));
    let end = Instant::now() + Duration::from_secs_f64(variable("SLCACHE_FUZZ_SECONDS").unwrap_or(SECONDS));
    let begin: u64 = variable("SLCACHE_SEED").unwrap_or_else(|| RandomState::new().hash_one(target) >> 16);
    let mut executions = seeds.len();
    for number in begin.. {
        let mut random = Pcg64Mcg::seed_from_u64(number);
        let seed = &seeds[random.next_u64() as usize % seeds.len()];
        let data = changed(seed, &mut random);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&data))) {
            say(&format!("fuzzing {target} failed; to repeat it: SLCACHE_SEED={number}"));
            resume_unwind(panic);
        }
        executions += 1;
        if Instant::now() >= end {
            break;
        }
    }
    say(&format!("fuzzed {target}: {executions} executions from SLCACHE_SEED={begin} on"));
}

/// Past the capturing of the test harness: CI shows what was done.
fn say(line: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A seed with some bytes set, removed, doubled or put in from elsewhere.
fn changed(seed: &[u8], random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.next_u32() % 4 {
        let place = random.next_u64() as usize % bytes.len().max(1);
        let end = (place + 1 + random.next_u64() as usize % 64).min(bytes.len());
        match random.next_u32() % 8 {
            _ if bytes.is_empty() => bytes.push(random.next_u32() as u8),
            0 => bytes[place] = random.next_u32() as u8,
            1 => bytes[place] ^= 1 << (random.next_u32() % 8),
            2 => bytes[place] = bytes[place].wrapping_add(1),
            3 => bytes[place..end].fill([0, 0xff, b'9', b'\n'][random.next_u32() as usize % 4]),
            4 => bytes.truncate(place),
            5 => drop(bytes.drain(place..end)),
            6 => bytes.extend_from_within(place..end),
            _ => bytes.extend_from_within(..),
        }
    }
    bytes.truncate(BYTES_MAX.max(seed.len()));
    bytes
}
