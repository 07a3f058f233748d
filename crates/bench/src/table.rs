//! The committed instructions per request: written anew, or held against those of now.

use super::instructions::PerRequest;
use serde::{Deserialize, Serialize};
use slcache_sim::provenance;
use std::path::Path;

/// Growth that fails the check, percent.
const GROWTH_ALLOWED: f64 = 3.0;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What the program was built with; another compiler gives other counts.
    compiler: String,
    per_request: PerRequest,
}

const HEADER: &str = "\
# Instructions per request, counted by valgrind's cachegrind. Written by `make instructions`, held by
# `make bench-check`; docs/benchmarking.md says what is counted.

";

impl Table {
    /// Of this program.
    pub fn new(per_request: &PerRequest) -> Self {
        let rounded = per_request.iter().map(|(name, count)| (name.clone(), count.round())).collect();
        Self { compiler: provenance::compiler().to_owned(), per_request: rounded }
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = toml::to_string(self).map_err(|error| error.to_string())?;
        std::fs::write(path, format!("{HEADER}{text}"))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The lines that tell how `now` differs, and whether none grew too much.
    pub fn compare(&self, now: &Self) -> (Vec<String>, bool) {
        let (mut lines, mut good) = (Vec::new(), true);
        if self.compiler != now.compiler {
            lines.push(format!("the table was written with {}, this is {}", self.compiler, now.compiler));
        }
        for (name, &count) in &now.per_request {
            let Some(&before) = self.per_request.get(name) else {
                lines.push(format!("{name}: {count:.0}, not in the table: make instructions"));
                good = false;
                continue;
            };
            // In this order whole counts give whole percents exactly.
            let growth = 100.0 * (count - before) / before;
            let verdict = if growth > GROWTH_ALLOWED { ": grew by more than 3 %" } else { "" };
            good &= growth <= GROWTH_ALLOWED;
            lines.push(format!("{name}: {before:.0} -> {count:.0} ({growth:+.1} %){verdict}"));
        }
        for name in self.per_request.keys().filter(|name| !now.per_request.contains_key(*name)) {
            lines.push(format!("{name}: in the table, but not measured any more: make instructions"));
            good = false;
        }
        (lines, good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, f64)]) -> Table {
        Table::new(&rows.iter().map(|&(name, count)| (name.to_owned(), count)).collect())
    }

    #[test]
    fn growth_and_missing_rows_fail() {
        let before = table(&[("a", 1000.0), ("b", 1000.0)]);
        let check = |rows: &[(&str, f64)]| before.compare(&table(rows));
        assert!(check(&[("a", 1030.0), ("b", 400.0)]).1);
        let (lines, good) = check(&[("a", 1031.0), ("b", 1000.0)]);
        assert!(!good && lines[0] == "a: 1000 -> 1031 (+3.1 %): grew by more than 3 %", "{lines:?}");
        assert!(!check(&[("a", 1000.0)]).1);
        assert!(!check(&[("a", 1000.0), ("b", 1000.0), ("c", 1.0)]).1);
    }

    #[test]
    fn what_is_written_is_read() {
        let path = tempfile::NamedTempFile::new().unwrap();
        table(&[("synth1m on x, y", 4481.4)]).write(path.path()).unwrap();
        assert_eq!(Table::read(path.path()).unwrap().per_request["synth1m on x, y"], 4481.0);
    }
}
