//! What a user may have meant by a name that there is not.

/// Letters from which the beginning of a name is taken for the name.
const BEGINNING_LETTERS: usize = 3;

/// The candidate nearest to `wanted`, if one is near enough to be meant.
pub fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let tail = format!(".{wanted}");
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let score = |candidate: &str| {
        if candidate.ends_with(&tail) {
            return 1.0;
        }
        if wanted.len() >= BEGINNING_LETTERS && candidate.starts_with(wanted) {
            return 0.9;
        }
        // Long common prefixes must not make unlike names alike.
        let whole = strsim::normalized_damerau_levenshtein(wanted, candidate);
        whole.min(strsim::normalized_damerau_levenshtein(&last(wanted), &last(candidate)))
    };
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let value = score(candidate);
        if value >= 0.6 && best.is_none_or(|(top, _)| value > top) {
            best = Some((value, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
