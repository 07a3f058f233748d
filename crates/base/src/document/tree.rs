//! Dotted keys and the places in a TOML tree they name.

use std::fmt;
use toml::{Table, Value};

/// One step of a key: a table's field or a list's index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A field of a table.
    Field(String),
    /// An element of a list, from 0.
    Index(usize),
}

/// A dotted key such as `device.pool[0].blocks`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key(pub Vec<Step>);

impl Key {
    /// Parses `a.b[0].c`; an index may also be written `a.b.0.c`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || !name.chars().all(plain) {
                return None;
            }
            steps.push(match name.parse() {
                Ok(index) => Step::Index(index),
                Err(_) => Step::Field(name.to_owned()),
            });
            for index in indices.split_inclusive(']') {
                let digits = index.strip_prefix('[')?.strip_suffix(']')?;
                steps.push(Step::Index(digits.parse().ok()?));
            }
        }
        Some(Self(steps))
    }

    /// The key of a problem; what is behind a `*`, which stands for several keys, is left off.
    pub fn of_problem(text: &str) -> Self {
        let plain = text.split_once(".*").map_or(text, |(front, _)| front);
        Self::parse(plain).unwrap_or_default()
    }

    /// The key with a prefix put in front.
    pub fn under(&self, prefix: &[&str]) -> Self {
        let front = prefix.iter().map(|name| Step::Field((*name).to_owned()));
        Self(front.chain(self.0.iter().cloned()).collect())
    }

    /// The key as it is below some fields, if it is below them.
    pub fn below(&self, prefix: &[&str]) -> Option<Self> {
        let rest = self.0.strip_prefix(&Self::default().under(prefix).0[..])?;
        (!rest.is_empty()).then(|| Self(rest.to_vec()))
    }

    /// The key with one more field.
    pub fn field(&self, name: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Field(name.to_owned()));
        Self(steps)
    }

    pub fn element(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }

    /// The key around this one.
    pub fn parent(&self) -> Option<Self> {
        let (_, around) = self.0.split_last()?;
        (!around.is_empty()).then(|| Self(around.to_vec()))
    }

    /// The first field's name.
    pub fn section(&self) -> &str {
        match self.0.first() {
            Some(Step::Field(name)) => name,
            _ => "",
        }
    }

    /// The steps of this key and of all around it, the outermost first.
    pub fn around(&self) -> impl DoubleEndedIterator<Item = &[Step]> {
        (1..=self.0.len()).map(|length| &self.0[..length])
    }

    /// Whether `self` is `other` or lies inside it.
    pub fn is_within(&self, other: &Key) -> bool {
        self.0.starts_with(&other.0)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if place == 0 => write!(f, "{name}")?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

pub fn get<'a>(root: &'a Table, key: &Key) -> Option<&'a Value> {
    let (first, rest) = key.0.split_first()?;
    let Step::Field(name) = first else {
        return None;
    };
    rest.iter().try_fold(root.get(name)?, |value, step| match step {
        Step::Field(name) => value.as_table()?.get(name),
        Step::Index(index) => value.as_array()?.get(*index),
    })
}

/// Puts `value` at `key`, making tables on the way; the step that does not fit is the error.
pub fn set(root: &mut Table, key: &Key, value: Value) -> Result<(), String> {
    let Some((Step::Field(name), rest)) = key.0.split_first() else {
        return Err("a key starts with a name".to_owned());
    };
    let mut place = root.entry(name.clone()).or_insert_with(|| Value::Table(Table::new()));
    for step in rest {
        place = match (step, place) {
            (Step::Field(name), Value::Table(table)) => {
                table.entry(name.clone()).or_insert_with(|| Value::Table(Table::new()))
            }
            (Step::Index(index), Value::Array(list)) => {
                let count = list.len();
                list.get_mut(*index).ok_or(format!("[{index}] is not in a list of {count}"))?
            }
            (Step::Index(index), _) => return Err(format!("[{index}] needs a list")),
            // A plain value such as victim = "greedy" gives way to the table form of the same choice.
            (Step::Field(name), other) => {
                if other.is_array() {
                    return Err(format!("{name} needs a table, and this is a list: give its index"));
                }
                *other = Value::Table(Table::new());
                let table = other.as_table_mut().expect("just made a table");
                table.entry(name.clone()).or_insert_with(|| Value::Table(Table::new()))
            }
        };
    }
    *place = value;
    Ok(())
}

/// Lays `value` on what stands at `key`: tables merge field by field, everything else replaces.
pub fn lay(root: &mut Table, key: &Key, value: Value) -> Result<(), String> {
    let laid = match (get(root, key), value) {
        (Some(Value::Table(below)), Value::Table(over)) => {
            let mut merged = below.clone();
            merge(&mut merged, over);
            Value::Table(merged)
        }
        (_, value) => value,
    };
    set(root, key, laid)
}

/// Takes the value at `key` out.
pub fn remove(root: &mut Table, key: &Key) -> Option<Value> {
    let (last, parents) = key.0.split_last()?;
    let Step::Field(name) = last else { return None };
    if parents.is_empty() {
        return root.remove(name);
    }
    let (first, rest) = parents.split_first()?;
    let Step::Field(first) = first else {
        return None;
    };
    let parent = rest.iter().try_fold(root.get_mut(first)?, |value, step| match step {
        Step::Field(name) => value.as_table_mut()?.get_mut(name),
        Step::Index(index) => value.as_array_mut()?.get_mut(*index),
    })?;
    parent.as_table_mut()?.remove(name)
}

/// Lays `over` on `base`: tables merge field by field, everything else replaces.
pub fn merge(base: &mut Table, over: Table) {
    for (name, value) in over {
        match (base.get_mut(&name), value) {
            (Some(Value::Table(below)), Value::Table(above)) => merge(below, above),
            (_, value) => {
                base.insert(name, value);
            }
        }
    }
}

/// A value as the user would write it, cut if long.
pub fn shown(value: &Value) -> String {
    if let Value::Float(number) = value {
        let plain = number.to_string();
        return if plain.len() > 24 { format!("{number:e}") } else { plain };
    }
    cut(&value.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A text, cut if long.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
