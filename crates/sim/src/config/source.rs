//! The text of a configuration, in TOML or JSON, and where in it a key stands.

use super::error::Origin;
use super::{json, ConfigError};
use slcache_base::document::places::{line_at, Lines, Places};
use slcache_base::document::tree::{self, Key};
use slcache_files::open_regular;
use std::cell::OnceCell;
use std::io::{Error, Read};
use std::path::Path;
use toml::Table;

/// Most bytes of a configuration, which may be a result's; a device such as /dev/zero has no end.
const TEXT_BYTES_MAX: u64 = 256 << 20;

/// Reads the text of a configuration.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    let mut text = Vec::new();
    open_regular(path)?.take(TEXT_BYTES_MAX + 1).read_to_end(&mut text)?;
    if text.len() as u64 > TEXT_BYTES_MAX {
        return Err(Error::other("is larger than 256 MiB, which no configuration is"));
    }
    let text = String::from_utf8(text).map_err(|_| Error::other("stream did not contain valid UTF-8"))?;
    // Some editors put a mark in front that is no part of the text.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A configuration's text.
pub struct ConfigText {
    pub label: String,
    text: String,
    is_json: bool,
    /// The places of its keys; of TOML, found out when one is asked for.
    places: OnceCell<Places>,
    lines: OnceCell<Lines>,
}

impl ConfigText {
    /// Of what is in no file.
    pub fn held(label: impl ToString) -> Self {
        Self::new(label.to_string(), String::new(), None)
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
        Ok((Self::new(label, text, places), tree))
    }

    fn new(label: String, text: String, json: Option<Places>) -> Self {
        let is_json = json.is_some();
        let places = json.map_or_else(OnceCell::new, OnceCell::from);
        Self { label, text, is_json, places, lines: OnceCell::new() }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of_toml(&self.text))
    }

    /// Whether it is in JSON, as results are.
    pub fn is_json(&self) -> bool {
        self.is_json
    }

    pub fn nulls(&self) -> impl Iterator<Item = &Key> {
        self.places().nulls.iter()
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
        let lines = self.lines.get_or_init(|| Lines::of(&self.text));
        self.places().of(key).map(|offset| lines.at(offset))
    }
}

fn toml_tree(label: &str, text: &str) -> Result<Table, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        ConfigError::new(Origin::line(label, line), "", format!("not valid TOML: {message}"))
    })
}
