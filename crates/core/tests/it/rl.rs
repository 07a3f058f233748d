//! `rl`: steps, decisions and what is learned, on a device of one plane whose bus costs nothing.

use crate::it::common::*;
use slcache_core::ftl::knob::KnobRange;
use slcache_core::ftl::window::{WindowCounters, WindowLength, WindowUnit};

pub const MIB: u64 = 1 << 20;
/// Bytes of host writes per step: two SLC blocks.
const STEP: u64 = MIB / 2;

/// 64 blocks of 1 MiB as QLC and 256 KiB as SLC, 44 MiB of them the user's, under `rl` and `values`.
pub fn small(values: &[(&str, Value)]) -> Setup {
    let mut chips = pool(1, 1, 64, 16, 16384);
    (chips.tlc, chips.qlc) = (None, Some(mode(140_000, 3_102_000, 3_500_000)));
    chips.bus.ps_per_byte = 0;
    let setup = closed(setup(device(chips, 44 * MIB), "rl"), 1);
    with(setup, &[&[("step_bytes", json!(STEP))], values].concat())
}

/// Writes of 4 KiB to 256 KiB, three of four in an eighth of `user_bytes`.
pub fn writes(count: usize, user_bytes: u64, seed: u64) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "test workload");
    let mut write = |at_ns| {
        let units = 1 << rng.below(7);
        let reach = if rng.below(4) > 0 { user_bytes / 8 } else { user_bytes };
        let first = u64::from(rng.below((reach / 4096) as u32 - units));
        request(at_ns, HostOp::Write, first * 4096, u64::from(units) * 4096)
    };
    (0..count as u64).map(|i| write(i * 3_000_000)).collect()
}

#[test]
fn every_step_of_so_many_bytes_is_in_the_series_and_every_decision_in_the_histograms() {
    let plain = setup(small(&[]).device, "rl");
    let thirty_two = WindowLength { unit: WindowUnit::WriteBytes, count: 32 * MIB };
    assert_eq!(Simulation::new(&plain).unwrap().window_length(), thirty_two);
    let requests = writes(2000, 30 * MIB, 1);
    let (_, report) = ended(&small(&[]), &requests);
    // A step is over when the request behind it arrives.
    let bytes: u64 = requests[..1999].iter().map(Request::bytes).sum();
    let steps = figure(&report, "steps");
    assert!(steps == (bytes / STEP) as f64 && steps > 100.0, "{steps}");
    for name in ["slc_blocks", "theta_bytes", "reward", "write_mb_per_s"] {
        let series = report.scheme.series.iter().find(|series| series.name == name).unwrap();
        assert_eq!(series.values.len() as f64, steps, "{name}");
    }
    for (histogram, (name, bins)) in report.scheme.histograms.iter().zip([("actions", 9), ("states", 1296)]) {
        assert_eq!((histogram.name.as_str(), histogram.counts.len()), (name, bins));
        assert_eq!(histogram.axes.iter().map(|axis| axis.bins.len()).product::<usize>(), bins);
        assert_eq!(histogram.counts.iter().sum::<u64>() as f64, steps, "{name}");
    }
}

/// The built-in agent, written down anew for a device that it drives from outside.
struct Outside {
    known: BTreeMap<(usize, usize), f64>,
    draws: RngStream,
    before: Option<(usize, usize)>,
    average_ns: Option<f64>,
    slc_step: f64,
}

impl Outside {
    fn value(&self, state: usize, action: usize) -> f64 {
        *self.known.get(&(state, action)).unwrap_or(&0.0)
    }

    /// Nine bins of the SLC share up to 56 %, four of the utilisation, the action before, two and two.
    fn state(&self, signals: &[f64]) -> usize {
        let slc = ((signals[0] / 0.56 * 9.0).floor() as usize).min(8);
        let used = ((signals[1] * 4.0).floor() as usize).min(3);
        let action = self.before.map_or(4, |(_, action)| action);
        let [demand, updates] = [signals[2], signals[3]].map(|share| usize::from(share >= 0.5));
        (((slc * 4 + used) * 9 + action) * 2 + demand) * 2 + updates
    }

    fn reward(&mut self, window: &WindowCounters, utilisation: f64) -> f64 {
        let (mut host, mut reclaim) = (0, 0);
        for row in window.ops.iter() {
            match (row.cause, row.kind) {
                (Cause::Host, OpKind::Read) => {}
                (Cause::Migration | Cause::Gc, _) => reclaim += row.totals.time_ns,
                _ => host += row.totals.time_ns,
            }
        }
        let total = (1.0 - utilisation) * host as f64 + utilisation * reclaim as f64;
        let Some(average) = self.average_ns else {
            self.average_ns = Some(total);
            return 0.0;
        };
        self.average_ns = Some(average + 0.1 * (total - average));
        if total > average {
            -1.0
        } else {
            1.0
        }
    }

    fn choose(&mut self, state: usize) -> usize {
        let explores = self.draws.fraction() < 0.07;
        let values: Vec<f64> = (0..9).map(|action| self.value(state, action)).collect();
        let highest = values.iter().copied().reduce(f64::max).unwrap();
        let best: Vec<usize> = (0..9).filter(|&action| values[action] == highest).collect();
        let greedy =
            if best.len() == 1 { best[0] } else { best[self.draws.below(best.len() as u32) as usize] };
        let others: Vec<usize> = (0..9).filter(|&action| action != greedy).collect();
        if explores {
            others[self.draws.below(8) as usize]
        } else {
            greedy
        }
    }

    fn decide(&mut self, sim: &mut Simulation, window: &WindowCounters) {
        let signals = sim.signals();
        let state = self.state(&signals);
        let action = self.choose(state);
        let reward = self.reward(window, signals[1]);
        if let Some((state_before, action_before)) = self.before {
            let promised = (0..9).map(|action| self.value(state, action)).reduce(f64::max).unwrap();
            let old = self.value(state_before, action_before);
            let new = old + 0.1 * (reward + 0.8 * promised - old);
            self.known.insert((state_before, action_before), new);
        }
        self.before = Some((state, action));
        self.turn_slc(sim, action / 3);
        let theta = sim.knobs()[1].value * [0.5, 1.0, 2.0][action % 3];
        if (4096.0..=524_288.0).contains(&theta) {
            sim.turn(1, theta).unwrap();
        }
    }

    fn turn_slc(&self, sim: &mut Simulation, way: usize) {
        let knob = sim.knobs().swap_remove(0);
        let KnobRange::Steps { min, max, .. } = knob.range else { panic!("{knob:?}") };
        let value = match way {
            0 => knob.value.min(min.max(knob.value - self.slc_step)),
            1 => knob.value,
            _ => knob.value.max(max.min(knob.value + self.slc_step)),
        };
        if value != knob.value {
            sim.turn(0, value).unwrap();
        }
    }
}

/// Whether an agent outside, with the same draws, does what the built-in one does.
fn is_repeated_outside(setup: &Setup, requests: &[Request]) {
    let mut inside = watched(setup);
    inside.feed(requests).unwrap();
    let mut sim = watched(&with(setup.clone(), &[("agent", json!("none"))]));
    sim.set_control(sim.window_length());
    let draws = RngStream::new(setup.seed, "agent");
    let mut agent = Outside { known: BTreeMap::new(), draws, before: None, average_ns: None, slc_step: 2.0 };
    let mut done = 0;
    while done < requests.len() {
        let fed = sim.feed_control(&requests[done..]).unwrap();
        done += fed.taken;
        if let Some(window) = fed.window {
            agent.decide(&mut sim, &window);
        }
    }
    assert_eq!(inside.ops().len(), sim.ops().len());
    assert!(inside.ops() == sim.ops(), "the operations differ");
    let memory = inside.memory().unwrap();
    let (values, visits) = (&memory.tables["q"], &memory.tables["visits"]);
    assert_eq!(values.len(), 1296 * 9);
    assert!((0..values.len()).all(|i| values[i] == agent.value(i / 9, i % 9)), "the Q-tables differ");
    assert!(visits.iter().sum::<f64>() > 500.0);
    let values = |sim: &Simulation| sim.knobs().iter().map(|knob| knob.value).collect::<Vec<_>>();
    assert_eq!((inside.signals(), values(&inside)), (sim.signals(), values(&sim)));
}

#[test]
fn an_agent_outside_with_the_same_draws_decides_the_same() {
    for (seed, footprint) in [(2, 30), (1, 8), (3, 43)].into_iter().step_by(few(2)) {
        let mut setup = small(&[("slc_step_blocks", json!(2))]);
        setup.seed = seed;
        is_repeated_outside(&setup, &writes(8000, footprint * MIB, seed));
    }
    let mut full = small(&[("slc_step_blocks", json!(2)), ("initial_slc_blocks", json!(35))]);
    (full.host.replay, full.precondition.fill) = (Replay::Open, 0.9);
    is_repeated_outside(&full, &writes(8000, 20 * MIB, 4));
}

/// Between two requests, where nothing else is to happen: the moves are over when the next one comes.
#[test]
fn what_a_turned_knob_moves_does_not_wait_for_the_next_request() {
    const REST_NS: u64 = 10_000_000_000;
    let mut setup = small(&[("agent", json!("none"))]);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Open, 0);
    let mut sim = watched(&setup);
    sim.feed(&writes(300, 30 * MIB, 1)).unwrap();
    sim.feed(&[request(REST_NS / 2, HostOp::Write, 0, 4096)]).unwrap();
    rest(&mut sim, REST_NS);
    let moves = |sim: &Simulation| -> u64 {
        sim.counters().iter().filter(|row| row.cause == Cause::Migration).map(|row| row.totals.count).sum()
    };
    let (before, knob) = (moves(&sim), sim.knobs().swap_remove(0));
    let KnobRange::Steps { min, .. } = knob.range else { panic!("{knob:?}") };
    sim.turn(0, min).unwrap();
    assert!(moves(&sim) > before + 20, "{} moves", moves(&sim) - before);
    let reads = (0..50).map(|i| request(2 * REST_NS + i * 200_000, HostOp::Read, 0, 4096));
    sim.feed(&reads.collect::<Vec<_>>()).unwrap();
    let read = sim.finish().unwrap().host.read;
    assert!(read.attribution_us.wait.values().all(|&us| us == 0.0), "{:?}", read.attribution_us.wait);
}
