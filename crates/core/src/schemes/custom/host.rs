//! Where policies of elsewhere come from, which the program around the model says once, and what they declare.

use super::policy::Policy;
use crate::base::{CellMode, Problem};
use crate::ftl::config::Victim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A policy as a configuration names it.
#[derive(Clone, Copy, Debug)]
pub struct PolicySource<'a> {
    /// Which policy: `FILE:CLASS` or `MODULE:CLASS`.
    pub source: &'a str,
    /// Checksum that its source must have, where one is said.
    pub sha256: Option<&'a str>,
    /// SLC blocks per plane, where they are chosen.
    pub slc_blocks: Option<u32>,
    /// Its options, as far as they are chosen.
    pub options: &'a BTreeMap<String, OptionValue>,
}

/// What a policy needs, and what it has where nothing is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Checksum of its source.
    pub sha256: String,
    /// SLC blocks per plane of its own choice.
    pub slc_blocks: Option<u32>,
    pub options: BTreeMap<String, OptionValue>,
    pub regions: Vec<RegionConfig>,
    /// Whether it does anything in idle time.
    pub idle: bool,
    /// The end of a run empties its SLC regions, counted.
    pub drain: bool,
    /// Write requests between two calls of `window`; 0 = none.
    pub window_writes: u64,
    /// Whether it wants to know when and how often pages were written.
    pub history: bool,
}

/// Finds policies by their source.
pub trait Host: Send + Sync {
    /// What the policy needs, or every problem with it and its options.
    fn describe(&self, given: &PolicySource) -> Result<Description, Vec<Problem>>;

    fn policy(&self, given: &PolicySource, regions: &[String]) -> Result<Box<dyn Policy>, String>;
}

static HOST: OnceLock<Box<dyn Host>> = OnceLock::new();

/// Has policies come from `host`; the first one stays.
pub fn set_host(host: Box<dyn Host>) {
    // A second one can only be a program that registers itself twice.
    let _ = HOST.set(host);
}

/// Where policies come from, if from anywhere.
pub(super) fn host() -> Option<&'static dyn Host> {
    HOST.get().map(Box::as_ref)
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OptionValue {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
}

/// A region of a custom scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegionConfig {
    /// What the policy calls it.
    pub name: String,
    /// Cell mode; default: `dense_mode`.
    #[serde(default)]
    pub mode: Option<CellMode>,
    /// Blocks per plane of its own. Default: `slc_blocks` in SLC mode; else what is left, which all such
    /// regions share and where the user's data have their place.
    #[serde(default)]
    pub blocks: Option<u32>,
    /// Which of its blocks is emptied next; default: `greedy`.
    #[serde(default)]
    pub victim: Option<Victim>,
}
