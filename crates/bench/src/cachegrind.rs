//! Instructions of a process of this program, counted by valgrind's cachegrind: they do not
//! depend on what else the machine does.

use std::process::{Command, ExitStatus, Stdio};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_and_the_part_of_hashing() {
        let text = "desc: x\nevents: Ir\nfl=a.S\nfn=ring_sha256_block_data_order\n12 100\n13 20\nfl=b.rs\nfn=main\n7 5\nsummary: 125\n";
        assert_eq!(parse(text), Some(Count { all: 125, hashing: 120 }));
        assert_eq!(parse("events: Ir\nfn=main\n7 5\n"), None);
    }
}
