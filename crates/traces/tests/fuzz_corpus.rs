//! The checks of the fuzz targets for a second or two each: the seeds as they
//! are, then changed at random, the same way every time.

#[path = "../fuzz/src/checks.rs"]
mod checks;
#[path = "../fuzz/src/seeds.rs"]
mod seeds;

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// Changed files per seed.
const CHANGED_PER_SEED: u32 = 40;
/// Longest file made of a seed.
const BYTES_MAX: usize = 20_000;

/// A seed with some bytes set, removed, doubled or put in from elsewhere.
fn changed(seed: &[u8], random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.next_u32() % 4 {
        let place = random.next_u64() as usize % bytes.len().max(1);
        let end = (place + 1 + random.next_u64() as usize % 64).min(bytes.len());
        match random.next_u32() % 7 {
            _ if bytes.is_empty() => bytes.push(random.next_u32() as u8),
            0 => bytes[place] = random.next_u32() as u8,
            1 => bytes[place] ^= 1 << (random.next_u32() % 8),
            2 => bytes[place..end].fill([0, 0xff, b'9', b'\n'][random.next_u32() as usize % 4]),
            3 => bytes.truncate(place),
            4 => drop(bytes.drain(place..end)),
            5 => bytes.extend_from_within(place..end),
            _ => bytes.extend_from_within(..),
        }
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn try_changed(seeds: &[Vec<u8>], check: impl Fn(&[u8])) {
    assert!(!seeds.is_empty());
    let mut random = Pcg64Mcg::new(1);
    for seed in seeds {
        check(seed);
        for _ in 0..CHANGED_PER_SEED {
            check(&changed(seed, &mut random));
        }
    }
}

#[test]
fn every_reader() {
    for format in checks::names() {
        try_changed(&seeds::of_reader(format), |data| checks::reader(format, data));
    }
}

#[test]
fn compression_and_archives() {
    try_changed(&seeds::of_input(), checks::input);
}

#[test]
fn declared_columns() {
    try_changed(&seeds::of_layout(), checks::layout);
}

#[test]
fn workloads() {
    try_changed(&seeds::of_workload(), checks::workload);
}

#[test]
fn seeds_are_valid() {
    for format in checks::names() {
        let seed = &seeds::of_reader(format)[0];
        let read = checks::requests(format, seed);
        assert!(read.is_ok(), "{format}: {read:?}");
    }
}
