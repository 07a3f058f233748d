//! Instructions per request of every piece of work, counted by valgrind's cachegrind: they do not
//! depend on what else the machine does. Written anew, or held against those that are committed.
//!
//! Each figure is the difference of two processes that differ only in how many of the same
//! requests they take, divided by that many: start-up, preloading and making the requests fall out.

use super::works::{self, Work};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use slcache_sim::provenance;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

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
    count(&["--child", "work", &place, &taken, &folder])
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

/// What is part of the name of every function that hashes a block, in all its variants.
const HASHING: &str = "sha256_block";

/// Instructions of a whole process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub all: u64,
    /// Those of SHA-256, which are a hundred times fewer where the processor has instructions for it.
    pub hashing: u64,
}

/// An error where valgrind is not there.
pub fn found() -> Result<(), String> {
    match Command::new("valgrind").arg("--version").stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("valgrind --version: {status}")),
        Err(error) => Err(format!(
            "valgrind cannot be started ({error}); it counts the instructions: install the package valgrind"
        )),
    }
}

/// Runs this program with arguments and counts.
pub fn count(arguments: &[&str]) -> Result<Count, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("counts");
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--quiet", "--tool=cachegrind", "--cache-sim=no"])
        .arg(format!("--cachegrind-out-file={}", path.display()))
        .arg(program)
        .args(arguments)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(failed(&arguments.join(" "), output.status, &output.stderr));
    }
    let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&String::from_utf8_lossy(&text))
        .ok_or_else(|| format!("{}: no counts from cachegrind", arguments.join(" ")))
}

fn failed(what: &str, status: ExitStatus, stderr: &[u8]) -> String {
    format!("{what} under valgrind: {status}: {}", String::from_utf8_lossy(stderr).trim())
}

/// A file as cachegrind writes it: the names of functions, behind each the counts of its lines,
/// and the sum.
fn parse(text: &str) -> Option<Count> {
    let mut count = Count { all: 0, hashing: 0 };
    let mut in_hashing = false;
    for line in text.lines() {
        if let Some(function) = line.strip_prefix("fn=") {
            in_hashing = function.contains(HASHING);
        } else if let Some(sum) = line.strip_prefix("summary:") {
            count.all = sum.trim().parse().ok()?;
        } else if in_hashing && line.starts_with(|first: char| first.is_ascii_digit()) {
            count.hashing += line.split_once(' ')?.1.trim().parse::<u64>().ok()?;
        }
    }
    (count.all > 0).then_some(count)
}

/// Growth that fails the check, percent.
const GROWTH_ALLOWED: f64 = 1.0;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What the program was built with; another compiler gives other counts.
    compiler: String,
    per_request: PerRequest,
}

const HEADER: &str = "\
# Instructions per request, counted by valgrind's cachegrind. Written by `make instructions`, held by
# `make bench-check`; docs/benchmarking.md says what is counted.

";

impl Table {
    /// Of this program.
    pub fn new(per_request: &PerRequest) -> Self {
        let rounded = per_request.iter().map(|(name, count)| (name.clone(), count.round())).collect();
        Self { compiler: provenance::compiler().to_owned(), per_request: rounded }
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = toml::to_string(self).map_err(|error| error.to_string())?;
        std::fs::write(path, format!("{HEADER}{text}"))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The lines that tell how `now` differs, and whether none grew too much.
    pub fn compare(&self, now: &Self) -> (Vec<String>, bool) {
        let (mut lines, mut good) = (Vec::new(), true);
        if self.compiler != now.compiler {
            lines.push(format!("the table was written with {}, this is {}", self.compiler, now.compiler));
        }
        for (name, &count) in &now.per_request {
            let Some(&before) = self.per_request.get(name) else {
                lines.push(format!("{name}: {count:.0}, not in the table: make instructions"));
                good = false;
                continue;
            };
            // In this order whole counts give whole percents exactly.
            let growth = 100.0 * (count - before) / before;
            let verdict = if growth > GROWTH_ALLOWED { ": grew by more than 1 %" } else { "" };
            good &= growth <= GROWTH_ALLOWED;
            lines.push(format!("{name}: {before:.0} -> {count:.0} ({growth:+.1} %){verdict}"));
        }
        for name in self.per_request.keys().filter(|name| !now.per_request.contains_key(*name)) {
            lines.push(format!("{name}: in the table, but not measured any more: make instructions"));
            good = false;
        }
        (lines, good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_and_the_part_of_hashing() {
        let text = "desc: x\nevents: Ir\nfl=a.S\nfn=ring_sha256_block_data_order\n12 100\n13 20\nfl=b.rs\nfn=main\n7 5\nsummary: 125\n";
        assert_eq!(parse(text), Some(Count { all: 125, hashing: 120 }));
        assert_eq!(parse("events: Ir\nfn=main\n7 5\n"), None);
    }

    fn table(rows: &[(&str, f64)]) -> Table {
        Table::new(&rows.iter().map(|&(name, count)| (name.to_owned(), count)).collect())
    }

    #[test]
    fn growth_and_missing_rows_fail() {
        let before = table(&[("a", 1000.0), ("b", 1000.0)]);
        let check = |rows: &[(&str, f64)]| before.compare(&table(rows));
        assert!(check(&[("a", 1010.0), ("b", 400.0)]).1);
        let (lines, good) = check(&[("a", 1011.0), ("b", 1000.0)]);
        assert!(!good && lines[0] == "a: 1000 -> 1011 (+1.1 %): grew by more than 1 %", "{lines:?}");
        assert!(!check(&[("a", 1000.0)]).1);
        assert!(!check(&[("a", 1000.0), ("b", 1000.0), ("c", 1.0)]).1);
    }

    #[test]
    fn what_is_written_is_read() {
        let path = tempfile::NamedTempFile::new().unwrap();
        table(&[("synth1m on x, y", 4481.4)]).write(path.path()).unwrap();
        assert_eq!(Table::read(path.path()).unwrap().per_request["synth1m on x, y"], 4481.0);
    }
}
