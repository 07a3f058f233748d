//! Names that a file gives, in a message: a file may have a great many, and long ones.

const SHOWN: usize = 12;
const SHOWN_LETTERS: usize = 80;

/// The first few of the names, and how many more there are.
pub(crate) fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let mut text = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// The name, or its beginning.
pub(crate) fn cut(name: &str) -> String {
    match name.char_indices().nth(SHOWN_LETTERS) {
        Some((place, _)) => format!("{}...", &name[..place]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_and_long_names_are_told_in_short() {
        let numbers = |count: usize| listed((0..count).map(|number| number.to_string()));
        assert_eq!(numbers(2), "0, 1");
        assert_eq!(numbers(12), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11");
        assert_eq!(numbers(12_800), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12788 more");
        assert_eq!(cut(&"\u{e9}".repeat(80)), "\u{e9}".repeat(80));
        assert_eq!(cut(&"\u{e9}".repeat(81)), format!("{}...", "\u{e9}".repeat(80)));
    }
}
