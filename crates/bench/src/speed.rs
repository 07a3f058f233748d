//! CPU time of every piece of work, measured in turn, round by round (A B A B ...), so that a slow
//! moment of the machine meets every contestant.

use super::works;
use super::Size;
use serde::Serialize;
use std::collections::BTreeMap;

/// Requests of a piece of work.
const REQUESTS: usize = 1_000_000;

/// Median, lowest and highest of several rounds.
#[derive(Clone, Copy, Debug, Serialize)]
struct Spread {
    median: f64,
    min: f64,
    max: f64,
}

impl Spread {
    /// The spread of at least one value.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let (lower, upper) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        Self { median: f64::midpoint(lower, upper), min: values[0], max: values[values.len() - 1] }
    }
}

/// What a piece of work costs.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    requests: usize,
    cpu_s: Spread,
    requests_per_cpu_s: f64,
    /// Where it reads a file, which it hashes too.
    mb_per_cpu_s: Option<f64>,
}

/// Measures everything.
pub fn measure(size: Size) -> Result<BTreeMap<String, Speed>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let requests = size.of(REQUESTS);
    let works = works::all();
    let prepared = works.iter().map(|work| work.prepare(folder.path(), requests));
    let bytes = prepared.collect::<Result<Vec<u64>, String>>()?;
    let mut times_s = vec![Vec::new(); works.len()];
    for round in 1..=size.rounds {
        eprintln!("slcache-bench: round {round} of {}", size.rounds);
        for (work, times_s) in works.iter().zip(&mut times_s) {
            times_s.push(work.run(folder.path(), requests, requests)?);
        }
    }
    let speed = |bytes: u64, times_s: Vec<f64>| {
        let cpu_s = Spread::of(times_s);
        Speed {
            requests,
            cpu_s,
            requests_per_cpu_s: requests as f64 / cpu_s.median,
            mb_per_cpu_s: (bytes > 0).then(|| bytes as f64 / 1e6 / cpu_s.median),
        }
    };
    let measured = bytes.into_iter().zip(times_s).map(|(bytes, times_s)| speed(bytes, times_s));
    Ok(works.into_iter().map(|work| work.name).zip(measured).collect())
}
