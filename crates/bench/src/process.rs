//! A measurement in a fresh process of this program.

use std::process::Command;

/// The figures of a process of this program that does `what`.
pub fn start<T: serde::de::DeserializeOwned>(what: &str) -> Result<T, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).arg(format!("--child={what}")).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
