//! Where a condition changes, by halving.

/// The ends that are left of `low..high` after so many halvings; below the change `is_low` holds.
pub(super) fn bisect(ends: (f64, f64), steps: u32, is_low: impl Fn(f64) -> bool) -> (f64, f64) {
    (0..steps).fold(ends, |(low, high), _| {
        let middle = (low + high) / 2.0;
        if is_low(middle) {
            (middle, high)
        } else {
            (low, middle)
        }
    })
}
