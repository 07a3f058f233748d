//! Configuration of the disk behind the flash: its mechanics and its power states.

use crate::base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest mechanical time of one operation, ns: a second.
const MECHANICS_NS_MAX: u64 = 1_000_000_000;
/// Longest wait before the disk goes to sleep, ns: about 32 years, which no run reaches.
const AFTER_NS_MAX: u64 = 1_000_000_000_000_000_000;
/// Longest transition, ns: a minute.
const TRANSITION_NS_MAX: u64 = 60_000_000_000;
/// Most power, mW.
const POWER_MW_MAX: u64 = 1_000_000;
/// Most energy of one transition, mJ.
const TRANSITION_MJ_MAX: u64 = 60_000_000;

/// How long an operation waits for its first sector to come round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rotation {
    /// Half a turn.
    #[default]
    Mean,
    /// Until the sector's place on its track has come to the head.
    Angle,
}

/// The state of the disk at time 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AtStart {
    /// As if an operation had just ended.
    #[default]
    Active,
    /// Not spinning.
    Standby,
}

/// The disk that is the home of the data; the flash in front of it is a cache. Its capacity is `device.user_bytes`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskConfig {
    /// Turns per minute.
    #[schemars(range(min = 1000, max = 100_000))]
    pub rpm: u32,
    /// Seek to a neighbouring track, ns; not above `average_seek_ns`.
    pub track_seek_ns: u64,
    /// Mean seek over random pairs of places, ns; at most a second.
    #[schemars(range(max = MECHANICS_NS_MAX))]
    pub average_seek_ns: u64,
    /// Transfer rate between the platters and the host, MB/s (10^6 bytes).
    #[schemars(range(min = 1, max = 10_000))]
    pub mb_per_s: u32,
    /// Time of the disk's controller per operation, ns; at most a second.
    #[serde(default)]
    #[schemars(range(max = MECHANICS_NS_MAX))]
    pub overhead_ns: u64,
    /// How long an operation waits for its first sector.
    #[serde(default)]
    pub rotation: Rotation,
    /// The state at time 0.
    #[serde(default)]
    pub at_start: AtStart,
    /// Power states.
    pub power: DiskPowerConfig,
}

/// The power states of a disk and the ways between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskPowerConfig {
    /// Power while active, busy or not, mW.
    #[schemars(range(max = POWER_MW_MAX))]
    pub active_mw: u64,
    /// Power while idle, mW; not above `active_mw`.
    pub idle_mw: u64,
    /// Power in standby, mW; not above `idle_mw`.
    pub standby_mw: u64,
    /// Time without an operation after which an active disk goes idle, ns.
    #[schemars(range(min = 1, max = AFTER_NS_MAX))]
    pub idle_after_ns: u64,
    /// Time from active to idle, ns.
    #[schemars(range(max = TRANSITION_NS_MAX))]
    pub to_idle_ns: u64,
    /// Energy from active to idle, mJ.
    #[schemars(range(max = TRANSITION_MJ_MAX))]
    pub to_idle_mj: u64,
    /// Time from idle to active, ns.
    #[schemars(range(max = TRANSITION_NS_MAX))]
    pub from_idle_ns: u64,
    /// Energy from idle to active, mJ.
    #[schemars(range(max = TRANSITION_MJ_MAX))]
    pub from_idle_mj: u64,
    /// Time in idle after which the disk spins down, ns.
    #[schemars(range(min = 1, max = AFTER_NS_MAX))]
    pub standby_after_ns: u64,
    /// Time from idle to standby, ns.
    #[schemars(range(max = TRANSITION_NS_MAX))]
    pub spin_down_ns: u64,
    /// Energy from idle to standby, mJ.
    #[schemars(range(max = TRANSITION_MJ_MAX))]
    pub spin_down_mj: u64,
    /// Time from standby to active, ns.
    #[schemars(range(max = TRANSITION_NS_MAX))]
    pub spin_up_ns: u64,
    /// Energy from standby to active, mJ.
    #[schemars(range(max = TRANSITION_MJ_MAX))]
    pub spin_up_mj: u64,
}

impl DiskConfig {
    /// Adds every problem; `key` is the section's dotted place.
    pub fn check(&self, key: &str, problems: &mut Vec<Problem>) {
        let at = |name: &str| format!("{key}.{name}");
        if self.track_seek_ns > self.average_seek_ns {
            let allowed = format!("at most average_seek_ns, which is {}", self.average_seek_ns);
            problems.push(Problem::new(at("track_seek_ns"), self.track_seek_ns, allowed));
        }
        self.power.check(&at("power"), problems);
    }
}

impl DiskPowerConfig {
    fn check(&self, key: &str, problems: &mut Vec<Problem>) {
        let at = |name: &str| format!("{key}.{name}");
        for (name, mw, above, above_mw) in [
            ("idle_mw", self.idle_mw, "active_mw", self.active_mw),
            ("standby_mw", self.standby_mw, "idle_mw", self.idle_mw),
        ] {
            if mw > above_mw {
                let allowed = format!("at most {above}, which is {above_mw}: a deeper state saves power");
                problems.push(Problem::new(at(name), mw, allowed));
            }
        }
        for (name, ns, mj) in [
            ("to_idle", self.to_idle_ns, self.to_idle_mj),
            ("from_idle", self.from_idle_ns, self.from_idle_mj),
            ("spin_down", self.spin_down_ns, self.spin_down_mj),
            ("spin_up", self.spin_up_ns, self.spin_up_mj),
        ] {
            let key = at(&format!("{name}_mj"));
            if ns == 0 && mj != 0 {
                let allowed = format!("0, because {name}_ns is 0: what takes no time takes no energy");
                problems.push(Problem::new(key, mj, allowed));
            }
        }
    }
}
