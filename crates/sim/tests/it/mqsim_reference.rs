//! Response times against MQSim's, request by request, on a matched device.
//!
//! `data/mqsim_requests.csv` holds what MQSim (CMU-SAFARI, commit 7ec40e3) answered: all 240
//! isolated requests and the first 500 of each loaded workload. The complete loaded workloads are
//! read from the directory `mqsim_reference` in `$SLCACHE_SHARED`; without it only they are
//! skipped. `docs/benchmarking.md` says how the comparison is made,
//! `decisions/0005-mqsim-comparison.md` what does not agree and why.

use crate::common::*;
use slcache_core::base::op::OpKind;
use slcache_core::device::request::{HostOp, Request};
use std::collections::HashMap;

const EXCERPT: &str = include_str!("../data/mqsim_requests.csv");
/// By how much mean, p50 and p99 of a loaded workload may differ.
const CLOSE: f64 = 0.01;

/// A request with MQSim's response time, ns.
type Answer = (Request, u64);

/// Reads `arrival_ns,sector,sectors,op,response_ns`.
fn answer(line: &str) -> Answer {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |i: usize| fields[i].parse::<u64>().unwrap_or_else(|e| panic!("{line}: {e}"));
    let op = if fields[3] == "read" { HostOp::Read } else { HostOp::Write };
    let request =
        Request { at_ns: number(0), sector: number(1), sectors: number(2) as u32, stream: 0, hint: 0, op };
    (request, number(4))
}

fn excerpt(workload: &str) -> Vec<Answer> {
    let rows = EXCERPT.lines().filter_map(|line| line.strip_prefix(workload)?.strip_prefix(','));
    rows.map(answer).collect()
}

/// A complete workload, if this machine has it.
fn complete(workload: &str) -> Option<Vec<Answer>> {
    let shared = PathBuf::from(std::env::var_os("SLCACHE_SHARED")?);
    let path = shared.join("mqsim_reference").join(format!("{workload}.csv.zst"));
    let packed = std::fs::read(&path).ok()?;
    let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    Some(text.lines().skip(1).map(answer).collect())
}

/// Our response times in the order of `answers`.
fn ours(answers: &[Answer]) -> Vec<u64> {
    let requests: Vec<Request> = answers.iter().map(|a| a.0).collect();
    let mut sim = Simulation::new(&resolved("mqsim-like", "tlc-only", &[]).setup()).unwrap();
    sim.keep_log();
    sim.feed(&requests).unwrap();
    sim.finish().unwrap();
    let log: HashMap<_, _> = sim.log().iter().map(|(r, ns)| ((r.at_ns, r.sector), *ns)).collect();
    assert_eq!(log.len(), requests.len(), "arrival and place name a request");
    requests.iter().map(|r| log[&(r.at_ns, r.sector)]).collect()
}

/// The value at rank ceil(share * count), the same rule on both sides.
fn percentile(sorted: &[u64], share: f64) -> u64 {
    sorted[(sorted.len() as f64 * share).ceil() as usize - 1]
}

/// Mean, p50, p99, p99.9 and maximum.
fn figures(latencies: &[u64]) -> [f64; 5] {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let mean = sorted.iter().sum::<u64>() as f64 / sorted.len() as f64;
    let [p50, p99, p99_9, max] = [0.5, 0.99, 0.999, 1.0].map(|share| percentile(&sorted, share) as f64);
    [mean, p50, p99, p99_9, max]
}

fn assert_figures_agree(workload: &str, answers: &[Answer]) {
    let theirs: Vec<u64> = answers.iter().map(|a| a.1).collect();
    let ours = ours(answers);
    for (name, (our, their)) in
        ["mean", "p50", "p99", "p99.9", "maximum"].iter().zip(figures(&ours).iter().zip(figures(&theirs)))
    {
        let difference = our / their - 1.0;
        assert!(difference.abs() <= CLOSE, "{workload} {name}: {our} against {their}");
    }
}

#[test]
fn isolated_requests_agree_to_the_nanosecond() {
    for workload in ["read_isolated", "write_isolated"] {
        let answers = excerpt(workload);
        assert_eq!(answers.len(), 120);
        for ((request, theirs), ours) in answers.iter().zip(ours(&answers)) {
            assert_eq!(ours, *theirs, "{workload}: {request:?}");
        }
    }
}

#[test]
fn the_first_loaded_requests_agree() {
    for workload in ["read_16k", "write_16k"] {
        let answers = excerpt(workload);
        assert_eq!(answers.len(), 500);
        assert_figures_agree(workload, &answers);
    }
}

#[test]
fn the_complete_loaded_workloads_agree() {
    for workload in ["read_16k", "write_16k"] {
        match complete(workload) {
            Some(answers) => assert_figures_agree(workload, &answers),
            None => eprintln!("skipped: no mqsim_reference/{workload}.csv.zst in $SLCACHE_SHARED"),
        }
    }
}

/// First-in first-out cleaning at valid share `u`: 1/(1-U) with (U-1)/ln U = u, by its fixed point.
fn fifo(u: f64) -> f64 {
    let valid = (0..10_000).fold(0.5_f64, |valid, _| (-(1.0 - valid) / u).exp());
    1.0 / (1.0 - valid)
}

/// The cleaning workload: 16 planes of 100 blocks, 20 % spare, uniform random whole-page writes.
/// MQSim's log says 9.64 and its rule ten free blocks per plane; ten cannot cost that much.
#[test]
fn cleaning_costs_what_ten_blocks_held_back_cost() {
    const PAGES: u64 = 16 * 100 * 192 * 8 / 10;
    let user_bytes = format!("device.user_bytes={}", PAGES * 16384);
    let sets = [
        user_bytes.as_str(),
        "device.pool[0].blocks=100",
        "scheme.tlc-only.clean.start_free_ratio=0.0", // 10 free blocks per plane, as the preset says
        "precondition.fill=1.0",
    ];
    let mut sim = Simulation::new(&resolved("mqsim-like", "tlc-only", &sets).setup()).unwrap();
    sim.precondition(&mut |_, _| true).unwrap();
    let mut rng = RngStream::new(1, "uniform");
    let mut write = |i: u64| {
        let sector = u64::from(rng.below(PAGES as u32)) * 32;
        Request { at_ns: i * 10_000_000, sector, sectors: 32, stream: 0, hint: 0, op: HostOp::Write }
    };
    sim.feed(&(1..=400_000).map(&mut write).collect::<Vec<_>>()).unwrap();
    sim.finish().unwrap();
    sim.audit().unwrap();
    let programs = sim.counters().iter().filter(|row| row.kind == OpKind::Program);
    let wa = programs.map(|row| row.totals.pages).sum::<u64>() as f64 / 400_000.0;
    // Ten free blocks and one and a half frontiers per plane hold no valid data on average.
    let u = (PAGES / 16) as f64 / (88.5 * 192.0);
    assert!(wa < fifo(u), "greedy cleaning cannot cost more than first in, first out");
    assert!(wa > 0.7 * fifo(u), "greedy cleaning gains less than that on uniform writes");
}
