//! The action and RWBS columns of blkparse.

use crate::error::LineFault;

/// What RWBS says a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Discard,
    /// `N`: no data.
    None,
}

/// RWBS taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags {
    /// Read, write, discard or no data.
    pub kind: Kind,
    /// `F` in front: flush the cache first.
    pub preflush: bool,
    /// `F` behind: durable on completion.
    pub forced_unit_access: bool,
}

impl Flags {
    /// `F` for preflush, then one of R, W, D (DE: secure erase) or N, then F
    /// (FUA), A (read-ahead), B (barrier), S (sync), M (metadata).
    #[inline]
    pub(super) fn parse(rwbs: &[u8]) -> Result<Self, LineFault> {
        let (preflush, rest) = match rwbs {
            [b'F', rest @ ..] => (true, rest),
            _ => (false, rwbs),
        };
        let (kind, marks) = match rest {
            [b'R', marks @ ..] => (Kind::Read, marks),
            [b'W', marks @ ..] => (Kind::Write, marks),
            [b'D', b'E', marks @ ..] | [b'D', marks @ ..] => (Kind::Discard, marks),
            [b'N', marks @ ..] => (Kind::None, marks),
            _ => return Err(bad_rwbs(rwbs)),
        };
        if !marks.iter().all(|mark| matches!(mark, b'F' | b'A' | b'B' | b'S' | b'M')) {
            return Err(bad_rwbs(rwbs));
        }
        let forced_unit_access = kind == Kind::Write && marks.contains(&b'F');
        Ok(Self { kind, preflush, forced_unit_access })
    }
}

#[cold]
fn bad_rwbs(rwbs: &[u8]) -> LineFault {
    let allowed = "RWBS: an optional F (flush first), one of R, W, D, DE, N, then any of F, A, B, S, M";
    LineFault::field(7, "RWBS", rwbs, allowed)
}

/// Why an event other than the chosen one is left out.
#[inline]
pub(super) fn event_reason(action: &[u8]) -> Result<&'static str, LineFault> {
    Ok(match action {
        b"Q" => "blkparse event Q (queued)",
        b"D" => "blkparse event D (issued)",
        b"C" => "blkparse event C (completed)",
        b"I" => "blkparse event I (inserted)",
        b"G" => "blkparse event G (get request)",
        b"M" => "blkparse event M (back merge)",
        b"F" => "blkparse event F (front merge)",
        b"S" => "blkparse event S (sleep)",
        b"R" => "blkparse event R (requeued)",
        b"A" => "blkparse event A (remapped)",
        b"B" | b"W" => "blkparse event B/W (bounced)",
        b"X" => "blkparse event X (split)",
        b"P" => "blkparse event P (plug)",
        b"U" | b"UT" | b"UI" | b"T" => "blkparse event U/T (unplug)",
        b"m" => "blkparse event m (message)",
        _ => {
            let allowed = "an action of blkparse (Q, D, C, I, G, M, F, S, R, A, B, W, X, P, U, UT, UI, T, m)";
            return Err(LineFault::field(6, "action", action, allowed));
        }
    })
}
