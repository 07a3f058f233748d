//! The first pass over a trace for a scheme that looks ahead.

use super::source::Source;
use super::{Plan, Progress, SimError};
use crate::config::RunConfig;
use slcache_core::ftl::oracle::Foresight;

/// A trace of which more would have to be known than can be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "scheme {scheme} can know {} writes to logical pages, and the trace has more; allowed: a part of it \
     (trace_options, slcache trace convert), or larger pages",
    Foresight::STEPS_MAX
)]
pub struct TooLong {
    pub scheme: &'static str,
}

/// What the trace does to the device of `config`, if its scheme looks ahead; `plan` says where its requests
/// go. Each write to a logical page takes 4 bytes, and each page of the device 8.
pub fn foresight(
    source: &mut Source,
    plan: &mut Plan,
    config: &RunConfig,
    progress: &mut Progress<'_>,
) -> Result<Foresight, SimError> {
    let pages = config.device.user_bytes / u64::from(config.device.piece_bytes());
    let mut foresight = Foresight::new(pages as u32, config.device.piece_bytes());
    while let Some(mut batch) = source.next()? {
        plan.mapper.apply(&mut batch)?;
        batch.iter().for_each(|request| foresight.add(request));
        if foresight.steps() > Foresight::STEPS_MAX {
            return Err(TooLong { scheme: config.scheme.name() }.into());
        }
        source.report("scan", progress)?;
    }
    plan.mapper.begin_again();
    Ok(foresight)
}
