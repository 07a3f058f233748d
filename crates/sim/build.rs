//! Records the commit that the simulator is built from, and the compiler.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rustc-env=SLCACHE_COMMIT={}", commit().unwrap_or_else(|| "unknown".to_owned()));
    println!("cargo:rustc-env=SLCACHE_RUSTC={}", compiler().unwrap_or_else(|| "unknown".to_owned()));
    // The log of HEAD grows with every commit, whichever branch it is on.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        let log = Path::new(&log).to_owned();
        if log.exists() {
            println!("cargo:rerun-if-changed={}", log.display());
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
}

/// The compiler's name and version.
fn compiler() -> Option<String> {
    let output = Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split(" (").next().map(|version| version.trim().to_owned())
}

fn commit() -> Option<String> {
    git(&["rev-parse", "HEAD"])
}

/// The output of a git command in this directory; `None` without git or a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
