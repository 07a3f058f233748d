//! The line of a file in which a key stands.

use super::tree::{Key, Step};
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// The line, from 1, of `offset` in `text`.
pub fn line_at(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The line of `key`, or of the innermost table around it that the file has.
pub fn line_of(text: &str, key: &Key) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let (first, rest) = key.0.split_first()?;
    let Step::Field(name) = first else {
        return None;
    };
    let (mut offset, mut value) = entry(root.get_ref(), name)?;
    for step in rest {
        let found = match step {
            Step::Field(name) => value.get_ref().as_table().and_then(|table| entry(table, name)),
            Step::Index(index) => value
                .get_ref()
                .as_array()
                .and_then(|list| list.get(*index))
                .map(|element| (element.span().start, element)),
        };
        let Some(inner) = found else { break };
        (offset, value) = inner;
    }
    Some(line_at(text, offset))
}

fn entry<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<(usize, &'a Spanned<DeValue<'i>>)> {
    table.iter().find(|(key, _)| key.get_ref().as_ref() == name).map(|(key, value)| (key.span().start, value))
}
