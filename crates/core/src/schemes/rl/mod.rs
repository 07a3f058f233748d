//! Q-learning control of the SLC region.
//!
//! **What it does.** An SLC region whose size changes while the device runs, beside a dense region; write
//! requests up to a threshold, theta, go to the SLC region. After every step of host writes an agent
//! sees five features of the step, and makes the SLC region larger or smaller and theta higher or
//! lower, or leaves them. It learns by Q-learning from a reward that says whether the step cost less
//! flash time than steps do on average.
//! **Paper.** "Reinforcement Learning-Based SLC Cache Technique for Enhancing SSD Write Performance",
//! section 3, Algorithms 1 and 2.
//! **What the paper leaves open and what we chose.** Learning rate and discount factor (`alpha`,
//! `gamma`); how far an action turns (`slc_step_blocks`, `theta_ladder_bytes`), and within which bounds
//! (`slc_share_max`, `slc_blocks_min`); where it begins (`initial_slc_blocks`, `initial_theta_bytes`);
//! the edges of the bins (of one width each); the average that a step is compared with (`average`). An action that would leave the knob's range turns
//! it as far as it goes.
//! **Knobs.** `slc_blocks` and `theta_bytes`; with `agent = "none"` somebody outside turns them.

mod agent;
mod config;
mod memory;
mod report;

pub use agent::{AgentKind, Average};
pub use config::RlConfig;

use super::hybrid::{of_hybrid, Hybrid, Packed, TimeSplit, SIGNALS, SLC_BLOCKS, THETA_BYTES};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobRange, KnobSpec, SignalSpec};
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{Memory, Scheme};
use crate::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use agent::{Action, Agent, Bins, Reward, ACTIONS};
use report::RlStats;
use serde::{Deserialize, Serialize};

/// Numbers of the knobs.
const SLC: usize = 0;
const THETA: usize = 1;

/// The regions and the agent that turns their knobs.
#[derive(Clone, Serialize, Deserialize)]
pub struct Rl {
    hybrid: Hybrid,
    agent: Agent,
    reward: Reward,
    bins: Bins,
    /// SLC blocks per plane that an action adds or takes away.
    slc_step: u32,
    #[serde(skip)]
    config: RlConfig,
    #[serde(skip)]
    stats: RlStats,
}

impl Rl {
    pub fn new(config: &RlConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let spec = &config.hybrid;
        let blocks = spec.plane_blocks(device).expect("Invariant: the configuration was checked");
        let initial = config.initial_slc_blocks(blocks);
        let hybrid = Hybrid::new(spec, config.limits(), initial, config.initial_theta_bytes, device, io);
        let bins = config.bins();
        let agent = Agent::new(config.agent, config.rates(), bins.states(), ACTIONS, io.stream("agent"));
        Self {
            agent,
            reward: config.reward(),
            bins,
            slc_step: config.slc_step_blocks(blocks),
            config: config.clone(),
            stats: RlStats::default(),
            hybrid,
        }
    }

    /// The agent's state: what a controller outside is shown of the step just over, and what was done
    /// before it.
    fn state(&self, io: &Io) -> usize {
        let signals = self.hybrid.signals(io);
        let previous = self.agent.last().and_then(Action::new).unwrap_or(Action::STAY);
        self.bins.state(self.bins.of(&signals, previous))
    }

    /// Turns the knobs as `action` says.
    fn perform(&mut self, action: Action, io: &mut Io) -> Result<(), DeviceFull> {
        for (knob, direction) in [(SLC, action.slc()), (THETA, action.theta())] {
            let stands = self.knobs(io).swap_remove(knob);
            if let Some(value) = neighbour(&stands, direction, self.slc_step) {
                self.turn(knob, value, io)?;
            }
        }
        Ok(())
    }

    fn shape(&self) -> std::collections::BTreeMap<String, f64> {
        let slc_step_share = f64::from(self.slc_step) / f64::from(self.hybrid.plane_blocks());
        memory::shape(&self.bins, slc_step_share, &self.config.theta_ladder_bytes)
    }
}

/// The value of `knob` one action further: `step` of its grid, as far as it goes, or the next rung of
/// its ladder. None if it cannot turn that way.
fn neighbour(knob: &Knob, direction: i32, step: u32) -> Option<f64> {
    let (value, step) = (knob.value, f64::from(step));
    let further = match (&knob.range, direction) {
        (KnobRange::Steps { max, .. }, 1) => Some((value + step).min(*max)).filter(|&to| to > value),
        (KnobRange::Steps { min, .. }, -1) => Some((value - step).max(*min)).filter(|&to| to < value),
        (KnobRange::Ladder(rungs), 1) => rungs.iter().copied().find(|&rung| rung > value),
        (KnobRange::Ladder(rungs), -1) => rungs.iter().copied().rfind(|&rung| rung < value),
        _ => None,
    };
    further.filter(|&to| knob.refusal(to).is_none())
}

impl Scheme for Rl {
    const MEMORY_VERSION: Option<u32> = Some(memory::VERSION);
    const KNOBS: &'static [KnobSpec] = &[SLC_BLOCKS, THETA_BYTES];
    const SIGNALS: &'static [SignalSpec] = &SIGNALS;

    of_hybrid! {}

    fn resume(&mut self, fresh: Self) -> Result<(), String> {
        self.config = fresh.config;
        Ok(())
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.hybrid.preload(page, mask, io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.hybrid.write(&piece, io)
    }

    fn window_length(&self) -> WindowLength {
        WindowLength { unit: WindowUnit::WriteBytes, count: self.config.step_bytes }
    }

    /// Algorithm 1. The action is performed last instead of before the update, which nothing depends
    /// on: what it costs belongs to the next step.
    fn window(&mut self, counters: &WindowCounters, io: &mut Io) -> Result<(), DeviceFull> {
        self.hybrid.end_window();
        let utilisation = self.hybrid.utilisation(io);
        let reward = self.reward.of(&TimeSplit::of(&counters.ops), utilisation);
        self.stats.count(self.hybrid.slc_blocks(), self.hybrid.theta_bytes(), reward, counters);
        // The data may have grown into what the SLC region has.
        let most = self.hybrid.slc_blocks_max(io);
        if self.hybrid.slc_blocks() > most {
            self.hybrid.set_slc_blocks(most, io);
        }
        let Some(choice) = self.agent.step(self.state(io), reward) else {
            return Ok(());
        };
        self.stats.count_explored(choice.explored);
        let action = Action::new(choice.action).expect("Invariant: the table has a column per action");
        self.perform(action, io)
    }

    fn knobs(&self, io: &Io) -> Vec<Knob> {
        vec![self.hybrid.slc_blocks_knob(io), self.hybrid.theta_knob()]
    }

    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        match knob {
            SLC => drop(self.hybrid.set_slc_blocks(value as u32, io)),
            _ => self.hybrid.set_theta(value as u64),
        }
        Ok(())
    }

    fn signals(&self, io: &Io) -> Vec<f64> {
        self.hybrid.signals(io).to_vec()
    }

    fn memory(&self) -> Option<Memory> {
        memory::of(&self.agent, self.shape())
    }

    fn take_memory(&mut self, memory: Memory) -> Result<(), String> {
        let shape = self.shape();
        memory::take(memory, &mut self.agent, &shape)
    }

    fn slc_cache_limit_bytes(&self, io: &Io) -> u64 {
        self.hybrid.slc.slc_bytes(self.hybrid.slc_blocks_max(io), io)
    }

    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        self.hybrid.slc_bytes_max(io)
    }

    fn report(&self, io: &Io) -> SchemeReport {
        self.figures(io)
    }
}
