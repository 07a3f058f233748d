//! Which golden belongs to which version of the model: `golden/versions.toml`, a table of digests
//! for each version. A golden that moves takes a new version; one that is new joins the present one.

use crate::common::*;
use sha2::{Digest, Sha256};
use slcache_core::MODEL_VERSION;
use std::fmt::Write;

type Digests = BTreeMap<String, String>;

/// Digests by version of the model.
type Versions = BTreeMap<u32, Digests>;

const HEAD: &str = "\
# SHA-256 of every golden, shortened, by model version: a golden moves only with a new version.
# `make golden` writes this file.
";

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

fn digests(folder: &Path) -> Digests {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let digest = |path: PathBuf| {
        let hash = Sha256::digest(std::fs::read(&path).unwrap());
        let short = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), short)
    };
    files.filter(|path| path.extension().is_some_and(|end| end == "json")).map(digest).collect()
}

fn read(folder: &Path) -> Versions {
    let text = std::fs::read_to_string(folder.join("versions.toml")).unwrap_or_default();
    let tables: BTreeMap<String, Digests> = toml::from_str(&text).unwrap();
    tables.into_iter().map(|(version, table)| (version.parse().unwrap(), table)).collect()
}

fn write(folder: &Path, versions: &Versions) {
    let mut text = HEAD.to_owned();
    for (version, table) in versions {
        write!(text, "\n[{version}]\n").unwrap();
        table.iter().for_each(|(file, digest)| writeln!(text, "\"{file}\" = \"{digest}\"").unwrap());
    }
    std::fs::write(folder.join("versions.toml"), text).unwrap();
}

/// What `versions` says against the goldens `now` of the model's `version`, if anything.
fn fault(versions: &Versions, now: &Digests, version: u32) -> Option<String> {
    let newest = versions.keys().max().copied().unwrap_or(0);
    let raise = "golden/versions.toml: raise MODEL_VERSION in crates/core/src/lib.rs";
    match versions.get(&version) {
        _ if newest > version => Some(format!("{raise}: it is {version}, and {newest} was there before")),
        None => Some(format!("model version {version} is not in golden/versions.toml: run make golden")),
        Some(table) => {
            let moved = table.iter().find(|(file, digest)| now.get(*file).is_some_and(|new| new != *digest));
            let unknown = now.keys().find(|file| !table.contains_key(*file));
            let gone = table.keys().find(|file| !now.contains_key(*file));
            match (moved, unknown.or(gone)) {
                (Some((file, _)), _) => Some(format!(
                    "{raise}, since {file} is not that of model version {version}; then run make golden \
                     and say in CHANGELOG.md, under Results, what moved and why"
                )),
                (_, Some(file)) => Some(format!("{file} is new or gone: run make golden")),
                _ => None,
            }
        }
    }
}

/// Holds the goldens against the table; with `rewrite` the table follows where it may.
pub fn check(rewrite: bool) {
    let folder = folder();
    let (mut versions, now) = (read(&folder), digests(&folder));
    let known = versions.get(&MODEL_VERSION).cloned().unwrap_or_default();
    if rewrite && known.iter().all(|(file, digest)| now.get(file).is_none_or(|new| new == digest)) {
        versions.insert(MODEL_VERSION, now.clone());
        write(&folder, &versions);
    }
    assert_eq!(fault(&versions, &now, MODEL_VERSION), None);
}
