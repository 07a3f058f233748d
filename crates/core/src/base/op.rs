//! The words for a flash operation: its kind, its cause, its priority class, and what a request waits for
//! while it has none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the array does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[repr(u8)]
pub enum OpKind {
    /// Read a page (or part of it).
    Read = 0,
    /// Program a page, or a wordline in one shot.
    Program = 1,
    /// Erase a block.
    Erase = 2,
    /// Give a wordline that holds data one more bit in place.
    Reprogram = 3,
    /// Copy a page to another of its plane inside the chip: one command, and no data on the channel.
    CopyBack = 4,
}

impl OpKind {
    pub const ALL: [OpKind; KINDS] =
        [OpKind::Read, OpKind::Program, OpKind::Erase, OpKind::Reprogram, OpKind::CopyBack];

    /// The name used in results.
    pub fn name(self) -> &'static str {
        match self {
            OpKind::Read => "read",
            OpKind::Program => "program",
            OpKind::Erase => "erase",
            OpKind::Reprogram => "reprogram",
            OpKind::CopyBack => "copy-back",
        }
    }

    /// Whether it stores a page: a program, a reprogram or a copy-back.
    #[inline(always)]
    pub fn stores(self) -> bool {
        matches!(self, OpKind::Program | OpKind::Reprogram | OpKind::CopyBack)
    }
}

pub const KINDS: usize = 5;

/// Why an operation was done; every page programmed has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Cause {
    /// The host's own data.
    Host = 0,
    /// Read-modify-write of a partial update.
    Rmw = 1,
    /// Move to a denser or lower store.
    Migration = 2,
    /// Move within a region to free a block.
    Gc = 3,
    /// Flush of the DRAM buffer's dirty pages.
    Flush = 4,
    /// Filling up a one-shot wordline with nothing.
    Pad = 5,
    /// Cleaning ahead of need, in idle time (advanced garbage collection).
    Agc = 6,
    /// Copy to a faster store, of data that were read in a slower one.
    Promote = 7,
    /// Copy into flash, of data that were read from the disk.
    Fill = 8,
    /// Pages of the map that are not in the mapping cache.
    Map = 9,
    /// Move of a block whose data have aged.
    Refresh = 10,
    /// Move of a block that was read often.
    Reclaim = 11,
    /// Move of a block that is worn less than others of its plane.
    Wear = 12,
}

pub const CAUSES: usize = 13;
/// How many of them any device may have: the first ones.
pub const USUAL_CAUSES: usize = 10;

impl Cause {
    pub const ALL: [Cause; CAUSES] = [
        Cause::Host,
        Cause::Rmw,
        Cause::Migration,
        Cause::Gc,
        Cause::Flush,
        Cause::Pad,
        Cause::Agc,
        Cause::Promote,
        Cause::Fill,
        Cause::Map,
        Cause::Refresh,
        Cause::Reclaim,
        Cause::Wear,
    ];

    /// The name used in results.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Host => "host",
            Cause::Rmw => "rmw",
            Cause::Migration => "migration",
            Cause::Gc => "gc",
            Cause::Flush => "flush",
            Cause::Pad => "pad",
            Cause::Agc => "agc",
            Cause::Promote => "promote",
            Cause::Fill => "fill",
            Cause::Map => "map",
            Cause::Refresh => "refresh",
            Cause::Reclaim => "reclaim",
            Cause::Wear => "wear",
        }
    }

    /// Whether only devices have it whose blocks move because of their cells.
    pub const fn is_upkeep(self) -> bool {
        matches!(self, Cause::Refresh | Cause::Reclaim | Cause::Wear)
    }

    /// What it programs, as part of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Cause::Host => "the host's own data",
            Cause::Rmw => "read-modify-write (old data programmed again beside it)",
            Cause::Migration => "migration",
            Cause::Gc => "garbage collection",
            Cause::Flush => "buffer flushes",
            Cause::Pad => "padding of unfilled pages and wordlines",
            Cause::Agc => "idle-time cleaning (agc)",
            Cause::Promote => "promotion of dense data that were read",
            Cause::Fill => "filling with data read from the disk",
            Cause::Map => "pages of the map that are not cached",
            Cause::Refresh => "refresh of data that have aged",
            Cause::Reclaim => "moving what was read often (read reclaim)",
            Cause::Wear => "moving data off blocks that are worn less (static levelling)",
        }
    }
}

/// What is indexed by kind or cause has a place for each, in the order of `ALL`.
const _: () = {
    let mut i = 0;
    while i < KINDS {
        assert!(OpKind::ALL[i] as usize == i);
        i += 1;
    }
    let mut i = 0;
    while i < CAUSES {
        assert!(Cause::ALL[i] as usize == i);
        i += 1;
    }
};

/// Priority of a waiting operation, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Class {
    /// A job that nothing interrupts: the unit serves no one else until it is done.
    Run = 0,
    /// A read the host waits for.
    HostRead = 1,
    /// A program the host waits for.
    HostWrite = 2,
    /// Cleaning without which host writes would soon stop.
    Urgent = 3,
    /// Anything that may wait.
    Background = 4,
}

impl Class {
    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Class::Run => "job",
            Class::HostRead => "host-read",
            Class::HostWrite => "host-write",
            Class::Urgent => "urgent",
            Class::Background => "background",
        }
    }

    /// Whether the host waits for it.
    #[inline(always)]
    pub fn is_host(self) -> bool {
        matches!(self, Class::HostRead | Class::HostWrite)
    }
}

pub const CLASSES: usize = 5;

/// What a request waited for before the operation that ended it was begun, or without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Gap {
    /// Nothing: the operation was begun with the request.
    #[default]
    None = 0,
    /// A wordline to fill.
    Stage = 1,
    /// A packed page to fill.
    Merge = 2,
    /// Room in the buffer where pieces wait to be packed.
    Buffer = 3,
    /// What a flush makes durable.
    Flush = 4,
    /// What another request fetches from the disk.
    Fetch = 5,
    /// Room in the DRAM buffer.
    Room = 6,
}

pub const GAPS: usize = Gap::Room as usize + 1;
