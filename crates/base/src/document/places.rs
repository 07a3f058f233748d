//! Where the keys of a text stand, each found without a search, and in which line.

use super::tree::{Key, Step};
use std::collections::HashMap;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// Where the keys of a text stand.
#[derive(Default)]
pub struct Places {
    /// The byte where the name of each key begins, or itself in a list.
    offsets: HashMap<Vec<Step>, usize>,
    /// The keys whose value is null: the tree does not have them.
    pub nulls: Vec<Key>,
}

impl Places {
    pub fn of_toml(text: &str) -> Self {
        let mut places = Self::default();
        if let Ok(root) = DeTable::parse(text) {
            places.add_table(root.get_ref(), &Key::default());
        }
        places
    }

    pub fn add(&mut self, key: &Key, offset: usize) {
        self.offsets.insert(key.0.clone(), offset);
    }

    /// The byte where `key` begins, or the innermost part around it that there is.
    pub fn of(&self, key: &Key) -> Option<usize> {
        key.around().rev().find_map(|steps| self.offsets.get(steps).copied())
    }

    fn add_table(&mut self, table: &DeTable<'_>, key: &Key) {
        for (name, value) in table {
            self.add_value(value, &key.field(name.get_ref()), name.span().start);
        }
    }

    fn add_value(&mut self, value: &Spanned<DeValue<'_>>, key: &Key, offset: usize) {
        self.add(key, offset);
        match value.get_ref() {
            DeValue::Table(table) => self.add_table(table, key),
            DeValue::Array(list) => {
                for (index, element) in list.iter().enumerate() {
                    self.add_value(element, &key.element(index), element.span().start);
                }
            }
            _ => {}
        }
    }
}

/// The line, from 1, of `offset` in `text`.
pub fn line_at(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Where the lines of a text end, to be asked for many.
pub struct Lines(Vec<usize>);

impl Lines {
    pub fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(place, _)| place).collect())
    }

    /// The line, from 1, of the byte at `offset`.
    pub fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|&end| end < offset) + 1
    }
}
