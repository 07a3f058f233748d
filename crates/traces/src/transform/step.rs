//! The transformations of a stream by name.

use super::bootstrap::{self, Bootstrap};
use super::describe::{parse, step_text};
use super::entries::{Again, Entries, Staged};
use super::remap::{self, Remap};
use super::repeat::{self, Repeat};
use super::sample::{self, Sample};
use super::scale::{self, Scale};
use super::window::{self, Window};
use crate::error::TraceError;
use crate::progress::Progress;
use serde_json::Value;

/// The transformations that take a stream and give a stream.
pub const STEP_KINDS: [&str; 6] =
    [sample::KIND, window::KIND, scale::KIND, remap::KIND, repeat::KIND, bootstrap::KIND];

/// One of them with its parameters.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Sample(Sample),
    Window(Window),
    Scale(Scale),
    Remap(Remap),
    Repeat(Repeat),
    Bootstrap(Bootstrap),
}

impl Step {
    /// Reads the parameters of a transformation and refuses what makes no sense.
    pub(super) fn new(kind: &str, parameters: Value) -> Result<Self, TraceError> {
        let step = match kind {
            sample::KIND => Self::Sample(parse(sample::KIND, parameters)?),
            window::KIND => Self::Window(parse(window::KIND, parameters)?),
            scale::KIND => Self::Scale(parse(scale::KIND, parameters)?),
            remap::KIND => Self::Remap(parse(remap::KIND, parameters)?),
            repeat::KIND => Self::Repeat(parse(repeat::KIND, parameters)?),
            bootstrap::KIND => Self::Bootstrap(parse(bootstrap::KIND, parameters)?),
            _ => {
                let allowed = STEP_KINDS.join(", ");
                return Err(TraceError::Option { key: "kind", value: kind.to_owned(), allowed });
            }
        };
        step.check()?;
        Ok(step)
    }

    fn check(&self) -> Result<(), TraceError> {
        match self {
            Self::Sample(sample) => sample.stage().map(|_| ()),
            Self::Window(window) => window.stage().map(|_| ()),
            Self::Scale(scale) => scale.stage().map(|_| ()),
            Self::Remap(remap) => remap.check(),
            Self::Repeat(repeat) => repeat.check(),
            Self::Bootstrap(bootstrap) => bootstrap.check(),
        }
    }

    /// Whether the trace is read more than once.
    pub(super) fn reads_again(&self) -> bool {
        matches!(self, Self::Remap(_) | Self::Repeat(_))
    }

    /// Puts the transformation behind a stream, which `again` opens once more.
    pub(super) fn behind(
        &self,
        mut inner: Box<dyn Entries>,
        again: Again,
        progress: &mut Progress<'_>,
    ) -> Result<Box<dyn Entries>, TraceError> {
        let (stage, step) = match self {
            Self::Sample(sample) => (sample.stage()?, step_text(sample::KIND, sample)),
            Self::Window(window) => (window.stage()?, step_text(window::KIND, window)),
            Self::Scale(scale) => (scale.stage()?, step_text(scale::KIND, scale)),
            Self::Remap(remap) => {
                let stage = remap.stage(inner.as_mut(), progress)?;
                inner = again(progress)?;
                (stage, step_text(remap::KIND, remap))
            }
            Self::Repeat(repeat) => return Ok(repeat.entries(again, inner)),
            Self::Bootstrap(bootstrap) => return bootstrap.entries(inner, progress),
        };
        Ok(Box::new(Staged { inner, stage, step }))
    }
}
