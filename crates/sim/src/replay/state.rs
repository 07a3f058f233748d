//! The state of a preconditioned device, made without a trace.

use super::learning::Learning;
use super::{outputs, prepare, Progress, RunRequest, SimError, Written};
use crate::config::resolve;
use crate::memory;

/// Preconditions the device of a request and saves its state to `snapshot_out`, for runs of the same
/// device, scheme, buffer and seed that start from it.
pub fn save_state(request: &RunRequest, progress: &mut Progress<'_>) -> Result<(), SimError> {
    let mut config = resolve(&request.layers)?;
    memory::check(&config.setup().memory())?;
    let Written { state, memory, .. } = outputs(request)?;
    let learning = Learning::of(request, &config, memory)?;
    prepare(request, &mut config, &learning, state, progress).map(drop)
}
