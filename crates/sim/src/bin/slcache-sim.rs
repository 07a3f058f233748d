//! Replays one trace and prints the result document: the smallest program
//! around the simulator, for profilers. The command line proper is in Python.

use slcache_files::plain;
use slcache_sim::traces::TracePath;
use slcache_sim::{execute, trace_options, Layers, RunRequest, SimError};
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: slcache-sim TRACE --device D --scheme S [--set KEY=VALUE]... \
[--trace-format F] [--trace-option KEY=VALUE]... [--seed N] [--replay open|closed:N] \
[--snapshot-in FILE] [--snapshot-out FILE] [--memory-in FILE] [--memory-out FILE]
example: slcache-sim trace.csv --device hierarchy-44g --scheme baseline --trace-format msr
exit codes: 0 done, 1 run failed, 2 usage, 3 configuration, 4 trace";

/// Options that may be given more than once, with another key each time.
const REPEATED: [&str; 2] = ["--set", "--trace-option"];

fn main() -> ExitCode {
    let request = match parse(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(Stop::Help) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(Stop::Usage(message)) => {
            eprintln!("slcache-sim: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
        Err(Stop::Config(error)) => return fail(&error),
    };
    match execute(&request, &mut |_, _, _| true) {
        Ok(document) => print(&document),
        Err(error) => fail(&error),
    }
}

fn print(document: &serde_json::Value) -> ExitCode {
    match writeln!(std::io::stdout().lock(), "{document:#}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("slcache-sim: standard output: {}", plain(&error));
            ExitCode::FAILURE
        }
    }
}

fn fail(error: &SimError) -> ExitCode {
    eprintln!("slcache-sim: {}", plain(error));
    ExitCode::from(error.exit_code())
}

enum Stop {
    Help,
    Usage(String),
    Config(SimError),
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<RunRequest, Stop> {
    let mut request = RunRequest::default();
    let mut options: Vec<(String, String)> = Vec::new();
    let mut given: Vec<String> = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--help" || argument == "-h" {
            return Err(Stop::Help);
        }
        if argument.starts_with("--") {
            let missing = || Stop::Usage(format!("{argument} needs a value"));
            let value = arguments.next().ok_or_else(missing)?;
            if given.contains(&argument) && !REPEATED.contains(&argument.as_str()) {
                return Err(Stop::Usage(format!("{argument} is given twice")));
            }
            take(&argument, value, &mut request, &mut options)?;
            given.push(argument);
        } else if request.trace.name().is_empty() {
            request.trace = TracePath::new(&argument);
        } else {
            return Err(Stop::Usage(format!("a second trace: {argument}")));
        }
    }
    let Layers { device, scheme, .. } = &request.layers;
    if request.trace.name().is_empty() || device.is_empty() || scheme.is_empty() {
        return Err(Stop::Usage("TRACE, --device and --scheme are needed".to_owned()));
    }
    let pairs = options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    request.trace_options = trace_options(pairs).map_err(|error| Stop::Config(error.into()))?;
    Ok(request)
}

/// Takes one option with its value.
fn take(
    option: &str,
    value: String,
    request: &mut RunRequest,
    trace_options: &mut Vec<(String, String)>,
) -> Result<(), Stop> {
    match option {
        "--device" => request.layers.device = value.into(),
        "--scheme" => request.layers.scheme = value,
        "--set" => request.layers.sets.push(value),
        "--replay" => request.layers.replay = Some(value),
        "--snapshot-in" => request.snapshot_in = Some(value.into()),
        "--snapshot-out" => request.snapshot_out = Some(value.into()),
        "--memory-in" => request.memory_in = Some(value.into()),
        "--memory-out" => request.memory_out = Some(value.into()),
        "--trace-format" => trace_options.push(("format".to_owned(), value)),
        "--trace-option" => trace_options.push(pair(&value)?),
        "--seed" => request.layers.seed = Some(number(&value)?),
        _ => return Err(Stop::Usage(format!("unknown option {option}"))),
    }
    Ok(())
}

fn pair(text: &str) -> Result<(String, String), Stop> {
    let split = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    split.ok_or_else(|| Stop::Usage(format!("--trace-option {text}: must be key=value")))
}

fn number(text: &str) -> Result<u64, Stop> {
    text.parse().map_err(|_| Stop::Usage(format!("--seed {text}: must be a whole number")))
}
