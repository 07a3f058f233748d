//! Which settings a problem comes from, found by trying without them.

use super::origin::{Origin, Said};
use super::setting::Setting;
use super::tree::{self, Key};
use super::{repair, RunConfig};
use toml::Table;

/// Which keys are wrong with some of the settings.
pub struct Blame {
    /// The keys that are wrong without any setting, and with all of them.
    wrong_below: Vec<Key>,
    wrong_above: Vec<Key>,
    causes: Vec<Cause>,
}

/// A setting, and the keys that are wrong with all the others, and with it alone.
struct Cause {
    origin: Said,
    wrong_without: Vec<Key>,
    wrong_alone: Vec<Key>,
}

impl Blame {
    /// Tries every setting; `base` is the configuration below them all.
    pub fn new(base: &Table, settings: &[Setting]) -> Self {
        let cause = |(place, setting): (usize, &Setting)| {
            let others = settings.iter().enumerate().filter(|(other, _)| *other != place);
            Cause {
                origin: setting.origin.clone(),
                wrong_without: wrong_keys(base, others.map(|(_, setting)| setting)),
                wrong_alone: wrong_keys(base, std::iter::once(setting)),
            }
        };
        let causes = settings.iter().enumerate().map(cause).collect();
        let wrong_below = wrong_keys(base, std::iter::empty());
        Self { wrong_below, wrong_above: wrong_keys(base, settings.iter()), causes }
    }

    /// The origins of the settings that cause the problem with `key`: those without which it is
    /// gone, or else those that bring it about alone. `None` where it is there without any.
    pub fn origin(&self, key: &Key) -> Option<Origin> {
        let is_wrong = |keys: &[Key]| keys.iter().any(|other| related(other, key));
        // Where something else is wrong without a setting, the problem may only not have been looked
        // for: that it is gone says nothing.
        let is_new = |wrong: &Key| !self.wrong_above.iter().any(|other| related(other, wrong));
        if is_wrong(&self.wrong_below) {
            return None;
        }
        let is_gone =
            |cause: &Cause| !is_wrong(&cause.wrong_without) && !cause.wrong_without.iter().any(is_new);
        let needed: Vec<&Cause> = self.causes.iter().filter(|cause| is_gone(cause)).collect();
        let enough = || self.causes.iter().filter(|cause| is_wrong(&cause.wrong_alone)).collect();
        let blamed = if needed.is_empty() { enough() } else { needed };
        let mut origins: Vec<Said> = blamed.iter().map(|cause| cause.origin.clone()).collect();
        origins.dedup();
        match origins.len() {
            0 => None,
            1 => origins.pop().map(Origin::from),
            _ => Some(Origin::Said(origins)),
        }
    }
}

/// Whether a problem with one key may be the other's under another name.
fn related(one: &Key, other: &Key) -> bool {
    one.is_within(other) || other.is_within(one)
}

fn wrong_keys<'a>(base: &Table, settings: impl Iterator<Item = &'a Setting>) -> Vec<Key> {
    let mut merged = base.clone();
    for setting in settings {
        // One that does not fit its place is told by itself.
        let _ = tree::lay(&mut merged, &setting.key, setting.value.clone());
    }
    let below = |key: &Key| tree::get(base, key).cloned();
    let outcome = repair::read::<RunConfig>(&mut merged, &below);
    let mut wrong: Vec<Key> = outcome.faults.into_iter().map(|fault| fault.key).collect();
    if let Some(mut config) = outcome.value {
        config.settle();
        wrong.extend(config.setup().check().iter().map(|problem| Key::of_problem(&problem.key)));
    }
    wrong
}
