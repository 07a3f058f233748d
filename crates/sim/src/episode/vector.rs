//! Episodes side by side: a step of all of them, on the threads of a pool.

use super::{Episode, EpisodeError};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::time::Duration;

/// Time between two questions whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Which of the episodes did not do its step, and why.
#[derive(Debug, thiserror::Error)]
#[error("episode {index}: {source}")]
pub struct StepFailed {
    /// Its place.
    pub index: usize,
    pub source: Box<EpisodeError>,
}

/// Episodes that step side by side; each does what it would do alone.
pub struct Episodes {
    episodes: Vec<Episode>,
    pool: ThreadPool,
}

impl Episodes {
    /// Episodes on `threads` threads; without a number on as many as there are processors.
    pub fn new(episodes: Vec<Episode>, threads: Option<usize>) -> std::io::Result<Self> {
        let name = |number| format!("slcache-{number}");
        let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).thread_name(name).build();
        Ok(Self { episodes, pool: pool.map_err(std::io::Error::other)? })
    }

    pub fn all(&self) -> &[Episode] {
        &self.episodes
    }

    /// Puts another episode in the place of one.
    pub fn replace(&mut self, index: usize, episode: Episode) {
        self.episodes[index] = episode;
    }

    /// Steps every episode that has turns, if none of them would be refused, and says which are at the
    /// end of their traces. Where a step fails, the others are done.
    pub fn step(
        &mut self,
        turns: &[Option<Vec<(usize, f64)>>],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<bool>, StepFailed> {
        assert_eq!(turns.len(), self.episodes.len(), "Invariant: turns for each episode");
        for (index, (episode, turns)) in self.episodes.iter().zip(turns).enumerate() {
            if let Some(turns) = turns {
                let source = |error| StepFailed { index, source: Box::new(error) };
                episode.check_turns(turns).map_err(source)?;
            }
        }
        let mut stepped: Vec<Result<bool, EpisodeError>> =
            self.episodes.iter().map(|episode| Ok(episode.is_ended())).collect();
        let stop = AtomicBool::new(false);
        self.pool.in_place_scope(|scope| {
            let (sender, receiver) = channel();
            for ((episode, turns), stepped) in self.episodes.iter_mut().zip(turns).zip(&mut stepped) {
                let (Some(turns), stop, sender) = (turns, &stop, sender.clone()) else { continue };
                scope.spawn(move |_| {
                    *stepped = episode.step(turns, &mut || !stop.load(Ordering::Relaxed));
                    // The one who waits stays until all senders are gone.
                    let _ = sender.send(());
                });
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(ASK_EVERY) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) if go_on() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        stop.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            }
        });
        let failed = |(index, stepped): (usize, Result<bool, EpisodeError>)| {
            stepped.map_err(|error| StepFailed { index, source: Box::new(error) })
        };
        stepped.into_iter().enumerate().map(failed).collect()
    }

    /// Puts every observation into `out`, a row for each.
    pub fn observe(&self, out: &mut [f64]) {
        let mut rest = out;
        for episode in &self.episodes {
            let (row, behind) = rest.split_at_mut(episode.observation_len());
            episode.observe(row);
            rest = behind;
        }
    }
}
