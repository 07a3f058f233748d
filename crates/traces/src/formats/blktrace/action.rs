//! The action word: what happened in its lower half, what is asked in its upper.

use crate::error::LineFault;
use crate::fields::binary::number_fault;
use crate::formats::rwbs::SKIPPED_ZONE;
use crate::formats::{SKIPPED_COMPLETION, SKIPPED_ISSUE, SKIPPED_QUEUE, SKIPPED_REQUEUE};
use crate::options::{BlkparseAction, EventRole};
use slcache_base::request::HostOp;

const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const PASS_THROUGH: u32 = 1 << 9;
const NOTIFY: u32 = 1 << 10;
const DISCARD: u32 = 1 << 13;
const DRIVER_DATA: u32 = 1 << 14;
const FORCED_UNIT_ACCESS: u32 = 1 << 15;
/// Reset, reset all, finish, open and close.
const ZONE_MANAGEMENT: u32 = 0b11111 << 17;
/// In the lower half: a control group's id leads the payload.
const WITH_CONTROL_GROUP: u32 = 1 << 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ActionEvent {
    pub role: EventRole,
    /// Whether it ends what began before.
    pub ends: bool,
    /// Read, write or trim.
    pub op: HostOp,
    /// Whether the cache is flushed first.
    pub preflush: bool,
    /// Whether it is durable on completion.
    pub forced_unit_access: bool,
    /// Whether it is a command that only passes through the block layer.
    pub pass_through: bool,
}

/// The chosen event, or why another one is left out.
pub(super) fn event(
    action: u64,
    chosen: BlkparseAction,
) -> Result<Result<ActionEvent, &'static str>, LineFault> {
    let category = (action >> 16) as u32;
    let what = (action & 0xffff) as u32 & !WITH_CONTROL_GROUP;
    if category & NOTIFY != 0 {
        return Ok(Err("blktrace notify record (process names, time stamps, messages)"));
    }
    let letter = match what {
        1 => b'Q',
        6 => b'R',
        7 => b'D',
        8 => b'C',
        _ => b' ',
    };
    let Some(role) = chosen.role(letter) else {
        return reason(what, action).map(Err);
    };
    if category & ZONE_MANAGEMENT != 0 {
        return Ok(Err(SKIPPED_ZONE));
    }
    let op = match category {
        _ if category & DISCARD != 0 => HostOp::Trim,
        _ if category & WRITE != 0 => HostOp::Write,
        _ => HostOp::Read,
    };
    Ok(Ok(ActionEvent {
        role,
        ends: matches!(letter, b'C' | b'R'),
        op,
        preflush: category & FLUSH != 0,
        forced_unit_access: category & FORCED_UNIT_ACCESS != 0,
        pass_through: category & (PASS_THROUGH | DRIVER_DATA) != 0,
    }))
}

/// Why an event other than the chosen one is left out.
fn reason(what: u32, action: u64) -> Result<&'static str, LineFault> {
    Ok(match what {
        1 => SKIPPED_QUEUE,
        2 => "blktrace event M (back merge)",
        3 => "blktrace event F (front merge)",
        4 => "blktrace event G (get request)",
        5 => "blktrace event S (sleep)",
        6 => SKIPPED_REQUEUE,
        7 => SKIPPED_ISSUE,
        8 => SKIPPED_COMPLETION,
        9 => "blktrace event P (plug)",
        10 | 11 => "blktrace event U/T (unplug)",
        12 => "blktrace event I (inserted)",
        13 => "blktrace event X (split)",
        14 => "blktrace event B (bounced)",
        15 => "blktrace event A (remapped)",
        16 => "blktrace event abort",
        17 => "blktrace driver data",
        18 | 19 => "blktrace event ZP/ZU (writes of a zone plugged or unplugged)",
        _ => {
            let allowed = "an action of blktrace (1 to 19 in its lower 16 bits)";
            return Err(number_fault((6, "action"), action, allowed));
        }
    })
}
