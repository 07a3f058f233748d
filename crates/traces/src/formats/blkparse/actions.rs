//! The action column of blkparse.

use crate::error::LineFault;

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
        [b'Z', ..] => "blkparse event ZP/ZU (writes of a zone plugged or unplugged)",
        _ => {
            let allowed = "an action of blkparse (Q, D, C, I, G, M, F, S, R, A, B, W, X, P, U, UT, UI, T, m, ZP, ZU)";
            return Err(LineFault::field(6, "action", action, allowed));
        }
    })
}
