//! What a workload consists of, for people and for result files.

use super::spec::{FreeFigure, TwinSpec};
use super::twin::{extensive, figure_names, figures, TwinPlan};
use super::Workload;
use serde::Serialize;
use std::collections::BTreeMap;

/// A workload in words and figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    /// Its label; a twin is called a twin.
    pub label: String,
    /// What it is, in one line.
    pub about: Option<String>,
    /// Where its figures come from.
    pub source: Option<String>,
    /// `twin` or `pattern`.
    pub kind: &'static str,
    /// Whether the requests end.
    pub bounded: bool,
    /// Settings that differ from the file, as given.
    pub overrides: BTreeMap<String, String>,
    /// Part of the requests that a scaled twin makes, from 0 to 1; 1 otherwise.
    pub scale: f64,
    /// A twin's figures by name; empty for patterns.
    pub figures: BTreeMap<String, FigureValue>,
}

/// A figure of a twin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureValue {
    /// Where the value comes from.
    pub state: FigureState,
    /// The value as stated, in the unit the name ends with; lists as text, and
    /// nothing for derived figures.
    pub stated: Option<serde_json::Value>,
    /// What the requests made amount to, where that is certain beforehand.
    pub reached: Option<f64>,
    /// Whether `reached` shrinks along in a scaled twin.
    pub scales: bool,
    /// For a free figure, why its value was chosen and what to sweep over.
    pub free: Option<FreeFigure>,
}

/// Where a figure's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureState {
    /// Given by the source.
    Given,
    /// Chosen: no source gives it.
    Free,
    /// Follows from the others.
    Derived,
    /// Set by an override.
    Overridden,
}

pub(super) fn describe(workload: &Workload, plan: Option<&TwinPlan>) -> Description {
    let spec = &workload.spec;
    let twin = spec.twin.as_ref().zip(plan);
    let figures = twin.map(|(twin, plan)| twin_figures(workload, twin, plan)).unwrap_or_default();
    Description {
        label: workload.label(),
        about: spec.about.clone(),
        source: spec.source.clone(),
        kind: if twin.is_some() { "twin" } else { "pattern" },
        bounded: workload.bounded(),
        overrides: workload.overrides.clone(),
        scale: twin.map_or(1.0, |(_, plan)| plan.scale()),
        figures,
    }
}

fn twin_figures(workload: &Workload, twin: &TwinSpec, plan: &TwinPlan) -> BTreeMap<String, FigureValue> {
    let (stated, reached) = (figures(twin), plan.achieved());
    let mut described = BTreeMap::new();
    for name in figure_names() {
        let value = match name.as_str() {
            "read_sizes" if !twin.read_sizes.is_empty() => serde_json::to_value(&twin.read_sizes).ok(),
            "write_sizes" if !twin.write_sizes.is_empty() => serde_json::to_value(&twin.write_sizes).ok(),
            "gap_classes" if !twin.gap_classes.is_empty() => serde_json::to_value(&twin.gap_classes).ok(),
            "class" => twin.class.and_then(|class| serde_json::to_value(class).ok()),
            _ => stated.get(&name).map(|value| serde_json::json!(value)),
        };
        if value.is_none() && !reached.contains_key(name.as_str()) {
            continue;
        }
        let state = if workload.overrides.keys().any(|key| key.split('.').nth(1) == Some(&name)) {
            FigureState::Overridden
        } else if twin.free.contains_key(&name) {
            FigureState::Free
        } else if value.is_some() {
            FigureState::Given
        } else {
            FigureState::Derived
        };
        let figure = FigureValue {
            state,
            stated: value,
            reached: reached.get(name.as_str()).copied(),
            scales: extensive(&name),
            free: twin.free.get(&name).cloned(),
        };
        described.insert(name, figure);
    }
    described
}
