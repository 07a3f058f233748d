//! What is wrong with a workload file: every problem, each with key and place.

use std::fmt;

/// One thing that is wrong with a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadProblem {
    /// Line of the file, from 1; `None` where the key is not in the file (an
    /// override, or a key that is missing).
    pub line: Option<usize>,
    /// The dotted key, such as `arrivals.mean_gap_ns`; empty for the file as a whole.
    pub key: String,
    /// What is wrong, with the value and what is allowed.
    pub message: String,
}

impl WorkloadProblem {
    /// A problem of a key, whose line is filled in later.
    pub(crate) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { line: None, key: key.into(), message: message.into() }
    }
}

/// Every problem of a workload, in the order of its keys' checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkloadProblems {
    /// Path or preset name as given.
    pub file: String,
    /// The problems; never empty in an error.
    pub problems: Vec<WorkloadProblem>,
}

impl WorkloadProblems {
    /// These problems, of a file that has no lines.
    pub(crate) fn without_lines(mut self) -> Self {
        self.problems.iter_mut().for_each(|problem| problem.line = None);
        self
    }
}

impl fmt::Display for WorkloadProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, problem) in self.problems.iter().enumerate() {
            if place > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", self.file)?;
            if let Some(line) = problem.line {
                write!(f, ":{line}")?;
            }
            write!(f, ": ")?;
            if !problem.key.is_empty() {
                write!(f, "{}: ", problem.key)?;
            }
            write!(f, "{}", problem.message)?;
        }
        Ok(())
    }
}

/// Gathers problems while a workload is checked; lines are filled in later.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<WorkloadProblem>);

impl Problems {
    pub(crate) fn add(&mut self, key: impl Into<String>, message: impl Into<String>) {
        self.0.push(WorkloadProblem::new(key, message));
    }

    /// What was found, or takes note of what stands against it.
    pub(crate) fn take<T>(&mut self, found: Result<T, WorkloadProblem>) -> Option<T> {
        found.map_err(|problem| self.0.push(problem)).ok()
    }

    /// Checks that a share lies between 0 and 1.
    pub(crate) fn share(&mut self, key: impl Into<String>, value: Option<f64>) {
        self.range(key, value, 0.0, 1.0);
    }

    /// Checks that a number lies between `least` and `most`.
    pub(crate) fn range(&mut self, key: impl Into<String>, value: Option<f64>, least: f64, most: f64) {
        if let Some(value) = value.filter(|value| !(least..=most).contains(value)) {
            self.add(key, format!("{value} is not allowed; allowed: a number from {least} to {most}"));
        }
    }

    /// Checks that a number is finite and above 0.
    pub(crate) fn positive(&mut self, key: impl Into<String>, value: Option<f64>) {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            self.add(key, format!("{value} is not allowed; allowed: a number above 0"));
        }
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn none(&self) -> bool {
        self.0.is_empty()
    }
}
