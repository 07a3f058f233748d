//! Classes of times between requests, with exact counts and totals.

/// Gaps of one kind: longer than `over_ns`, up to `to_ns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GapClass {
    pub(super) count: u64,
    pub(super) over_ns: f64,
    pub(super) to_ns: f64,
    pub(super) mean_ns: f64,
    /// Whether gaps lie all over the class, however close its mean is to the
    /// upper bound; else they stay around the mean where it is close.
    pub(super) fills: bool,
}

/// Finds the means of classes bounded by `over` (threshold, gaps longer than
/// it), ascending, so that all `gaps` sum to `total_ns`. `above` is the part of
/// the total above a single threshold, where that is given.
pub(super) fn classes(
    gaps: u64,
    total_ns: f64,
    over: &[(f64, u64)],
    above: Option<f64>,
) -> Result<Vec<GapClass>, String> {
    let mut classes = Vec::new();
    let (mut lower, mut left) = (0.0, gaps);
    for &(threshold, longer) in over {
        if longer > left {
            return Err(format!("{longer} gaps longer than {threshold} ns among {left} that could be"));
        }
        classes.push(GapClass {
            count: left - longer,
            over_ns: lower,
            to_ns: threshold,
            mean_ns: 0.0,
            fills: false,
        });
        (lower, left) = (threshold, longer);
    }
    classes.push(GapClass { count: left, over_ns: lower, to_ns: f64::INFINITY, mean_ns: 0.0, fills: false });
    classes.retain(|class| class.count > 0);
    match (above, &mut classes[..]) {
        (Some(above), [inside, idle]) => {
            inside.mean_ns = (1.0 - above) * total_ns / inside.count as f64;
            idle.mean_ns = above * total_ns / idle.count as f64;
        }
        (Some(_), _) => return Err("the idle share needs gaps on both sides of its threshold".to_owned()),
        (None, classes) => fill(classes, total_ns)?,
    }
    for class in &classes {
        let GapClass { count, over_ns, to_ns, mean_ns, .. } = *class;
        if !(mean_ns >= 0.0 && mean_ns > over_ns * 1.000_001 && mean_ns < to_ns * 0.999_999) && total_ns > 0.0
        {
            return Err(format!(
                "{count} gaps between {over_ns} and {to_ns} ns would have to be {mean_ns:.0} ns long on average"
            ));
        }
    }
    Ok(classes)
}

/// Gives every class a mean so that the total is met: the gaps without an upper
/// bound take what the others leave.
fn fill(classes: &mut [GapClass], total_ns: f64) -> Result<(), String> {
    let Some((last, bounded)) = classes.split_last_mut() else {
        return Ok(());
    };
    let least: f64 = bounded.iter().map(|class| class.count as f64 * class.over_ns).sum();
    let width = |class: &GapClass| class.count as f64 * (class.to_ns - class.over_ns);
    let span: f64 = bounded.iter().map(width).sum();
    if last.to_ns.is_finite() {
        let (least, span) = (least + last.count as f64 * last.over_ns, span + width(last));
        let part = (total_ns - least) / span;
        for class in classes {
            class.mean_ns = class.over_ns + part * (class.to_ns - class.over_ns);
        }
        return Ok(());
    }
    // Short gaps are mostly much shorter than their bound.
    for part in [0.1, 0.03, 0.01, 0.001, 0.0001] {
        bounded
            .iter_mut()
            .for_each(|class| class.mean_ns = class.over_ns + part * (class.to_ns - class.over_ns));
        last.mean_ns = (total_ns - least - part * span) / last.count as f64;
        if last.mean_ns > last.over_ns * 1.01 {
            return Ok(());
        }
    }
    Err(format!("{} gaps longer than {} ns do not fit into {total_ns:.0} ns", last.count, last.over_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_gaps_are_refused() {
        assert!(classes(100, 1e9, &[(1e9, 5)], None).is_err());
        assert!(classes(100, 1e9, &[(1e6, 50), (1e8, 60)], None).is_err());
        assert!(classes(100, 1e12, &[(1e6, 0)], None).is_err());
        assert!(classes(100, 1e9, &[(1e8, 5)], Some(0.3)).is_err());
    }
}
