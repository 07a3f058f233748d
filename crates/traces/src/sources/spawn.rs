//! Reading on a thread of its own, batches in order through a bounded channel.

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::sources::reader::{open, TraceReader};
use crate::stored::trace_path::TracePath;
use crate::summary::TraceSummary;
use slcache_base::request::Request;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Batches read ahead of the consumer.
const AHEAD_BATCHES: usize = 4;

/// Opens a trace and reads it on a thread of its own, `batch` requests at a
/// time. Batches, and the first problem, come in trace order whatever `batch`
/// is; what cannot be opened is an error at once.
pub fn spawn(
    path: impl Into<TracePath>,
    options: &TraceOptions,
    batch: usize,
) -> Result<TraceStream, TraceError> {
    let reader = open(path, options)?;
    let (sender, receiver) = sync_channel(AHEAD_BATCHES);
    let mut stream = TraceStream {
        path: reader.path().clone(),
        format: reader.format(),
        has_volumes: reader.has_volumes(),
        done: reader.counter(),
        total: reader.total(),
        receiver: Some(receiver),
        thread: None,
        summary: None,
    };
    let thread = std::thread::Builder::new()
        .name("trace reader".to_owned())
        .spawn(move || read(reader, batch, &sender))
        .map_err(|source| TraceError::open(stream.path.name(), source))?;
    stream.thread = Some(thread);
    Ok(stream)
}

enum Message {
    Batch(Vec<Request>),
    Failed(TraceError),
    Ended(Box<TraceSummary>),
}

/// The thread: stops when the trace ends, fails or nobody listens any more.
fn read(mut reader: TraceReader, batch: usize, sender: &SyncSender<Message>) {
    loop {
        let mut requests = Vec::with_capacity(batch.min(1 << 16));
        let message = match reader.next_batch(&mut requests, batch) {
            Ok(true) => Message::Batch(requests),
            Ok(false) => Message::Ended(Box::new(reader.summary().clone())),
            Err(error) => Message::Failed(error),
        };
        let last = !matches!(message, Message::Batch(_));
        if sender.send(message).is_err() || last {
            return;
        }
    }
}

/// The consumer's end of [`spawn`]: an iterator over batches that ends after
/// the last batch or after the first error.
pub struct TraceStream {
    path: TracePath,
    format: &'static str,
    has_volumes: bool,
    done: Arc<AtomicU64>,
    total: Option<u64>,
    receiver: Option<Receiver<Message>>,
    thread: Option<JoinHandle<()>>,
    summary: Option<TraceSummary>,
}

impl TraceStream {
    /// What was opened, with a copy of its bytes where reading made one.
    pub fn path(&self) -> &TracePath {
        &self.path
    }

    pub fn format(&self) -> &'static str {
        self.format
    }

    /// Whether the streams are volumes with addresses of their own, of which
    /// there may be several.
    pub fn has_volumes(&self) -> bool {
        self.has_volumes
    }

    /// Stored (compressed) bytes consumed so far, or requests of what is made.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Of so many in all; `None` for standard input, and where only time ends a workload.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// The counts of the whole trace, once the iterator has ended without error.
    pub fn summary(&self) -> Option<&TraceSummary> {
        self.summary.as_ref()
    }

    /// Hangs up and waits for the thread.
    fn stop(&mut self) {
        self.receiver = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been told as `ReaderStopped` already.
            let _ = thread.join();
        }
    }
}

impl Iterator for TraceStream {
    type Item = Result<Vec<Request>, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let receiver = self.receiver.as_ref()?;
        let item = match receiver.recv() {
            Ok(Message::Batch(requests)) => return Some(Ok(requests)),
            Ok(Message::Failed(error)) => Some(Err(error)),
            Ok(Message::Ended(summary)) => {
                self.summary = Some(*summary);
                None
            }
            Err(_) => Some(Err(TraceError::reader_stopped(self.path.name()))),
        };
        self.stop();
        item
    }
}

impl Drop for TraceStream {
    fn drop(&mut self) {
        self.stop();
    }
}
