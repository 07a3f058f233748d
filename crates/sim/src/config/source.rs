//! The text of a configuration, in TOML or JSON, and where in it a key stands.

use super::json::{self, Places};
use super::lines::{line_at, line_of};
use super::origin::Origin;
use super::tree::{self, Key};
use super::ConfigError;
use std::path::Path;
use toml::Table;

/// A configuration's text.
pub struct Source {
    /// The name used in messages.
    pub label: String,
    text: String,
    /// The places of its keys, of one in JSON.
    places: Option<Places>,
}

impl Source {
    /// Of what is in no file.
    pub fn held(label: impl ToString) -> Self {
        Self { label: label.to_string(), text: String::new(), places: None }
    }

    /// Reads a text, in JSON if `label` ends so and else in TOML; only the first fault is told.
    pub fn parse(label: String, text: String) -> Result<(Self, Table), ConfigError> {
        let is_json = Path::new(&label).extension().is_some_and(|suffix| suffix == "json");
        let (tree, places) = if is_json {
            let (tree, places) = json::parse(&label, &text)?;
            (tree, Some(places))
        } else {
            (toml_tree(&label, &text)?, None)
        };
        Ok((Self { label, text, places }, tree))
    }

    /// Whether it is in JSON, as results are.
    pub fn is_json(&self) -> bool {
        self.places.is_some()
    }

    /// The keys whose value is null.
    pub fn nulls(&self) -> impl Iterator<Item = &Key> {
        self.places.iter().flat_map(|places| &places.nulls)
    }

    /// Where `key` stands, if anything around it does.
    pub fn origin(&self, key: &Key) -> Option<Origin> {
        self.line(key).map(|line| Origin::line(&self.label, line))
    }

    /// Where `key` stands, or the file.
    pub fn place(&self, key: &Key) -> Origin {
        self.origin(key).unwrap_or_else(|| Origin::file(&self.label))
    }

    /// The line in which `key` stands, with its comment, and where that is. Of JSON, which has no
    /// comments and may be all in one line, the value in `tree`.
    pub fn line_with(&self, key: &Key, tree: &Table) -> Option<(String, String)> {
        let line = self.line(key)?;
        let text = match self.is_json() {
            true => tree::get(tree, key).map(tree::shown)?,
            false => self.text.lines().nth(line - 1)?.trim().to_owned(),
        };
        Some((format!("{}:{line}", self.label), text))
    }

    fn line(&self, key: &Key) -> Option<usize> {
        match &self.places {
            Some(places) => places.of(key).map(|offset| line_at(&self.text, offset)),
            None => line_of(&self.text, key),
        }
    }
}

fn toml_tree(label: &str, text: &str) -> Result<Table, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        ConfigError::new(Origin::line(label, line), "", format!("not valid TOML: {message}"))
    })
}
