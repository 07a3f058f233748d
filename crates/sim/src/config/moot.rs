//! Settings without effect beside the rest of the configuration.

use super::setting::Setting;
use super::tree::{Key, Step};
use super::{ConfigError, RunConfig};
use slcache_core::device::config::Replay;

/// An error for every setting that changes nothing in `config`, with what takes its effect away.
///
/// Only single settings are looked at: a device file serves many runs.
pub fn errors(settings: &[Setting], config: &RunConfig) -> Vec<ConfigError> {
    let told = |setting: &Setting| {
        let why = reason(&setting.key, config)?;
        Some(ConfigError::new(setting.origin.clone(), format!("{}: has no effect: {why}", setting.key)))
    };
    settings.iter().filter_map(told).collect()
}

fn reason(key: &Key, config: &RunConfig) -> Option<String> {
    let state = &config.precondition;
    match key.to_string().as_str() {
        "host.time_scale" if config.host.replay == Replay::Closed => {
            Some("closed replay ignores the trace's times (host.replay = \"open\" keeps them)".to_owned())
        }
        "precondition.tolerance" if !state.steady => {
            Some("it says when the state is steady (precondition.steady = true asks for that)".to_owned())
        }
        "precondition.drain" if state.fill == 0.0 => {
            Some("nothing is written before time 0 (precondition.fill above 0 does so)".to_owned())
        }
        _ => suspension(key, config),
    }
}

/// Why a key of a pool's suspension does nothing.
fn suspension(key: &Key, config: &RunConfig) -> Option<String> {
    let [_, Step::Field(list), Step::Index(pool), Step::Field(table), Step::Field(name)] = &key.0[..] else {
        return None;
    };
    let suspend = config.device.pool.get(*pool)?.suspend;
    let is_detail = matches!(name.as_str(), "suspend_ns" | "resume_ns" | "max_suspends");
    let idle = list == "pool" && table == "suspend" && is_detail && !suspend.program && !suspend.erase;
    idle.then(|| "neither suspend.program nor suspend.erase is true".to_owned())
}
