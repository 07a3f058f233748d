//! Settings without effect beside the rest of the configuration.

use super::setting::Setting;
use super::{ConfigError, RunConfig};
use slcache_base::document::tree::{Key, Step};
use slcache_core::device::config::{Acknowledge, DeviceConfig, Replay};
use slcache_core::hw::config::Scrub;
use toml::Value;

/// An error for every setting that changes nothing in `config`, with what takes its effect away.
///
/// Only single settings are looked at: files serve many runs. What a file says of how a capacity was
/// rounded is its own affair, unless a setting changes the device.
pub fn errors(settings: &[Setting], config: &RunConfig, stated: &DeviceConfig) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    let is_changed = settings.iter().any(|each| !each.is_from_file() && each.key.section() == "device");
    let key = Key::default().field("device").field("stated_user_bytes");
    let from_file = settings.iter().filter(|each| each.is_from_file()).find(|each| key.is_within(&each.key));
    if let (Some(setting), false) = (from_file, is_changed) {
        let unfit = unfit(stated).map(|message| ConfigError::new(setting.origin.clone(), &key, message));
        errors.extend(unfit);
    }
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

/// What is wrong with a stated capacity that is not rounded down to the device's.
pub fn unfit(device: &DeviceConfig) -> Option<String> {
    let (stated, bytes) = (device.stated_user_bytes?, device.user_bytes);
    let piece = u64::from(device.piece_bytes()).max(1);
    let fits = stated > bytes && stated - stated % piece == bytes;
    (!fits).then(|| {
        format!(
            "device.stated_user_bytes = {stated}: must be above device.user_bytes = {bytes} and round down to \
             it in whole logical pages of {piece} bytes; slcache writes it, so leave it out"
        )
    })
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
    let refresh = config.device.cells.as_ref().and_then(|cells| cells.refresh);
    match key.to_string().as_str() {
        "host.time_scale" if config.host.replay == Replay::Closed => {
            Some("closed replay ignores the trace's times (host.replay = \"open\" keeps them)".to_owned())
        }
        "host.turnaround_ns" | "host.turnaround_ps_per_byte" if config.host.replay == Replay::Open => Some(
            "requests come when the trace says (host.replay = \"closed\" waits for completions)".to_owned(),
        ),
        "buffer.write_back" if config.buffer.is_some_and(|b| b.acknowledge == Acknowledge::OnProgram) => {
            Some("what is acknowledged when it is programmed is written at once anyway".to_owned())
        }
        "buffer.stripe_planes"
        | "buffer.stripes_in_flight"
        | "buffer.run_overhead_ns"
        | "buffer.flush_after_ns"
            if config.buffer.is_some_and(|b| !b.is_striped()) =>
        {
            Some("the buffer is not emptied in stripes (buffer.write_back = \"at-once\" does so)".to_owned())
        }
        "buffer.run_overhead_ns" if config.buffer.is_some_and(|b| b.stripes_in_flight.is_none()) => {
            Some("it delays the next stripe where buffer.stripes_in_flight limits their number".to_owned())
        }
        "device.stated_user_bytes" => {
            Some("slcache writes it where it rounds a capacity down; set device.user_bytes".to_owned())
        }
        "device.cells.refresh.patrol_days" if refresh.is_some_and(|r| r.scrub == Scrub::Read) => {
            Some("nothing goes round (device.cells.refresh.scrub = \"patrol\" does)".to_owned())
        }
        "precondition.tolerance" if !state.steady => {
            Some("it says when the state is steady (precondition.steady = true asks for that)".to_owned())
        }
        "precondition.drain" if state.fill == 0.0 => {
            Some("nothing is written before time 0 (precondition.fill above 0 does so)".to_owned())
        }
        text => match text.strip_prefix(&format!("scheme.{}.", config.scheme.name())) {
            // Refresh moves blocks in idle time under any scheme.
            Some("idle.threshold_ns" | "idle.scope") if refresh.is_some() => None,
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
