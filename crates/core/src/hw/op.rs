//! The words for a flash operation: its kind, its cause and its priority class.

use serde::{Deserialize, Serialize};

/// What the array does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum OpKind {
    /// Read a page (or part of it).
    Read = 0,
    /// Program a page, or a wordline in one shot.
    Program = 1,
    /// Erase a block.
    Erase = 2,
}

impl OpKind {
    /// Every kind.
    pub const ALL: [OpKind; 3] = [OpKind::Read, OpKind::Program, OpKind::Erase];

    /// The name used in results.
    pub fn name(self) -> &'static str {
        ["read", "program", "erase"][self as usize]
    }
}

/// Why an operation was done; every page programmed has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Cause {
    /// The host asked.
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
}

/// How many causes there are.
pub const CAUSES: usize = 6;

impl Cause {
    /// Every cause.
    pub const ALL: [Cause; CAUSES] =
        [Cause::Host, Cause::Rmw, Cause::Migration, Cause::Gc, Cause::Flush, Cause::Pad];

    /// The name used in results.
    pub fn name(self) -> &'static str {
        ["host", "rmw", "migration", "gc", "flush", "pad"][self as usize]
    }
}

/// Priority of a waiting operation, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// A read the host waits for.
    HostRead = 0,
    /// A program the host waits for.
    HostWrite = 1,
    /// Cleaning without which host writes would soon stop.
    Urgent = 2,
    /// Anything that may wait.
    Background = 3,
}

/// How many classes there are.
pub const CLASSES: usize = 4;
