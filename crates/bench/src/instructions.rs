//! Instructions per request of every piece of work.
//!
//! Each figure is the difference of two processes that differ only in how many of the same
//! requests they take, divided by that many: start-up, preloading and making the requests fall out.

use super::cachegrind::{self, Count};
use super::works::{self, Work};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Requests that both processes take, and those that only one of them takes.
const BEFORE: usize = 5_000;
const MORE: usize = 45_000;

pub type PerRequest = BTreeMap<String, f64>;

/// Counts everything; needs valgrind.
pub fn measure() -> Result<PerRequest, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let works = works::all();
    for work in &works {
        for taken in [BEFORE, BEFORE + MORE] {
            work.prepare(folder.path(), taken)?;
        }
    }
    let per_request = |(place, work): (usize, &Work)| {
        let [less, all] = [BEFORE, BEFORE + MORE].map(|taken| counted(place, taken, folder.path()));
        Ok((work.name.clone(), difference(all?, less?) as f64 / MORE as f64))
    };
    works.par_iter().enumerate().map(per_request).collect()
}

fn counted(place: usize, taken: usize, folder: &Path) -> Result<Count, String> {
    let (place, taken, folder) = (place.to_string(), taken.to_string(), folder.to_string_lossy());
    cachegrind::count(&["--child", "work", &place, &taken, &folder])
}

/// What one process takes more than the other, without hashing.
fn difference(all: Count, less: Count) -> u64 {
    (all.all - all.hashing).saturating_sub(less.all - less.hashing)
}

/// What a process does whose instructions are counted.
pub fn child(place: &str, taken: &str, folder: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let work = &works::all()[number(place)?];
    work.run(Path::new(folder), BEFORE + MORE, number(taken)?).map(drop)
}
