//! Settings without effect beside the rest of the configuration.

use super::setting::Setting;
use super::tree::{Key, Step};
use super::{ConfigError, RunConfig};
use slcache_core::device::config::Replay;
use toml::Value;

/// An error for every setting that changes nothing in `config`, with what takes its effect away.
///
/// Only single settings are looked at: files serve many runs.
pub fn errors(settings: &[Setting], config: &RunConfig) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for setting in settings.iter().filter(|setting| !setting.is_from_file()) {
        for key in leaves(&setting.key, &setting.value) {
            if let Some(why) = reason(&key, config) {
                let message = format!("{key}: has no effect: {why}");
                errors.push(ConfigError::new(setting.origin.clone(), key, message));
            }
        }
    }
    errors
}

/// The keys that a setting sets: its own, or all those in the table that it gives.
fn leaves(key: &Key, value: &Value) -> Vec<Key> {
    match value {
        Value::Table(table) => {
            table.iter().flat_map(|(name, value)| leaves(&key.field(name), value)).collect()
        }
        _ => vec![key.clone()],
    }
}

fn reason(key: &Key, config: &RunConfig) -> Option<String> {
    let state = &config.precondition;
    match key.to_string().as_str() {
        "host.time_scale" if config.host.replay == Replay::Closed => {
            Some("closed replay ignores the trace's times (host.replay = \"open\" keeps them)".to_owned())
        }
        "device.stated_user_bytes" => {
            Some("slcache writes it where it rounds a capacity down; set device.user_bytes".to_owned())
        }
        "precondition.tolerance" if !state.steady => {
            Some("it says when the state is steady (precondition.steady = true asks for that)".to_owned())
        }
        "precondition.drain" if state.fill == 0.0 => {
            Some("nothing is written before time 0 (precondition.fill above 0 does so)".to_owned())
        }
        text => match text.strip_prefix(&format!("scheme.{}.", config.scheme.name())) {
            Some(parameter) => config.scheme.moot(parameter).map(str::to_owned),
            None => suspension(key, config),
        },
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
