//! Speed and memory, in one run, as a JSON document: `slcache-bench [--rounds N] [--quick]`. Cost as
//! the work grows: the same with `--growth`. Instructions alone, which do not depend on what else the
//! machine does: `slcache-bench --check FILE` holds them against a table and `--write FILE` writes it.
//! `--train` measures nothing: it does the work that a build with a profile is made from.
//!
//! What is compared is measured in turn, round by round (A B A B ...), so that a
//! slow moment of the machine meets every contestant; medians are told with
//! the lowest and highest round.

mod cachegrind;
mod cases;
mod child;
mod disk;
mod engine;
mod environment;
mod figures;
mod floor;
mod growth;
mod instructions;
mod preconditioning;
mod process;
mod size;
mod speed;
mod table;
mod tracing;
mod training;
mod two_pools;

use figures::{Figures, Instructions};
use size::Size;
use std::path::Path;
use std::process::ExitCode;
use table::Table;

const USAGE: &str = "usage: slcache-bench [--rounds N] [--quick] [--growth]
       slcache-bench --check FILE | --write FILE | --train";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(what) = arguments.first().and_then(|first| first.strip_prefix("--child=")) {
        return child::run(what);
    }
    if arguments == ["--train"] {
        return training::run().map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS);
    }
    if let [action @ ("--check" | "--write"), path] =
        arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        return table(action == "--write", Path::new(path)).unwrap_or_else(|error| failed(&error));
    }
    let Some(options) = parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let told = if options.growth {
        growth::measure(options.size).map(|growth| serde_json::json!(growth))
    } else {
        measure(options.size).map(|figures| serde_json::json!(figures))
    };
    match told {
        Ok(figures) => println!("{figures:#}"),
        Err(error) => return failed(&error),
    }
    ExitCode::SUCCESS
}

fn failed(error: &str) -> ExitCode {
    eprintln!("slcache-bench: {error}");
    ExitCode::FAILURE
}

/// Counts instructions, and writes a table of them or holds them against it.
fn table(write: bool, path: &Path) -> Result<ExitCode, String> {
    // A table that cannot be read is told before the minutes of counting.
    let committed = if write { None } else { Some(Table::read(path)?) };
    if let Some(why) = cachegrind::missing() {
        return Err(why);
    }
    let now = Table::new(&instructions::measure(Size { rounds: 1, quick: false })?);
    let Some(committed) = committed else {
        return now.write(path).map(|()| ExitCode::SUCCESS);
    };
    let (lines, good) = committed.compare(&now);
    lines.iter().for_each(|line| println!("{line}"));
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn counted(size: Size) -> Result<Instructions, String> {
    match cachegrind::missing() {
        Some(why) => Ok(Instructions::NotCounted(why)),
        None => instructions::measure(size).map(Instructions::PerRequest),
    }
}

/// What the command line asks for.
struct Options {
    size: Size,
    growth: bool,
}

fn parse(arguments: &[String]) -> Option<Options> {
    let mut options = Options { size: Size { rounds: 5, quick: false }, growth: false };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => options.size.rounds = arguments.next()?.parse().ok().filter(|&n| n > 0)?,
            "--quick" => options.size.quick = true,
            "--growth" => options.growth = true,
            _ => return None,
        }
    }
    Some(options)
}

fn measure(size: Size) -> Result<Figures, String> {
    let say = |what: &str| eprintln!("slcache-bench: {what}");
    say("speed (synth1m, heavy_gc, every scheme, floors, disk)");
    let workloads = speed::measure(size)?;
    say("instructions");
    let instructions = counted(size)?;
    say("traces (text formats, Parquet, workloads)");
    let traces = tracing::measure(size)?;
    say("preconditioning");
    let preconditioning = preconditioning::measure(size)?;
    say("environment");
    let environment = environment::measure(size)?;
    say("analyser");
    let analyser = two_pools::measure(size)?;
    say("memory and start-up");
    let (memory, large_device) = child::measure(size)?;
    let rounds = size.rounds;
    Ok(Figures {
        rounds,
        workloads,
        instructions,
        traces,
        preconditioning,
        environment,
        analyser,
        memory,
        large_device,
    })
}
