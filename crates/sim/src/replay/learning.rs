//! What a run takes over of what was learned before, and what it leaves.

use super::{RunRequest, SimError};
use crate::config::RunConfig;
use crate::memory_file::{self, MemoryFile, NoMemory};
use crate::provenance::{LearningRun, MemoryIn, MemoryOut};
use slcache_core::device::Simulation;
use slcache_files::Outputs;
use std::path::PathBuf;

/// The memories of a run.
pub struct Learning {
    read: Option<MemoryFile>,
    written: Option<PathBuf>,
    outputs: Outputs,
}

/// The files that a run's memories were read from and written to.
pub struct Memories {
    pub read: Option<MemoryIn>,
    pub written: Option<MemoryOut>,
}

impl Learning {
    /// Reads what the scheme begins with; refuses a scheme that learns nothing.
    pub fn of(request: &RunRequest, config: &RunConfig, outputs: Outputs) -> Result<Self, SimError> {
        let (read, written) = (request.memory_in.as_deref(), request.memory_out.clone());
        if read.is_some() || written.is_some() {
            memory_file::check_scheme(config)?;
        }
        let read = read.map(|path| MemoryFile::read(path, config)).transpose()?;
        Ok(Self { read, written, outputs })
    }

    /// Refuses a memory that is not the scheme's, and a scheme that has none with these settings.
    pub fn check(&self, simulation: &Simulation, config: &RunConfig) -> Result<(), SimError> {
        if (self.read.is_some() || self.written.is_some()) && simulation.memory().is_none() {
            return Err(NoMemory { scheme: config.scheme.name(), otherwise: true }.into());
        }
        Ok(self.read.as_ref().map_or(Ok(()), |file| file.check_shape(simulation))?)
    }

    /// Lets the scheme begin with what was read.
    pub fn give(&self, simulation: &mut Simulation) -> Result<(), SimError> {
        Ok(self.read.as_ref().map_or(Ok(()), |file| file.give(simulation))?)
    }

    /// Saves what the scheme has learned in the end, if that is asked for.
    pub fn save(
        self,
        simulation: &Simulation,
        config: &RunConfig,
        trace_sha256: Option<String>,
    ) -> Result<Memories, SimError> {
        let read = self.read.as_ref().map(MemoryFile::told);
        let (Some(path), Some(memory)) = (self.written, simulation.memory()) else {
            return Ok(Memories { read, written: None });
        };
        let mut runs = self.read.map_or_else(Vec::new, MemoryFile::into_runs);
        runs.push(LearningRun::of(config, trace_sha256));
        let written = memory_file::save_among(&path, config, memory, runs, self.outputs)?;
        Ok(Memories { read, written: Some(written) })
    }
}
