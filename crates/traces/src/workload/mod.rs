//! Workloads made on the spot from a file or preset: patterns in fio's words,
//! and twins, which stand in for published traces.
//!
//! A [`Workload`] is loaded and checked once; [`Workload::generate`] then yields
//! its requests in constant memory, the same for the same seed on every machine.

mod describe;
mod load;
mod pattern;
mod presets;
mod quantity;
mod random;
mod spec;
mod twin;

pub use crate::error::workload_problem::{WorkloadProblem, WorkloadProblems};
pub use describe::{Description, FigureState, FigureValue};
pub use presets::{is_workload, preset_names, presets, WorkloadPreset};
pub use quantity::{time_ns, FigureBytes, SizeBytes, SizeText, TimeNs};
pub use spec::{
    ArrivalProcess, ArrivalsSpec, BurstLength, FreeFigure, GapShare, MeasuredClass, SizeShare, SizeSharesBy,
    StreamSpec, SweepValue, TwinSpec, WorkloadSpec,
};

use crate::error::workload_problem::Problems;
use crate::error::TraceError;
use crate::stored::trace_path::TracePath;
use pattern::{PatternGenerator, PatternPlan};
use slcache_base::request::Request;
use std::collections::BTreeMap;
use twin::{TwinGenerator, TwinPlan};

/// A workload, checked and ready to be made.
#[derive(Clone, Debug)]
pub struct Workload {
    file: String,
    spec: WorkloadSpec,
    overrides: BTreeMap<String, String>,
    plan: Plan,
}

#[derive(Clone, Debug)]
enum Plan {
    Pattern(PatternPlan),
    Twin(TwinPlan),
}

impl Workload {
    /// Loads a workload file, or the preset of that name where no such file
    /// exists. `overrides` are dotted keys with values as in the file, text
    /// without quotes: `twin.update_ratio` to `0.5`, `global.bs` to `16k`,
    /// `stream.0.weight` to `3`.
    ///
    /// # Errors
    /// [`TraceError::File`] where there is neither file nor preset, otherwise
    /// [`TraceError::Workload`] with every problem found.
    pub fn load(
        path_or_preset: impl Into<TracePath>,
        overrides: &BTreeMap<String, String>,
    ) -> Result<Self, TraceError> {
        let path = path_or_preset.into();
        let parsed = Self::parse(path.name(), &presets::text(&path)?, overrides);
        match parsed {
            // Nobody has seen the lines of what is in no file.
            Err(TraceError::Workload(problems)) if path.content().is_some() => {
                Err(TraceError::Workload(problems.without_lines()))
            }
            parsed => parsed,
        }
    }

    /// Like [`load`](Self::load) from `text`; `file` is its name in messages.
    ///
    /// # Errors
    /// [`TraceError::Workload`] with every problem found.
    pub fn parse(file: &str, text: &str, overrides: &BTreeMap<String, String>) -> Result<Self, TraceError> {
        let load::Loaded { spec, mut problems } = load::read(text, overrides);
        let faulty: Vec<String> = problems.0.iter().map(|problem| problem.key.clone()).collect();
        let plan = if faulty.iter().any(String::is_empty) { None } else { resolve(&spec, &mut problems) };
        // What was taken out for its shape is not missing as well.
        let mut place = 0;
        problems.0.retain(|problem| {
            place += 1;
            place <= faulty.len() || !faulty.contains(&problem.key)
        });
        match plan.filter(|_| problems.none()) {
            Some(plan) => Ok(Self { file: file.to_owned(), spec, overrides: overrides.clone(), plan }),
            None => {
                load::add_lines(text, overrides, &mut problems);
                let problems = WorkloadProblems { file: file.to_owned(), problems: problems.0 };
                Err(TraceError::Workload(problems))
            }
        }
    }

    /// The requests of this workload; the same for the same seed everywhere.
    pub fn generate(&self, seed: u64) -> Generator {
        Generator(match &self.plan {
            Plan::Pattern(plan) => Inner::Pattern(Box::new(PatternGenerator::new(plan, seed))),
            Plan::Twin(plan) => Inner::Twin(Box::new(TwinGenerator::new(plan, seed))),
        })
    }

    /// Whether the requests end; without `requests` or `duration_ns` those of
    /// patterns do not.
    pub fn bounded(&self) -> bool {
        match &self.plan {
            Plan::Pattern(plan) => plan.bounded(),
            Plan::Twin(_) => true,
        }
    }

    /// Its requests; none where only time ends a pattern, which may also end it earlier.
    pub fn requests(&self) -> Option<u64> {
        match &self.plan {
            Plan::Pattern(plan) => plan.requests,
            Plan::Twin(plan) => Some(plan.requests()),
        }
    }

    /// What to call it in every output: a twin is always called a twin.
    pub fn label(&self) -> String {
        match &self.spec.twin {
            Some(TwinSpec { of: Some(of), from: Some(from), .. }) => format!("twin of {of} ({from})"),
            _ => self.spec.name.clone().unwrap_or_else(|| self.file.clone()),
        }
    }

    /// The specification with overrides applied and units resolved, as TOML
    /// without its prose: equal text, equal requests (for equal seeds).
    pub fn canonical(&self) -> String {
        let mut spec = self.spec.clone();
        (spec.name, spec.about, spec.source) = (None, None, None);
        if let Some(twin) = &mut spec.twin {
            *twin = twin::expand(twin);
            twin.free.clear();
        }
        // Every value is a number, a text or a table of such, which TOML can hold.
        toml::to_string(&spec).expect("a specification read from TOML can be written as TOML")
    }

    /// What is given, what follows from it and what is free.
    pub fn describe(&self) -> Description {
        let plan = match &self.plan {
            Plan::Twin(plan) => Some(plan),
            Plan::Pattern(_) => None,
        };
        describe::describe(self, plan)
    }

    /// The specification with overrides applied.
    pub fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }
}

fn resolve(spec: &WorkloadSpec, problems: &mut Problems) -> Option<Plan> {
    match &spec.twin {
        Some(figures) => twin::resolve(spec, figures, problems).map(Plan::Twin),
        None => pattern::resolve(spec, problems).map(Plan::Pattern),
    }
}

/// The requests of a workload, times not decreasing, in constant memory.
#[derive(Clone, Debug)]
pub struct Generator(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Pattern(Box<PatternGenerator>),
    Twin(Box<TwinGenerator>),
}

impl Iterator for Generator {
    type Item = Request;

    #[inline]
    fn next(&mut self) -> Option<Request> {
        match &mut self.0 {
            Inner::Pattern(generator) => generator.next(),
            Inner::Twin(generator) => generator.next(),
        }
    }
}
