//! What separation wins, and where it cannot win.

use super::separate_store;
use crate::it::common::*;

/// One plane of 256 blocks with 24 pages of a unit; the user's data leave a quarter as much spare.
const BLOCKS: u32 = 256;
const USER_PAGES: u32 = 4800;

/// Page writes by Zipf's law with exponent `alpha`, scattered; every page once before.
fn writes(alpha: f64, count: u32, seed: u64) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "zipf");
    let mut below = Vec::with_capacity(USER_PAGES as usize);
    let mut sum = 0.0;
    for rank in 1..=USER_PAGES {
        sum += libm::pow(f64::from(rank), -alpha);
        below.push(sum);
    }
    // 1,997 has no divisor in common with 4,800.
    let page = |rank: u32| rank * 1997 % USER_PAGES;
    let mut drawn = || below.partition_point(|&b| b < rng.fraction() * sum).min(4799) as u32;
    let pages = (0..USER_PAGES).chain((0..count).map(|_| drawn())).map(page);
    pages
        .enumerate()
        .map(|(i, page)| request(i as u64 * 1_000_000, HostOp::Write, u64::from(page) * 4096, 4096))
        .collect()
}

/// Programs per write of the second half.
fn waf(rule: &Value, alpha: f64, seed: u64) -> f64 {
    let flash = pool(1, 1, BLOCKS, 8, 4096);
    let mut setup = setup(device(flash, u64::from(USER_PAGES) * 4096), "tlc-only");
    separate_store(&mut setup, rule);
    let requests = writes(alpha, 12 * USER_PAGES, seed);
    let mut sim = Simulation::new(&setup).unwrap();
    foresee(&mut sim, &requests);
    let moved = |sim: &Simulation| -> u64 {
        let gc = sim.counters().iter().filter(|row| row.kind == OpKind::Program && row.cause == Cause::Gc);
        gc.map(|row| row.totals.pages).sum()
    };
    let (warm, rest) = requests.split_at(requests.len() / 2);
    sim.feed(warm).unwrap();
    let before = moved(&sim);
    sim.feed(rest).unwrap();
    1.0 + (moved(&sim) - before) as f64 / rest.len() as f64
}

#[test]
fn under_skew_the_oracle_wins_over_sepbit_and_that_over_nothing() {
    for (alpha, seed) in [(1.0, 2), (0.8, 1), (1.2, 3)].into_iter().step_by(few(3)) {
        let (streams, linear) = (json!({"streams": {"classes": 6}}), json!("oracle-linear"));
        let found = [json!("none"), streams, json!("sepbit"), linear, json!("oracle")]
            .map(|rule| waf(&rule, alpha, seed));
        let [none, streams, sepbit, linear, oracle] = found;
        let better = oracle < sepbit && sepbit < none && streams < none && linear < none;
        assert!(better, "Zipf {alpha}: {found:?}");
    }
}

#[test]
fn without_skew_ages_tell_nothing() {
    let [none, sepbit] = [json!("none"), json!("sepbit")].map(|rule| waf(&rule, 0.0, 4));
    assert!(sepbit > 0.97 * none, "{sepbit} against {none}");
}
