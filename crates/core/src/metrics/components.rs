//! What a latency consists of: the name of every component, and its words.

use crate::base::op::{Cause, CAUSES};
use serde::Serialize;

/// How many components a latency has that are service: the first ones.
pub const SERVICES: usize = 8;
/// The place of repeated reads among them, which only cells that err need.
pub const RETRIES: usize = SERVICES - 1;
/// Their name.
pub const RETRY: &str = "retry";
/// How many are waiting for what is no cause of flash work.
const WAITS: usize = 13;
/// How many things can keep the room in the DRAM buffer.
pub const KEEPERS: usize = CAUSES + 11;
/// How many components a latency has.
pub const COMPONENTS: usize = SERVICES + CAUSES + WAITS + KEEPERS;

/// Being served, by what.
const SERVICE_WORDS: [(&str, &str); SERVICES] = [
    ("array", "flash array time"),
    ("transfer", "channel transfers"),
    ("link", "host link transfers"),
    ("buffer", "controller buffer time"),
    ("disk-positioning", "the disk's overhead, seeks and rotation"),
    ("disk-transfer", "transfers from and to the disk"),
    ("controller", "the controller's own time"),
    (RETRY, "reading again what could not be corrected"),
];

/// Waiting for what is no cause of flash work.
const WAIT_WORDS: [(&str, &str); WAITS] = [
    ("channel", "waiting for a channel"),
    ("order", "waiting for an earlier operation of the block"),
    ("source", "waiting for the data to program or read"),
    ("suspended", "being suspended by reads"),
    ("spin-up", "waiting for the disk to wake up"),
    ("fetch", "waiting for data that another request fetches from the disk"),
    ("stage", "waiting for a one-shot wordline to fill"),
    ("merge", "waiting for a packed page to fill"),
    ("buffer", "waiting for room in the DRAM buffer or the merge buffer"),
    ("queue", "waiting for a place in the device"),
    ("link", "waiting for the host link"),
    ("look-up", "waiting for entries of the map"),
    ("controller", "waiting for the controller to take the command"),
];

/// Waiting for room in the DRAM buffer: first behind the causes of flash work, then behind what write-backs
/// wait for.
const KEEPER_WORDS: [(&str, &str); KEEPERS] = [
    ("buffer-host", "programs of host data"),
    ("buffer-rmw", RMW),
    ("buffer-migration", Cause::Migration.words()),
    ("buffer-gc", Cause::Gc.words()),
    ("buffer-flush", "programs for flushes"),
    ("buffer-pad", PAD),
    ("buffer-agc", Cause::Agc.words()),
    ("buffer-promote", Cause::Promote.words()),
    ("buffer-fill", Cause::Fill.words()),
    ("buffer-map", Cause::Map.words()),
    ("buffer-refresh", Cause::Refresh.words()),
    ("buffer-reclaim", Cause::Reclaim.words()),
    ("buffer-wear", Cause::Wear.words()),
    ("buffer-channel", "transfers on a channel"),
    ("buffer-order", "an earlier operation of the block"),
    ("buffer-source", "reading the data to program"),
    ("buffer-suspended", "reads that suspend programs"),
    ("buffer-spin-up", "the disk, which wakes up"),
    ("buffer-disk", "the disk's work"),
    ("buffer-fetch", "fetching from the disk"),
    ("buffer-stage", "a one-shot wordline to fill"),
    ("buffer-merge", "a packed page to fill"),
    ("buffer-look-up", "entries of the map"),
    ("buffer-stripe", "a stripe's journal and map"),
];

/// What old data and empty room are called where a request waits for their programs.
const RMW: &str = "read-modify-write";
const PAD: &str = "padding";

/// What a run or its device must have for some components and figures to be of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    Nothing,
    /// Requests to flush; no component is of them.
    Flushes,
    /// Cells that err.
    Cells,
    /// Blocks that move because of their cells.
    Upkeep,
    /// Bad blocks; no component is of them.
    BadBlocks,
}

/// A part of a latency.
#[derive(Clone, Debug)]
pub struct Component {
    /// As the attribution has it.
    pub name: &'static str,
    /// Whether the request is served, and does not wait.
    pub is_service: bool,
    /// What it is, as part of a sentence.
    pub words: String,
    /// What devices have that have it.
    pub needs: Needs,
}

impl Component {
    /// The name in tables, with what it is and its unit.
    pub fn column(&self) -> String {
        let kind = if self.is_service { "service" } else { "wait" };
        format!("{kind}_{}_ns", self.name.replace('-', "_"))
    }
}

/// Every component, in the order in which logged requests have them.
pub fn components() -> impl Iterator<Item = Component> {
    let part = |is_service, name, words, needs| Component { name, is_service, words, needs };
    let services = SERVICE_WORDS.into_iter().map(move |(name, words)| {
        part(true, name, words.into(), if name == RETRY { Needs::Cells } else { Needs::Nothing })
    });
    let causes = Cause::ALL
        .map(|cause| part(false, cause.name(), format!("waiting behind {}", work(cause)), needs_of(cause)));
    let waits =
        WAIT_WORDS.into_iter().map(move |(name, words)| part(false, name, words.into(), Needs::Nothing));
    let keepers = KEEPER_WORDS.into_iter().enumerate().map(move |(place, (name, words))| {
        let needs = Cause::ALL.get(place).map_or(Needs::Nothing, |&cause| needs_of(cause));
        part(false, name, format!("waiting for room in the DRAM buffer behind {words}"), needs)
    });
    services.chain(causes).chain(waits).chain(keepers)
}

/// What a device must have to do anything for a cause.
fn needs_of(cause: Cause) -> Needs {
    if cause.is_upkeep() {
        Needs::Upkeep
    } else {
        Needs::Nothing
    }
}

/// The components that a device has.
pub fn components_of(device: Needs) -> impl Iterator<Item = Component> {
    components().filter(move |part| part.needs <= device)
}

/// The names of what keeps the room.
pub fn keeper_names() -> impl Iterator<Item = &'static str> {
    KEEPER_WORDS.into_iter().map(|(name, _)| name)
}

/// What is done for a cause where a request waits for it.
fn work(cause: Cause) -> &'static str {
    match cause {
        Cause::Host => "host operations",
        Cause::Rmw => RMW,
        Cause::Pad => PAD,
        other => other.words(),
    }
}
