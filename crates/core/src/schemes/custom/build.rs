//! A custom scheme made of its configuration, and copied.

use super::config::PlannedRegion;
use super::shelf::Shelf;
use super::writing::WriteHistory;
use super::{host, Custom, CustomConfig, CustomFigures, Hooks};
use crate::ftl::config::CleanConfig;
use crate::ftl::io::Io;
use crate::ftl::region::{Pack, Region, RegionSpec};
use crate::ftl::store::Store;
use crate::hw::device_config::DeviceConfig;
use crate::schemes::common::turns::Turns;
use std::collections::BTreeMap;
use std::sync::OnceLock;

impl Clone for Custom {
    /// A copy of a policy that cannot be copied fails when it is asked.
    fn clone(&self) -> Self {
        let copied = self.policy.as_ref().map(|policy| policy.copy());
        let (policy, failed) = match copied {
            Some(Err(message)) => (None, Some(message)),
            Some(Ok(policy)) => (Some(policy), None),
            None => (None, None),
        };
        Self {
            name: self.name.clone(),
            names: self.names.clone(),
            shelf: self.shelf.clone(),
            policy: policy.into(),
            hooks: self.hooks,
            turns: self.turns.clone(),
            fell: self.fell.clone(),
            cramped: self.cramped.clone(),
            history: self.history.clone(),
            drain: self.drain,
            window_writes: self.window_writes,
            figures: self.figures.clone(),
            own_figures: self.own_figures.clone(),
            failure: failed.map_or_else(|| self.failure.clone(), OnceLock::from),
        }
    }
}

impl Custom {
    pub fn new(config: &CustomConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let described = config.described().expect("Invariant: the configuration was checked");
        let regions = config.regions(described.as_ref());
        let pool = config.pool(&regions, device).expect("Invariant: the configuration was checked");
        let plan = config.plan(&regions, device, device.pool[pool].blocks);
        let names: Vec<String> = plan.iter().map(|planned| planned.name.clone()).collect();
        let made = config.policy_source().zip(host::host()).map(|(given, host)| host.policy(&given, &names));
        let (policy, failure) = match made.transpose() {
            Ok(policy) => (policy, None),
            Err(message) => (None, Some(message)),
        };
        io.set_idle_rule(config.idle);
        let pages = io.mus() / io.policy().mus_per_page;
        let has_history = described.as_ref().is_some_and(|described| described.history);
        let class = config.source.as_deref().and_then(|source| source.rsplit([':', '.']).next());
        Self {
            name: class.unwrap_or("custom").to_owned(),
            hooks: policy.as_ref().map_or(Hooks::default(), |policy| policy.hooks()),
            shelf: shelf(config, &plan, pool, io),
            turns: vec![Turns::new(io); plan.len()],
            fell: (0..plan.len()).collect(),
            cramped: Vec::new(),
            history: if has_history { WriteHistory::new(pages) } else { WriteHistory::default() },
            drain: described.as_ref().is_some_and(|described| described.drain),
            window_writes: described.as_ref().map_or(0, |described| described.window_writes),
            figures: vec![CustomFigures::default(); plan.len()],
            own_figures: BTreeMap::new(),
            failure: failure.map_or_else(OnceLock::new, OnceLock::from),
            names,
            policy: policy.into(),
        }
    }
}

/// The regions of a plan.
fn shelf(config: &CustomConfig, plan: &[PlannedRegion], pool: usize, io: &mut Io) -> Shelf {
    let home =
        plan.iter().find(|planned| planned.is_shared).expect("Invariant: the configuration was checked");
    let clean_below = Store::threshold(&config.dense, home.blocks);
    let several = plan.iter().filter(|planned| planned.is_shared).count() > 1;
    let bank = several.then(|| io.new_bank(pool, home.first, &[home.blocks]));
    let region = |planned: &PlannedRegion| RegionSpec {
        pack: Pack::Page,
        bank: bank.filter(|_| planned.is_shared),
        pool,
        mode: planned.mode,
        first_block: planned.first,
        blocks: planned.blocks,
        order: config.plane_order.letters(),
        placement: config.placement,
        clean: match planned.is_shared {
            true => CleanConfig { victim: planned.victim, ..config.dense.clone() },
            false => CleanConfig { victim: planned.victim, ..CleanConfig::default() },
        },
    };
    Shelf {
        regions: plan.iter().map(|planned| Region::new(region(planned), io)).collect(),
        shared: plan.iter().map(|planned| planned.is_shared).collect(),
        clean_below,
    }
}
