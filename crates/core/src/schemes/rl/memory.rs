//! What the agent has learned, in the form in which it is taken to another run.

use super::agent::{Agent, AgentKind, Bins, ACTIONS};
use crate::ftl::scheme::Memory;
use std::collections::BTreeMap;

/// Version of the tables: values and counts by state and action.
pub(super) const VERSION: u32 = 1;
const VALUES: &str = "q";
const VISITS: &str = "visits";
/// Whole numbers up to here are exact in floating point.
const EXACT: f64 = (1_u64 << 53) as f64;

/// What must agree for a state and an action to mean the same.
pub(super) fn shape(bins: &Bins, slc_step_share: f64, theta_ladder_bytes: &[u64]) -> BTreeMap<String, f64> {
    let entries = [
        ("actions", ACTIONS as f64),
        ("slc_share_bins", f64::from(bins.slc_share)),
        ("slc_share_max", bins.slc_share_max),
        ("slc_step_share", slc_step_share),
        ("utilisation_bins", f64::from(bins.utilisation)),
        ("slc_demand_bins", f64::from(bins.slc_demand_share)),
        ("slc_update_bins", f64::from(bins.slc_update_share)),
    ];
    let entries = entries.into_iter().map(|(name, value)| (name.to_owned(), value));
    entries.chain(ladder(theta_ladder_bytes)).collect()
}

/// A ladder, by its ends and the number of its rungs; all of them where they do not double, which
/// those do not tell.
fn ladder(rungs: &[u64]) -> BTreeMap<String, f64> {
    let mut told = BTreeMap::from([("theta_rungs".to_owned(), rungs.len() as f64)]);
    let ends = [("theta_min_bytes", rungs.first()), ("theta_max_bytes", rungs.last())];
    for (name, end) in ends {
        told.extend(end.map(|&bytes| (name.to_owned(), bytes as f64)));
    }
    if rungs.windows(2).any(|pair| pair[1] != 2 * pair[0]) {
        let named = |(i, &bytes): (usize, &u64)| (format!("theta_rung_{i}_bytes"), bytes as f64);
        told.extend(rungs.iter().enumerate().map(named));
    }
    told
}

/// What `agent` has learned, if it learns.
pub(super) fn of(agent: &Agent, shape: BTreeMap<String, f64>) -> Option<Memory> {
    if agent.kind() != AgentKind::QLearning {
        return None;
    }
    let visits = agent.visits().iter().map(|&count| count as f64).collect();
    let tables = [(VALUES.to_owned(), agent.values().to_vec()), (VISITS.to_owned(), visits)];
    Some(Memory { scheme: "rl".into(), version: VERSION, shape, tables: BTreeMap::from(tables) })
}

/// Lets `agent`, of `shape`, begin with `memory`, or says what does not fit and changes nothing.
pub(super) fn take(
    mut memory: Memory,
    agent: &mut Agent,
    shape: &BTreeMap<String, f64>,
) -> Result<(), String> {
    if agent.kind() != AgentKind::QLearning {
        return Err("nobody learns: only agent = \"q-learning\" has a memory".into());
    }
    if memory.version != VERSION {
        return Err(format!("version {} of its memory; this one reads {VERSION}", memory.version));
    }
    let keys: Vec<_> = shape.keys().chain(memory.shape.keys()).collect();
    for key in keys {
        let (own, other) = (shape.get(key), memory.shape.get(key));
        if own != other {
            let told = |value: Option<&f64>| value.map_or("nothing".into(), f64::to_string);
            return Err(format!("{key} is {} here and was {} there", told(own), told(other)));
        }
    }
    let tables = (memory.tables.remove(VALUES), memory.tables.remove(VISITS));
    let (Some(values), Some(visits)) = tables else {
        return Err(format!("it needs the tables {VALUES} and {VISITS}"));
    };
    if let Some(name) = memory.tables.keys().next() {
        return Err(format!("an unknown table {name}"));
    }
    let whole = |count: &f64| *count >= 0.0 && *count <= EXACT && count.fract() == 0.0;
    if let Some(count) = visits.iter().find(|count| !whole(count)) {
        return Err(format!("{count} visits"));
    }
    agent.take(values, visits.into_iter().map(|count| count as u64).collect())
}
