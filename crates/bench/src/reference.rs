//! What other simulators needed for the same workloads.

use serde::Deserialize;

/// One simulator on one workload.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    pub simulator: String,
    pub setting: String,
    pub workload: String,
    pub cpu_s: f64,
    pub requests_per_s: f64,
    pub peak_mib: f64,
    #[serde(default)]
    pub page_operations: Option<f64>,
    #[serde(default)]
    pub write_amplification: Option<f64>,
}

#[derive(Deserialize)]
struct File {
    result: Vec<Reference>,
}

/// Every reference figure that is shipped.
pub fn all() -> Vec<Reference> {
    let text = include_str!("../../../benches/reference.toml");
    let file: Result<File, _> = toml::from_str(text);
    // Shipped with the program and read by a test.
    file.expect("the shipped reference figures parse").result
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_shipped_figures_parse() {
        assert!(super::all().iter().any(|entry| entry.write_amplification == Some(4.83)));
    }
}
