//! What stopping at windows costs beside a run, what a fork costs, how episodes side by side scale.

use super::figures::{Environment, Spread};
use super::size::Size;
use slcache_sim::episode::{Episode, EpisodeRequest, Episodes};
use slcache_sim::resources::Stopwatch;
use slcache_sim::{execute, trace_options, Layers, RunRequest};

const DEVICE: &str = "rl-32g";
const SCHEME: &str = "baseline";
const WORKLOAD: &str = "zipf-4k";
const REQUESTS: usize = 2_000_000;

/// Measures runs and episodes in turn, then forks and vectors.
pub fn measure(size: Size) -> Result<Environment, String> {
    let requests = size.of(REQUESTS);
    let request = request(requests)?;
    let (mut runs, mut episodes, mut forks) = (Vec::new(), Vec::new(), Vec::new());
    let (mut one_thread, mut all_threads) = (Vec::new(), Vec::new());
    let mut windows = 0;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..size.rounds {
        let stopwatch = Stopwatch::start();
        execute(&request.run, &mut |_, _, _| true).map_err(|error| error.to_string())?;
        runs.push(stopwatch.cpu_s());
        let stopwatch = Stopwatch::start();
        let begin = Episode::new(&request, &mut |_, _, _| true).map_err(|error| error.to_string())?;
        let begin_s = stopwatch.cpu_s();
        let stopwatch = Stopwatch::start();
        let fork = begin.clone();
        forks.push(stopwatch.wall_s());
        let stopwatch = Stopwatch::start();
        windows = to_the_end(fork)?;
        episodes.push(begin_s + stopwatch.cpu_s());
        one_thread.push(side_by_side(&begin, threads, 1)?);
        all_threads.push(side_by_side(&begin, threads, threads)?);
    }
    let (run_cpu_s, episode_cpu_s) = (Spread::of(runs), Spread::of(episodes));
    let (one_thread_s, all_threads_s) = (Spread::of(one_thread), Spread::of(all_threads));
    Ok(Environment {
        workload: WORKLOAD.to_owned(),
        device: DEVICE.to_owned(),
        scheme: SCHEME.to_owned(),
        requests,
        windows,
        run_cpu_s,
        episode_cpu_s,
        speed_beside_run: run_cpu_s.median / episode_cpu_s.median,
        fork_s: Spread::of(forks),
        threads,
        one_thread_s,
        all_threads_s,
        scaling_per_thread: one_thread_s.median / all_threads_s.median / threads as f64,
    })
}

fn request(requests: usize) -> Result<EpisodeRequest, String> {
    let layers = Layers { device: DEVICE.into(), scheme: SCHEME.to_owned(), ..Layers::default() };
    let count = requests.to_string();
    let options = trace_options([("workload.requests", count.as_str())]);
    let trace_options = options.map_err(|errors| errors.to_string())?;
    let run = RunRequest { trace: WORKLOAD.into(), trace_options, layers, ..RunRequest::default() };
    Ok(EpisodeRequest { run, ..EpisodeRequest::default() })
}

/// Steps to the end of the trace, observes every window, makes the document; returns the windows.
pub fn to_the_end(mut episode: Episode) -> Result<u64, String> {
    let mut out = vec![0.0; episode.observation_len()];
    let mut ended = false;
    while !ended {
        ended = episode.step(&[], &mut || true).map_err(|error| error.to_string())?;
        episode.observe(&mut out);
    }
    let windows = episode.windows();
    episode.finish(&mut |_, _, _| true).map_err(|error| error.to_string())?;
    Ok(windows)
}

/// Wall time of `count` forks that step side by side to their ends on `threads` threads, s.
fn side_by_side(begin: &Episode, count: usize, threads: usize) -> Result<f64, String> {
    let forks = vec![begin.clone(); count];
    let mut episodes = Episodes::new(forks, Some(threads)).map_err(|error| error.to_string())?;
    let mut out = vec![0.0; count * begin.observation_len()];
    let turns = vec![Some(Vec::new()); count];
    let stopwatch = Stopwatch::start();
    let mut ended = vec![false];
    while ended.contains(&false) {
        ended = episodes.step(&turns, &mut || true).map_err(|error| error.to_string())?;
        episodes.observe(&mut out);
    }
    Ok(stopwatch.wall_s())
}
