//! The scheme's own defaults < those in the device file < its section there < a configuration file <
//! single settings, and every error of all of them at once.

use super::super::catalogue::{find_scheme, unknown_scheme, SchemeChoice};
use super::device_file::{DeviceFile, DeviceSource, SCHEME_DEFAULTS};
use super::error::{Argument, Origin, Statement};
use super::setting::Setting;
use super::{config_file, duplicates, keys, moot, sizes, ConfigError, ConfigErrors, RunConfig};
use slcache_base::document::shape::{self, Fault, FaultKind};
use slcache_base::document::tree::{self, Key};
use slcache_core::base::Problem;
use slcache_core::schemes::{SchemeConfig, CATALOG};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use toml::{Table, Value};

/// Errors that are told: as many as anyone reads.
const ERRORS_MAX: usize = 100;

/// What the user says about a run's configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// A preset's name, the path of a device file, or what such a file holds.
    pub device: DeviceSource,
    /// The scheme's name or an alias.
    pub scheme: String,
    /// Settings `key=value`; no key may be set twice, whether here or by the options below. Those that
    /// [`placed`](super::placed) are of a configuration file, and below the others.
    pub sets: Vec<String>,
    /// The run's seed.
    pub seed: Option<u64>,
    /// `open` or `closed:N`.
    pub replay: Option<String>,
}

impl Layers {
    /// The device's file, unless it is a preset.
    pub fn device_file(&self) -> Option<PathBuf> {
        self.device.file()
    }
}

/// Puts the layers together; the error holds everything that is wrong with any of them.
pub fn resolve(layers: &Layers) -> Result<RunConfig, ConfigErrors> {
    let mut errors = Vec::new();
    let file = DeviceFile::of(&layers.device).map_err(|error| errors.push(error)).ok();
    let chosen = find_scheme(&layers.scheme);
    if chosen.is_none() {
        let origin = Statement::new(Argument::Scheme, &layers.scheme);
        errors.push(ConfigError::new(origin, "scheme", unknown_scheme(&layers.scheme)));
    }
    if let Some(file) = &file {
        errors.extend(file.errors.iter().cloned());
    }
    let name = chosen.as_ref().map_or("", |chosen| chosen.name);
    let settings = settings(layers, chosen.as_ref(), &mut errors);
    let (Some(file), Some(_)) = (file, chosen) else {
        return Err(ConfigErrors(errors));
    };
    let label = file.source.label.clone();
    let resolver = Resolver { base: base_tree(&file, name, &mut errors), file, settings, name };
    let config = resolver.finish(&mut errors);
    let mut places = HashMap::new();
    for (place, set) in layers.sets.iter().enumerate() {
        places.entry(set.as_str()).or_insert(place);
    }
    errors.sort_by_key(|error| reading_order(&error.origin, &label, &places));
    if errors.len() > ERRORS_MAX {
        errors.truncate(ERRORS_MAX);
        let message = format!("more is wrong; the first {ERRORS_MAX} errors are told");
        errors.push(ConfigError::new(Origin::Nowhere, "", message));
    }
    match config {
        Some(config) if errors.is_empty() => Ok(config),
        _ => Err(ConfigErrors(errors)),
    }
}

/// The place of an error's origin in reading order: the file by line, then settings as given.
fn reading_order(origin: &Origin, file_label: &str, places: &HashMap<&str, usize>) -> (usize, usize) {
    match origin {
        Origin::File { name, line: Some(line) } if name == file_label => (0, *line),
        // The first of several settings is what counts.
        Origin::Statements(all) if all.first().is_some_and(|said| said.argument == Argument::Setting) => {
            places.get(all[0].value.as_str()).map_or((2, 0), |&place| (1, place))
        }
        _ => (2, 0),
    }
}

/// All settings: what an alias adds, `--set`, the options of their own.
fn settings(layers: &Layers, chosen: Option<&SchemeChoice>, errors: &mut Vec<ConfigError>) -> Vec<Setting> {
    let scheme = chosen.map_or("", |chosen| chosen.name);
    let alias = chosen.and_then(|chosen| chosen.alias_set.as_deref());
    let mut settings = Vec::new();
    for (text, is_alias) in
        alias.map(|text| (text, true)).into_iter().chain(layers.sets.iter().map(|s| (s.as_str(), false)))
    {
        match Setting::parse(text, scheme, chosen.and_then(|chosen| chosen.class.as_deref())) {
            Ok(mut setting) => {
                if is_alias {
                    setting.origin = Statement::new(Argument::Scheme, &layers.scheme);
                }
                settings.push(setting);
            }
            Err(message) => {
                let setting = config_file::place(text).map_or(text, |(_, setting)| setting);
                let key = setting.split('=').next().unwrap_or(setting).trim();
                errors.push(ConfigError::new(Setting::statement(text), key, message));
            }
        }
    }
    option_settings(layers, &mut settings, errors);
    errors.extend(duplicates::errors(&settings));
    above_files(settings)
}

/// The settings by layer, without what those of a file say that others replace.
fn above_files(settings: Vec<Setting>) -> Vec<Setting> {
    let (mut all, above): (Vec<_>, Vec<_>) = settings.into_iter().partition(Setting::is_from_file);
    let replaced: HashSet<&[tree::Step]> = above.iter().map(|setting| &setting.key.0[..]).collect();
    all.retain(|below| !below.key.around().any(|steps| replaced.contains(steps)));
    all.extend(above);
    all
}

fn option_settings(layers: &Layers, settings: &mut Vec<Setting>, errors: &mut Vec<ConfigError>) {
    if let Some(seed) = layers.seed {
        let origin = Statement::new(Argument::Seed, seed);
        match i64::try_from(seed) {
            Ok(seed) => settings.push(Setting::fixed(origin, "run.seed", Value::Integer(seed))),
            Err(_) => errors.push(ConfigError::new(origin, "run.seed", "must be between 0 and 2^63 - 1")),
        }
    }
    if let Some(replay) = &layers.replay {
        match replay_settings(replay) {
            Some(found) => settings.extend(found),
            None => errors.push(ConfigError::new(
                Statement::new(Argument::Replay, replay),
                "host.replay",
                "must be open, or closed:N with a queue depth N between 1 and 65536",
            )),
        }
    }
}

fn replay_settings(text: &str) -> Option<Vec<Setting>> {
    let origin = || Statement::new(Argument::Replay, text);
    let set = |key, value| Setting::fixed(origin(), key, value);
    if text == "open" {
        return Some(vec![set("host.replay", "open".into())]);
    }
    let depth: u32 = text.strip_prefix("closed:")?.parse().ok()?;
    let depth = Some(depth).filter(|depth| (1..=65536).contains(depth))?;
    Some(vec![set("host.replay", "closed".into()), set("host.queue_depth", Value::Integer(i64::from(depth)))])
}

/// The file's sections with the chosen scheme's table: all its defaults, with what the file's
/// defaults and its own section say laid over them, key by key.
fn base_tree(file: &DeviceFile, scheme: &str, errors: &mut Vec<ConfigError>) -> Table {
    let mut base = file.tree.clone();
    let defaults = base.remove(SCHEME_DEFAULTS);
    let own = base.remove("scheme");
    if let (Some(Value::Table(defaults)), Some(Value::Table(own))) = (&defaults, &own) {
        errors.extend(duplicates::in_file(file, scheme, defaults, own));
    }
    let mut table = own_defaults(scheme);
    if let Some(other) = defaults_of(scheme) {
        let theirs = defaults.as_ref().and_then(|all| all.get(other)?.as_table());
        tree::merge(&mut table, shared(scheme, theirs));
    }
    for section in [defaults, own.clone()].into_iter().flatten() {
        if let Some(Value::Table(settings)) = section.get(scheme) {
            tree::merge(&mut table, settings.clone());
        }
    }
    // A result has the settings of the scheme that ran, and others may be compared with it.
    let others = own.iter().flat_map(|own| own.as_table()).filter(|_| !file.source.is_json());
    for other in others.flat_map(|own| own.keys()) {
        if other != scheme {
            let key = Key::default().field("scheme").field(other);
            let message = format!(
                "{key}: the run's scheme is {scheme}; \
                 settings for whichever run uses {other} belong under [{SCHEME_DEFAULTS}.{other}]"
            );
            errors.push(ConfigError::new(file.source.origin(&key).unwrap_or_default(), key, message));
        }
    }
    let mut schemes = Table::new();
    schemes.insert(scheme.to_owned(), Value::Table(table));
    base.insert("scheme".to_owned(), Value::Table(schemes));
    base
}

/// The scheme whose defaults hold for `scheme` too.
fn defaults_of(scheme: &str) -> Option<&'static str> {
    CATALOG.iter().find(|entry| entry.name == scheme)?.defaults_of
}

/// What another scheme's defaults say that holds for `scheme` too. One of one's own has the cache, the store and
/// the planes of that with which it is compared, but reclaims by rules of its own.
fn shared(scheme: &str, theirs: Option<&Table>) -> Table {
    let shared = |(key, _): &(&String, &Value)| {
        let places = ["slc_blocks", "dense_mode", "dense", "placement", "plane_order"];
        scheme != "custom" || places.contains(&key.as_str())
    };
    theirs.into_iter().flatten().filter(shared).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Every key of `scheme` at its own default. Below a table that is given in part serde would put the
/// defaults of the table's type, which other schemes share.
fn own_defaults(scheme: &str) -> Table {
    let written = SchemeConfig::default_for(scheme).map(Table::try_from);
    let mut all = written.transpose().expect("parameters are plain data").unwrap_or_default();
    match all.remove(scheme) {
        Some(Value::Table(defaults)) => defaults,
        _ => Table::new(),
    }
}

/// Whether a setting, laid on a configuration that can be read, leaves it as it is.
fn changes_nothing(setting: &Setting, merged: &Table) -> bool {
    let mut laid = merged.clone();
    let config = |tree: Table| tree.try_into::<RunConfig>().ok();
    tree::lay(&mut laid, &setting.key, setting.value.clone()).is_ok()
        && config(merged.clone()).is_some_and(|before| config(laid) == Some(before))
}

struct Resolver {
    base: Table,
    file: DeviceFile,
    settings: Vec<Setting>,
    name: &'static str,
}

impl Resolver {
    fn finish(&self, errors: &mut Vec<ConfigError>) -> Option<RunConfig> {
        let mut merged = self.base.clone();
        for setting in &self.settings {
            if let Err(message) = self.apply(setting, &mut merged) {
                errors.push(ConfigError::new(setting.origin.clone(), &setting.key, message));
            }
        }
        let (sized, uneven) = sizes::count_blocks(&mut merged, self.name);
        for (key, message) in uneven {
            errors.push(ConfigError::new(self.origin(&key).unwrap_or_default(), key, message));
        }
        let faults = shape::faults(keys::schema(), &Value::Table(merged.clone()), &Key::default());
        shape::mend(&mut merged, &faults, |key| tree::get(&self.base, key).cloned());
        // What the device's file lacks is told of the file.
        let is_told = |fault: &&Fault| errors.iter().all(|error| error.key != fault.key.to_string());
        let own: Vec<_> =
            faults.iter().filter(is_told).map(|fault| self.fault_error(fault, &merged, &sized)).collect();
        errors.extend(own);
        let mut config: RunConfig = match merged.clone().try_into() {
            Ok(config) => config,
            Err(error) if errors.is_empty() => {
                errors.push(ConfigError::new(Origin::Nowhere, "", error.message()));
                return None;
            }
            Err(_) => return None,
        };
        let stated = config.device.clone();
        config.settle();
        errors.extend(moot::errors(&self.settings, &config, &stated));
        for problem in config.setup().check() {
            let key = Key::of_problem(&problem.key);
            if !faults.iter().any(|fault| key.is_within(&fault.key)) {
                let told = sized.iter().find(|sized| sized.key == key);
                let told = told.map(|sized| sized.told(&problem.value, &problem.allowed));
                let told = told.unwrap_or_else(|| problem.to_string());
                let message = format!("{told}{}", self.sizes_that_pass(&merged, &config, &key, &problem));
                errors.push(ConfigError::new(self.origin(&key).unwrap_or_default(), key, message));
            }
        }
        Some(config)
    }

    /// Which sizes would do instead of those that a problem is about, or that were set.
    fn sizes_that_pass(&self, merged: &Table, config: &RunConfig, key: &Key, problem: &Problem) -> String {
        let is_asked = |size: &Key| {
            let is_set = || self.settings.iter().any(|setting| size.is_within(&setting.key));
            key == size || problem.allowed.contains(&size.to_string()) || is_set()
        };
        let sizes = sizes::of(config).into_iter().filter(|(size, _)| is_asked(size));
        sizes.filter_map(|(size, given)| sizes::nearest_valid(merged, &size, given, problem)).collect()
    }

    fn apply(&self, setting: &Setting, merged: &mut Table) -> Result<(), String> {
        if let [_, tree::Step::Field(named), ..] = setting.key.0.as_slice() {
            if setting.key.section() == "scheme" && named != self.name {
                return Err(format!(
                    "the run's scheme is {}, so {} has no effect; keys of {}: {}",
                    self.name,
                    setting.written,
                    self.name,
                    keys::scheme_keys(self.name).join(", ")
                ));
            }
        }
        if let Some(message) = self.beside_name(setting, merged) {
            return message.map_or(Ok(()), Err);
        }
        let whole_section = setting.key.0.len() == 1;
        if whole_section && setting.key.section() == "scheme" {
            return Err("the scheme is chosen by its own option; set keys below it".to_owned());
        }
        let is_empty = !setting.is_from_file() && setting.value.as_table().is_some_and(Table::is_empty);
        if is_empty && changes_nothing(setting, merged) {
            return Err(format!("{}: an empty table changes nothing", setting.key));
        }
        tree::lay(merged, &setting.key, setting.value.clone())
            .map_err(|message| format!("{}: {message}", setting.key))
    }

    /// What is wrong with a key of the host link where the link has a name; that both were set in one layer is
    /// told elsewhere.
    fn beside_name(&self, setting: &Setting, merged: &Table) -> Option<Option<String>> {
        let link = Key::default().field("host").field("link");
        let name = tree::get(merged, &link)?.as_str()?;
        if setting.key == link || !setting.key.is_within(&link) {
            return None;
        }
        let layer = setting.is_from_file();
        let is_told = self.settings.iter().any(|other| other.key == link && other.is_from_file() == layer);
        let message =
            || format!("{}: {link} = \"{name}\" says it already; give the name or all keys", setting.key);
        Some((!is_told).then(message))
    }

    /// The error of a fault in shape; an unknown key of a setting gets all keys and a suggestion.
    fn fault_error(&self, fault: &Fault, mended: &Table, sized: &[sizes::Sized]) -> ConfigError {
        // What is missing is told where something beside it was said.
        let beside = || self.origin(&fault.key.parent()?);
        let origin = self.origin(&fault.key).or_else(beside).unwrap_or_default();
        let setting = self.setting(&fault.key).filter(|setting| fault.key == setting.key);
        let Some(setting) = setting.filter(|_| fault.kind == FaultKind::Unknown) else {
            let size = sizes::of_fault(mended, fault).unwrap_or_default();
            let sized = sized.iter().find(|sized| sized.key == fault.key && fault.kind == FaultKind::Value);
            let told = sized.map(|sized| sized.told(&fault.value, &fault.allowed));
            let told = told.unwrap_or_else(|| fault.to_string());
            return ConfigError::new(origin, &fault.key, format!("{told}{size}"));
        };
        let near = keys::similar(&setting.written, self.name);
        let near = near.map(|near| format!("; did you mean {}?", near.replace("[]", "[0]")));
        let near = near.unwrap_or_else(|| ".".to_owned());
        let short = keys::scheme_keys(self.name).join(", ");
        let listed = match fault.allowed.split_once("Keys allowed here: ") {
            Some((_, allowed)) if fault.key.section() != "scheme" => {
                format!("Keys allowed here: {allowed}")
            }
            _ if short.is_empty() => format!("{} has no keys", self.name),
            _ => format!("Keys of {}: {short}", self.name),
        };
        ConfigError::new(origin, &fault.key, format!("{}: unknown key{near} {listed}", setting.written))
    }

    /// The setting that says what stands at `key`; the last of those below it where none does.
    fn setting(&self, key: &Key) -> Option<&Setting> {
        let mut latest = self.settings.iter().rev();
        let whole = latest.clone().find(|setting| key.is_within(&setting.key));
        whole.or_else(|| latest.find(|setting| setting.key.is_within(key)))
    }

    /// Where `key` was said: a setting, or a line of the file.
    fn origin(&self, key: &Key) -> Option<Origin> {
        if let Some(setting) = self.setting(key) {
            return Some(setting.origin.clone().into());
        }
        let mut places = vec![key.clone()];
        if key.section() == "scheme" {
            let mut in_defaults = key.clone();
            in_defaults.0[0] = tree::Step::Field(SCHEME_DEFAULTS.to_owned());
            let mut of_other = in_defaults.clone();
            places.push(in_defaults);
            if let Some(other) = defaults_of(self.name) {
                of_other.0[1] = tree::Step::Field(other.to_owned());
                places.push(of_other);
            }
        }
        let said = places.iter().find(|place| tree::get(&self.file.tree, place).is_some());
        said.and_then(|place| self.file.source.origin(place))
    }
}
