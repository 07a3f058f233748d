//! Episodes: what they share with runs, what their windows add up to, what forks keep.

use crate::common::*;
use slcache_core::ftl::knob::KnobRange;
use slcache_core::ftl::window::{WindowLength, WindowUnit};
use slcache_sim::episode::{Episode, EpisodeError, EpisodeRequest};

/// Reads, writes of 4 to 32 KiB, trims and flushes over 3 MiB, with pauses.
fn trace() -> String {
    let mut text = String::from("time,op,address,size\n");
    for i in 0..3000u64 {
        let (op, sectors) = match i % 50 {
            7 => ("trim", 8),
            19 => ("flush", 0),
            n if n % 3 == 0 => ("read", 16),
            n => ("write", 8 << (n % 4)),
        };
        let at_ns = i * 250_000 + i / 400 * 90_000_000;
        let sector = if op == "flush" { 0 } else { i * 7919 % 780 * 8 };
        text.push_str(&format!("{at_ns},{op},{sector},{sectors}\n"));
    }
    text
}

fn window(unit: WindowUnit, count: u64) -> Option<WindowLength> {
    Some(WindowLength { unit, count })
}

fn request(trace: &str, scheme: &str, sets: &[&str], replay: &str) -> EpisodeRequest {
    let home = if is_on_disk(scheme) { &ON_DISK[..] } else { &[] };
    let mut layers = layers("tiny", scheme, &[home, sets].concat());
    layers.replay = Some(replay.to_owned());
    let run =
        RunRequest { trace: trace.into(), trace_options: by_sectors(), layers, ..RunRequest::default() };
    EpisodeRequest { run, window: window(WindowUnit::WriteRequests, 150) }
}

fn begin(request: &EpisodeRequest) -> Result<Episode, EpisodeError> {
    Episode::new(request, &mut |_, _, _| true)
}

fn step(episode: &mut Episode, turns: &[(usize, f64)]) -> bool {
    episode.step(turns, &mut || true).unwrap_or_else(|error| panic!("{error}"))
}

fn to_the_end(mut episode: Episode) -> Episode {
    while !step(&mut episode, &[]) {}
    episode
}

/// The document without when it was made and what that cost.
fn figures(mut document: Value) -> String {
    document.as_object_mut().unwrap().remove("sim");
    document["provenance"].as_object_mut().unwrap().remove("time");
    document.to_string()
}

fn finish(episode: Episode) -> String {
    figures(episode.finish(&mut |_, _, _| true).unwrap())
}

#[test]
fn an_episode_without_turns_is_a_run() {
    let file = file(&trace(), ".csv");
    // Two of the six ways for each scheme.
    for (i, entry) in CATALOG.iter().enumerate() {
        for (j, sets) in [&[][..], &["trace.address=compact", "precondition.fill=0.5"]].iter().enumerate() {
            let replay = ["open", "closed:1", "closed:8"][(i + j) % 3];
            let request = request(file.path().to_str().unwrap(), entry.name, sets, replay);
            let run = figures(execute(&request.run, &mut |_, _, _| true).unwrap());
            let at_once = begin(&request).unwrap();
            let stepped = to_the_end(at_once.clone());
            assert!(stepped.windows() > 10);
            assert!(run == finish(at_once), "{} {replay} {sets:?}: finished at once", entry.name);
            assert!(run == finish(stepped), "{} {replay} {sets:?}: stepped", entry.name);
        }
    }
}

#[test]
fn windows_add_up_to_the_run() {
    let file = file(&trace(), ".csv");
    for (unit, count) in
        [(WindowUnit::Requests, 99), (WindowUnit::WriteRequests, 1), (WindowUnit::WriteBytes, 1 << 20)]
    {
        let mut request = request(file.path().to_str().unwrap(), "baseline", &[], "closed:4");
        request.window = window(unit, count);
        let mut episode = begin(&request).unwrap();
        let (mut arrived, mut bytes, mut completed, mut ns, mut at_ns) = (0, 0, 0, 0, 0);
        loop {
            let ended = step(&mut episode, &[]);
            let seen = episode.window().unwrap();
            let counters = &seen.counters;
            assert_eq!(counters.end_ns - counters.duration_ns, at_ns, "windows follow each other");
            assert!(seen.is_complete || ended, "only the last may be short");
            at_ns = counters.end_ns;
            arrived += counters.reads.requests + counters.writes.requests;
            bytes += counters.writes.bytes;
            completed += seen.reads.requests + seen.writes.requests;
            ns += counters.duration_ns;
            if unit == WindowUnit::WriteRequests {
                assert!(counters.writes.requests == 1 || ended);
            }
            if ended {
                break;
            }
        }
        let backlog = episode.window().unwrap().backlog;
        let document = episode.clone().finish(&mut |_, _, _| true).unwrap();
        let host = &document["host"];
        assert_eq!(Some(arrived), host["requests"].as_u64());
        assert_eq!(Some(bytes), host["write"]["bytes"].as_u64());
        // What is in flight at the end completes when the run is ended.
        assert!(completed < arrived && arrived - completed <= backlog);
        assert!(ns == at_ns && ns <= host["duration_ns"].as_u64().unwrap());
    }
}

/// A turn of one knob to any value it may have, or none.
fn some_turn(episode: &Episode, rng: &mut RngStream) -> Vec<(usize, f64)> {
    let knobs = episode.knobs();
    if knobs.is_empty() || rng.below(3) == 0 {
        return Vec::new();
    }
    let number = rng.below(knobs.len() as u32) as usize;
    let value = match &knobs[number].range {
        KnobRange::Ladder(values) => values[rng.below(values.len() as u32) as usize],
        KnobRange::Steps { min, max, step } => {
            let steps = ((max - min) / step + 1e-9) as u32;
            min + f64::from(rng.below(steps + 1)) * step
        }
    };
    vec![(number, value)]
}

fn observation(episode: &Episode) -> Vec<f64> {
    let mut out = vec![f64::NAN; episode.observation_len()];
    episode.observe(&mut out);
    out
}

#[test]
fn a_fork_goes_on_as_the_original_does() {
    let file = file(&trace(), ".csv");
    for (i, entry) in CATALOG.iter().enumerate() {
        let replay = ["open", "closed:8"][i % 2];
        let request = request(file.path().to_str().unwrap(), entry.name, &[], replay);
        let mut rng = RngStream::new(7, entry.name);
        let mut episode = begin(&request).unwrap();
        let mut ended = false;
        while !ended {
            // What a fork does is nothing to its original.
            let (mut same, mut other) = (episode.clone(), episode.clone());
            let others = some_turn(&other, &mut rng);
            step(&mut other, &others);
            let turns = some_turn(&episode, &mut rng);
            ended = step(&mut episode, &turns);
            assert_eq!(step(&mut same, &turns), ended);
            assert_eq!(observation(&same), observation(&episode), "{} {replay}", entry.name);
            if episode.windows() % 5 == 0 {
                assert!(finish(same) == finish(episode.clone()), "{} {replay}", entry.name);
            }
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let file = file(&trace(), ".csv");
    let good = request(file.path().to_str().unwrap(), "tlc-only", &[], "closed:8");
    type Change = fn(&mut EpisodeRequest);
    let changes: [(Change, &str); 3] = [
        (|r| r.window = window(WindowUnit::WriteRequests, 3000), "the trace is too short for one window"),
        (|r| r.window = window(WindowUnit::WriteBytes, 0), "window = 0 bytes of writes: must be at least 1"),
        (|r| r.run.layers.scheme = "nothing".into(), "nothing"),
    ];
    for (change, expected) in changes {
        let mut request = good.clone();
        change(&mut request);
        let told = begin(&request).err().expect("must be refused").to_string();
        assert!(told.contains(expected), "{told}");
    }

    let mut episode = begin(&good).unwrap();
    step(&mut episode, &[]);
    let before = finish(episode.clone());
    let now = episode.knobs()[0].value;
    let refused: [(&[(usize, f64)], &str); 5] = [
        (&[(0, now), (7, 1.0)], "knob 7: tlc-only has the knobs 0 (clean.start_free_blocks), 1 (clean."),
        (&[(0, f64::NAN)], "knob clean.start_free_blocks = NaN: must be "),
        (&[(0, now + 0.5)], "knob clean.start_free_blocks = 2.5: must be "),
        (&[(0, 1e9)], "knob clean.start_free_blocks = 1000000000: must be "),
        (&[(0, now), (0, now)], "knob clean.start_free_blocks is turned twice in one step"),
    ];
    for (turns, expected) in refused {
        let told = episode.step(turns, &mut || true).unwrap_err().to_string();
        assert!(told.starts_with(expected), "{told}");
    }
    assert_eq!((episode.windows(), finish(episode.clone())), (1, before));
    let mut over = to_the_end(episode.clone());
    let error = over.step(&[], &mut || true).unwrap_err();
    assert!(matches!(error, EpisodeError::Ended { .. }), "{error}");
}
