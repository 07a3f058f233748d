//! What slcache costs. `slcache-bench [--rounds N] [--quick]` prints the CPU time of every piece of work
//! as JSON; `--growth` the cost as the work grows. Instructions do not depend on what else the machine
//! does: `--check FILE` holds them against a table and `--write FILE` writes it. `--train` measures
//! nothing: it does the work that a build with a profile is made from.

mod cases;
mod files;
mod growth;
mod instructions;
mod speed;
mod training;
mod works;

use instructions::Table;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: slcache-bench [--rounds N] [--quick] [--growth]
       slcache-bench --check FILE | --write FILE | --train";

/// How much to measure.
#[derive(Clone, Copy)]
struct Size {
    rounds: usize,
    /// A hundredth of the work, to see that everything runs.
    quick: bool,
}

impl Size {
    /// `full` units of work, or the part that a quick run does.
    fn of(self, full: usize) -> usize {
        if self.quick {
            full / 100
        } else {
            full
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--child", "growth", what] => growth::child(what).map(|figures| println!("{figures}")),
        ["--child", "work", place, taken, folder] => instructions::child(place, taken, folder),
        ["--train"] => training::run(),
        ["--check", path] => check(Path::new(path)),
        ["--write", path] => counted().and_then(|now| now.write(Path::new(path))),
        ref options => {
            let Some((size, growth)) = parse(options) else {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            };
            measure(size, growth).map(|figures| println!("{figures:#}"))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("slcache-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn counted() -> Result<Table, String> {
    instructions::found()?;
    Ok(Table::new(&instructions::measure()?))
}

fn check(path: &Path) -> Result<(), String> {
    // A table that cannot be read is told before the minutes of counting.
    let committed = Table::read(path)?;
    let (lines, good) = committed.compare(&counted()?);
    lines.iter().for_each(|line| println!("{line}"));
    good.then_some(()).ok_or_else(|| format!("{}: does not hold", path.display()))
}

/// How much to measure, and whether as the work grows.
fn parse(options: &[&str]) -> Option<(Size, bool)> {
    let (mut size, mut growth) = (Size { rounds: 5, quick: false }, false);
    let mut options = options.iter();
    while let Some(&option) = options.next() {
        match option {
            "--rounds" => size.rounds = options.next()?.parse().ok().filter(|&n| n > 0)?,
            "--quick" => size.quick = true,
            "--growth" => growth = true,
            _ => return None,
        }
    }
    Some((size, growth))
}

fn measure(size: Size, growth: bool) -> Result<serde_json::Value, String> {
    Ok(if growth {
        serde_json::json!(growth::measure(size)?)
    } else {
        serde_json::json!({ "rounds": size.rounds, "works": speed::measure(size)? })
    })
}
